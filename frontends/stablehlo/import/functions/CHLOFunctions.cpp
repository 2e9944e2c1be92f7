// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Import of CHLO ops: elementary functions, also of complex numbers, and ops
// with implicit broadcasting.

#include "frontends/stablehlo/import/OpReading.h"
#include "frontends/stablehlo/import/ShapeReading.h"
#include "frontends/stablehlo/import/functions/ComplexFunctions.h"
#include "frontends/stablehlo/import/functions/ExprFunctions.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::stablehlo;

static bool isComplex(Value value) {
  return isa<ComplexType>(elementOf(value));
}

//===----------------------------------------------------------------------===//
// Elementary functions
//===----------------------------------------------------------------------===//

using ComplexForm = ComplexExpr (*)(ComplexExpr);
using RealForm = Value (*)(OpReading &, Value);

// The function of a complex value, computed in f64 so that formulas lose no
// precision.
static Value applyComplex(OpReading &x, Value value, ComplexForm form) {
  Type part = cast<ComplexType>(elementOf(value)).getElementType();
  auto wide = [&](Value own) {
    return Expr(x, x.convert(own, x.b.getF64Type()));
  };
  ComplexExpr result = form({wide(x.realPart(value)), wide(x.imagPart(value))});
  return x.complexOf(x.convert(result.real.value, part),
                     x.convert(result.imag.value, part));
}

template <RealForm realForm, ComplexForm complexForm>
static void functionRule(OpReading &x) {
  Value value = x.in();
  x.out(isComplex(value) ? applyComplex(x, value, complexForm)
                         : realForm(x, value));
}

template <typename Op> static Value op(OpReading &x, Value value) {
  return x.unary<Op>(value);
}

// CHLO's formulas, whose bits JAX shows: exp(x - log 2) does not overflow
// before the result does. Small floats compute in f32.
static Value hyperbolic(OpReading &x, Value value, bool odd) {
  Type element = elementOf(value);
  bool small = element.getIntOrFloatBitWidth() < 32;
  Expr at(x, small ? x.convert(value, x.b.getF32Type()) : value);
  constexpr double logHalf = -0.693147180559945309417;
  Expr rising = exp(at + logHalf), falling = exp(-at + logHalf);
  if (!odd)
    return x.convert((rising + falling).value, element);
  Expr less = at.apply<graph::Expm1Op>();
  Expr near = 0.5 * (less + less / (less + 1.0));
  return x.convert(select(abs(at) < 1.0, near, rising - falling).value,
                   element);
}
static Value realSinh(OpReading &x, Value value) {
  return hyperbolic(x, value, /*odd=*/true);
}
static Value realCosh(OpReading &x, Value value) {
  return hyperbolic(x, value, /*odd=*/false);
}

static void squareRule(OpReading &x) {
  Value value = x.in();
  x.out(isComplex(value) ? complexSquare(partsOf(x, value)).join()
                         : x.binary<graph::MulOp>(value, value));
}

//===----------------------------------------------------------------------===//
// Predicates and bits
//===----------------------------------------------------------------------===//

template <int sign> static void isInfRule(OpReading &x) {
  Expr value(x, x.in());
  Expr tested = sign == 0 ? abs(value) : value;
  double infinity = std::numeric_limits<double>::infinity();
  x.out((tested == (sign < 0 ? -infinity : infinity)).value);
}

static void conjRule(OpReading &x) {
  Value value = x.in();
  if (!isComplex(value))
    return x.out(value);
  ComplexExpr parts = partsOf(x, value);
  x.out(ComplexExpr{parts.real, -parts.imag}.join());
}

// The bits of floats of one sign are ordered as their magnitudes: the next
// float is one step away.
static Value nextAfter(HLOBuilder &x, Value from, Value to) {
  unsigned width = elementOf(from).getIntOrFloatBitWidth();
  Type integer = x.b.getIntegerType(width, /*isSigned=*/false);
  Expr a(x, from), b(x, to);
  Expr bits(x, x.bitcast(from, integer)), goal(x, x.bitcast(to, integer));
  auto constant = [&](const APInt &value) {
    return bits.with(x.spread(x.integer(integer, value), from));
  };
  Expr signMask = constant(APInt::getSignMask(width)),
       rest = constant(APInt::getSignedMaxValue(width)),
       one = constant(APInt(width, 1));
  Expr sign = bits & signMask, goalSign = goal & signMask;
  Expr shrinks = ((bits & rest) > (goal & rest)) | (sign != goalSign);
  Expr step = select(shrinks, bits - one, bits + one);
  step = select(a == 0.0, goalSign | one, step);
  Expr result = a.with(x.bitcast(step.value, elementOf(from)));
  result = select(a == b, b, result);
  return select((a != a) | (b != b), a + b, result).value;
}

static void nextAfterRule(OpReading &x) {
  x.out(nextAfter(x, x.in(0), x.in(1)));
}

