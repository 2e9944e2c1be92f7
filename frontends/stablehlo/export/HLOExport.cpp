// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks blocks and dispatches by op name; builders of common ops.

#include "frontends/stablehlo/export/HLOExport.h"
#include "ir/GraphOps.h"
#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::stablehlo;

RankedTensorType zenith::stablehlo::tensorType(mlir::Value value) {
  return cast<RankedTensorType>(value.getType());
}
RankedTensorType zenith::stablehlo::withElement(Type tensor, Type element) {
  return cast<RankedTensorType>(tensor).clone(element);
}

HLOExport::HLOExport(MLIRContext *context)
    : builder(context), loc(UnknownLoc::get(context)) {
  addElementwiseExports(rules);
  addMovementExports(rules);
  addIndexingExports(rules);
  addReductionExports(rules);
  addContractionExports(rules);
  addOrderingExports(rules);
  addControlExports(rules);
  addShardingExports(rules);
  allowDynamic({"graph.add",     "graph.sub",         "graph.mul",
                "graph.div",     "graph.rem",         "graph.pow",
                "graph.max",     "graph.min",         "graph.atan2",
                "graph.and",     "graph.or",          "graph.xor",
                "graph.not",     "graph.abs",         "graph.neg",
                "graph.sign",    "graph.exp",         "graph.expm1",
                "graph.log",     "graph.log1p",       "graph.sqrt",
                "graph.rsqrt",   "graph.cbrt",        "graph.sin",
                "graph.cos",     "graph.tan",         "graph.tanh",
                "graph.erf",     "graph.logistic",    "graph.floor",
                "graph.ceil",    "graph.round_even",  "graph.is_finite",
                "graph.select",  "graph.clamp",       "graph.compare",
                "graph.convert", "graph.iota",        "graph.pad",
                "graph.slice",   "graph.broadcast",   "graph.expand",
                "graph.reshape", "graph.transpose",   "graph.concat",
                "graph.reverse", "graph.dim",         "graph.reduce",
                "graph.if",      "graph.case",        "graph.while",
                "graph.barrier", "graph.dot_general", "graph.host_read",
                "func.call",     "graph.arg_reduce"});
}

/// A rule makes constants of its result's shape unless it is known not to.
bool HLOExport::writesDynamic(Operation *op) const {
  auto convert = dyn_cast<graph::ConvertOp>(op);
  return dynamicOps.contains(op->getName().getStringRef()) &&
         !(convert && convert.getSaturate());
}

bool HLOExport::unsupported(Operation *op, const llvm::Twine &why) {
  if (!error) {
    std::string text = why.str();
    error = zenith::unsupported("op '" + op->getName().getStringRef().str() +
                                "' cannot be written as StableHLO" +
                                (text.empty() ? "" : ": " + text));
  }
  return false;
}

bool HLOExport::exportOp(Operation *op) {
  loc = op->getLoc();
  for (Type type : op->getResultTypes()) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || (!tensor.hasStaticShape() && !writesDynamic(op)))
      return unsupported(op, "its shape is dynamic");
  }
  auto rule = rules.find(op->getName().getStringRef());
  if (rule == rules.end())
    return unsupported(op);
  if (!rule->second(*this, op))
    return false;
  annotate(op);
  return true;
}

bool HLOExport::block(Block &from, Block &to, llvm::StringRef end) {
  OpBuilder::InsertionGuard guard(builder);
  for (BlockArgument argument : from.getArguments())
    values.map(argument, to.addArgument(argument.getType(), argument.getLoc()));
  builder.setInsertionPointToEnd(&to);
  for (Operation &op : from.without_terminator())
    if (!exportOp(&op))
      return false;
  Operation *last = from.getTerminator();
  loc = last->getLoc();
  makeOp(end, {}, list(last->getOperands()));
  return true;
}

