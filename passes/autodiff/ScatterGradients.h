// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Derivatives of scatters, by kind.

#ifndef ZENITH_PASSES_AUTODIFF_SCATTERGRADIENTS_H
#define ZENITH_PASSES_AUTODIFF_SCATTERGRADIENTS_H

#include "passes/autodiff/GradientRule.h"

namespace zenith::autodiff {

/// Products are refused unless no element is met twice.
GradientAnswer scatterAnswer(graph::ScatterOp op);
Derivatives scatterTangent(graph::ScatterOp op, RuleBuilder &rule,
                           llvm::ArrayRef<mlir::Value> tangents);
/// Of sums and sets in the operand and the updates, of products in the operand
/// alone.
Derivatives transposeScatter(graph::ScatterOp op, RuleBuilder &rule,
                             mlir::Value cotangent,
                             const llvm::BitVector &linear);

} // namespace zenith::autodiff

#endif // ZENITH_PASSES_AUTODIFF_SCATTERGRADIENTS_H
