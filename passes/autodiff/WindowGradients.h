// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Derivatives of reductions over windows.

#ifndef ZENITH_PASSES_AUTODIFF_WINDOWGRADIENTS_H
#define ZENITH_PASSES_AUTODIFF_WINDOWGRADIENTS_H

#include "passes/autodiff/GradientRule.h"

namespace zenith::autodiff {

/// Products are refused, and extremes of windows of more than 4096 elements.
GradientAnswer windowAnswer(graph::ReduceWindowOp op);
/// Of a maximum or minimum: the first of equal elements has all, padding none.
mlir::Value windowExtremeTangent(graph::ReduceWindowOp op, RuleBuilder &rule,
                                 mlir::Value tangent);
/// The same for a window whose region adds logarithms (isLogAddExp()).
GradientAnswer windowAnswer(graph::ReduceWindowWithOp op);
mlir::Value windowLogSumTangent(graph::ReduceWindowWithOp op, RuleBuilder &rule,
                                mlir::Value tangent);
/// 0 where the value is infinite or NaN.
mlir::Value finiteOrZero(RuleBuilder &rule, mlir::Value x);
mlir::Value transposeWindowSum(graph::ReduceWindowOp op, RuleBuilder &rule,
                               mlir::Value cotangent);

} // namespace zenith::autodiff

#endif // ZENITH_PASSES_AUTODIFF_WINDOWGRADIENTS_H
