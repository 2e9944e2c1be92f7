// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognises attention as two matmuls around a softmax.

#ifndef ZENITH_PASSES_RAISE_RAISEATTENTION_H
#define ZENITH_PASSES_RAISE_RAISEATTENTION_H

#include "ir/GraphOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/PatternMatch.h"

namespace zenith::raise {

/// Matches at graph.softmax, so that it runs together with the patterns that
/// build softmaxes.
void addAttentionPatterns(mlir::RewritePatternSet &patterns);
/// A remark for each formula that is nearly attention.
void explainAttention(mlir::func::FuncOp function);

/// Attention whose last matmul, of weights and values, is `root`, built before
/// it; null where the formula is another.
mlir::Value attentionFor(graph::DotGeneralOp root, mlir::OpBuilder &builder);

} // namespace zenith::raise

#endif // ZENITH_PASSES_RAISE_RAISEATTENTION_H