bool HLOExport::region(Region &from, Region &to) {
  to.push_back(new Block());
  return block(from.front(), to.front(), "stablehlo.return");
}

SmallVector<Value> HLOExport::list(ValueRange sources) {
  SmallVector<Value> found;
  for (mlir::Value source : sources)
    found.push_back(get(source));
  return found;
}

void HLOExport::set(Operation *op, ValueRange results) {
  values.map(op->getResults(), results);
}

Operation *HLOExport::makeOp(llvm::StringRef name, TypeRange types,
                             ValueRange operands, Attributes attributes,
                             unsigned regions) {
  OperationState state(loc, name, operands, types, attributes);
  for (unsigned i = 0; i < regions; ++i)
    state.addRegion();
  return builder.create(state);
}

Value HLOExport::make(llvm::StringRef name, Type type, ValueRange operands,
                      Attributes attributes) {
  return makeOp(name, type, operands, attributes)->getResult(0);
}

NamedAttribute HLOExport::named(llvm::StringRef name, Attribute value) {
  return builder.getNamedAttr(name, value);
}
NamedAttribute HLOExport::dims(llvm::StringRef name,
                               llvm::ArrayRef<int64_t> list) {
  return named(name, builder.getDenseI64ArrayAttr(list));
}
NamedAttribute HLOExport::intAttribute(llvm::StringRef name, int64_t value) {
  return named(name, builder.getI64IntegerAttr(value));
}
NamedAttribute HLOExport::padding(llvm::ArrayRef<int64_t> low,
                                  llvm::ArrayRef<int64_t> high) {
  SmallVector<int64_t> pairs;
  for (auto [l, h] : llvm::zip(low, high))
    pairs.append({l, h});
  auto type =
      RankedTensorType::get({int64_t(low.size()), 2}, builder.getI64Type());
  return named("padding", DenseIntElementsAttr::get(type, pairs));
}

// Readers differ on how many booleans are written: a byte each or packed bits.
static constexpr int64_t maxBooleans = 100;

Value HLOExport::constant(ElementsAttr value) {
  auto type = cast<RankedTensorType>(Type(value.getShapedType()));
  auto booleans = dyn_cast<DenseElementsAttr>(value);
  if (booleans && !booleans.isSplat() && type.getElementType().isInteger(1) &&
      type.getNumElements() > maxBooleans) {
    SmallVector<int8_t> bytes(llvm::map_range(
        booleans.getValues<bool>(), [](bool bit) { return int8_t(bit); }));
    Value elements = constant(DenseElementsAttr::get(
        type.clone(builder.getI8Type()), llvm::ArrayRef<int8_t>(bytes)));
    return convert(elements, type.getElementType());
  }
  return make("stablehlo.constant", Type(value.getShapedType()), {},
              named("value", value));
}

Value HLOExport::splat(RankedTensorType type, double value) {
  Type element = type.getElementType();
  if (auto complex = dyn_cast<ComplexType>(element)) {
    APFloat part = FloatAttr::get(complex.getElementType(), value).getValue();
    std::complex<APFloat> both(part, APFloat::getZero(part.getSemantics()));
    return constant(DenseElementsAttr::get(type, both));
  }
  Attribute scalar =
      isa<FloatType>(element)
          ? Attribute(FloatAttr::get(element, value))
          : IntegerAttr::get(element, APInt(element.getIntOrFloatBitWidth(),
                                            uint64_t(int64_t(value)), true));
  return constant(DenseElementsAttr::get(type, scalar));
}

