// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builders of a value in another shape, order of dimensions or element type,
// of constants like a value, and of what folds start from and their steps.

#ifndef ZENITH_IR_MATCHERS_VALUEBUILDERS_H
#define ZENITH_IR_MATCHERS_VALUEBUILDERS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"

namespace zenith::graph {

enum class ReduceKind : uint32_t;

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

/// A number as a constant of rank 0, of any element type; complex ones get it
/// as real part.
mlir::DenseElementsAttr scalarElements(mlir::Type element, int64_t value);

/// What a fold of this kind leaves any element as: 0, 1, the lowest, ...
mlir::DenseElementsAttr neutralElement(ReduceKind kind, mlir::Type element);

/// A step of the fold, on scalars or element by element.
mlir::Value combined(mlir::OpBuilder &builder, mlir::Location loc,
                     ReduceKind kind, mlir::Value lhs, mlir::Value rhs);

} // namespace zenith::graph

#endif // ZENITH_IR_MATCHERS_VALUEBUILDERS_H