// The upper 64 bits of the product of two ui64, from the products of halves.
static Expr upperHalf(Expr a, Expr b) {
  auto high = [](Expr value) {
    return value.apply<graph::ShiftRightLogicalOp>(value.constant(32));
  };
  auto low = [](Expr value) { return value & double(0xffffffff); };
  Expr cross = high(a) * low(b),
       middle = low(a) * high(b) + high(low(a) * low(b));
  return high(a) * high(b) + high(cross) + high(low(cross) + middle);
}

// Integers of twice the width if there is such a type.
static void mulhiRule(OpReading &x) {
  Value lhs = x.in(0), rhs = x.in(1);
  Type element = elementOf(lhs);
  unsigned width = element.getIntOrFloatBitWidth();
  bool isUnsigned = element.isUnsignedInteger();
  Type u64 = x.b.getIntegerType(64, false);
  if (width == 64) {
    Expr a(x, x.bitcast(lhs, u64)), b(x, x.bitcast(rhs, u64));
    Expr high = upperHalf(a, b);
    // A negative integer is 2^64 less than its bits.
    if (!isUnsigned)
      high = high - select(Expr(x, lhs) < 0.0, b, 0.0) -
             select(Expr(x, rhs) < 0.0, a, 0.0);
    return x.out(x.bitcast(high.value, element));
  }
  Type wide = isUnsigned ? u64 : Type(x.b.getI64Type());
  Expr product = Expr(x, x.convert(lhs, wide)) * Expr(x, x.convert(rhs, wide));
  Expr high =
      isUnsigned
          ? product.apply<graph::ShiftRightLogicalOp>(product.constant(width))
          : product.apply<graph::ShiftRightArithmeticOp>(
                product.constant(width));
  x.out(x.convert(high.value, element));
}

//===----------------------------------------------------------------------===//
// Implicit broadcasting
//===----------------------------------------------------------------------===//

// Right-aligned, or along `broadcast_dimensions` for the operand of lower rank.
static SmallVector<int64_t> mappingTo(OpReading &x, Value value, int64_t rank) {
  SmallVector<int64_t> mapping;
  if (x.op->getAttr("broadcast_dimensions") && rankOf(value) < rank)
    mapping = x.list("broadcast_dimensions");
  if (int64_t(mapping.size()) != rankOf(value)) {
    mapping.clear();
    for (int64_t i = 0; i < rankOf(value); ++i)
      mapping.push_back(rank - rankOf(value) + i);
  }
  return mapping;
}

// Where two sizes meet, one may be 1: then it is the other.
static Value commonSize(OpReading &x, Value lhs, Value rhs) {
  Value isOne = x.compare(graph::CompareDirection::eq, lhs, x.index(1));
  return x.select(isOne, rhs, lhs);
}

// The shape that operands have together; sizes that the result's type knows are
// its own.
static DynamicShape commonShape(OpReading &x, RankedTensorType type,
                                ValueRange operands) {
  DynamicShape shape;
  shape.sizes.assign(type.getShape().begin(), type.getShape().end());
  for (int64_t d = 0; d < type.getRank(); ++d) {
    if (!type.isDynamicDim(d))
      continue;
    Value size;
    for (Value operand : operands) {
      SmallVector<int64_t> mapping = mappingTo(x, operand, type.getRank());
      const int64_t *at = llvm::find(mapping, d);
      if (at == mapping.end())
        continue;
      Value own = x.dim(operand, at - mapping.begin());
      size = size ? commonSize(x, size, own) : own;
    }
    shape.dims.push_back(size ? size : x.index(1));
  }
  return shape;
}

static Value spreadTo(OpReading &x, Value value, const DynamicShape &shape) {
  if (shape.dims.empty() &&
      tensorTypeOf(value).getShape() == ArrayRef(shape.sizes))
    return value;
  return broadcastAtRunTime(
      x, value, mappingTo(x, value, int64_t(shape.sizes.size())), shape);
}

// Applies the rule of the op without `broadcast_` to broadcast operands.
template <auto build> static void broadcastRule(OpReading &x) {
  RankedTensorType type = x.type();
  if (x.failed())
    return;
  DynamicShape shape = commonShape(x, type, Values{x.in(0), x.in(1)});
  Value lhs = spreadTo(x, x.in(0), shape);
  x.out(build(x, lhs, spreadTo(x, x.in(1), shape)));
}

template <typename Op, typename BoolOp = Op>
static Value buildBinary(OpReading &x, Value lhs, Value rhs) {
  return elementOf(lhs).isInteger(1) ? x.binary<BoolOp>(lhs, rhs)
                                     : x.binary<Op>(lhs, rhs);
}
static Value buildComplex(OpReading &x, Value lhs, Value rhs) {
  return x.complexOf(lhs, rhs);
}
static Value buildNextAfter(OpReading &x, Value lhs, Value rhs) {
  return nextAfter(x, lhs, rhs);
}
static Value buildCompare(OpReading &x, Value lhs, Value rhs) {
  using Direction = graph::CompareDirection;
  constexpr Direction directions[] = {Direction::eq, Direction::ne,
                                      Direction::ge, Direction::gt,
                                      Direction::le, Direction::lt};
  auto given =
      x.op->getAttrOfType<ComparisonDirectionAttr>("comparison_direction");
  return x.compare(directions[given ? unsigned(given.getValue()) : 0], lhs,
                   rhs);
}

