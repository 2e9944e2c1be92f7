// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Import of CHLO ops: elementary functions, also of complex numbers, and ops
// with implicit broadcasting.

#include "frontends/stablehlo/ProgramImport.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::stablehlo;

static bool isComplex(Value value) {
  return isa<ComplexType>(elementOf(value));
}

namespace {
/// A complex number by its parts.
struct Parts {
  Expr real, imag;
  Value join() const { return real.builder->complexOf(real.value, imag.value); }
};
} // namespace

static Parts partsOf(OpImport &x, Value value) {
  return {Expr(x, x.realPart(value)), Expr(x, x.imagPart(value))};
}
static Expr abs(Expr value) { return value.apply<graph::AbsOp>(); }
static Expr sqrt(Expr value) { return value.apply<graph::SqrtOp>(); }

// |value| with the sign of `sign`, that of zeros too.
static Expr copySign(Expr value, Expr sign) {
  Type integer = IntegerType::get(sign.element().getContext(),
                                  sign.element().getIntOrFloatBitWidth());
  Expr bits = sign.with(sign.builder->bitcast(sign.value, integer));
  Expr magnitude = abs(value);
  return select(bits < 0.0, -magnitude, magnitude);
}

//===----------------------------------------------------------------------===//
// Inverse functions of complex numbers (Hull, Fairgrieve and Tang)
//===----------------------------------------------------------------------===//

namespace {
/// asin and acos in the first quadrant, and the imaginary part of both.
struct Inverse {
  Expr asin, acos, imag;
};
} // namespace

static Inverse inverseKernel(Parts z) {
  Expr x = abs(z.real), y = abs(z.imag);
  auto hypot = [&](Expr a, Expr b) {
    Value complex = a.builder->complexOf(a.value, b.value);
    return a.with(
        a.builder->make<graph::ComplexAbsOp>(a.value.getType(), complex));
  };
  Expr r = hypot(x + 1.0, y), s = hypot(x - 1.0, y);
  Expr a = (r + s) * 0.5, b = x / a;
  Expr sum = a + x, fromR = y * y / (r + (x + 1.0));
  Expr left = sqrt(0.5 * sum * (fromR + (s + (1.0 - x))));
  Expr right = y * sqrt(0.5 * (sum / (r + (x + 1.0)) + sum / (s + (x - 1.0))));
  Expr root = select(x <= 1.0, left, right);
  Expr small = b <= 0.6417;
  Expr asin = select(small, b.apply<graph::AsinOp>(),
                     (x / root).apply<graph::AtanOp>());
  Expr acos = select(small, b.apply<graph::AcosOp>(),
                     (root / x).apply<graph::AtanOp>());
  Expr below = select(x < 1.0, 0.5 * (fromR + y * y / (s + (1.0 - x))),
                      0.5 * (fromR + (s + (x - 1.0))));
  Expr near = (below + sqrt(below * (a + 1.0))).apply<graph::Log1pOp>();
  Expr far = (a + sqrt(a * a - 1.0)).apply<graph::LogOp>();
  return {asin, acos, select(a <= 1.5, near, far)};
}

static Parts complexAsin(Parts z) {
  Inverse inverse = inverseKernel(z);
  return {copySign(inverse.asin, z.real), copySign(inverse.imag, z.imag)};
}
static Parts complexAcos(Parts z) {
  Inverse inverse = inverseKernel(z);
  constexpr double pi = 3.14159265358979323846;
  Expr real = select(z.real < 0.0, pi - inverse.acos, inverse.acos);
  return {real, -copySign(inverse.imag, z.imag)};
}
// asinh z = -i asin(i z)
static Parts complexAsinh(Parts z) {
  Parts turned = complexAsin({-z.imag, z.real});
  return {turned.imag, -turned.real};
}
static Parts complexAcosh(Parts z) {
  Parts acos = complexAcos(z);
  return {abs(acos.imag), copySign(acos.real, z.imag)};
}
// (log(1 + z) - log(1 - z)) / 2 by parts
static Parts complexAtanh(Parts z) {
  Expr x = z.real, y = z.imag;
  Expr real =
      0.25 *
      (4.0 * x / ((1.0 - x) * (1.0 - x) + y * y)).apply<graph::Log1pOp>();
  Expr imag =
      0.5 * (2.0 * y).apply<graph::Atan2Op>((1.0 - x) * (1.0 + x) - y * y);
  return {real, imag};
}
static Parts complexAtan(Parts z) {
  Parts turned = complexAtanh({-z.imag, z.real});
  return {turned.imag, -turned.real};
}
static Parts complexSinh(Parts z) {
  return {z.real.apply<graph::SinhOp>() * z.imag.apply<graph::CosOp>(),
          z.real.apply<graph::CoshOp>() * z.imag.apply<graph::SinOp>()};
}
static Parts complexCosh(Parts z) {
  return {z.real.apply<graph::CoshOp>() * z.imag.apply<graph::CosOp>(),
          z.real.apply<graph::SinhOp>() * z.imag.apply<graph::SinOp>()};
}
static Parts complexSquare(Parts z) {
  return {(z.real - z.imag) * (z.real + z.imag), 2.0 * z.real * z.imag};
}

template <typename Op, Parts (*complexForm)(Parts)>
static void functionRule(OpImport &x) {
  Value value = x.in();
  x.out(isComplex(value) ? complexForm(partsOf(x, value)).join()
                         : x.unary<Op>(value));
}

static void squareRule(OpImport &x) {
  Value value = x.in();
  x.out(isComplex(value) ? complexSquare(partsOf(x, value)).join()
                         : x.binary<graph::MulOp>(value, value));
}

//===----------------------------------------------------------------------===//
// Predicates and bits
//===----------------------------------------------------------------------===//

