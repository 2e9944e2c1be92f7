// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The softmax of an attention, one block of keys after the other: each row
// remembers its largest score and the sum of its weights so far.

#ifndef ZENITH_LOWERING_KERNELS_ATTENTIONSOFTMAX_H
#define ZENITH_LOWERING_KERNELS_ATTENTIONSOFTMAX_H

#include "lowering/elements/ElementEmitter.h"
#include "lowering/elements/VectorMath.h"
#include "lowering/schedule/AttentionSchedule.h"

namespace zenith::kernels {

/// Which part of the scores a block holds.
struct ScoreBlock {
  llvm::SmallVector<mlir::Value> batch;
  mlir::Value firstRow, firstKey;
  mlir::Value keys; ///< at most AttentionSchedule::blockKeys
};

class AttentionSoftmax {
public:
  AttentionSoftmax(KernelBuilder &kernel, ElementEmitter &emitter,
                   const AttentionSchedule &space);
  /// Memory for a task's rows.
  void allocate();
  /// A block of scores: [blockRows][blockKeys], row-major.
  mlir::Value scores() const { return scoreMemory; }
  void begin(mlir::Value rows);
  /// Row `row` of the scores becomes weights; gives the factor for what was
  /// summed with earlier weights.
  mlir::Value weigh(mlir::Value row, const ScoreBlock &block);
  /// Finishes lanes of what a row's weights summed.
  mlir::Value normalised(mlir::Value row, mlir::Value sums);

private:
  void applyMask(mlir::Value at, mlir::Value row, const ScoreBlock &block);
  mlir::Value masked(mlir::Value scores, llvm::ArrayRef<LaneIndex> index);
  mlir::Value visible(mlir::Value scores, mlir::Value row, mlir::Value key);
  void padRow(mlir::Value at, mlir::Value keys);
  Num exponential(Num x);
  mlir::Value load(mlir::Value memory, mlir::Value at, unsigned lanes);
  mlir::Value fold(mlir::Value lanes, bool isSum);
  Num num(mlir::Value x) { return {&k, x}; }
  Num scalar(double x) { return {&k, k.constant(space.product.sum, x)}; }

  KernelBuilder &k;
  ElementEmitter &emitter;
  const AttentionSchedule &space;
  graph::AttentionOp op;
  unsigned width;
  mlir::Value scoreMemory, largest, totals;
};

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_KERNELS_ATTENTIONSOFTMAX_H
