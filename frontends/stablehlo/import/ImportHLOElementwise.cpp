// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Import of elementwise ops. Booleans add by or and multiply by and.

#include "frontends/stablehlo/builder/NarrowElements.h"
#include "frontends/stablehlo/dialect/NarrowFormat.h"
#include "frontends/stablehlo/import/OrderingReading.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::stablehlo;
using graph::CompareDirection;

template <typename Op> static void unaryRule(OpReading &x) {
  x.out(x.unary<Op>(x.in()));
}
template <typename Op> static void binaryRule(OpReading &x) {
  x.out(x.binary<Op>(x.in(0), x.in(1)));
}
template <typename Op, typename BoolOp> static void boolRule(OpReading &x) {
  Value lhs = x.in(0), rhs = x.in(1);
  x.out(elementOf(lhs).isInteger(1) ? x.binary<BoolOp>(lhs, rhs)
                                    : x.binary<Op>(lhs, rhs));
}

static bool isComplex(Value value) {
  return isa<ComplexType>(elementOf(value));
}

//===----------------------------------------------------------------------===//
// Complex forms
//===----------------------------------------------------------------------===//

// Larger (or smaller) by real part, then by imaginary part.
template <typename Op, bool larger> static void extremumRule(OpReading &x) {
  Value lhs = x.in(0), rhs = x.in(1);
  if (elementOf(lhs).isInteger(1))
    return x.out(larger ? x.binary<graph::OrOp>(lhs, rhs)
                        : x.binary<graph::AndOp>(lhs, rhs));
  if (!isComplex(lhs))
    return x.out(x.binary<Op>(lhs, rhs));
  Expr a(x, x.realPart(lhs)), b(x, x.realPart(rhs)), c(x, x.imagPart(lhs)),
      d(x, x.imagPart(rhs));
  Expr wins = larger ? (a > b) | ((a == b) & (c >= d))
                     : (a < b) | ((a == b) & (c <= d));
  x.out(x.select(wins.value, lhs, rhs));
}

static void absRule(OpReading &x) {
  Value value = x.in();
  if (!isComplex(value))
    return x.out(x.unary<graph::AbsOp>(value));
  x.out(x.make<graph::ComplexAbsOp>(x.type(), value));
}

// -i log((x + iy) / sqrt(x^2 + y^2))
static void atan2Rule(OpReading &x) {
  Value lhs = x.in(0), rhs = x.in(1);
  if (!isComplex(lhs))
    return x.out(x.binary<graph::Atan2Op>(lhs, rhs));
  Expr a(x, lhs), b(x, rhs);
  Value zero = x.filled(x.realPart(lhs), 0.0);
  Expr i(x, x.complexOf(zero, x.filled(zero, 1.0)));
  Expr unit = (b + i * a) / (b * b + a * a).apply<graph::SqrtOp>();
  x.out((-(i * unit.apply<graph::LogOp>())).value);
}

static void complexRule(OpReading &x) { x.out(x.complexOf(x.in(0), x.in(1))); }
static void realRule(OpReading &x) { x.out(x.realPart(x.in())); }
static void imagRule(OpReading &x) { x.out(x.imagPart(x.in())); }

//===----------------------------------------------------------------------===//
// Comparison and selection
//===----------------------------------------------------------------------===//

// Integers whose negative ones are in reverse order, the other way round.
static Value reverseNegative(OpReading &x, Value value) {
  Type integer = elementOf(value);
  Expr bits(x, value);
  Value mask = x.spread(
      x.integer(integer,
                APInt::getSignedMaxValue(integer.getIntOrFloatBitWidth())),
      value);
  return select(bits < 0.0, bits ^ bits.with(mask), bits).value;
}

Value stablehlo::totalOrderKeys(OpReading &x, Value floats) {
  unsigned width = elementOf(floats).getIntOrFloatBitWidth();
  return reverseNegative(
      x, x.bitcast(floats, IntegerType::get(x.b.getContext(), width)));
}

Value stablehlo::floatsOfKeys(OpReading &x, Value keys, Type element) {
  return x.bitcast(reverseNegative(x, keys), element);
}

static CompareDirection directionOf(ComparisonDirection direction) {
  switch (direction) {
  case ComparisonDirection::EQ:
    return CompareDirection::eq;
  case ComparisonDirection::NE:
    return CompareDirection::ne;
  case ComparisonDirection::GE:
    return CompareDirection::ge;
  case ComparisonDirection::GT:
    return CompareDirection::gt;
  case ComparisonDirection::LE:
    return CompareDirection::le;
  case ComparisonDirection::LT:
    return CompareDirection::lt;
  }
  return CompareDirection::eq;
}

