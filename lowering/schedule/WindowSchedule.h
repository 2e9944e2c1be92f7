// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the schedules of moving windows share: the window along one dimension,
// and the kernel that takes whole planes through a cache.

#ifndef ZENITH_LOWERING_SCHEDULE_WINDOWSCHEDULE_H
#define ZENITH_LOWERING_SCHEDULE_WINDOWSCHEDULE_H

#include "lowering/builder/EmissionContext.h"
#include "lowering/builder/IterationSpace.h"

namespace zenith::kernels {

/// The window along one dimension of the result.
struct WindowDim {
  unsigned dim;
  int64_t stride, low, count, dilation;
  graph::DimExpr size; ///< of the operand

  /// First position whose window doesn't begin in the padding, and the position
  /// behind the last that doesn't end in it.
  graph::DimExpr firstInside() const;
  graph::DimExpr endInside(const graph::DimExpr &positions) const;
};

/// Lanes of a window's kernel: one native vector, as several positions in
/// Columns of a row, from the left: some at once with known places, `repeats`
/// times `atOnce` of them whose windows stay inside, some with known places.
struct ColumnParts {
  int64_t left = 0, atOnce = 1, repeats = 0, right = 0;

  /// Windows at [first, end) stay inside; at most `most` columns at once.
  ColumnParts(int64_t columns, int64_t first, int64_t end, int64_t most);
};

/// flight fill the registers.
unsigned lanesOfWindow(const EmissionContext &context);

/// A fusion around a window: `anchor` gives the values that windows fold.
struct WindowShape {
  mlir::Operation *anchor; ///< reduce_window or convolution
  llvm::ArrayRef<WindowDim> spans;
  unsigned column; ///< loop along the rows of the image
};

/// Whether planes of an image whose rows are runs of memory fit a cache that
/// keeps up with their windows, and these are of a kind that emitPlanes knows.
bool planesFit(const EmissionContext &context, const IterationSpace &space,
               const WindowShape &shape);
/// Copies each plane into a buffer with its padding around it, the columns that
/// a stride visits together side by side: all windows are then alike, with
/// lanes along a row. Windows without weights are folded along the rows first.
mlir::FailureOr<KernelPlan> emitPlanes(const EmissionContext &context,
                                       IterationSpace &space,
                                       const WindowShape &shape);

/// Whether a window multiplies bytes of channels that lanes run along, four
/// taps at a time.
bool takesBytes(const EmissionContext &context, const IterationSpace &space,
                const WindowShape &shape, unsigned lane);
mlir::FailureOr<KernelPlan> emitBytes(const EmissionContext &context,
                                      IterationSpace &space,
                                      const WindowShape &shape, unsigned lane);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_SCHEDULE_WINDOWSCHEDULE_H
