// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Import of ops whose shapes are given by values.

#include "frontends/stablehlo/import/ShapeReading.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::stablehlo;

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
