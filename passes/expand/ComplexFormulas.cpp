// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// exp, log, sqrt, tanh and so on of complex numbers, without cancellation where
// a function has a zero and without overflow where it has none.

#include "passes/expand/ComplexFormulas.h"

#include "ir/GraphOps.h"
#include "ir/matchers/DynamicDims.h"
#include "ir/matchers/SplatConstant.h"
#include "ir/matchers/TypeOf.h"
#include "llvm/ADT/StringSwitch.h"
#include <limits>

using namespace mlir;
using namespace zenith::graph;

namespace zenith::expand {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();

/// Formulas on tensors of one shape and type.
class RealMath {
public:
  RealMath(OpBuilder &builder, Location loc, Value like)
      : b(builder), loc(loc), like(like) {}

  Value number(double value) {
    Type element = typeOf(like).getElementType();
    APFloat constant = FloatAttr::get(element, value).getValue();
    Value scalar = b.create<ConstantOp>(
        loc, cast<ElementsAttr>(DenseElementsAttr::get(
                 RankedTensorType::get({}, element), constant)));
    if (typeOf(like).getRank() == 0)
      return scalar;
    return b.create<BroadcastOp>(loc, like.getType(), scalar,
                                 ArrayRef<int64_t>{},
                                 dynamicDimsOf(b, loc, like));
  }
  template <typename Op> Value make(Value x) {
    return b.create<Op>(loc, like.getType(), x);
  }
  template <typename Op> Value make(Value x, Value y) {
    return b.create<Op>(loc, like.getType(), x, y);
  }
  Value add(Value x, Value y) { return make<AddOp>(x, y); }
  Value sub(Value x, Value y) { return make<SubOp>(x, y); }
  Value mul(Value x, Value y) { return make<MulOp>(x, y); }
  Value div(Value x, Value y) { return make<DivOp>(x, y); }
  Value abs(Value x) { return make<AbsOp>(x); }
  Value neg(Value x) { return make<NegOp>(x); }
  Value sqrt(Value x) { return make<SqrtOp>(x); }
  Value square(Value x) { return mul(x, x); }
  Value half(Value x) { return mul(x, number(0.5)); }
  Value is(CompareDirection direction, Value x, Value y) {
    auto boolean = typeOf(like).clone(IntegerType::get(b.getContext(), 1));
    return b.create<CompareOp>(loc, boolean, direction, x, y);
  }
  Value isZero(Value x) { return is(CompareDirection::eq, x, number(0)); }
  Value select(Value condition, Value x, Value y) {
    return b.create<SelectOp>(loc, like.getType(), condition, x, y);
  }
  Value both(Value x, Value y) {
    return b.create<AndOp>(loc, x.getType(), x, y);
  }
  /// `x` with the sign of `y`, where x >= 0; of zeros too.
  Value withSign(Value x, Value y) {
    Type integer = typeOf(like).clone(b.getI64Type());
    auto bits = [&](Value value) {
      return b.create<BitcastOp>(loc, integer, value);
    };
    Value negativeZero = bits(number(-0.0));
    Value sign = b.create<AndOp>(loc, integer, bits(y), negativeZero);
    Value joined = b.create<OrOp>(loc, integer, bits(x), sign);
    return b.create<BitcastOp>(loc, like.getType(), joined);
  }

  Value hypot(Parts z) {
    Value x = abs(z.real), y = abs(z.imag);
    Value large = make<MaxOp>(x, y), small = make<MinOp>(x, y);
    Value ratio = div(small, large);
    Value modulus = mul(large, sqrt(add(number(1), square(ratio))));
    // 0/0 and inf/inf are no ratios.
    Value plain = select(isZero(large), large, modulus);
    Value infinite = is(CompareDirection::eq, make<MaxOp>(clean(x), clean(y)),
                        number(infinity));
    return select(infinite, number(infinity), plain);
  }
  /// 0 for NaN, so that infinity wins over it.
  Value clean(Value x) {
    return select(is(CompareDirection::eq, x, x), x, number(0));
  }

  /// A number as the sum of a rounded one and what rounding took away.
  struct Exact {
    Value rounded, rest;
  };
  Exact exactSum(Value x, Value y) {
    Value sum = add(x, y), back = sub(sum, x);
    return {sum, add(sub(x, sub(sum, back)), sub(y, back))};
  }
  /// By halves of 26 bits, whose products are exact in f64.
  Exact exactSquare(Value x) {
    Value scaled = mul(number(0x1p27 + 1), x);
    Value high = sub(scaled, sub(scaled, x)), low = sub(x, high);
    Value product = square(x), cross = mul(high, low);
    Value rest =
        add(add(sub(square(high), product), add(cross, cross)), square(low));
    return {product, rest};
  }
  /// |z|^2 - 1 where it is small.
  Value squaredModulusLessOne(Value x, Value y) {
    Exact xx = exactSquare(x), yy = exactSquare(y);
    Exact less = exactSum(xx.rounded, number(-1));
    Exact sum = exactSum(less.rounded, yy.rounded);
    return add(sum.rounded,
               add(add(sum.rest, less.rest), add(xx.rest, yy.rest)));
  }

