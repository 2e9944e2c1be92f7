// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reverse mode: cotangents of every value of a block, from its end to its
// beginning.

#ifndef ZENITH_PASSES_AUTODIFF_SWEEPS_REVERSESWEEP_H
#define ZENITH_PASSES_AUTODIFF_SWEEPS_REVERSESWEEP_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/autodiff/Activity.h"
#include "passes/autodiff/GradientRule.h"
#include "passes/autodiff/sweeps/TapeChoice.h"

namespace zenith::autodiff {

/// Builds the backward part of a block at the builder's place. It reads values
/// of the forward part wherever they are; who leaves a branch or a loop makes
/// them available (Residuals.h).
class ReverseSweep {
public:
  using Value = mlir::Value;

  ReverseSweep(Activity &activity, mlir::OpBuilder &builder,
               const TapeChoice &tapes)
      : activity(activity), builder(builder), tapes(tapes) {}

  /// Adds a cotangent, which may be null, of a value that is varied.
  void accumulate(Value value, Value cotangent);
  void setCotangent(Value value, Value cotangent) {
    cotangents[value] = cotangent;
  }
  /// Null where it is zero. Of the value's type: a sum is rounded once, here.
  Value cotangentOf(Value value);
  /// The same as it stands: the sum of several cotangents of f16, bf16 or f8 is
  /// one of f32.
  Value sumOf(Value value) const { return cotangents.lookup(value); }

  llvm::Error run(mlir::Block &block);

private:
  llvm::Error visit(mlir::Operation *op);
  llvm::Error visitRule(mlir::Operation *op, llvm::ArrayRef<Value> ofResults);
  llvm::Error visitBranches(mlir::Operation *op,
                            llvm::ArrayRef<Value> ofResults);
  llvm::Error visitLoop(graph::WhileOp loop, llvm::ArrayRef<Value> ofResults);
  llvm::Error visitCheckpoint(graph::CheckpointOp checkpoint,
                              llvm::ArrayRef<Value> ofResults);
  llvm::Error visitManual(graph::ManualOp op, llvm::ArrayRef<Value> ofResults);
  llvm::Error visitCall(mlir::func::CallOp call,
                        llvm::ArrayRef<Value> ofResults);
  /// True for attention whose scores are too many to be stored.
  bool takesBlocks(mlir::Operation *op) const;
  llvm::Error visitAttention(graph::AttentionOp op, Value cotangent);
  /// Of a layer_norm or an rms_norm, which is read no more after it.
  llvm::Error visitNorm(mlir::Operation *op, Value cotangent);
  llvm::BitVector activeAmong(mlir::ValueRange values) const;
  bool accumulatePart(mlir::Operation *op, Value cotangent);
  llvm::SmallVector<Value> variedCaptures(mlir::Operation *op) const;

  Activity &activity;
  mlir::OpBuilder &builder;
  const TapeChoice &tapes;
  llvm::DenseMap<Value, Value> cotangents;
};

} // namespace zenith::autodiff

#endif // ZENITH_PASSES_AUTODIFF_SWEEPS_REVERSESWEEP_H
