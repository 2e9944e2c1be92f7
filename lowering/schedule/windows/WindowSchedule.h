// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the schedules of pooling and depthwise convolutions share: their loops,
// the filter along each dimension, and how a row of positions is divided at its
// borders.

#ifndef ZENITH_LOWERING_SCHEDULE_WINDOWS_WINDOWSCHEDULE_H
#define ZENITH_LOWERING_SCHEDULE_WINDOWS_WINDOWSCHEDULE_H

#include "lowering/builder/IterationSpace.h"
#include "lowering/builder/KernelPlan.h"
#include <optional>
#include <vector>

namespace zenith::kernels {

/// The filter or pooling window along one dimension of the result: tap t of
/// position p reads input element p * stride + t * dilation - low.
struct WindowDim {
  unsigned dim;
  int64_t stride, low, count, dilation;
  graph::DimExpr size; ///< of the input

  /// First position whose first tap is not in the padding.
  graph::DimExpr firstInside() const;
  /// End of the positions, of `positions`, whose last tap is not in the
  /// padding.
  graph::DimExpr endInside(const graph::DimExpr &positions) const;
  /// Elements of the input behind the last tap of a position; negative where
  /// the tap is in the padding.
  graph::DimExpr behind(const graph::DimExpr &position) const;
};

/// Divides a row of positions, from the left: `left` positions of which some
/// read padding, `repeats` blocks of `atOnce` positions that read none, and
/// `right` positions. Positions of the outer parts are known when the kernel is
/// emitted.
struct RowBlocking {
  int64_t left = 0, atOnce = 1, repeats = 0, right = 0;

  /// Chooses the fewest blocks for a row of `columns` positions, of which
  /// [first, end) read no padding; a block has at most `most` positions.
  RowBlocking(int64_t columns, int64_t first, int64_t end, int64_t most);
};

/// The loops of a fusion around a pooling or depthwise convolution.
struct WindowLoops {
  IterationSpace space;
  mlir::Operation *anchor; ///< reduce_window or convolution
  std::vector<WindowDim> spans;
  unsigned lane;   ///< loop that lanes run along
  unsigned column; ///< loop along the rows of the feature map

  /// Nullopt where results are computed one by one.
  static std::optional<WindowLoops> of(graph::FusionOp fusion,
                                       graph::DimAnalysis &dims);
  bool lanesAlongRow() const { return lane == column; }
  const WindowDim *spanOf(unsigned loop) const;
  std::optional<unsigned> loopOf(const WindowDim &span) const;
  /// Flops of `length` results, with what moves them.
  double flopsOf(graph::FusionOp fusion, const graph::DimExpr &length) const;
};

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_SCHEDULE_WINDOWS_WINDOWSCHEDULE_H
