// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of functions that say themselves how they are differentiated.

#ifndef ZENITH_PASSES_AUTODIFF_SWEEPS_CUSTOMRULES_H
#define ZENITH_PASSES_AUTODIFF_SWEEPS_CUSTOMRULES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/autodiff/GradientRule.h"

namespace zenith::autodiff {

/// The function that `call` names; never null in a checked program.
mlir::func::FuncOp calleeOf(mlir::func::CallOp call);

/// The results of a copy of `function`, which has a body, on `arguments`.
llvm::SmallVector<mlir::Value> inlined(mlir::OpBuilder &builder,
                                       mlir::func::FuncOp function,
                                       mlir::ValueRange arguments);

/// Tangents of the results by graph.custom_jvp. A function with
/// graph.custom_vjp alone is refused, by name.
Derivatives customTangents(mlir::func::CallOp call, mlir::OpBuilder &builder,
                           llvm::ArrayRef<mlir::Value> tangents);

/// Results by the forward function of graph.custom_vjp, then its residuals.
/// Precondition: the callee has one.
llvm::SmallVector<mlir::Value> customForward(mlir::func::CallOp call,
                                             mlir::OpBuilder &builder);
/// A gradient per operand of the call, null for others than floats.
llvm::SmallVector<mlir::Value>
customGradients(mlir::func::CallOp call, mlir::OpBuilder &builder,
                mlir::ValueRange residuals,
                llvm::ArrayRef<mlir::Value> cotangents);

} // namespace zenith::autodiff

#endif // ZENITH_PASSES_AUTODIFF_SWEEPS_CUSTOMRULES_H
