// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Import of random bits.

#include "frontends/stablehlo/import/ShapeReading.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::stablehlo;

// Of four words of state, the key's words come low half first, the counter's
// words high half first. This function converts one order to the other.
static Value turnCounter(OpReading &x, Value words) {
  return x.concat(0, {x.slice(words, {0}, {2}), x.slice(words, {3}, {1}),
                      x.slice(words, {2}, {1})});
}
// Four ui32 words of state as two ui64 words.
static Value joinState(OpReading &x, Value state) {
  Type u64 = x.b.getIntegerType(64, false);
  Value pairs = x.convert(x.reshape(turnCounter(x, state), {2, 2}), u64);
  Expr low(x, x.reshape(x.slice(pairs, {0, 0}, {2, 1}), {2}));
  Expr high(x, x.reshape(x.slice(pairs, {0, 1}, {2, 1}), {2}));
  return (low | high.apply<graph::ShiftLeftOp>(high.constant(32))).value;
}
static Value splitState(OpReading &x, Value state) {
  Type u32 = x.b.getIntegerType(32, false);
  Expr whole(x, state);
  Value high =
      whole.apply<graph::ShiftRightLogicalOp>(whole.constant(32)).value;
  Value low = x.reshape(x.convert(state, u32), {2, 1});
  Value words = x.reshape(
      x.concat(1, {low, x.reshape(x.convert(high, u32), {2, 1})}), {4});
  return turnCounter(x, words);
}

static void bitGeneratorRule(OpReading &x) {
  auto algorithm = x.attr<RngAlgorithmAttr>("rng_algorithm");
  RankedTensorType type = x.type(1);
  if (x.failed())
    return;
  Value state = x.in();
  Type stateElement = elementOf(state);
  ArrayRef<int64_t> shape = tensorTypeOf(state).getShape();
  bool words = shape == ArrayRef<int64_t>{4} && stateElement.isInteger(32);
  bool pairs = stateElement.isInteger(64) &&
               (shape == ArrayRef<int64_t>{2} || shape == ArrayRef<int64_t>{3});
  Type u64 = x.b.getIntegerType(64, false), u32 = x.b.getIntegerType(32, false);
  Value joined = words   ? joinState(x, x.bitcast(state, u32))
                 : pairs ? x.bitcast(state, u64)
                         : Value();
  if (!joined)
    return x.unsupported("with a state of this type is not supported");
  Type element = type.getElementType();
  unsigned width = element.getIntOrFloatBitWidth();
  Type bitsElement = x.b.getIntegerType(width, false);
  auto bits = x.create<graph::RandomBitsOp>(
      joined.getType(), RankedTensorType::get(type.getShape(), bitsElement),
      algorithm.getValue() == RngAlgorithm::THREE_FRY
          ? graph::RandomKind::threefry
          : graph::RandomKind::philox,
      joined);
  Value next = words ? splitState(x, bits.getNewState()) : bits.getNewState();
  x.out(Values{x.bitcast(next, stateElement),
               x.bitcast(bits.getBits(), element)});
}

//===----------------------------------------------------------------------===//
// rng: values from a fixed stream per op, the same in every run
//===----------------------------------------------------------------------===//

static Value streamBits(OpReading &x, ArrayRef<int64_t> shape, unsigned width) {
  Type u64 = x.b.getIntegerType(64, false);
  Value state =
      x.concat(0, {x.reshape(x.scalar(u64, ++x.program.randomOps), {1}),
                   x.reshape(x.scalar(u64, 0), {1})});
  auto type = RankedTensorType::get(shape, x.b.getIntegerType(width, false));
  return x
      .create<graph::RandomBitsOp>(state.getType(), type,
                                   graph::RandomKind::threefry, state)
      .getBits();
}

// In [0, 1), with as many random bits as the type has mantissa bits.
static Expr unitInterval(OpReading &x, ArrayRef<int64_t> shape, Type element) {
  bool isDouble = element.isF64();
  Expr bits(x, streamBits(x, shape, isDouble ? 64 : 32));
  unsigned dropped = isDouble ? 11 : 8;
  Expr high = bits.apply<graph::ShiftRightLogicalOp>(bits.constant(dropped));
  return high.with(x.convert(high.value, element)) *
         (isDouble ? 0x1p-53 : 0x1p-24);
}

