// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Running products and extremes as recurrences that are linear in tangents.

#ifndef ZENITH_PASSES_AUTODIFF_SWEEPS_LINEARRECURRENCE_H
#define ZENITH_PASSES_AUTODIFF_SWEEPS_LINEARRECURRENCE_H

#include "passes/autodiff/RuleBuilder.h"

namespace zenith::autodiff {

/// s with s[i] = factor[i] * s[i - 1] + term[i] along a dimension of static
/// size, s[-1] = 0; by doubling distances (Hillis and Steele, 1986). Linear in
/// `term`.
mlir::Value linearRecurrence(RuleBuilder &rule, mlir::Value factor,
                             mlir::Value term, int64_t dim);

/// The tangent of a cumulative product, maximum or minimum along a dimension of
/// static size. Equal extremes share equally.
mlir::Value cumulativeTangent(graph::CumulativeOp op, RuleBuilder &rule,
                              mlir::Value tangent);

} // namespace zenith::autodiff

#endif // ZENITH_PASSES_AUTODIFF_SWEEPS_LINEARRECURRENCE_H
