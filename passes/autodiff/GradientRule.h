// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interface that answers how an op is differentiated, and the registration
// of its answers.

#ifndef ZENITH_PASSES_AUTODIFF_GRADIENTRULE_H
#define ZENITH_PASSES_AUTODIFF_GRADIENTRULE_H

#include "ir/AttachRules.h"
#include "ir/GraphOps.h"
#include "ir/LLVMError.h"
#include "passes/autodiff/RuleBuilder.h"
#include "llvm/ADT/BitVector.h"

namespace zenith::autodiff {

/// What an op says about its derivative.
struct GradientAnswer {
  enum Kind { Rule, Zero, Refused } kind = Rule;
  std::string reason; ///< why there is none; for Refused only
};

/// Tangents or cotangents, null where they are zero; else why there are none,
/// with a code and the location of the op.
using Derivatives = llvm::Expected<llvm::SmallVector<mlir::Value>>;

/// The error of an op that has no rule: code Unsupported.
llvm::Error refuseRule(mlir::Operation *op, const llvm::Twine &why = "");
/// The error of an op that cannot be transposed: code Unsupported.
llvm::Error notLinear(mlir::Operation *op);

} // namespace zenith::autodiff

#include "passes/autodiff/GradientRule.h.inc"

namespace zenith::autodiff {

/// Answers for every op, attached when the dialects are loaded.
void registerGradientRules(mlir::DialectRegistry &registry);

void attachElementwiseGradients(mlir::MLIRContext *context);
void attachMovementGradients(mlir::MLIRContext *context);
void attachContractionGradients(mlir::MLIRContext *context);
void attachLinearAlgebraGradients(mlir::MLIRContext *context);
void attachReductionGradients(mlir::MLIRContext *context);
void attachIndexingGradients(mlir::MLIRContext *context);
void attachOrderingGradients(mlir::MLIRContext *context);
void attachRandomGradients(mlir::MLIRContext *context);
void attachCompositeGradients(mlir::MLIRContext *context);
void attachControlGradients(mlir::MLIRContext *context);
void attachCollectiveGradients(mlir::MLIRContext *context);
void attachSearchGradients(mlir::MLIRContext *context);

/// The answer of any op; ops without the interface are refused.
GradientAnswer gradientAnswerOf(mlir::Operation *op);

/// The op on tangents instead of its operands in `linear`, in which it must be
/// linear together: the tangents of its results. Missing tangents are zeros.
llvm::SmallVector<mlir::Value> onTangents(mlir::Operation *op,
                                          RuleBuilder &rule,
                                          llvm::ArrayRef<mlir::Value> tangents,
                                          llvm::ArrayRef<unsigned> linear);

} // namespace zenith::autodiff

#endif // ZENITH_PASSES_AUTODIFF_GRADIENTRULE_H