static Expr normal(OpReading &x, ArrayRef<int64_t> shape, Type element) {
  constexpr double pi = 3.14159265358979323846;
  Expr radius =
      -2.0 * (-unitInterval(x, shape, element)).apply<graph::Log1pOp>();
  Expr angle = unitInterval(x, shape, element) * (2 * pi);
  return radius.apply<graph::SqrtOp>() * angle.apply<graph::CosOp>();
}

// A key for each op, as streamBits has a state.
static Value opKey(OpReading &x) {
  Type u32 = x.b.getIntegerType(32, false);
  Value number = x.scalar(u32, ++x.program.randomOps);
  return x.concat(0,
                  {x.reshape(x.scalar(u32, 0), {1}), x.reshape(number, {1})});
}

// Of shapes that are data. Integers come from floats of 53 random bits.
static void drawDynamic(OpReading &x, bool isNormal) {
  RankedTensorType type = x.type();
  Value shape = x.in(2);
  std::optional<DynamicShape> to = readShape(x, shape, type);
  if (!to)
    return;
  Type element = type.getElementType();
  if (isNormal && !isa<FloatType>(element))
    return x.invalid("draws normal numbers of integers");
  if (element.isInteger(1))
    return x.out(x.make<graph::RandomBernoulliOp>(
        RankedTensorType::get(to->sizes, element), opKey(x), to->dims,
        APFloat(0.5)));
  Type wide = element.isF64() || !isa<FloatType>(element)
                  ? Type(x.b.getF64Type())
                  : Type(x.b.getF32Type());
  auto drawn = RankedTensorType::get(to->sizes, wide);
  Value unit = isNormal
                   ? x.make<graph::RandomNormalOp>(drawn, opKey(x), to->dims)
                   : x.make<graph::RandomUniformOp>(drawn, opKey(x), to->dims,
                                                    APFloat(0.0), APFloat(1.0));
  auto operand = [&](unsigned index) {
    return Expr(x, x.spread(x.convert(x.in(index), wide), unit));
  };
  Expr a = operand(0), b = operand(1);
  if (isNormal)
    return x.out(x.convert((a + b * Expr(x, unit)).value, element));
  Expr offset = (b - a) * Expr(x, unit);
  if (!isa<FloatType>(element))
    offset = offset.apply<graph::FloorOp>();
  x.out(x.convert((a + offset).value, element));
}

static void rngRule(OpReading &x) {
  auto distribution = x.attr<RngDistributionAttr>("rng_distribution");
  RankedTensorType type = x.type();
  if (x.failed())
    return;
  if (!type.hasStaticShape())
    return drawDynamic(x, distribution.getValue() == RngDistribution::NORMAL);
  ArrayRef<int64_t> shape = type.getShape();
  Type element = type.getElementType();
  bool isNormal = distribution.getValue() == RngDistribution::NORMAL;
  if (isa<FloatType>(element)) {
    Type wide = element.isF64() ? element : Type(x.b.getF32Type());
    auto operand = [&](unsigned index) {
      Value value = x.convert(x.in(index), wide);
      return Expr(x, x.spread(value, RankedTensorType::get(shape, wide), {}));
    };
    Expr a = operand(0), b = operand(1);
    Expr result = isNormal ? a + b * normal(x, shape, wide)
                           : a + (b - a) * unitInterval(x, shape, wide);
    return x.out(x.convert(result.value, element));
  }
  if (isNormal)
    return x.invalid("draws normal numbers of integers");
  if (element.isInteger(1)) {
    Expr bits(x, streamBits(x, shape, 8));
    return x.out(((bits & 1.0) == 1.0).value);
  }
  Type u64 = x.b.getIntegerType(64, false);
  auto operand = [&](unsigned index) {
    Value value = x.convert(x.in(index), u64);
    return Expr(x, x.spread(value, RankedTensorType::get(shape, u64), {}));
  };
  Expr a = operand(0), range = operand(1) - a;
  Expr bits(x, streamBits(x, shape, 64));
  x.out(x.convert((a + bits.apply<graph::RemOp>(range)).value, element));
}

void stablehlo::addRandomRules(RuleTable &rules) {
  rules["stablehlo.rng"] = rngRule;
  rules["stablehlo.rng_bit_generator"] = bitGeneratorRule;
}