  /// log |z|, exact near |z| = 1 too.
  Value logModulus(Parts z) {
    Value x = abs(z.real), y = abs(z.imag);
    Value large = make<MaxOp>(x, y), small = make<MinOp>(x, y);
    Value near = half(make<Log1pOp>(squaredModulusLessOne(large, small)));
    Value far =
        add(make<LogOp>(large), half(make<Log1pOp>(square(div(small, large)))));
    Value isNear = both(is(CompareDirection::gt, large, number(0.5)),
                        is(CompareDirection::lt, large, number(2)));
    Value finite = select(isNear, near, far);
    Value infinite = is(CompareDirection::eq, large, number(infinity));
    Value degenerate =
        b.create<OrOp>(loc, infinite.getType(), isZero(large), infinite);
    return select(degenerate, make<LogOp>(large), finite);
  }
  Value argument(Parts z) { return make<Atan2Op>(z.imag, z.real); }

  /// modulus * (cos angle + i sin angle); an angle of 0 keeps the number real.
  Parts polar(Value modulus, Value angle) {
    Value imag = mul(modulus, make<SinOp>(angle));
    return {mul(modulus, make<CosOp>(angle)),
            select(isZero(angle), angle, imag)};
  }

  Parts exp(Parts z) { return polar(make<ExpOp>(z.real), z.imag); }
  Parts expm1(Parts z) {
    Value sine = make<SinOp>(half(z.imag));
    Value real = sub(mul(make<Expm1Op>(z.real), make<CosOp>(z.imag)),
                     mul(number(2), square(sine)));
    return {select(isZero(z.imag), make<Expm1Op>(z.real), real), exp(z).imag};
  }
  Parts log(Parts z) { return {logModulus(z), argument(z)}; }
  Parts log1p(Parts z) {
    Parts shifted{add(z.real, number(1)), z.imag};
    Value large = make<MaxOp>(abs(z.real), abs(z.imag));
    Value near = half(make<Log1pOp>(
        add(mul(z.real, add(z.real, number(2))), square(z.imag))));
    return {select(is(CompareDirection::lt, large, number(0.5)), near,
                   logModulus(shifted)),
            argument(shifted)};
  }
  Parts sqrt(Parts z) {
    Value modulus = hypot(z);
    Value root = sqrt(add(half(modulus), half(abs(z.real))));
    Value other = div(half(abs(z.imag)), root);
    Value right = is(CompareDirection::ge, z.real, number(0));
    Value real = select(right, root, other),
          imag = withSign(select(right, other, root), z.imag);
    Value zero = isZero(modulus);
    Value infinite = is(CompareDirection::eq, abs(z.imag), number(infinity));
    return {select(infinite, number(infinity), select(zero, modulus, real)),
            select(infinite, z.imag, select(zero, z.imag, imag))};
  }
  Parts rsqrt(Parts z) {
    Parts root = sqrt(z);
    Value modulus = hypot(z), zero = isZero(modulus);
    return {select(zero, number(infinity), div(root.real, modulus)),
            select(zero, number(notANumber), neg(div(root.imag, modulus)))};
  }
  Parts cbrt(Parts z) {
    return polar(make<CbrtOp>(hypot(z)), div(argument(z), number(3)));
  }
  Parts sin(Parts z) {
    Value real = mul(make<SinOp>(z.real), make<CoshOp>(z.imag));
    return {select(isZero(z.real), z.real, real),
            mul(make<CosOp>(z.real), make<SinhOp>(z.imag))};
  }
  Parts cos(Parts z) {
    Value imag = neg(mul(make<SinOp>(z.real), make<SinhOp>(z.imag)));
    return {
        mul(make<CosOp>(z.real), make<CoshOp>(z.imag)),
        select(isZero(z.real), neg(mul(z.real, make<SignOp>(z.imag))), imag)};
  }
  /// With t = tan y and h = tanh x: (h (1 + t^2) + i t / cosh(x)^2) /
  /// (1 + t^2 h^2).
  Parts tanh(Parts z) {
    Value t = make<TanOp>(z.imag), h = make<TanhOp>(z.real);
    Value one = number(1);
    Value below = add(one, mul(square(t), square(h)));
    Value real = div(mul(h, add(one, square(t))), below);
    Value imag = div(t, mul(square(make<CoshOp>(z.real)), below));
    return {real, imag};
  }
  /// tan z = -i tanh(i z).
  Parts tan(Parts z) {
    Parts turned = tanh({neg(z.imag), z.real});
    return {turned.imag, neg(turned.real)};
  }
  Parts logistic(Parts z) {
    Value right = is(CompareDirection::ge, z.real, number(0));
    Parts e = polar(make<ExpOp>(neg(abs(z.real))),
                    select(right, neg(z.imag), z.imag));
    Parts top{select(right, number(1), e.real),
              select(right, number(0), e.imag)};
    return div(top, {add(number(1), e.real), e.imag});
  }
  Parts sign(Parts z) {
    Value modulus = hypot(z), zero = isZero(modulus);
    return {select(zero, z.real, div(z.real, modulus)),
            select(zero, z.imag, div(z.imag, modulus))};
  }
  Parts mul(Parts z, Parts w) {
    return {sub(mul(z.real, w.real), mul(z.imag, w.imag)),
            add(mul(z.real, w.imag), mul(z.imag, w.real))};
  }
  /// Smith's way; a divisor of 0 gives the parts over its real part.
  Parts div(Parts z, Parts w) {
    Value wide = is(CompareDirection::ge, abs(w.real), abs(w.imag));
    Value large = select(wide, w.real, w.imag),
          small = select(wide, w.imag, w.real);
    Value ratio = div(small, large);
    Value below = add(large, mul(small, ratio));
    // (a + b r, b - a r) where the real part is larger, else (a r + b, b r -
    // a).
    Value real = div(select(wide, add(z.real, mul(z.imag, ratio)),
                            add(mul(z.real, ratio), z.imag)),
                     below);
    Value imag = div(select(wide, sub(z.imag, mul(z.real, ratio)),
                            sub(mul(z.imag, ratio), z.real)),
                     below);
    Value zero = isZero(large);
    return {select(zero, div(z.real, w.real), real),
            select(zero, div(z.imag, w.real), imag)};
  }
  Parts pow(Parts z, Parts w) {
    Value r = logModulus(z), angle = argument(z);
    Value exponent = sub(mul(w.real, r), mul(w.imag, angle));
    Value turn = add(mul(w.imag, r), mul(w.real, angle));
    Parts result = polar(make<ExpOp>(exponent), turn);
    // 0 to the power of 0 is 1, to other powers of positive real part 0.
    Value zeroBase = both(isZero(z.real), isZero(z.imag));
    Value zeroPower = both(isZero(w.real), isZero(w.imag));
    Value vanishes =
        both(zeroBase, is(CompareDirection::gt, w.real, number(0)));
    Value one = number(1), zero = number(0);
    return {select(zeroPower, one, select(vanishes, zero, result.real)),
            select(zeroPower, zero, select(vanishes, zero, result.imag))};
  }

private:
  OpBuilder &b;
  Location loc;
  Value like;
};

/// Parts in f64, and results back in the type they came in.
class WideParts {
public:
  WideParts(OpBuilder &builder, Location loc, Value like)
      : b(builder), loc(loc), narrow(typeOf(like)) {}