static void broadcastSelectRule(OpReading &x) {
  RankedTensorType type = x.type();
  if (x.failed())
    return;
  DynamicShape shape = commonShape(x, type, Values{x.in(0), x.in(1), x.in(2)});
  Value pred = spreadTo(x, x.in(0), shape),
        onTrue = spreadTo(x, x.in(1), shape);
  x.out(x.select(pred, onTrue, spreadTo(x, x.in(2), shape)));
}

static void constantLikeRule(OpReading &x) {
  auto value = x.attr<TypedAttr>("value");
  if (!value)
    return;
  auto type = RankedTensorType::get({}, value.getType());
  Value scalar =
      x.create<graph::ConstantOp>(DenseElementsAttr::get(type, value));
  x.out(x.spread(scalar, x.in()));
}

static void addBroadcastRules(RuleTable &rules) {
  rules["chlo.broadcast_add"] =
      broadcastRule<buildBinary<graph::AddOp, graph::OrOp>>;
  rules["chlo.broadcast_multiply"] =
      broadcastRule<buildBinary<graph::MulOp, graph::AndOp>>;
  rules["chlo.broadcast_subtract"] = broadcastRule<buildBinary<graph::SubOp>>;
  rules["chlo.broadcast_divide"] = broadcastRule<buildBinary<graph::DivOp>>;
  rules["chlo.broadcast_remainder"] = broadcastRule<buildBinary<graph::RemOp>>;
  rules["chlo.broadcast_power"] = broadcastRule<buildBinary<graph::PowOp>>;
  rules["chlo.broadcast_atan2"] = broadcastRule<buildBinary<graph::Atan2Op>>;
  rules["chlo.broadcast_maximum"] =
      broadcastRule<buildBinary<graph::MaxOp, graph::OrOp>>;
  rules["chlo.broadcast_minimum"] =
      broadcastRule<buildBinary<graph::MinOp, graph::AndOp>>;
  rules["chlo.broadcast_and"] = broadcastRule<buildBinary<graph::AndOp>>;
  rules["chlo.broadcast_or"] = broadcastRule<buildBinary<graph::OrOp>>;
  rules["chlo.broadcast_xor"] = broadcastRule<buildBinary<graph::XorOp>>;
  rules["chlo.broadcast_shift_left"] =
      broadcastRule<buildBinary<graph::ShiftLeftOp>>;
  rules["chlo.broadcast_shift_right_arithmetic"] =
      broadcastRule<buildBinary<graph::ShiftRightArithmeticOp>>;
  rules["chlo.broadcast_shift_right_logical"] =
      broadcastRule<buildBinary<graph::ShiftRightLogicalOp>>;
  rules["chlo.broadcast_complex"] = broadcastRule<buildComplex>;
  rules["chlo.broadcast_next_after"] = broadcastRule<buildNextAfter>;
  rules["chlo.broadcast_compare"] = broadcastRule<buildCompare>;
  rules["chlo.broadcast_select"] = broadcastSelectRule;
}

void stablehlo::addCHLORules(RuleTable &rules) {
  addBroadcastRules(rules);
  rules["chlo.acos"] = functionRule<op<graph::AcosOp>, complexAcos>;
  rules["chlo.acosh"] = functionRule<op<graph::AcoshOp>, complexAcosh>;
  rules["chlo.asin"] = functionRule<op<graph::AsinOp>, complexAsin>;
  rules["chlo.asinh"] = functionRule<op<graph::AsinhOp>, complexAsinh>;
  rules["chlo.atan"] = functionRule<op<graph::AtanOp>, complexAtan>;
  rules["chlo.atanh"] = functionRule<op<graph::AtanhOp>, complexAtanh>;
  rules["chlo.sinh"] = functionRule<realSinh, complexSinh>;
  rules["chlo.cosh"] = functionRule<realCosh, complexCosh>;
  rules["chlo.tan"] = functionRule<op<graph::TanOp>, complexTan>;
  rules["chlo.erf"] = [](OpReading &x) {
    x.out(x.unary<graph::ErfOp>(x.in()));
  };
  rules["chlo.square"] = squareRule;
  rules["chlo.conj"] = conjRule;
  rules["chlo.is_inf"] = isInfRule<0>;
  rules["chlo.is_pos_inf"] = isInfRule<1>;
  rules["chlo.is_neg_inf"] = isInfRule<-1>;
  rules["chlo.next_after"] = nextAfterRule;
  rules["chlo.mulhi"] = mulhiRule;
  rules["chlo.constant_like"] = constantLikeRule;
}
