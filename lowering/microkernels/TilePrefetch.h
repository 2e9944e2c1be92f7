// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Software prefetch of the operands that a tile will read.

#ifndef ZENITH_LOWERING_MICROKERNELS_TILEPREFETCH_H
#define ZENITH_LOWERING_MICROKERNELS_TILEPREFETCH_H

#include "lowering/microkernels/MicroKernelCode.h"

namespace zenith::kernels {

class TilePrefetch : MicroKernelCode {
public:
  explicit TilePrefetch(const MicroKernelCode &code) : MicroKernelCode(code) {}

  /// Prefetches what iteration `set` of a step will read of B a while later,
  /// once per cache line.
  void ofB(const PrefetchB &lines, mlir::Value memory, mlir::Value offset,
           unsigned set);
  /// The lines of the next panel that one round of k prefetches.
  void nextPanel(const PrefetchNextPanel &next, mlir::Value from,
                 mlir::Value memory);
  /// As many cache lines of A as `unroll` k of all rows take.
  void nextRows(mlir::Value memory, mlir::Value from, unsigned unroll);

private:
  /// Prefetches into the first-level cache for use soon, else into the
  /// second-level one.
  void line(mlir::Value memory, mlir::Value offset, bool soon);
};

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_MICROKERNELS_TILEPREFETCH_H
