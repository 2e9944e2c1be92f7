// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Derivatives of the routines of LAPACK that custom_call names.

#ifndef ZENITH_PASSES_AUTODIFF_MATRICES_LAPACKGRADIENTS_H
#define ZENITH_PASSES_AUTODIFF_MATRICES_LAPACKGRADIENTS_H

#include "passes/autodiff/GradientRule.h"

namespace zenith::autodiff {

/// LU, QR, eigenvalues of symmetric matrices and singular values have rules;
/// other routines are refused by name.
GradientAnswer lapackAnswer(graph::CustomCallOp op);
/// The operands; of the orthogonal factor of a QR decomposition, the matrix.
llvm::SmallVector<mlir::Value> lapackVariables(graph::CustomCallOp op);
Derivatives lapackTangents(graph::CustomCallOp op, RuleBuilder &rule,
                           llvm::ArrayRef<mlir::Value> tangents);

} // namespace zenith::autodiff

#endif // ZENITH_PASSES_AUTODIFF_MATRICES_LAPACKGRADIENTS_H
