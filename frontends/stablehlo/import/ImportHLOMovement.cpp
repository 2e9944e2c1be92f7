// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Import of ops that move elements by shapes alone.

#include "frontends/stablehlo/builder/NarrowElements.h"
#include "frontends/stablehlo/import/OpReading.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::stablehlo;

// `index` constants are i64 here, and narrow ones are stored as integers.
static ElementsAttr withGraphElements(ElementsAttr value, Type source,
                                      Type element) {
  if (auto numbers = dyn_cast<DenseFPElementsAttr>(value);
      numbers && isa<NarrowFloatType>(source))
    return encodeNarrow(numbers, source);
  if (value.getElementType() == element)
    return value;
  auto dense = dyn_cast<DenseIntElementsAttr>(value);
  if (!dense)
    return {};
  unsigned width = element.getIntOrFloatBitWidth();
  return dense.mapValues(element, [&](const APInt &bits) {
    return element.isUnsignedInteger() ? bits.zextOrTrunc(width)
                                       : bits.sextOrTrunc(width);
  });
}

static void constantRule(OpReading &x) {
  auto value = x.attr<ElementsAttr>("value");
  RankedTensorType type = x.type();
  if (x.failed())
    return;
  Type element = type.getElementType();
  ElementsAttr converted = withGraphElements(
      value, getElementTypeOrSelf(x.op->getResult(0).getType()), element);
  if (!converted)
    return x.unsupported("of this type is not supported");
  Value result = x.constant(converted);
  if (x.program.liftedLike && rankOf(result) == 0)
    result = x.spread(result, x.program.liftedLike);
  x.out(result);
}

static void iotaRule(OpReading &x) {
  RankedTensorType type = x.type();
  if (x.failed())
    return;
  int64_t dim = x.intAttribute("iota_dimension");
  Type element = type.getElementType();
  if (auto complex = dyn_cast<ComplexType>(element))
    return x.out(x.convert(
        x.iota(type.getShape(), dim, complex.getElementType()), element));
  x.out(x.iota(type.getShape(), dim, element));
}

static void broadcastRule(OpReading &x) {
  Value value = x.in();
  SmallVector<int64_t> shape = x.list("broadcast_sizes"), mapping;
  for (int64_t i = 0; i < rankOf(value); ++i)
    mapping.push_back(shape.size() + i);
  llvm::append_range(shape, tensorTypeOf(value).getShape());
  x.out(x.broadcast(value, mapping,
                    RankedTensorType::get(shape, elementOf(value)),
                    x.dynamicDims(value)));
}

static void broadcastInDimRule(OpReading &x) {
  RankedTensorType type = x.type();
  if (x.failed())
    return;
  Value value = x.in();
  if (!type.hasStaticShape())
    return x.unsupported("to a dynamic shape is not supported");
  if (value.getType() == type &&
      llvm::is_sorted(x.list("broadcast_dimensions")))
    return x.out(value);
  x.out(x.broadcast(value, x.list("broadcast_dimensions"), type));
}

static void reshapeRule(OpReading &x) {
  RankedTensorType type = x.type();
  if (x.failed())
    return;
  Value value = x.in();
  if (!type.hasStaticShape())
    return x.unsupported("to a dynamic shape is not supported");
  x.out(x.reshape(value, type.getShape()));
}

static void transposeRule(OpReading &x) {
  Value value = x.in();
  SmallVector<int64_t> permutation = x.list("permutation");
  if (int64_t(permutation.size()) != rankOf(value) ||
      llvm::any_of(permutation,
                   [&](int64_t d) { return d < 0 || d >= rankOf(value); }))
    return x.invalid("has a permutation that does not fit its operand");
  x.out(x.transpose(value, permutation));
}

static void reverseRule(OpReading &x) {
  Value value = x.in();
  SmallVector<int64_t> dims = x.list("dimensions");
  x.out(dims.empty() ? value
                     : x.make<graph::ReverseOp>(value.getType(), value, dims));
}

static void sliceRule(OpReading &x) {
  Value value = x.in();
  SmallVector<int64_t> starts = x.list("start_indices"),
                       limits = x.list("limit_indices"),
                       strides = x.list("strides"), sizes;
  size_t rank = rankOf(value);
  if (starts.size() != rank || limits.size() != rank || strides.size() != rank)
    return x.invalid("has lists that do not fit its operand");
  for (size_t i = 0; i < rank; ++i) {
    if (strides[i] < 1 || starts[i] < 0 || limits[i] < starts[i])
      return x.invalid("has a range that is empty or runs backwards");
    sizes.push_back((limits[i] - starts[i] + strides[i] - 1) / strides[i]);
  }
  x.out(x.make<graph::SliceOp>(RankedTensorType::get(sizes, elementOf(value)),
                               value, ValueRange(), ValueRange(), starts, sizes,
                               strides));
}

static void padRule(OpReading &x) {
  RankedTensorType type = x.type();
  if (!x.failed())
    x.out(x.make<graph::PadOp>(type, x.in(0), x.in(1), ValueRange(),
                               ValueRange(), x.list("edge_padding_low"),
                               x.list("edge_padding_high"),
                               x.list("interior_padding")));
}

static void concatenateRule(OpReading &x) {
  if (x.inputs() == 0)
    return x.invalid("has no operand");
  int64_t dim = x.intAttribute("dimension");
  Values values = x.ins(0, x.inputs());
  if (dim < 0 || dim >= rankOf(values[0]))
    return x.invalid("has a dimension out of range");
  x.out(values.size() == 1 ? values[0] : x.concat(dim, values));
}

static void dimensionSizeRule(OpReading &x) {
  int64_t dim = x.intAttribute("dimension");
  Value value = x.in();
  if (dim < 0 || dim >= rankOf(value))
    return x.invalid("has a dimension out of range");
  x.out(x.convert(x.dim(value, dim), x.type().getElementType()));
}

void stablehlo::addMovementRules(RuleTable &rules) {
  rules["stablehlo.constant"] = constantRule;
  rules["chlo.constant"] = constantRule;
  rules["arith.constant"] = constantRule;
  rules["sdy.constant"] = constantRule;
  rules["stablehlo.iota"] = iotaRule;
  rules["stablehlo.broadcast"] = broadcastRule;
  rules["stablehlo.broadcast_in_dim"] = broadcastInDimRule;
  rules["stablehlo.reshape"] = reshapeRule;
  rules["stablehlo.transpose"] = transposeRule;
  rules["stablehlo.reverse"] = reverseRule;
  rules["stablehlo.slice"] = sliceRule;
  rules["stablehlo.pad"] = padRule;
  rules["stablehlo.concatenate"] = concatenateRule;
  rules["stablehlo.get_dimension_size"] = dimensionSizeRule;
}
