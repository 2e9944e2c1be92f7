// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the rewrites that find composites share: why a formula that is nearly a
// known one stays spelled out, and where each kind is found.

#ifndef ZENITH_PASSES_RAISE_RAISECOMPOSITES_H
#define ZENITH_PASSES_RAISE_RAISECOMPOSITES_H

#include "ir/remarks/Remark.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Operation.h"
#include <string>

namespace mlir {
class OpBuilder;
class RewritePatternSet;
namespace func {
class FuncOp;
}
} // namespace mlir

namespace zenith::graph {
class DivOp;
class DotGeneralOp;
class ReduceOp;
class SubOp;
} // namespace zenith::graph

namespace zenith::cleanup {

/// The first condition that failed once a formula was known for what it wants
/// to be. A match that fails before leaves it empty.
class NearMiss {
public:
  /// Always failure. `op` is the one that breaks the formula.
  mlir::LogicalResult at(mlir::Operation *op, const llvm::Twine &text) {
    if (!place) {
      place = op;
      condition = text.str();
    }
    return mlir::failure();
  }
  /// Emits the remark at the op, if a condition failed.
  void report(remarks::Code code) const {
    if (place)
      remarks::emit(place, code, {condition});
  }

private:
  mlir::Operation *place = nullptr;
  std::string condition;
};

/// exp(x - max(x)) / sum(exp(x - max(x))), whoever reads its parts: the sum,
/// and `shifted`, which is x - max(x).
mlir::LogicalResult findSoftmax(graph::DivOp op, graph::ReduceOp &sum,
                                graph::SubOp &shifted, NearMiss &miss);

/// layer_norm and rms_norm (RaiseNorms.cpp).
void addNormPatterns(mlir::RewritePatternSet &patterns);
void explainNorms(mlir::func::FuncOp function);
/// tanh of softplus (RaiseMish.cpp).
void addMishPatterns(mlir::RewritePatternSet &patterns);
/// Products with one-hot rows (RaiseRowSums.cpp).
void addRowSumPatterns(mlir::RewritePatternSet &patterns);
/// Attention around each softmax of `function` (RaiseAttention.cpp); runs when
/// softmaxes are found.
void addAttentionPatterns(mlir::RewritePatternSet &patterns);
void explainAttention(mlir::func::FuncOp function);
/// The result of a product of weights and values by an attention, written
/// before it; null where there is none.
mlir::Value attentionFor(graph::DotGeneralOp root, mlir::OpBuilder &builder);
/// Attention of a training step, whose gradients read the weights again
/// (RaiseTrainedAttention.cpp).
void raiseTrainedAttention(mlir::func::FuncOp function);

} // namespace zenith::cleanup

#endif // ZENITH_PASSES_RAISE_RAISECOMPOSITES_H
