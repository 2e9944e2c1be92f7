// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes, padding and strides that programs give as values.

#include "frontends/stablehlo/import/ShapeReading.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::stablehlo;

static Value scalarAsIndex(OpReading &x, Value scalar) {
  if (auto known = constantInteger(scalar))
    return x.index(*known);
  return x.convert(scalar, x.b.getI64Type());
}

Value stablehlo::shapeElement(OpReading &x, Value shape, int64_t at) {
  if (auto convert = shape.getDefiningOp<graph::ConvertOp>())
    if (isa<IntegerType>(elementOf(convert.getOperand())))
      return shapeElement(x, convert.getOperand(), at);
  if (rankOf(shape) == 0)
    return scalarAsIndex(x, shape);
  if (auto concat = shape.getDefiningOp<graph::ConcatOp>();
      concat && concat.getDim() == 0 && tensorTypeOf(shape).hasStaticShape())
    for (Value piece : concat.getOperands()) {
      int64_t size = tensorTypeOf(piece).getNumElements();
      if (at < size)
        return shapeElement(x, piece, at);
      at -= size;
    }
  if (auto broadcast = shape.getDefiningOp<graph::BroadcastOp>())
    if (rankOf(broadcast.getOperand()) == 0)
      return scalarAsIndex(x, broadcast.getOperand());
  // Elements count in row-major order, which a reshape keeps.
  if (auto reshape = shape.getDefiningOp<graph::ReshapeOp>())
    if (tensorTypeOf(reshape.getOperand()).hasStaticShape())
      return shapeElement(x, reshape.getOperand(), at);
  if (auto constant = shape.getDefiningOp<graph::ConstantOp>())
    if (auto value = dyn_cast<DenseIntElementsAttr>(constant.getValue()))
      return x.index((value.getValues<APInt>()[at]).getSExtValue());
  Value flat = x.reshape(shape, {tensorTypeOf(shape).getNumElements()});
  Value element = x.reshape(x.slice(flat, {at}, {1}), {});
  return x.convert(element, x.b.getI64Type());
}

std::optional<int64_t> stablehlo::constantInteger(Value scalar) {
  auto constant = scalar.getDefiningOp<graph::ConstantOp>();
  auto value =
      constant ? dyn_cast<DenseIntElementsAttr>(constant.getValue()) : nullptr;
  if (!value)
    return std::nullopt;
  return (*value.value_begin<APInt>()).getSExtValue();
}

std::optional<DynamicShape> stablehlo::readShape(OpReading &x, Value shape,
                                                 RankedTensorType type) {
  if (x.failed())
    return std::nullopt;
  if (rankOf(shape) != 1 ||
      tensorTypeOf(shape).getDimSize(0) != type.getRank()) {
    x.unsupported("with a shape of unknown rank is not supported");
    return std::nullopt;
  }
  DynamicShape result;
  for (int64_t i = 0; i < type.getRank(); ++i) {
    int64_t size = type.getDimSize(i);
    if (ShapedType::isDynamic(size)) {
      Value scalar = shapeElement(x, shape, i);
      if (auto known = constantInteger(scalar); known && *known >= 0)
        size = *known;
      else
        result.dims.push_back(scalar);
    }
    result.sizes.push_back(size);
  }
  return result;
}

Value stablehlo::broadcastAtRunTime(OpReading &x, Value value,
                                    ArrayRef<int64_t> mapping,
                                    const DynamicShape &to,
                                    ArrayRef<int64_t> neverExpand) {
  // What may be 1 keeps its size in a first step.
  SmallVector<int64_t> sizes(to.sizes);
  Values dims;
  bool mayExpand = false;
  const Value *given = to.dims.begin();
  for (auto [target, size] : llvm::enumerate(sizes)) {
    const int64_t *at = llvm::find(mapping, int64_t(target));
    int64_t dim = at - mapping.begin();
    bool isOpen = at != mapping.end() &&
                  tensorTypeOf(value).isDynamicDim(dim) &&
                  !llvm::is_contained(neverExpand, dim);
    bool isDynamic = ShapedType::isDynamic(size);
    if (isOpen)
      dims.push_back(x.create<graph::DimOp>(value, dim));
    else if (isDynamic)
      dims.push_back(*given);
    given += isDynamic;
    if (isOpen)
      size = ShapedType::kDynamic;
    mayExpand |= isOpen;
  }
  Type element = elementOf(value);
  Value own =
      x.broadcast(value, mapping, RankedTensorType::get(sizes, element), dims);
  return mayExpand ? x.make<graph::ExpandOp>(
                         RankedTensorType::get(to.sizes, element), own, to.dims)
                   : own;
}

// Interior padding first: kernels take edge padding by values only.
static Value spreadOut(OpReading &x, Value value, Value fill,
                       ArrayRef<int64_t> interior) {
  SmallVector<int64_t> shape(tensorTypeOf(value).getShape()),
      zeros(shape.size(), 0);
  for (auto [size, between] : llvm::zip_equal(shape, interior))
    if (!ShapedType::isDynamic(size))
      size += std::max<int64_t>(size - 1, 0) * between;
  return x.make<graph::PadOp>(RankedTensorType::get(shape, elementOf(value)),
                              value, fill, Values(), Values(), zeros, zeros,
                              interior);
}