template <int sign> static void isInfRule(OpImport &x) {
  Expr value(x, x.in());
  Expr tested = sign == 0 ? abs(value) : value;
  double infinity = std::numeric_limits<double>::infinity();
  x.out((tested == (sign < 0 ? -infinity : infinity)).value);
}

static void conjRule(OpImport &x) {
  Value value = x.in();
  if (!isComplex(value))
    return x.out(value);
  Parts parts = partsOf(x, value);
  x.out(Parts{parts.real, -parts.imag}.join());
}

// The bits of floats of one sign are ordered as their magnitudes: the next one
// is a step of 1.
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

static void nextAfterRule(OpImport &x) {
  x.out(nextAfter(x, x.in(0), x.in(1)));
}

// The upper half of the product in twice the width.
static void mulhiRule(OpImport &x) {
  Value lhs = x.in(0), rhs = x.in(1);
  Type element = elementOf(lhs);
  unsigned width = element.getIntOrFloatBitWidth();
  if (width > 32)
    return x.unsupported("of 64-bit integers is not supported");
  Type wide = element.isUnsignedInteger() ? x.b.getIntegerType(64, false)
                                          : Type(x.b.getI64Type());
  Expr product = Expr(x, x.convert(lhs, wide)) * Expr(x, x.convert(rhs, wide));
  Expr high =
      element.isUnsignedInteger()
          ? product.apply<graph::ShiftRightLogicalOp>(product.number(width))
          : product.apply<graph::ShiftRightArithmeticOp>(product.number(width));
  x.out(x.convert(high.value, element));
}

//===----------------------------------------------------------------------===//
// Implicit broadcasting
//===----------------------------------------------------------------------===//

// Right-aligned, or along `broadcast_dimensions` for the operand of lower rank.
static Value spreadTo(OpImport &x, Value value, RankedTensorType type) {
  if (tensorTypeOf(value).getShape() == type.getShape())
    return value;
  SmallVector<int64_t> mapping;
  if (x.op->getAttr("broadcast_dimensions") && rankOf(value) < type.getRank())
    mapping = x.list("broadcast_dimensions");
  if (int64_t(mapping.size()) != rankOf(value)) {
    mapping.clear();
    for (int64_t i = 0; i < rankOf(value); ++i)
      mapping.push_back(type.getRank() - rankOf(value) + i);
  }
  return x.broadcast(value, mapping,
                     RankedTensorType::get(type.getShape(), elementOf(value)));
}

// Runs the rule of the op without `broadcast_` on spread operands.
template <auto build> static void broadcastRule(OpImport &x) {
  RankedTensorType type = x.type();
  if (x.failed())
    return;
  if (!type.hasStaticShape())
    return x.unsupported("of dynamic shapes is not supported");
  x.out(build(x, spreadTo(x, x.in(0), type), spreadTo(x, x.in(1), type)));
}

template <typename Op, typename BoolOp = Op>
static Value buildBinary(OpImport &x, Value lhs, Value rhs) {
  return elementOf(lhs).isInteger(1) ? x.binary<BoolOp>(lhs, rhs)
                                     : x.binary<Op>(lhs, rhs);
}
static Value buildComplex(OpImport &x, Value lhs, Value rhs) {
  return x.complexOf(lhs, rhs);
}
static Value buildNextAfter(OpImport &x, Value lhs, Value rhs) {
  return nextAfter(x, lhs, rhs);
}
static Value buildCompare(OpImport &x, Value lhs, Value rhs) {
  using Direction = graph::CompareDirection;
  constexpr Direction directions[] = {Direction::eq, Direction::ne,
                                      Direction::ge, Direction::gt,
                                      Direction::le, Direction::lt};
  auto given =
      x.op->getAttrOfType<ComparisonDirectionAttr>("comparison_direction");
  return x.compare(directions[given ? unsigned(given.getValue()) : 0], lhs,
                   rhs);
}

static void broadcastSelectRule(OpImport &x) {
  RankedTensorType type = x.type();
  if (x.failed())
    return;
  if (!type.hasStaticShape())
    return x.unsupported("of dynamic shapes is not supported");
  x.out(x.select(spreadTo(x, x.in(0), type), spreadTo(x, x.in(1), type),
                 spreadTo(x, x.in(2), type)));
}

static void constantLikeRule(OpImport &x) {
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
  rules["chlo.acos"] = functionRule<graph::AcosOp, complexAcos>;
  rules["chlo.acosh"] = functionRule<graph::AcoshOp, complexAcosh>;
  rules["chlo.asin"] = functionRule<graph::AsinOp, complexAsin>;
  rules["chlo.asinh"] = functionRule<graph::AsinhOp, complexAsinh>;
  rules["chlo.atan"] = functionRule<graph::AtanOp, complexAtan>;
  rules["chlo.atanh"] = functionRule<graph::AtanhOp, complexAtanh>;
  rules["chlo.sinh"] = functionRule<graph::SinhOp, complexSinh>;
  rules["chlo.cosh"] = functionRule<graph::CoshOp, complexCosh>;
  rules["chlo.tan"] = [](OpImport &x) { x.out(x.unary<graph::TanOp>(x.in())); };
  rules["chlo.erf"] = [](OpImport &x) { x.out(x.unary<graph::ErfOp>(x.in())); };
  rules["chlo.square"] = squareRule;
  rules["chlo.conj"] = conjRule;
  rules["chlo.is_inf"] = isInfRule<0>;
  rules["chlo.is_pos_inf"] = isInfRule<1>;
  rules["chlo.is_neg_inf"] = isInfRule<-1>;
  rules["chlo.next_after"] = nextAfterRule;
  rules["chlo.mulhi"] = mulhiRule;
  rules["chlo.constant_like"] = constantLikeRule;
}
