// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Forward mode: tangents of every value of a block, in program order.

#ifndef ZENITH_PASSES_AUTODIFF_SWEEPS_FORWARDSWEEP_H
#define ZENITH_PASSES_AUTODIFF_SWEEPS_FORWARDSWEEP_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/autodiff/Activity.h"
#include "passes/autodiff/GradientRule.h"

namespace zenith::autodiff {

/// Adds to a block the ops that compute tangents. Control flow carries tangents
/// along: branches yield them, loops carry them.
class ForwardSweep {
public:
  using Value = mlir::Value;

  explicit ForwardSweep(Activity &activity) : activity(activity) {}

  void setTangent(Value value, Value tangent) { tangents[value] = tangent; }
  /// Null where it is zero.
  Value tangentOf(Value value) const { return tangents.lookup(value); }

  llvm::Error run(mlir::Block &block);

private:
  llvm::Error visit(mlir::Operation *op);
  llvm::Error visitBranches(mlir::Operation *op);
  llvm::Error visitLoop(graph::WhileOp loop);
  llvm::Error visitManual(graph::ManualOp op);
  llvm::Error visitCall(mlir::func::CallOp call);
  /// Tangents of the values in `wanted` that the block yields, zeros included.
  llvm::Error yieldTangents(mlir::Block &block,
                            llvm::ArrayRef<unsigned> wanted);

  Activity &activity;
  llvm::DenseMap<Value, Value> tangents;
};

} // namespace zenith::autodiff

#endif // ZENITH_PASSES_AUTODIFF_SWEEPS_FORWARDSWEEP_H