Value HLOExport::extreme(RankedTensorType type, bool largest) {
  Type element = type.getElementType();
  if (auto floating = dyn_cast<FloatType>(element)) {
    const llvm::fltSemantics &semantics = floating.getFloatSemantics();
    // Types without infinities have a largest finite value.
    bool infinite = !APFloat::getInf(semantics).isNaN();
    APFloat value = infinite ? APFloat::getInf(semantics, !largest)
                             : APFloat::getLargest(semantics, !largest);
    return constant(DenseElementsAttr::get(
        type, Attribute(FloatAttr::get(element, value))));
  }
  unsigned width = element.getIntOrFloatBitWidth();
  bool isSigned = width > 1 && !element.isUnsignedInteger();
  APInt value = largest ? (isSigned ? APInt::getSignedMaxValue(width)
                                    : APInt::getMaxValue(width))
                        : (isSigned ? APInt::getSignedMinValue(width)
                                    : APInt::getMinValue(width));
  return constant(DenseElementsAttr::get(
      type, Attribute(IntegerAttr::get(element, value))));
}

Value HLOExport::binary(llvm::StringRef name, Value lhs, Value rhs) {
  return make(name, lhs.getType(), {lhs, rhs});
}

Value HLOExport::compare(ComparisonDirection direction, Value lhs, Value rhs) {
  Type element = tensorType(lhs).getElementType();
  bool floating = isa<FloatType, ComplexType>(element);
  bool isSigned = !element.isInteger(1) && !element.isUnsignedInteger();
  ComparisonType type = floating   ? ComparisonType::FLOAT
                        : isSigned ? ComparisonType::SIGNED
                                   : ComparisonType::UNSIGNED;
  MLIRContext *context = builder.getContext();
  return make("stablehlo.compare",
              withElement(lhs.getType(), builder.getI1Type()), {lhs, rhs},
              {named("comparison_direction",
                     ComparisonDirectionAttr::get(context, direction)),
               named("compare_type", ComparisonTypeAttr::get(context, type))});
}

Value HLOExport::convert(Value value, Type element) {
  if (tensorType(value).getElementType() == element)
    return value;
  return make("stablehlo.convert", withElement(value.getType(), element),
              value);
}

Value HLOExport::broadcast(Value value, llvm::ArrayRef<int64_t> shape,
                           llvm::ArrayRef<int64_t> mapping) {
  return make("stablehlo.broadcast_in_dim",
              RankedTensorType::get(shape, tensorType(value).getElementType()),
              value, dims("broadcast_dimensions", mapping));
}

Value HLOExport::slice(Value value, llvm::ArrayRef<int64_t> starts,
                       llvm::ArrayRef<int64_t> limits,
                       llvm::ArrayRef<int64_t> strides) {
  SmallVector<int64_t> sizes;
  for (auto [start, limit, stride] : llvm::zip(starts, limits, strides))
    sizes.push_back((limit - start + stride - 1) / stride);
  return make("stablehlo.slice",
              RankedTensorType::get(sizes, tensorType(value).getElementType()),
              value,
              {dims("start_indices", starts), dims("limit_indices", limits),
               dims("strides", strides)});
}

Value HLOExport::iota(RankedTensorType type, int64_t dim) {
  return make("stablehlo.iota", type, {}, intAttribute("iota_dimension", dim));
}

Value HLOExport::indexScalar(int64_t value) {
  auto type = RankedTensorType::get({}, builder.getI64Type());
  return constant(DenseElementsAttr::get(type, value));
}

Value HLOExport::indexVector(llvm::ArrayRef<Value> entries) {
  auto single = RankedTensorType::get({1}, builder.getI64Type());
  SmallVector<Value> parts;
  for (Value entry : entries)
    parts.push_back(make("stablehlo.reshape", single, entry));
  auto type =
      RankedTensorType::get({int64_t(parts.size())}, builder.getI64Type());
  if (parts.empty())
    return constant(DenseElementsAttr::get(type, llvm::ArrayRef<int64_t>()));
  return parts.size() == 1 ? parts[0]
                           : make("stablehlo.concatenate", type, parts,
                                  intAttribute("dimension", 0));
}

