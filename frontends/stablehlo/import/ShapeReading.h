// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shapes that programs give as vectors of integers.

#ifndef ZENITH_FRONTENDS_STABLEHLO_IMPORT_SHAPEREADING_H
#define ZENITH_FRONTENDS_STABLEHLO_IMPORT_SHAPEREADING_H

#include "frontends/stablehlo/import/OpReading.h"

namespace zenith::stablehlo {

/// Element of an integer tensor of static shape, in row-major order, as
/// tensor<i64>: the scalar itself if the tensor was concatenated from scalars.
Value shapeElement(OpReading &x, Value shape, int64_t at);
/// The integer that a constant scalar holds.
std::optional<int64_t> constantInteger(Value scalar);
/// graph.pad to `type`, with one scalar per dimension for each side.
Value padByValues(OpReading &x, RankedTensorType type, Value value, Value fill,
                  llvm::ArrayRef<Value> low, llvm::ArrayRef<Value> high,
                  llvm::ArrayRef<int64_t> interior);

/// `between` elements `fill` after each element along `dim` but the last;
/// `between` is a tensor<i64> that the run checks to be at least 0.
Value spreadByValue(OpReading &x, Value value, Value fill, int64_t dim,
                    Value between);

/// Elements 0, stride, 2 * stride and so on along `dim`; `stride` is a
/// tensor<i64> that the run checks to be at least 1.
Value everyNth(OpReading &x, Value value, int64_t dim, Value stride);

/// A shape: static sizes, and scalars for the dynamic ones.
struct DynamicShape {
  llvm::SmallVector<int64_t> sizes;
  Values dims;
};
/// Sizes of a result: from its type, else from the values of `shape`, which is
/// a vector of one size for each dimension; none, and refused, otherwise.
std::optional<DynamicShape> readShape(OpReading &x, Value shape,
                                      RankedTensorType type);
/// Operand dimension i becomes result dimension `mapping[i]`. Dynamic
/// dimensions may turn out to be 1 and are then repeated, but for those that
/// never expand.
Value broadcastAtRunTime(OpReading &x, Value value,
                         llvm::ArrayRef<int64_t> mapping,
                         const DynamicShape &to,
                         llvm::ArrayRef<int64_t> neverExpand = {});

} // namespace zenith::stablehlo

#endif // ZENITH_FRONTENDS_STABLEHLO_IMPORT_SHAPEREADING_H
