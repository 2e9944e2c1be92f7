// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Int8 depthwise convolutions by dot products: which results share the bytes of
// four rows, and how rows and channels are divided among tasks.

#ifndef ZENITH_LOWERING_SCHEDULE_WINDOWS_INT8WINDOWSCHEDULE_H
#define ZENITH_LOWERING_SCHEDULE_WINDOWS_INT8WINDOWSCHEDULE_H

#include "lowering/schedule/windows/WindowSchedule.h"

namespace zenith::kernels {

struct Int8WindowSchedule {
  /// Rows whose bytes lie side by side.
  static constexpr int64_t quad = 4;

  /// Whether the loops are those of an int8 depthwise convolution whose
  /// channels are contiguous, with lanes along them.
  static bool supports(const WindowLoops &loops, graph::DimAnalysis &dims);
  /// Of loops that are supported, which outlive it.
  explicit Int8WindowSchedule(const WindowLoops &loops);

  const WindowLoops &loops;
  /// The filter along a column of the feature map, where quads of taps are
  /// made, and along a row, if it moves there too. One-dimensional feature maps
  /// have rows only.
  const WindowDim *down = nullptr, *along = nullptr;
  unsigned downLoop = 0, alongLoop = 0;
  /// Results that are computed together.
  int64_t rows = 1, columns = 1;

  void setTile(llvm::ArrayRef<int64_t> tile) {
    rows = tile[0], columns = tile[1];
  }
  llvm::SmallVector<int64_t, 3> chosenTile(const TargetModel &target) const;
  /// Blocks of rows, and channels, of a task.
  llvm::SmallVector<int64_t, 3> chosenBlock(graph::FusionOp fusion,
                                            const TargetModel &target) const;

  int64_t tapsAlong() const { return along ? along->count : 1; }
  int64_t quadsOf(int64_t rows) const;
  /// Rows of taps above the first row of a quad, for one row of results.
  int64_t tapOfQuad(int64_t number, int64_t row) const {
    return quad * number - row * down->stride;
  }
  bool meetsTaps(int64_t tap) const {
    return tap > -quad && tap <= (down->count - 1) * down->dilation;
  }
  graph::DimExpr rowBlocks() const {
    return graph::DimExpr::ceilDiv(loops.space.size(downLoop), rows);
  }
  /// Instructions per result, of so many rows and columns.
  double costOf(int64_t rows, int64_t columns) const;
  /// Instructions of a block of rows, all channels of it.
  double costOfBlock(graph::FusionOp fusion) const;

private:
  int64_t channels() const { return *loops.space.size(loops.lane).constant(); }
  int64_t positions() const {
    return along ? *loops.space.size(alongLoop).constant() : 1;
  }
};

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_SCHEDULE_WINDOWS_INT8WINDOWSCHEDULE_H