  Value widened(Value value) { return converted(value, b.getF64Type()); }
  Value narrowed(Value value) {
    return converted(value, narrow.getElementType());
  }
  Parts widened(Parts z) { return {widened(z.real), widened(z.imag)}; }
  Parts narrowed(Parts z) { return {narrowed(z.real), narrowed(z.imag)}; }

private:
  Value converted(Value value, Type element) {
    auto type = cast<RankedTensorType>(narrow.clone(element));
    return value.getType() == type ? value
                                   : b.create<ConvertOp>(loc, type, value);
  }

  OpBuilder &b;
  Location loc;
  RankedTensorType narrow;
};

} // namespace

using Unary = Parts (RealMath::*)(Parts);
using Binary = Parts (RealMath::*)(Parts, Parts);

static Unary unaryFormula(StringRef mnemonic) {
  return llvm::StringSwitch<Unary>(mnemonic)
      .Case("exp", &RealMath::exp)
      .Case("expm1", &RealMath::expm1)
      .Case("log", &RealMath::log)
      .Case("log1p", &RealMath::log1p)
      .Case("sqrt", &RealMath::sqrt)
      .Case("rsqrt", &RealMath::rsqrt)
      .Case("cbrt", &RealMath::cbrt)
      .Case("sin", &RealMath::sin)
      .Case("cos", &RealMath::cos)
      .Case("tan", &RealMath::tan)
      .Case("tanh", &RealMath::tanh)
      .Case("logistic", &RealMath::logistic)
      .Case("sign", &RealMath::sign)
      .Default(nullptr);
}

Parts complexProduct(OpBuilder &builder, Location loc, Parts lhs, Parts rhs) {
  return RealMath(builder, loc, lhs.real).mul(lhs, rhs);
}

Value complexModulus(OpBuilder &builder, Location loc, Parts operand) {
  WideParts wide(builder, loc, operand.real);
  Parts z = wide.widened(operand);
  return wide.narrowed(RealMath(builder, loc, z.real).hypot(z));
}

std::optional<Parts> complexFunction(OpBuilder &builder, Operation *op,
                                     ArrayRef<Parts> operands) {
  Location loc = op->getLoc();
  if (isa<MulOp>(op))
    return complexProduct(builder, loc, operands[0], operands[1]);
  WideParts wide(builder, loc, operands[0].real);
  Parts z = wide.widened(operands[0]);
  RealMath math(builder, loc, z.real);
  if (isa<DivOp>(op))
    return wide.narrowed(math.div(z, wide.widened(operands[1])));
  if (isa<PowOp>(op))
    return wide.narrowed(math.pow(z, wide.widened(operands[1])));
  Unary formula = unaryFormula(op->getName().stripDialect());
  if (!formula)
    return std::nullopt;
  return wide.narrowed((math.*formula)(z));
}

} // namespace zenith::expand
