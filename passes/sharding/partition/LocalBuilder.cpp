// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Slices, paddings and masks of the blocks of one device.

#include "passes/sharding/partition/LocalBuilder.h"

#include "ir/CollectiveOps.h"
#include "ir/matchers/ValueBuilders.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::sharding;

Value LocalBuilder::index(int64_t value) {
  return scalar(b.getI64Type(), value);
}

Value LocalBuilder::blockIndex(ArrayRef<unsigned> atoms) {
  if (axes.size(atoms) == 1)
    return index(0);
  auto type = RankedTensorType::get({}, b.getI64Type());
  return b.create<graph::AxisIndexOp>(
      loc, type, axes.meshName(), axes.axesAttr(atoms), DenseIntElementsAttr());
}

Value LocalBuilder::scalar(Type element, int64_t value) {
  return b.create<graph::ConstantOp>(loc,
                                     graph::scalarElements(element, value));
}

Value LocalBuilder::fill(RankedTensorType type, Value scalar) {
  if (type.getRank() == 0)
    return scalar;
  return b.create<graph::BroadcastOp>(loc, type, scalar, ArrayRef<int64_t>{},
                                      ValueRange());
}

Value LocalBuilder::add(Value lhs, Value rhs) {
  return b.create<graph::AddOp>(loc, lhs.getType(), lhs, rhs);
}

Value LocalBuilder::mul(Value lhs, int64_t factor) {
  if (factor == 1)
    return lhs;
  return b.create<graph::MulOp>(
      loc, lhs.getType(), lhs,
      scalar(tensorTypeOf(lhs).getElementType(), factor));
}

Value LocalBuilder::slice(Value value, int64_t dim, int64_t start,
                          int64_t size) {
  RankedTensorType type = tensorTypeOf(value);
  if (type.getDimSize(dim) == size && start == 0)
    return value;
  SmallVector<int64_t> starts(type.getRank(), 0), sizes(type.getShape()),
      strides(type.getRank(), 1);
  starts[dim] = start;
  sizes[dim] = size;
  return b.create<graph::SliceOp>(
      loc, RankedTensorType::get(sizes, type.getElementType()), value,
      ValueRange(), ValueRange(), starts, sizes, strides);
}

Value LocalBuilder::sliceAt(Value value, int64_t dim, Value start,
                            int64_t size) {
  RankedTensorType type = tensorTypeOf(value);
  if (type.getDimSize(dim) == size)
    return value;
  SmallVector<int64_t> sizes(type.getShape());
  SmallVector<Value> starts(type.getRank(), index(0));
  sizes[dim] = size;
  starts[dim] = start;
  return b.create<graph::DynamicSliceOp>(
      loc, RankedTensorType::get(sizes, type.getElementType()), value, starts);
}

Value LocalBuilder::pad(Value value, int64_t dim, int64_t low, int64_t high) {
  if (low == 0 && high == 0)
    return value;
  return pad(value, dim, low, high,
             scalar(tensorTypeOf(value).getElementType(), 0));
}

Value LocalBuilder::pad(Value value, int64_t dim, int64_t low, int64_t high,
                        Value with) {
  if (low == 0 && high == 0)
    return value;
  RankedTensorType type = tensorTypeOf(value);
  SmallVector<int64_t> lows(type.getRank(), 0), highs(lows), interior(lows),
      shape(type.getShape());
  lows[dim] = low;
  highs[dim] = high;
  shape[dim] += low + high;
  return b.create<graph::PadOp>(
      loc, RankedTensorType::get(shape, type.getElementType()), value, with,
      ValueRange(), ValueRange(), lows, highs, interior);
}

Value LocalBuilder::concat(int64_t dim, ValueRange parts) {
  if (parts.size() == 1)
    return parts.front();
  return b.create<graph::ConcatOp>(loc, uint64_t(dim), parts);
}

Value LocalBuilder::reshape(Value value, ArrayRef<int64_t> shape) {
  return graph::reshaped(b, loc, value, shape);
}

Value LocalBuilder::transpose(Value value, ArrayRef<int64_t> permutation) {
  for (auto [to, from] : llvm::enumerate(permutation))
    if (int64_t(to) != from)
      return graph::transposed(b, loc, value, permutation);
  return value;
}

Value LocalBuilder::select(Value mask, Value onTrue, Value onFalse) {
  return b.create<graph::SelectOp>(loc, onTrue.getType(), mask, onTrue,
                                   onFalse);
}

Value LocalBuilder::isInside(Value value, int64_t dim, Value offset,
                             int64_t size) {
  ArrayRef<int64_t> shape = tensorTypeOf(value).getShape();
  auto line = RankedTensorType::get({shape[dim]}, b.getI64Type());
  auto flags = RankedTensorType::get({shape[dim]}, b.getI1Type());
  Value own = b.create<graph::IotaOp>(loc, line, uint64_t(0), ValueRange());
  Value at = add(own, fill(line, offset));
  auto compare = [&](graph::CompareDirection direction, int64_t bound) {
    return b.create<graph::CompareOp>(loc, flags, direction, at,
                                      fill(line, index(bound)));
  };
  Value inside = b.create<graph::AndOp>(
      loc, flags, compare(graph::CompareDirection::ge, 0),
      compare(graph::CompareDirection::lt, size));
  return b.create<graph::BroadcastOp>(
      loc, RankedTensorType::get(shape, b.getI1Type()), inside,
      ArrayRef<int64_t>{dim}, ValueRange());
}

Value LocalBuilder::maskPadding(Value block, int64_t dim, int64_t size,
                                ArrayRef<unsigned> atoms, Value neutral) {
  int64_t own = tensorTypeOf(block).getDimSize(dim);
  if (own * axes.size(atoms) == size)
    return block;
  Value offset = mul(blockIndex(atoms), own);
  return select(isInside(block, dim, offset, size), block,
                fill(tensorTypeOf(block), neutral));
}
