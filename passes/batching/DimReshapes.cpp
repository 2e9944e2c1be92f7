// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds reshapes and transposes for merged and split dimensions.

#include "passes/batching/DimReshapes.h"
#include "ir/matchers/TypeOf.h"
#include "ir/matchers/ValueBuilders.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::batching {

BatchSize sizeOf(Batcher &batcher, Value value, int64_t dim) {
  if (!typeOf(value).isDynamicDim(dim))
    return {typeOf(value).getDimSize(dim), Value()};
  return {ShapedType::kDynamic,
          batcher.b.create<DimOp>(batcher.loc, value, dim)};
}

SmallVector<BatchSize> sizesOf(Batcher &batcher, Value value) {
  SmallVector<BatchSize> sizes;
  for (int64_t dim = 0; dim < typeOf(value).getRank(); ++dim)
    sizes.push_back(sizeOf(batcher, value, dim));
  return sizes;
}

Value scalarOf(Batcher &batcher, BatchSize size) {
  if (size.isDynamic())
    return size.scalar;
  auto scalar = RankedTensorType::get({}, batcher.b.getI64Type());
  return batcher.b.create<ConstantOp>(
      batcher.loc,
      cast<ElementsAttr>(DenseElementsAttr::get(scalar, size.number)));
}

BatchSize product(Batcher &batcher, BatchSize lhs, BatchSize rhs) {
  if (!lhs.isDynamic() && !rhs.isDynamic())
    return {lhs.number * rhs.number, Value()};
  return {ShapedType::kDynamic, batcher.binary<MulOp>(scalarOf(batcher, lhs),
                                                      scalarOf(batcher, rhs))};
}

ShapeOperands::ShapeOperands(ArrayRef<BatchSize> sizes) {
  for (const BatchSize &size : sizes) {
    shape.push_back(size.number);
    if (size.isDynamic())
      scalars.push_back(size.scalar);
  }
}

Value reshapedTo(Batcher &batcher, Value value, ArrayRef<BatchSize> sizes) {
  ShapeOperands to(sizes);
  return reshaped(batcher.b, batcher.loc, value, to.shape, to.scalars);
}

Value mergedDims(Batcher &batcher, Value value, int64_t first, int64_t count) {
  SmallVector<BatchSize> sizes = sizesOf(batcher, value);
  for (int64_t i = 1; i < count; ++i) {
    sizes[first] = product(batcher, sizes[first], sizes[first + 1]);
    sizes.erase(sizes.begin() + first + 1);
  }
  return reshapedTo(batcher, value, sizes);
}

Value splitDim(Batcher &batcher, Value value, int64_t dim,
               ArrayRef<BatchSize> parts) {
  SmallVector<BatchSize> sizes = sizesOf(batcher, value);
  sizes.erase(sizes.begin() + dim);
  sizes.insert(sizes.begin() + dim, parts.begin(), parts.end());
  return reshapedTo(batcher, value, sizes);
}

Value movedDim(Batcher &batcher, Value value, int64_t from, int64_t to) {
  if (from == to)
    return value;
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, typeOf(value).getRank()));
  order.erase(order.begin() + from);
  order.insert(order.begin() + to, from);
  return transposed(batcher.b, batcher.loc, value, order);
}

} // namespace zenith::batching
