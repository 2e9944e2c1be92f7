// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which position of a feature map a Winograd tile begins with.

#ifndef ZENITH_LOWERING_GEMM_WINOGRADPOSITION_H
#define ZENITH_LOWERING_GEMM_WINOGRADPOSITION_H

#include "lowering/builder/KernelBuilder.h"
#include "lowering/schedule/WinogradSchedule.h"

namespace zenith::kernels {

/// A position of an input or output feature map.
struct SpatialPosition {
  mlir::Value volume, plane, y, x;
};

/// The first output position of tile number `tile`, where a volume has `planes`
/// planes.
SpatialPosition positionOfTile(KernelBuilder &kernel,
                               const WinogradSchedule &schedule,
                               mlir::Value tile, const graph::DimExpr &planes);

/// Memory of the input feature map, or of its padded copy; call in the entry
/// block.
mlir::Value inputMemory(KernelBuilder &kernel,
                        const WinogradSchedule &schedule);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_GEMM_WINOGRADPOSITION_H
