// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Merges and splits dimensions whose sizes only the run may know.

#ifndef ZENITH_PASSES_BATCHING_DIMRESHAPES_H
#define ZENITH_PASSES_BATCHING_DIMRESHAPES_H

#include "passes/batching/Batcher.h"

namespace zenith::batching {

/// The size of a dimension of `value`.
BatchSize sizeOf(Batcher &batcher, mlir::Value value, int64_t dim);
llvm::SmallVector<BatchSize> sizesOf(Batcher &batcher, mlir::Value value);
BatchSize product(Batcher &batcher, BatchSize lhs, BatchSize rhs);
/// The size as a scalar tensor<i64>.
mlir::Value scalarOf(Batcher &batcher, BatchSize size);

/// The shape that an op has in its type, and the sizes that it is given as
/// scalars, one for each dynamic dimension.
struct ShapeOperands {
  explicit ShapeOperands(llvm::ArrayRef<BatchSize> sizes);
  llvm::SmallVector<int64_t> shape;
  llvm::SmallVector<mlir::Value> scalars;
};

mlir::Value reshapedTo(Batcher &batcher, mlir::Value value,
                       llvm::ArrayRef<BatchSize> sizes);
/// Dimensions `first` to `first` + `count` - 1 as one.
mlir::Value mergedDims(Batcher &batcher, mlir::Value value, int64_t first,
                       int64_t count);
/// Dimension `dim` as dimensions of `sizes`.
mlir::Value splitDim(Batcher &batcher, mlir::Value value, int64_t dim,
                     llvm::ArrayRef<BatchSize> sizes);
/// Dimension `from` moved so that it is dimension `to`.
mlir::Value movedDim(Batcher &batcher, mlir::Value value, int64_t from,
                     int64_t to);

} // namespace zenith::batching

#endif // ZENITH_PASSES_BATCHING_DIMRESHAPES_H