static void compareRule(OpReading &x) {
  auto direction = x.attr<ComparisonDirectionAttr>("comparison_direction");
  if (!direction)
    return;
  Value lhs = x.in(0), rhs = x.in(1);
  auto kind = x.op->getAttrOfType<ComparisonTypeAttr>("compare_type");
  if (kind && kind.getValue() == ComparisonType::TOTALORDER &&
      isa<FloatType>(elementOf(lhs))) {
    lhs = totalOrderKeys(x, lhs);
    rhs = totalOrderKeys(x, rhs);
  }
  x.out(x.compare(directionOf(direction.getValue()), lhs, rhs));
}

static void selectRule(OpReading &x) {
  Value pred = x.in(0), onTrue = x.in(1), onFalse = x.in(2);
  if (rankOf(pred) == 0)
    pred = x.spread(pred, onTrue);
  x.agree({&pred, &onTrue, &onFalse});
  if (onTrue.getType() != onFalse.getType())
    return x.unsupported("of sizes that differ is not supported");
  x.out(x.select(pred, onTrue, onFalse));
}

static void clampRule(OpReading &x) {
  Value low = x.in(0), value = x.in(1), high = x.in(2);
  low = rankOf(low) == 0 ? x.spread(low, value) : low;
  high = rankOf(high) == 0 ? x.spread(high, value) : high;
  x.agree({&low, &value, &high});
  if (!isComplex(value) && !elementOf(value).isInteger(1))
    return x.out(x.make<graph::ClampOp>(value.getType(), low, value, high));
  if (isComplex(value))
    return x.unsupported("of complex numbers is not supported");
  x.out(x.binary<graph::AndOp>(x.binary<graph::OrOp>(low, value), high));
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

static Type sourceElement(Value value) {
  return getElementTypeOrSelf(value.getType());
}

static void convertRule(OpReading &x) {
  Type element = x.type().getElementType(),
       from = sourceElement(x.op->getOperand(0)),
       to = sourceElement(x.op->getResult(0));
  if (x.failed())
    return;
  Value value = x.in();
  if (widerElement(from))
    value = decodeNarrow(x, value, from);
  x.out(widerElement(to) ? encodeNarrow(x, value, to)
                         : x.convert(value, element));
}

/// Ops that see how many bits there are, where two bits are stored in more.
template <Rule rule> static void wholeWidthRule(OpReading &x) {
  if (isTwoBits(sourceElement(x.op->getOperand(0))))
    return x.unsupported("of integers of two bits is not supported");
  rule(x);
}

// Elements of different widths: the narrower ones form a new last dimension,
// least significant first.
static Value narrowBits(OpReading &x, Value value, Type element, unsigned from,
                        unsigned to) {
  MLIRContext *context = x.b.getContext();
  Type wide = IntegerType::get(context, from, IntegerType::Unsigned);
  Type part = to == 1
                  ? Type(IntegerType::get(context, 1))
                  : Type(IntegerType::get(context, to, IntegerType::Unsigned));
  SmallVector<int64_t> shape(tensorTypeOf(value).getShape()), mapping;
  for (size_t i = 0; i < shape.size(); ++i)
    mapping.push_back(i);
  shape.push_back(from / to);
  auto type = RankedTensorType::get(shape, wide);
  Value bits = x.broadcast(x.bitcast(value, wide), mapping, type);
  Expr shift = Expr(x, x.iota(shape, shape.size() - 1, wide)) * double(to);
  Expr low = Expr(x, bits).apply<graph::ShiftRightLogicalOp>(shift);
  // Conversion to a narrower integer keeps the low bits; to i1 it would test
  // for zero.
  if (to == 1)
    return ((low & 1.0) != 0.0).value;
  return x.bitcast(x.convert(low.value, part), element);
}

static Value wideBits(OpReading &x, Value value, Type element, unsigned from,
                      unsigned to) {
  MLIRContext *context = x.b.getContext();
  Type wide = IntegerType::get(context, to, IntegerType::Unsigned);
  Type part = IntegerType::get(context, from, IntegerType::Unsigned);
  ArrayRef<int64_t> shape = tensorTypeOf(value).getShape();
  Value parts = from == 1 ? x.convert(value, wide)
                          : x.convert(x.bitcast(value, part), wide);
  Expr shift = Expr(x, x.iota(shape, shape.size() - 1, wide)) * double(from);
  Expr placed = Expr(x, parts).apply<graph::ShiftLeftOp>(shift);
  Value all = x.reduce(graph::ReduceKind::any, placed.value,
                       {int64_t(shape.size()) - 1});
  return x.bitcast(all, element);
}

static unsigned bitsOf(Type element) {
  if (auto complex = dyn_cast<ComplexType>(element))
    return 2 * complex.getElementType().getIntOrFloatBitWidth();
  return element.getIntOrFloatBitWidth();
}

// GraphIR cannot reinterpret the bits of complex numbers: the real part becomes
// the first of two elements.
static Value splitComplex(OpReading &x, Value value) {
  SmallVector<int64_t> shape(tensorTypeOf(value).getShape());
  shape.push_back(1);
  int64_t last = shape.size() - 1;
  return x.concat(last, {x.reshape(x.realPart(value), shape),
                         x.reshape(x.imagPart(value), shape)});
}
static Value joinComplex(OpReading &x, Value value) {
  SmallVector<int64_t> shape(tensorTypeOf(value).getShape()),
      starts(shape.size(), 0);
  shape.back() = 1;
  Value real = x.slice(value, starts, shape);
  starts.back() = 1;
  Value imag = x.slice(value, starts, shape);
  shape.pop_back();
  return x.complexOf(x.reshape(real, shape), x.reshape(imag, shape));
}

/// Bits that are stored in a wider integer have no neighbours to form wider or
/// narrower elements with.
static bool isPadded(Type element) {
  const NarrowFormat *format = NarrowFormat::of(element);
  return isTwoBits(element) || (format && format->width() == 6);
}

static void bitcastRule(OpReading &x) {
  Value value = x.in();
  RankedTensorType type = x.type();
  if (x.failed())
    return;
  Type element = type.getElementType(),
       source = sourceElement(x.op->getOperand(0)),
       goalSource = sourceElement(x.op->getResult(0));
  if (isTwoBits(source) && isTwoBits(goalSource))
    return x.out(encodeNarrow(x, decodeNarrow(x, value, source), goalSource));
  if (isPadded(source) || isPadded(goalSource))
    return source == goalSource
               ? x.out(value)
               : x.unsupported("between these types is not supported");
  if (isComplex(value) && elementOf(value) == element)
    return x.out(value);
  bool toComplex = isa<ComplexType>(element);
  if (isComplex(value)) {
    value = splitComplex(x, value);
    // Two halves of one wide element.
    if (!toComplex && type.getRank() < rankOf(value) &&
        bitsOf(element) == bitsOf(elementOf(value)))
      return x.unsupported("between these types is not supported");
  }
  Type goal = toComplex ? cast<ComplexType>(element).getElementType() : element;
  unsigned from = bitsOf(elementOf(value)), to = bitsOf(goal);
  if (from != to && !tensorTypeOf(value).hasStaticShape())
    return x.unsupported("of dynamic shapes to another width is not supported");
  Value result = from == to  ? x.bitcast(value, goal)
                 : from > to ? narrowBits(x, value, goal, from, to)
                             : wideBits(x, value, goal, from, to);
  if (toComplex)
    result = joinComplex(x, result);
  if (tensorTypeOf(result).hasStaticShape() && type.hasStaticShape())
    result = x.reshape(result, type.getShape());
  x.out(result);
}

// Rounds to fewer mantissa bits, ties to even, then maps values outside of the
// narrower exponent's range to infinity and zero.
static void reducePrecisionRule(OpReading &x) {
  Value value = x.in();
  auto type = dyn_cast<FloatType>(elementOf(value));
  if (!type)
    return x.unsupported("takes floats only");
  unsigned width = type.getWidth();
  int64_t mantissa = type.getFPMantissaWidth() - 1,
          exponent = width - 1 - mantissa;
  int64_t toExponent = x.intAttribute("exponent_bits"),
          toMantissa = x.intAttribute("mantissa_bits");
  // Checkpoints of JAX mark what they save so.
  if (toMantissa >= mantissa && toExponent >= exponent)
    return x.out(value);
  Type integer =
      IntegerType::get(x.b.getContext(), width, IntegerType::Unsigned);
  Expr operand(x, value), bits(x, x.bitcast(value, integer));
  auto constant = [&](APInt value) {
    return bits.with(x.spread(x.integer(integer, value), bits.value));
  };
  Expr result = bits;
  if (toMantissa < mantissa) {
    int64_t dropped = mantissa - toMantissa;
    APInt last = APInt::getOneBitSet(width, dropped);
    Expr odd =
        (bits & constant(last))
            .apply<graph::ShiftRightLogicalOp>(constant(APInt(width, dropped)));
    result = (bits + odd + constant(last.lshr(1) - 1)) & constant(~(last - 1));
  }
  if (toExponent < exponent) {
    int64_t bias = (int64_t(1) << (exponent - 1)) - 1,
            toBias = (int64_t(1) << (toExponent - 1)) - 1;
    APInt field = APInt::getBitsSet(width, mantissa, mantissa + exponent);
    auto fieldOf = [&](int64_t e) {
      return constant(APInt(width, e).shl(mantissa));
    };
    Expr sign = bits & constant(APInt::getSignMask(width));
    Expr own = result & constant(field);
    result =
        select(own > fieldOf(bias + toBias), sign | constant(field), result);
    result = select(own <= fieldOf(bias - toBias), sign, result);
  }
  Expr rounded = operand.with(x.bitcast(result.value, type));
  x.out(select(operand != operand, operand, rounded).value);
}

//===----------------------------------------------------------------------===//
// Table
//===----------------------------------------------------------------------===//

static void addFunctionRules(RuleTable &rules) {
  rules["stablehlo.cbrt"] = unaryRule<graph::CbrtOp>;
  rules["stablehlo.cosine"] = unaryRule<graph::CosOp>;
  rules["stablehlo.exponential"] = unaryRule<graph::ExpOp>;
  rules["stablehlo.exponential_minus_one"] = unaryRule<graph::Expm1Op>;
  rules["stablehlo.log"] = unaryRule<graph::LogOp>;
  rules["stablehlo.log_plus_one"] = unaryRule<graph::Log1pOp>;
  rules["stablehlo.logistic"] = unaryRule<graph::LogisticOp>;
  rules["stablehlo.rsqrt"] = unaryRule<graph::RsqrtOp>;
  rules["stablehlo.sine"] = unaryRule<graph::SinOp>;
  rules["stablehlo.sqrt"] = unaryRule<graph::SqrtOp>;
  rules["stablehlo.tan"] = unaryRule<graph::TanOp>;
  rules["stablehlo.tanh"] = unaryRule<graph::TanhOp>;
  rules["stablehlo.abs"] = absRule;
  rules["stablehlo.ceil"] = unaryRule<graph::CeilOp>;
  rules["stablehlo.floor"] = unaryRule<graph::FloorOp>;
  rules["stablehlo.round_nearest_afz"] = unaryRule<graph::RoundAwayOp>;
  rules["stablehlo.round_nearest_even"] = unaryRule<graph::RoundEvenOp>;
  rules["stablehlo.negate"] = unaryRule<graph::NegOp>;
  rules["stablehlo.sign"] = unaryRule<graph::SignOp>;
  rules["stablehlo.not"] = unaryRule<graph::NotOp>;
  rules["stablehlo.popcnt"] = wholeWidthRule<unaryRule<graph::PopcountOp>>;
  rules["stablehlo.count_leading_zeros"] =
      wholeWidthRule<unaryRule<graph::CountLeadingZerosOp>>;
  rules["stablehlo.is_finite"] = [](OpReading &x) {
    Value value = x.in();
    x.out(x.make<graph::IsFiniteOp>(typeWith(value, x.b.getI1Type()), value));
  };
}

void stablehlo::addElementwiseRules(RuleTable &rules) {
  addFunctionRules(rules);
  rules["stablehlo.add"] = boolRule<graph::AddOp, graph::OrOp>;
  rules["stablehlo.multiply"] = boolRule<graph::MulOp, graph::AndOp>;
  rules["stablehlo.subtract"] = boolRule<graph::SubOp, graph::XorOp>;
  rules["stablehlo.divide"] = binaryRule<graph::DivOp>;
  rules["stablehlo.remainder"] = binaryRule<graph::RemOp>;
  rules["stablehlo.power"] = boolRule<graph::PowOp, graph::OrOp>;
  rules["stablehlo.maximum"] = extremumRule<graph::MaxOp, true>;
  rules["stablehlo.minimum"] = extremumRule<graph::MinOp, false>;
  rules["stablehlo.atan2"] = atan2Rule;
  rules["stablehlo.and"] = binaryRule<graph::AndOp>;
  rules["stablehlo.or"] = binaryRule<graph::OrOp>;
  rules["stablehlo.xor"] = binaryRule<graph::XorOp>;
  rules["stablehlo.shift_left"] = binaryRule<graph::ShiftLeftOp>;
  rules["stablehlo.shift_right_arithmetic"] =
      binaryRule<graph::ShiftRightArithmeticOp>;
  rules["stablehlo.shift_right_logical"] =
      wholeWidthRule<binaryRule<graph::ShiftRightLogicalOp>>;
  rules["stablehlo.complex"] = complexRule;
  rules["stablehlo.real"] = realRule;
  rules["stablehlo.imag"] = imagRule;
  rules["stablehlo.compare"] = compareRule;
  rules["stablehlo.select"] = selectRule;
  rules["stablehlo.clamp"] = clampRule;
  rules["stablehlo.convert"] = convertRule;
  rules["stablehlo.bitcast_convert"] = bitcastRule;
  rules["stablehlo.reduce_precision"] = reducePrecisionRule;
}
