// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of complex numbers as real arithmetic on their parts.

#ifndef ZENITH_PASSES_EXPAND_COMPLEXFORMULAS_H
#define ZENITH_PASSES_EXPAND_COMPLEXFORMULAS_H

#include "mlir/IR/Builders.h"
#include <optional>

namespace zenith::expand {

/// Real and imaginary part of the elements of a tensor.
struct Parts {
  mlir::Value real;
  mlir::Value imag;
};

/// The parts of the result of the elementwise op `op` for operands of these
/// parts; nullopt where no formula is known. f32 is computed in f64, which
/// avoids cancellation and overflow in between.
std::optional<Parts> complexFunction(mlir::OpBuilder &builder,
                                     mlir::Operation *op,
                                     llvm::ArrayRef<Parts> operands);

Parts complexProduct(mlir::OpBuilder &builder, mlir::Location loc, Parts lhs,
                     Parts rhs);
mlir::Value complexModulus(mlir::OpBuilder &builder, mlir::Location loc,
                           Parts operand);

} // namespace zenith::expand

#endif // ZENITH_PASSES_EXPAND_COMPLEXFORMULAS_H
