// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Online softmax of attention, one block of keys after the other: each row
// keeps its largest score and the sum of its weights so far.

#ifndef ZENITH_LOWERING_KERNELS_ATTENTIONSOFTMAX_H
#define ZENITH_LOWERING_KERNELS_ATTENTIONSOFTMAX_H

#include "lowering/elements/ElementEmitter.h"
#include "lowering/elements/VectorMath.h"
#include "lowering/schedule/AttentionSchedule.h"

namespace zenith::kernels {

/// The scores of a block: of a task's rows by some keys.
struct ScoreBlock {
  llvm::SmallVector<mlir::Value> batch;
  mlir::Value firstRow, firstKey;
  mlir::Value keys; ///< at most AttentionSchedule::blockKeys
};

class AttentionSoftmax {
public:
  AttentionSoftmax(KernelBuilder &kernel, ElementEmitter &emitter,
                   const AttentionSchedule &space);
  /// Allocates memory for a task's rows; call in the entry block.
  void allocate();
  /// A block of scores: [blockRows][blockKeys], row-major.
  mlir::Value scores() const { return scoreMemory; }
  void begin(mlir::Value rows);
  /// Turns row `row` of the scores into weights; returns the factor by which
  /// sums with earlier weights are rescaled.
  mlir::Value weigh(mlir::Value row, const ScoreBlock &block);
  /// Divides sums with a row's weights by the sum of the weights.
  mlir::Value normalised(mlir::Value row, mlir::Value sums);

private:
  void applyMask(mlir::Value at, mlir::Value row, const ScoreBlock &block);
  mlir::Value masked(mlir::Value scores, llvm::ArrayRef<LaneIndex> index);
  mlir::Value visible(mlir::Value scores, mlir::Value row, mlir::Value key);
  void padRow(mlir::Value at, mlir::Value keys);
  LaneValue exponential(LaneValue x);
  mlir::Value load(mlir::Value memory, mlir::Value at, unsigned lanes);
  /// Whether a pass over the scores goes before the one for the largest.
  bool hasMask() { return op.getMask() || op.getCausal(); }
  /// What scores are still to be multiplied by.
  std::optional<double> scale() {
    return space.multipliesPairs
               ? std::optional(op.getScale().convertToDouble())
               : std::nullopt;
  }
  mlir::Value reduceLanes(mlir::Value lanes, bool isSum);
  LaneValue num(mlir::Value x) { return {&k, x}; }
  LaneValue scalar(double x) { return {&k, k.constant(space.matmul.sum, x)}; }

  KernelBuilder &k;
  ElementEmitter &emitter;
  const AttentionSchedule &space;
  graph::AttentionOp op;
  unsigned width;
  mlir::Value scoreMemory, largest, totals;
};

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_KERNELS_ATTENTIONSOFTMAX_H