Value HLOExport::indexVector(llvm::ArrayRef<int64_t> entries,
                             ValueRange scalars) {
  SmallVector<Value> values;
  for (int64_t entry : entries) {
    bool isDynamic = ShapedType::isDynamic(entry);
    values.push_back(isDynamic ? get(scalars.front()) : indexScalar(entry));
    if (isDynamic)
      scalars = scalars.drop_front();
  }
  return indexVector(values);
}

Value HLOExport::size(Value value, int64_t dim) {
  auto narrow = RankedTensorType::get({}, builder.getI32Type());
  return convert(make("stablehlo.get_dimension_size", narrow, value,
                      intAttribute("dimension", dim)),
                 builder.getI64Type());
}

Value HLOExport::shapeOf(Value value) {
  SmallVector<Value> sizes;
  for (auto [d, known] : llvm::enumerate(tensorType(value).getShape()))
    sizes.push_back(ShapedType::isDynamic(known) ? size(value, d)
                                                 : indexScalar(known));
  return indexVector(sizes);
}

Value HLOExport::positions(Value value, Type element, int64_t dim) {
  RankedTensorType type = withElement(value.getType(), element);
  return type.hasStaticShape()
             ? iota(type, dim)
             : make("stablehlo.dynamic_iota", type, shapeOf(value),
                    intAttribute("iota_dimension", dim));
}

Value HLOExport::isNaN(Value value) {
  return compare(ComparisonDirection::NE, value, value);
}

Value HLOExport::before(Value lhs, Value rhs) {
  Value less = compare(ComparisonDirection::LT, lhs, rhs);
  if (!isa<FloatType>(tensorType(lhs).getElementType()))
    return less;
  Value isNumber = compare(ComparisonDirection::EQ, lhs, lhs);
  return binary("stablehlo.or", less,
                binary("stablehlo.and", isNumber, isNaN(rhs)));
}

Value HLOExport::same(Value lhs, Value rhs) {
  Type element = tensorType(lhs).getElementType();
  if (auto complex = dyn_cast<ComplexType>(element)) {
    Type part = withElement(lhs.getType(), complex.getElementType());
    Value equal[2];
    for (auto [i, name] : llvm::enumerate(std::array<llvm::StringRef, 2>{
             "stablehlo.real", "stablehlo.imag"}))
      equal[i] = same(make(name, part, lhs), make(name, part, rhs));
    return binary("stablehlo.and", equal[0], equal[1]);
  }
  Value equal = compare(ComparisonDirection::EQ, lhs, rhs);
  if (!isa<FloatType>(element))
    return equal;
  return binary("stablehlo.or", equal,
                binary("stablehlo.and", isNaN(lhs), isNaN(rhs)));
}

// JAX's compiler accumulates bf16 reductions in f32 by itself. It takes
// conversions in the text as permission not to round at all.
Type HLOExport::accumulator(Type element) {
  auto floating = dyn_cast<FloatType>(element);
  bool widens = floating && floating.getWidth() < 32 && !element.isBF16();
  return widens ? builder.getF32Type() : element;
}

Value HLOExport::reduce(llvm::StringRef combiner, Value value, Value init,
                        llvm::ArrayRef<int64_t> reduced) {
  RankedTensorType type = tensorType(value);
  SmallVector<int64_t> kept;
  for (int64_t i = 0; i < type.getRank(); ++i)
    if (!llvm::is_contained(reduced, i))
      kept.push_back(type.getDimSize(i));
  Operation *op =
      makeOp("stablehlo.reduce",
             Type(RankedTensorType::get(kept, type.getElementType())),
             {value, init}, dims("dimensions", reduced), 1);
  OpBuilder::InsertionGuard guard(builder);
  Block &body = op->getRegion(0).emplaceBlock();
  Type scalar = init.getType();
  body.addArguments({scalar, scalar}, {loc, loc});
  builder.setInsertionPointToEnd(&body);
  makeOp("stablehlo.return", {},
         binary(combiner, body.getArgument(0), body.getArgument(1)));
  return op->getResult(0);
}
