// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The transposes of ops that read at positions given by data.

#ifndef ZENITH_PASSES_AUTODIFF_INDEXINGSUMS_H
#define ZENITH_PASSES_AUTODIFF_INDEXINGSUMS_H

#include "passes/autodiff/RuleBuilder.h"

namespace zenith::autodiff {

/// `sum`, like the operand of the slice or null for zeros, with `part` added
/// where the slice reads. What adds numbers narrower than f32 returns f32.
mlir::Value addToSlice(RuleBuilder &rule, mlir::Value sum,
                       graph::DynamicSliceOp slice, mlir::Value part);
/// The same for a gather, at its clamped starts.
mlir::Value addToGathered(RuleBuilder &rule, mlir::Value sum,
                          graph::GatherOp gather, mlir::Value part);

} // namespace zenith::autodiff

#endif // ZENITH_PASSES_AUTODIFF_INDEXINGSUMS_H
