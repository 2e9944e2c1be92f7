// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The derivatives of layer_norm and rms_norm from what the forward part knows.

#ifndef ZENITH_PASSES_AUTODIFF_COMPOSITES_NORMGRADIENTS_H
#define ZENITH_PASSES_AUTODIFF_COMPOSITES_NORMGRADIENTS_H

#include "passes/autodiff/RuleBuilder.h"

namespace zenith::autodiff {

/// What a norm computes on the way to its result, of the shape of its operand,
/// in f32 for narrower types.
struct NormParts {
  mlir::Value inverse; ///< 1 / sqrt(variance + epsilon), repeated
  mlir::Value normal; ///< the centred operand times it; of rms_norm the operand
};

/// `norm` is a layer_norm or an rms_norm.
NormParts normPartsOf(mlir::Operation *norm, RuleBuilder &rule);

/// The norm's result, of its type.
mlir::Value normResult(mlir::Operation *norm, RuleBuilder &rule,
                       const NormParts &parts);

/// The tangent of the result, in f32 for narrower types, from those of the
/// operands; null is zero.
mlir::Value normTangent(mlir::Operation *norm, RuleBuilder &rule,
                        const NormParts &parts,
                        llvm::ArrayRef<mlir::Value> tangents);

} // namespace zenith::autodiff

#endif // ZENITH_PASSES_AUTODIFF_COMPOSITES_NORMGRADIENTS_H
