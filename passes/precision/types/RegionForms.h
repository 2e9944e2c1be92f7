// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops in forms whose arithmetic stands in regions or elementwise ops, where
// each step can be legalized.

#ifndef ZENITH_PASSES_PRECISION_TYPES_REGIONFORMS_H
#define ZENITH_PASSES_PRECISION_TYPES_REGIONFORMS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace zenith::precision {

/// Writes ops that compute on 64-bit integers, for which words have no rule,
/// as ops that have one: sorts, folds over windows, positions of extremes,
/// scatters, products and powers. `lacks` says which element types count.
void formWordRegions(mlir::func::FuncOp function,
                     llvm::function_ref<bool(mlir::Type)> lacks);

/// Writes folds of narrow floats that round at every step, running ones and
/// scatters, so that each step is an op.
void formRoundedSteps(mlir::func::FuncOp function,
                      llvm::function_ref<bool(mlir::Type)> lacks);

} // namespace zenith::precision

#endif // ZENITH_PASSES_PRECISION_TYPES_REGIONFORMS_H