Value stablehlo::padByValues(OpReading &x, RankedTensorType type, Value value,
                             Value fill, ArrayRef<Value> low,
                             ArrayRef<Value> high, ArrayRef<int64_t> interior) {
  SmallVector<int64_t> before, after, between(interior);
  Values beforeValues, afterValues;
  auto add = [](Value scalar, SmallVectorImpl<int64_t> &sizes, Values &values) {
    auto size = constantInteger(scalar);
    sizes.push_back(size.value_or(ShapedType::kDynamic));
    if (!size)
      values.push_back(scalar);
  };
  for (auto [lowScalar, highScalar] : llvm::zip_equal(low, high)) {
    add(lowScalar, before, beforeValues);
    add(highScalar, after, afterValues);
  }
  bool isSpread = llvm::any_of(interior, [](int64_t n) { return n != 0; });
  if (isSpread && !beforeValues.empty()) {
    value = spreadOut(x, value, fill, interior);
    between.assign(between.size(), 0);
  }
  return x.make<graph::PadOp>(type, value, fill, beforeValues, afterValues,
                              before, after, between);
}

//===----------------------------------------------------------------------===//
// Interior padding and strides that are data: graph.pad and graph.slice have
// them as attributes, so elements are gathered
//===----------------------------------------------------------------------===//

static RankedTensorType withDim(Value value, int64_t dim, int64_t size) {
  SmallVector<int64_t> shape(tensorTypeOf(value).getShape());
  shape[dim] = size;
  return RankedTensorType::get(shape, elementOf(value));
}

// One more element along `dim`, so that there is one for every index.
static Value withFill(OpReading &x, Value value, Value fill, int64_t dim) {
  int64_t size = tensorTypeOf(value).getDimSize(dim);
  SmallVector<int64_t> none(rankOf(value), 0), one(none);
  one[dim] = 1;
  return x.make<graph::PadOp>(
      withDim(value, dim, ShapedType::isDynamic(size) ? size : size + 1), value,
      fill, Values(), Values(), none, one, none);
}

static Value rowsAt(OpReading &x, Value value, int64_t dim, Value index) {
  SmallVector<int64_t> offset, sizes(tensorTypeOf(value).getShape());
  for (int64_t d = 0; d < rankOf(value); ++d)
    if (d != dim)
      offset.push_back(d);
    else
      sizes[d] = 1;
  for (int64_t &size : sizes)
    size = ShapedType::isDynamic(size) ? -1 : size;
  auto dims = graph::GatherDimsAttr::get(x.b.getContext(), offset, {dim}, {},
                                         {}, {dim}, /*index_vector_dim=*/1);
  return x.make<graph::GatherOp>(
      withDim(value, dim, tensorTypeOf(index).getDimSize(0)), value, index,
      dims, sizes);
}

Value stablehlo::spreadByValue(OpReading &x, Value value, Value fill,
                               int64_t dim, Value between) {
  Expr given(x, between), count(x, x.dim(value, dim));
  x.create<graph::AssertOp>((given >= 0.0).value,
                            "interior padding is negative: {0}",
                            ValueRange(between));
  // A negative width must not divide before the assertion ends the run.
  Expr width = given.apply<graph::MaxOp>(given.constant(0));
  Expr gaps = (count - 1.0).apply<graph::MaxOp>(count.constant(0));
  Expr size = count + gaps * width;
  auto indexType =
      RankedTensorType::get({ShapedType::kDynamic}, x.b.getI64Type());
  Expr place(x, x.make<graph::IotaOp>(indexType, uint64_t(0), size.value));
  Expr step(x, x.spread((width + 1.0).value, place.value));
  Expr past(x, x.spread(count.value, place.value));
  Expr isElement = place.apply<graph::RemOp>(step) == 0.0;
  Expr index = select(isElement, place / step, past);
  return rowsAt(x, withFill(x, value, fill, dim), dim, index.value);
}

Value stablehlo::everyNth(OpReading &x, Value value, int64_t dim,
                          Value stride) {
  Expr step(x, stride), count(x, x.dim(value, dim));
  x.create<graph::AssertOp>((step > 0.0).value, "a stride is not positive: {0}",
                            ValueRange(stride));
  // A stride below 1 must not divide before the assertion ends the run.
  Expr divisor = step.apply<graph::MaxOp>(step.constant(1));
  Expr size = (count + divisor - 1.0) / divisor;
  auto indexType =
      RankedTensorType::get({ShapedType::kDynamic}, x.b.getI64Type());
  Expr place(x, x.make<graph::IotaOp>(indexType, uint64_t(0), size.value));
  Expr index = place * Expr(x, x.spread(divisor.value, place.value));
  return rowsAt(x, value, dim, index.value);
}
