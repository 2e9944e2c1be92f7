// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The derivative of attention, with scores computed again.

#ifndef ZENITH_PASSES_AUTODIFF_COMPOSITES_ATTENTIONGRADIENTS_H
#define ZENITH_PASSES_AUTODIFF_COMPOSITES_ATTENTIONGRADIENTS_H

#include "passes/autodiff/RuleBuilder.h"

namespace zenith::autodiff {

/// What attention reads, or what a block of its query rows reads.
struct AttentionOperands {
  mlir::Value query, key, value;
  mlir::Value mask;    ///< may be null
  mlir::Value lastKey; ///< a tensor<i64>: the last key that causal attention
                       ///< lets the first of the queries see
};
AttentionOperands operandsOf(graph::AttentionOp op, RuleBuilder &rule);

/// The tangent of the result, in f32 for narrower types, from those of query,
/// key, value and mask; null is zero.
mlir::Value attentionTangent(graph::AttentionOp op, RuleBuilder &rule,
                             const AttentionOperands &operands,
                             llvm::ArrayRef<mlir::Value> tangents);

} // namespace zenith::autodiff

#endif // ZENITH_PASSES_AUTODIFF_COMPOSITES_ATTENTIONGRADIENTS_H
