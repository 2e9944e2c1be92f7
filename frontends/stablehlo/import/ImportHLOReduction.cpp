// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Import of reduce: by kind if the region is one op, else by the region itself.

#include "frontends/stablehlo/import/ReduceReading.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::stablehlo;
using graph::ReduceKind;

std::optional<ReduceKind> stablehlo::reduceKind(Region &body, Type element) {
  std::optional<StringRef> name = joiningOp(body);
  if (!name)
    return std::nullopt;
  bool boolean = element.isInteger(1), complex = isa<ComplexType>(element);
  if (*name == "stablehlo.add")
    return boolean ? ReduceKind::any : ReduceKind::sum;
  if (*name == "stablehlo.multiply")
    return boolean ? ReduceKind::all : ReduceKind::prod;
  if (*name == "stablehlo.and")
    return ReduceKind::all;
  if (*name == "stablehlo.or")
    return ReduceKind::any;
  if (*name == "stablehlo.xor")
    return ReduceKind::parity;
  if (*name == "stablehlo.maximum" && !complex)
    return boolean ? ReduceKind::any : ReduceKind::max;
  if (*name == "stablehlo.minimum" && !complex)
    return boolean ? ReduceKind::all : ReduceKind::min;
  return std::nullopt;
}

bool stablehlo::roundsOnce(ReduceKind kind, Type element) {
  return (kind == ReduceKind::sum || kind == ReduceKind::prod) &&
         isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 32;
}

// The largest value of a type, or with `negative` the smallest.
static bool isExtreme(const APFloat &value, bool negative) {
  return value.isInfinity() && value.isNegative() == negative;
}
static bool isExtreme(const APInt &value, Type element, bool smallest) {
  bool isUnsigned = element.isUnsignedInteger() || element.isInteger(1);
  if (smallest)
    return isUnsigned ? value.isMinValue() : value.isMinSignedValue();
  return isUnsigned ? value.isMaxValue() : value.isMaxSignedValue();
}

bool stablehlo::isNeutral(Value init, ReduceKind kind) {
  auto constant = init.getDefiningOp<graph::ConstantOp>();
  auto value =
      constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : nullptr;
  if (!value || value.getNumElements() != 1)
    return false;
  Type element = value.getElementType();
  if (isa<FloatType>(element)) {
    APFloat start = *value.value_begin<APFloat>();
    switch (kind) {
    case ReduceKind::sum:
      return start.isZero();
    case ReduceKind::prod:
      return start.isExactlyValue(1.0);
    case ReduceKind::max:
      return isExtreme(start, true);
    case ReduceKind::min:
      return isExtreme(start, false);
    default:
      return false;
    }
  }
  if (!isa<IntegerType>(element))
    return false;
  APInt start = *value.value_begin<APInt>();
  switch (kind) {
  case ReduceKind::sum:
  case ReduceKind::any:
  case ReduceKind::parity:
    return start.isZero();
  case ReduceKind::prod:
    return start.isOne();
  case ReduceKind::all:
    return start.isAllOnes();
  case ReduceKind::max:
    return isExtreme(start, element, true);
  case ReduceKind::min:
    return isExtreme(start, element, false);
  }
  return false;
}

Value stablehlo::joinWith(HLOBuilder &x, ReduceKind kind, Value value,
                          Value init) {
  Value other = rankOf(init) == rankOf(value) ? init : x.spread(init, value);
  switch (kind) {
  case ReduceKind::sum:
    return x.binary<graph::AddOp>(other, value);
  case ReduceKind::prod:
    return x.binary<graph::MulOp>(other, value);
  case ReduceKind::max:
    return x.binary<graph::MaxOp>(other, value);
  case ReduceKind::min:
    return x.binary<graph::MinOp>(other, value);
  case ReduceKind::all:
    return x.binary<graph::AndOp>(other, value);
  case ReduceKind::any:
    return x.binary<graph::OrOp>(other, value);
  case ReduceKind::parity:
    return x.binary<graph::XorOp>(other, value);
  }
  return value;
}

std::optional<ReduceOperands> stablehlo::readReduce(OpReading &x) {
  ReduceOperands operands;
  unsigned count = x.inputs() / 2;
  operands.inputs = x.ins(0, count);
  operands.inits = x.ins(count, count);
  operands.scalars =
      x.program.typesOf(x.op->getRegion(0).front().getArgumentTypes(), x.loc);
  if (x.failed())
    return std::nullopt;
  if (count == 0 || x.inputs() % 2 || operands.scalars.size() != 2 * count) {
    x.invalid("has operands that do not fit its region");
    return std::nullopt;
  }
  for (unsigned i = 0; i < count; ++i) {
    Type element = getElementTypeOrSelf(operands.scalars[i]);
    if (getElementTypeOrSelf(operands.scalars[count + i]) != element) {
      x.unsupported("with a region of mixed types is not supported");
      return std::nullopt;
    }
    operands.inputs[i] = x.convert(operands.inputs[i], element);
    operands.inits[i] = x.convert(operands.inits[i], element);
  }
  return operands;
}

static Type without(Value value, ArrayRef<int64_t> dims) {
  SmallVector<int64_t> shape;
  for (auto [at, size] : llvm::enumerate(tensorTypeOf(value).getShape()))
    if (!llvm::is_contained(dims, int64_t(at)))
      shape.push_back(size);
  return RankedTensorType::get(shape, elementOf(value));
}

// JAX's compiler adds small floats one after the other, each sum rounded, while
// no reduced dimension is longer than this; otherwise it builds trees. Rounding
// long sums once is nearer to both the tree and the exact sum than rounding
// them at every step. So are sums of many short dimensions: equal terms of bf16
// stop to add to anything after 256 of them.
static constexpr int64_t longestStepwise = 32, mostStepwise = 256;

static bool goesStepwise(Value input, Value init, ArrayRef<int64_t> dims,
                         ReduceKind kind) {
  int64_t terms = 1;
  for (int64_t dim : dims) {
    int64_t size = tensorTypeOf(input).getDimSize(dim);
    if (ShapedType::isDynamic(size) || size > longestStepwise)
      return false;
    terms *= size;
  }
  return roundsOnce(kind, elementOf(input)) && rankOf(init) == 0 && terms > 1 &&
         terms <= mostStepwise;
}

static void reduceRule(OpReading &x) {
  std::optional<ReduceOperands> operands = readReduce(x);
  if (!operands)
    return;
  SmallVector<int64_t> dims = x.list("dimensions");
  llvm::sort(dims);
  Region &body = x.op->getRegion(0);
  if (operands->inputs.size() == 1)
    if (auto kind = reduceKind(body, elementOf(operands->inputs[0]));
        kind &&
        !goesStepwise(operands->inputs[0], operands->inits[0], dims, *kind)) {
      Value input = operands->inputs[0], init = operands->inits[0];
      Value result = dims.empty() ? input : x.reduce(*kind, input, dims);
      return x.out(isNeutral(init, *kind) ? result
                                          : joinWith(x, *kind, result, init));
    }
  SmallVector<Type> types;
  for (Value input : operands->inputs)
    types.push_back(without(input, dims));
  auto reduce = x.create<graph::ReduceWithOp>(types, operands->inputs,
                                              operands->inits, dims);
  x.program.importRegion(body, reduce.getBody(), operands->scalars);
  x.out(reduce.getResults());
}

void stablehlo::addReductionRules(RuleTable &rules) {
  rules["stablehlo.reduce"] = reduceRule;
}
