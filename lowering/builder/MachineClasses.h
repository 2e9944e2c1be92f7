// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What several kernels take from a machine's model by the same formula.

#ifndef ZENITH_LOWERING_BUILDER_MACHINECLASSES_H
#define ZENITH_LOWERING_BUILDER_MACHINECLASSES_H

#include "lowering/builder/EmissionContext.h"

namespace zenith::kernels {

/// Whether one vector fills a cache line. Such cores read two lines a cycle
/// from the first-level cache and one from the second, which is 1 MiB and
/// more: what others keep in the first level, they may keep in the second.
inline bool vectorsFillLines(const TargetModel &target) {
  return int64_t(target.lanes) * 4 >= target.lineBytes;
}

/// All of the second-level cache, where nothing streams by: models count half
/// of those of 1 MiB and more (ir/target/NamedModels.def).
inline double wholeSecondLevel(const TargetModel &target) {
  return target.l2Share(vectorsFillLines(target) ? 2 : 1);
}

/// Bytes of a tile's accumulators: three quarters of the registers, whatever
/// its shape.
inline double accumulatorBytes(const TargetModel &target) {
  return 0.75 * double(target.registers) * 4 * double(target.lanes);
}

/// f32 elements of a task that moves data: read and written, they fill the
/// first-level cache four times, which takes longer than claiming a task.
inline int64_t elementsOfMovement(const TargetModel &target) {
  return int64_t(target.l1Share(4)) / int64_t(2 * sizeof(float));
}

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_BUILDER_MACHINECLASSES_H
