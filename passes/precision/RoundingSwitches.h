// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program that rounds the operands of chosen products, chosen when it runs:
// one compilation measures any set of narrow products.

#ifndef ZENITH_PASSES_PRECISION_ROUNDINGSWITCHES_H
#define ZENITH_PASSES_PRECISION_ROUNDINGSWITCHES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/precision/PrecisionPolicy.h"

namespace zenith::precision {

/// Gives `function` one more argument, a boolean scalar, for each of
/// `products`: where it is true, the f32 operands of the product are rounded to
/// `type`.
void addRoundingSwitches(mlir::func::FuncOp function,
                         llvm::ArrayRef<mlir::Operation *> products,
                         FloatWord type);

} // namespace zenith::precision

#endif // ZENITH_PASSES_PRECISION_ROUNDINGSWITCHES_H
