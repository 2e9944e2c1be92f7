// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Import of ops whose shapes are given by values.

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

static void dynamicBroadcastRule(OpReading &x) {
  RankedTensorType type = x.type();
  Value value = x.in(0), shape = x.in(1);
  std::optional<DynamicShape> to = readShape(x, shape, type);
  if (!to)
    return;
  x.out(broadcastAtRunTime(x, value, x.list("broadcast_dimensions"), *to,
                           x.list("known_nonexpanding_dimensions")));
}

static void dynamicReshapeRule(OpReading &x) {
  RankedTensorType type = x.type();
  Value value = x.in(0), shape = x.in(1);
  std::optional<DynamicShape> to = readShape(x, shape, type);
  if (!to)
    return;
  x.out(x.make<graph::ReshapeOp>(
      RankedTensorType::get(to->sizes, elementOf(value)), value, to->dims));
}

static void dynamicIotaRule(OpReading &x) {
  RankedTensorType type = x.type();
  Value shape = x.in(0);
  std::optional<DynamicShape> to = readShape(x, shape, type);
  if (!to)
    return;
  Type element = type.getElementType();
  auto complex = dyn_cast<ComplexType>(element);
  Value result = x.make<graph::IotaOp>(
      RankedTensorType::get(to->sizes,
                            complex ? complex.getElementType() : element),
      uint64_t(x.intAttribute("iota_dimension")), to->dims);
  x.out(x.convert(result, element));
}

// ceil((limit - start) / stride), static if all three are.
static void realDynamicSliceRule(OpReading &x) {
  Value value = x.in(0);
  SmallVector<int64_t> starts, sizes, strides;
  Values startValues, sizeValues;
  SmallVector<std::pair<int64_t, Value>> openStrides;
  for (int64_t i = 0; i < rankOf(value); ++i) {
    Value start = shapeElement(x, x.in(1), i),
          limit = shapeElement(x, x.in(2), i);
    Value step = shapeElement(x, x.in(3), i);
    auto given = constantInteger(step);
    if (given && *given < 1)
      return x.invalid("has a stride below 1");
    if (!given)
      openStrides.push_back({i, step});
    int64_t stride = given.value_or(1);
    strides.push_back(stride);
    auto known = constantInteger(start), end = constantInteger(limit);
    starts.push_back(known.value_or(ShapedType::kDynamic));
    if (!known)
      startValues.push_back(start);
    if (known && end) {
      sizes.push_back((*end - *known + stride - 1) / stride);
      continue;
    }
    int64_t declared = given ? x.type().getDimSize(i) : ShapedType::kDynamic;
    sizes.push_back(declared);
    if (!ShapedType::isDynamic(declared))
      continue;
    Expr length = Expr(x, limit) - Expr(x, start);
    if (stride != 1)
      length = (length + double(stride - 1)) / double(stride);
    sizeValues.push_back(length.value);
  }
  Value part = x.make<graph::SliceOp>(
      RankedTensorType::get(sizes, elementOf(value)), value, startValues,
      sizeValues, starts, sizes, strides);
  for (auto [dim, stride] : openStrides)
    part = everyNth(x, part, dim, stride);
  x.out(x.refine(part, x.type().getShape()));
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

static void dynamicPadRule(OpReading &x) {
  Value value = x.in(0);
  RankedTensorType type = x.type();
  if (x.failed())
    return;
  SmallVector<int64_t> interior;
  Values low, high;
  for (int64_t i = 0; i < rankOf(value); ++i) {
    Value between = shapeElement(x, x.in(4), i);
    auto known = constantInteger(between);
    if (!known)
      value = spreadByValue(x, value, x.in(1), i, between);
    interior.push_back(known.value_or(0));
    low.push_back(shapeElement(x, x.in(2), i));
    high.push_back(shapeElement(x, x.in(3), i));
  }
  x.out(padByValues(x, type, value, x.in(1), low, high, interior));
}

// The first `size` elements of a dimension, which the bound of the type is the
// most of; a larger size ends the run.
static void setDimensionSizeRule(OpReading &x) {
  Value value = x.in(0);
  int64_t dim = x.intAttribute("dimension");
  if (dim < 0 || dim >= rankOf(value))
    return x.invalid("has a dimension out of range");
  Value size = shapeElement(x, x.in(1), 0);
  SmallVector<int64_t> starts(rankOf(value), 0), strides(rankOf(value), 1),
      sizes(tensorTypeOf(value).getShape());
  auto known = constantInteger(size);
  if (known && *known == sizes[dim])
    return x.out(value);
  if (known && (*known < 0 ||
                (!ShapedType::isDynamic(sizes[dim]) && *known > sizes[dim])))
    return x.invalid("gives a dimension of " + Twine(sizes[dim]) +
                     " elements the size " + Twine(*known));
  sizes[dim] = known.value_or(ShapedType::kDynamic);
  Values given;
  for (int64_t d = 0; d < rankOf(value); ++d)
    if (ShapedType::isDynamic(sizes[d]))
      given.push_back(d == dim ? size : x.dim(value, d));
  x.out(x.make<graph::SliceOp>(RankedTensorType::get(sizes, elementOf(value)),
                               value, ValueRange(), given, starts, sizes,
                               strides));
}

void stablehlo::addDynamicRules(RuleTable &rules) {
  rules["stablehlo.dynamic_broadcast_in_dim"] = dynamicBroadcastRule;
  rules["stablehlo.dynamic_reshape"] = dynamicReshapeRule;
  rules["stablehlo.dynamic_iota"] = dynamicIotaRule;
  rules["stablehlo.real_dynamic_slice"] = realDynamicSliceRule;
  rules["stablehlo.dynamic_pad"] = dynamicPadRule;
  rules["stablehlo.set_dimension_size"] = setDimensionSizeRule;
}
