// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Depthwise convolutions by dot products: which results share the elements of a
// group of rows, and how rows and channels are divided among tasks.

#ifndef ZENITH_LOWERING_SCHEDULE_WINDOWS_DOTWINDOWSCHEDULE_H
#define ZENITH_LOWERING_SCHEDULE_WINDOWS_DOTWINDOWSCHEDULE_H

#include "ir/encodings/DepthwiseDots.h"
#include "lowering/schedule/windows/WindowSchedule.h"

namespace zenith::kernels {

struct DotWindowSchedule {
  /// Whether the loops are those of a depthwise convolution of bytes or bf16
  /// whose channels are contiguous, with lanes along them.
  static bool supports(const WindowLoops &loops, graph::DimAnalysis &dims);
  /// Whether the target has such an instruction.
  static bool hasInstruction(const WindowLoops &loops,
                             const TargetModel &target);
  /// Of loops that are supported, which outlive it.
  explicit DotWindowSchedule(const WindowLoops &loops);

  const WindowLoops &loops;
  graph::DepthwiseDots window;
  /// Rows whose elements lie side by side.
  int64_t group;
  /// The filter along a column of the feature map, where groups of taps are
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

  bool isOfFloats() const {
    return mlir::isa<mlir::FloatType>(
        mlir::getElementTypeOrSelf(window.input.getType()));
  }
  /// Most rows of results: floats of a row that a result does not read, times
  /// weights of zero, could be NaN.
  int64_t mostRows() const;
  int64_t tapsAlong() const { return along ? along->count : 1; }
  /// Rows of the feature map that `rows` rows of results read.
  int64_t rowsRead(int64_t rows) const {
    return (rows - 1) * down->stride + (down->count - 1) * down->dilation + 1;
  }
  int64_t groupsOf(int64_t rows) const;
  /// Rows of taps above the first row of a group, for one row of results.
  int64_t tapOfGroup(int64_t number, int64_t row) const {
    return group * number - row * down->stride;
  }
  bool meetsTaps(int64_t tap) const {
    return tap > -group && tap <= (down->count - 1) * down->dilation;
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

#endif // ZENITH_LOWERING_SCHEDULE_WINDOWS_DOTWINDOWSCHEDULE_H
