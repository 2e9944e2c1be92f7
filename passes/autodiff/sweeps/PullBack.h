// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cotangents of one op, by transposing its tangents.

#ifndef ZENITH_PASSES_AUTODIFF_SWEEPS_PULLBACK_H
#define ZENITH_PASSES_AUTODIFF_SWEEPS_PULLBACK_H

#include "passes/autodiff/GradientRule.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace zenith::autodiff {

/// Builds tangents of results, null where zero, from tangents of `operands`.
using BuildTangents =
    llvm::function_ref<Derivatives(llvm::ArrayRef<mlir::Value> tangents)>;

/// Cotangents of those of `operands` for which `active` holds, from those of
/// the results (null: zero). What `linearize` builds at the builder's place and
/// does not depend on the tangents stays there.
Derivatives pullBack(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::ValueRange operands, const llvm::BitVector &active,
                     llvm::ArrayRef<mlir::Value> cotangents,
                     BuildTangents linearize);

} // namespace zenith::autodiff

#endif // ZENITH_PASSES_AUTODIFF_SWEEPS_PULLBACK_H
