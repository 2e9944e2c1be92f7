// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function and its derivatives in one new function.

#ifndef ZENITH_PASSES_AUTODIFF_DIFFERENTIATE_H
#define ZENITH_PASSES_AUTODIFF_DIFFERENTIATE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/autodiff/Transformation.h"
#include "llvm/Support/Error.h"

namespace zenith::autodiff {

/// The function that the rule makes of `function`, which has a body and calls
/// no function without a rule of its own: a private one after it.
/// Arguments and results: vjp takes the arguments, then a cotangent per result
/// in `of`; jvp the arguments, then a tangent per entry of `wrt`; grad the
/// arguments. All give the results, then the derivatives.
/// What is declared of the new function tells vmap how many rows there are.
/// `budgetBytes` is the memory of a run, 0 for any: tapes that would not fit
/// have another form.
/// Errors: Usage for options that do not fit the function, Unsupported for an
/// op without a rule, Invalid for a custom rule that is not linear.
llvm::Expected<mlir::func::FuncOp> applyTransformation(
    mlir::func::FuncOp function, const Transformation &transformation,
    std::optional<mlir::FunctionType> declared = {}, int64_t budgetBytes = 0);

} // namespace zenith::autodiff

#endif // ZENITH_PASSES_AUTODIFF_DIFFERENTIATE_H
