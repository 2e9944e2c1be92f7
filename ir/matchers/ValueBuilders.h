// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builders of a value in another shape, order of dimensions or element type,
// and of constants like a value.

#ifndef ZENITH_IR_MATCHERS_VALUEBUILDERS_H
#define ZENITH_IR_MATCHERS_VALUEBUILDERS_H

#include "mlir/IR/Builders.h"

namespace zenith::graph {

/// The value in another shape; itself where it has this static shape already.
/// `sizes` are those of the dynamic dimensions.
mlir::Value reshaped(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value value, llvm::ArrayRef<int64_t> shape,
                     mlir::ValueRange sizes = {});

mlir::Value transposed(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value value, llvm::ArrayRef<int64_t> permutation);

/// An integer constant of the shape and type of `like`, which are static.
mlir::Value integersLike(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value like, int64_t value);

/// The value with elements of another type; itself where they are of this type
/// already.
mlir::Value converted(mlir::OpBuilder &builder, mlir::Value value,
                      mlir::Type element);

} // namespace zenith::graph

#endif // ZENITH_IR_MATCHERS_VALUEBUILDERS_H
