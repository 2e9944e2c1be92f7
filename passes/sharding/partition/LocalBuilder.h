// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops on the values of one device that the partitioner puts together.

#ifndef ZENITH_PASSES_SHARDING_PARTITION_LOCALBUILDER_H
#define ZENITH_PASSES_SHARDING_PARTITION_LOCALBUILDER_H

#include "ir/GraphOps.h"
#include "passes/sharding/partition/Layout.h"

namespace zenith::sharding {

using mlir::Value;

inline mlir::RankedTensorType tensorTypeOf(Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType());
}

/// Builds at `b`; all shapes are static.
struct LocalBuilder {
  mlir::OpBuilder &b;
  mlir::Location loc;
  const DeviceAxes &axes;

  Value index(int64_t value);
  /// tensor<i64>: the number of this device's block over `atoms`.
  Value blockIndex(llvm::ArrayRef<unsigned> atoms);
  /// A scalar of any element type, from a small integer.
  Value scalar(mlir::Type element, int64_t value);
  Value fill(mlir::RankedTensorType type, Value scalar);
  Value add(Value lhs, Value rhs);
  Value mul(Value lhs, int64_t factor);

  Value slice(Value value, int64_t dim, int64_t start, int64_t size);
  /// A part whose start is a tensor<i64>; inside the value.
  Value sliceAt(Value value, int64_t dim, Value start, int64_t size);
  /// Zeros before and after along a dimension; negative amounts cut.
  Value pad(Value value, int64_t dim, int64_t low, int64_t high);
  Value pad(Value value, int64_t dim, int64_t low, int64_t high, Value with);
  Value concat(int64_t dim, mlir::ValueRange parts);
  Value reshape(Value value, llvm::ArrayRef<int64_t> shape);
  Value transpose(Value value, llvm::ArrayRef<int64_t> permutation);
  Value select(Value mask, Value onTrue, Value onFalse);

  /// i1 of the value's shape: whether element i of the dimension, which is
  /// `offset` + i of the whole one, lies in [0, size).
  Value isInside(Value value, int64_t dim, Value offset, int64_t size);
  /// The block with its padding along `dim`, whose whole size is `size`,
  /// replaced by `neutral`, a scalar; itself where there is no padding.
  Value maskPadding(Value block, int64_t dim, int64_t size,
                    llvm::ArrayRef<unsigned> atoms, Value neutral);
};

} // namespace zenith::sharding

#endif // ZENITH_PASSES_SHARDING_PARTITION_LOCALBUILDER_H
