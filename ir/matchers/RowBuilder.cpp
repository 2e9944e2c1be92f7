// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds scalars, lists and tensors of rows for searches.

#include "ir/matchers/RowBuilder.h"
#include "ir/matchers/TypeOf.h"

#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;

namespace zenith::graph {

RankedTensorType RowBuilder::listType() const { return type({anySize}, i64()); }

Value RowBuilder::number(int64_t value) { return constant(value, {}, i64()); }

Value RowBuilder::condition(bool value) {
  return make<ConstantOp>(DenseElementsAttr::get(type({}, builder.getI1Type()),
                                                 ArrayRef<bool>(value)));
}

Value RowBuilder::constant(ArrayRef<int64_t> elements, ArrayRef<int64_t> shape,
                           Type element) {
  RankedTensorType result = type(shape, element);
  // Tables of large generators have millions of elements.
  if (element.isInteger(64))
    return make<ConstantOp>(DenseElementsAttr::getFromRawBuffer(
        result, ArrayRef(reinterpret_cast<const char *>(elements.data()),
                         elements.size() * sizeof(int64_t))));
  SmallVector<APInt> numbers;
  for (int64_t number : elements)
    numbers.push_back(APInt(element.getIntOrFloatBitWidth(), number));
  return make<ConstantOp>(DenseIntElementsAttr::get(result, numbers));
}

Value RowBuilder::count(Value rows) { return make<DimOp>(rows, int64_t(0)); }

Value RowBuilder::asList(Value number) {
  return reshape(number, type({1}, typeOf(number).getElementType()), {});
}

Value RowBuilder::convert(Value a, Type element) {
  RankedTensorType from = typeOf(a);
  if (from.getElementType() == element)
    return a;
  return make<ConvertOp>(type(from.getShape(), element), a);
}

Value RowBuilder::broadcast(Value a, RankedTensorType result,
                            ArrayRef<int64_t> mapping, ValueRange sizes) {
  return make<BroadcastOp>(result, a, mapping, sizes);
}

Value RowBuilder::reshape(Value a, RankedTensorType result, ValueRange sizes) {
  return make<ReshapeOp>(result, a, sizes);
}

Value RowBuilder::transpose(Value a) {
  RankedTensorType from = typeOf(a);
  return make<TransposeOp>(
      type({from.getDimSize(1), from.getDimSize(0)}, from.getElementType()), a,
      builder.getDenseI64ArrayAttr({1, 0}));
}

Value RowBuilder::concat(Value first, Value second) {
  RankedTensorType from = typeOf(first);
  SmallVector<int64_t> shape(from.getShape());
  shape[0] = anySize;
  return make<ConcatOp>(type(shape, from.getElementType()), uint64_t(0),
                        ValueRange{first, second});
}

Value RowBuilder::positions(Value n) {
  return make<IotaOp>(listType(), uint64_t(0), ValueRange(n));
}

Value RowBuilder::part(Value rows, Value start, Value size) {
  RankedTensorType from = typeOf(rows);
  SmallVector<int64_t> starts(from.getRank(), 0), sizes(from.getShape()),
      strides(from.getRank(), 1);
  starts[0] = sizes[0] = anySize;
  return make<SliceOp>(type(sizes, from.getElementType()), rows,
                       ValueRange(start), ValueRange(size), starts, sizes,
                       strides);
}

Value RowBuilder::pick(Value rows, Value indices) {
  RankedTensorType from = typeOf(rows), by = typeOf(indices);
  SmallVector<int64_t> shape(from.getShape()), slice(from.getShape()), offset;
  shape[0] = by.getDimSize(0);
  slice[0] = 1;
  for (int64_t dim = 1; dim < from.getRank(); ++dim) {
    offset.push_back(dim);
    if (from.isDynamicDim(dim))
      slice[dim] = -1; // as large as the dimension
  }
  SmallVector<Value> sizes;
  if (by.isDynamicDim(0))
    sizes.push_back(count(indices));
  Value column =
      reshape(indices, type({by.getDimSize(0), 1}, by.getElementType()), sizes);
  auto dims = GatherDimsAttr::get(
      builder.getContext(), offset, /*collapsedSliceDims=*/{0},
      /*operandBatchingDims=*/{}, /*startIndicesBatchingDims=*/{},
      /*startIndexMap=*/{0}, /*indexVectorDim=*/1);
  return make<GatherOp>(type(shape, from.getElementType()), rows, column, dims,
                        slice);
}

Value RowBuilder::at(Value list, Value index) {
  Type element = typeOf(list).getElementType();
  Value one = make<DynamicSliceOp>(type({1}, element), list, ValueRange(index));
  return reshape(one, type({}, element), {});
}

Value RowBuilder::fold(ReduceKind kind, Value a, ArrayRef<int64_t> dims) {
  RankedTensorType from = typeOf(a);
  SmallVector<int64_t> shape;
  for (int64_t dim = 0; dim < from.getRank(); ++dim)
    if (!llvm::is_contained(dims, dim))
      shape.push_back(from.getDimSize(dim));
  return make<ReduceOp>(type(shape, from.getElementType()), kind, a, dims);
}

Value RowBuilder::equalRows(Value rows, Value row) {
  SmallVector<Value> sizes;
  if (typeOf(rows).isDynamicDim(0))
    sizes.push_back(count(rows));
  Value wanted = broadcast(row, typeOf(rows), {1}, sizes);
  return fold(ReduceKind::all, compare(CompareDirection::eq, rows, wanted),
              {1});
}

Value RowBuilder::areEqual(Value a, Value b) {
  return fold(ReduceKind::all, compare(CompareDirection::eq, a, b),
              llvm::to_vector(llvm::seq<int64_t>(0, typeOf(a).getRank())));
}

Value RowBuilder::firstWhere(Value mask) {
  Type byte = builder.getIntegerType(8, /*isSigned=*/false);
  return make<ArgReduceOp>(type({}, i64()), ReduceKind::max,
                           convert(mask, byte), uint64_t(0),
                           /*last=*/false);
}

std::pair<Value, Value> RowBuilder::distinctAt(Value rows) {
  RankedTensorType from = typeOf(rows);
  auto unique = builder.create<UniqueOp>(
      location, type({anySize, from.getDimSize(1)}, from.getElementType()),
      listType(), type({from.getDimSize(0)}, i64()), listType(), rows);
  return {unique.getRows(), unique.getFirst()};
}

SmallVector<Value> RowBuilder::keep(Value mask, ValueRange rows) {
  SmallVector<Type> types;
  for (Value value : rows) {
    SmallVector<int64_t> shape(typeOf(value).getShape());
    shape[0] = anySize;
    types.push_back(type(shape, typeOf(value).getElementType()));
  }
  auto compact =
      builder.create<CompactOp>(location, TypeRange(types), mask, rows);
  return SmallVector<Value>(compact.getResults());
}

ValueRange RowBuilder::loop(TypeRange types, ValueRange inits,
                            function_ref<Value(ValueRange)> shouldContinue,
                            Body body) {
  auto op = builder.create<WhileOp>(location, types, inits);
  SmallVector<Location> places(types.size(), location);
  Block *condition = builder.createBlock(&op.getCondition(), {}, types, places);
  Value answer = shouldContinue(condition->getArguments());
  builder.create<YieldOp>(location, answer);
  Block *inside = builder.createBlock(&op.getBody(), {}, types, places);
  SmallVector<Value> next = body(inside->getArguments());
  builder.create<YieldOp>(location, next);
  builder.setInsertionPointAfter(op);
  return op.getResults();
}

ValueRange RowBuilder::branch(Value condition, TypeRange types,
                              function_ref<SmallVector<Value>()> yes,
                              function_ref<SmallVector<Value>()> no) {
  auto op = builder.create<IfOp>(location, types, condition);
  auto fill = [&](Region &region, function_ref<SmallVector<Value>()> build) {
    builder.createBlock(&region);
    SmallVector<Value> values = build();
    builder.create<YieldOp>(location, values);
  };
  fill(op.getThenRegion(), yes);
  fill(op.getElseRegion(), no);
  builder.setInsertionPointAfter(op);
  return op.getResults();
}

} // namespace zenith::graph
