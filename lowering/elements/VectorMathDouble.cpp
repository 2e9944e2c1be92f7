// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exponentials, logarithm, sine and cosine for f64.

#include "lowering/elements/VectorMath.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <limits>

using namespace mlir;

namespace zenith::kernels {

// Adding it rounds to an integer, which is then in the low bits.
static constexpr double roundingMagic = 0x1.8p52;
static constexpr int64_t roundingMagicBits = 0x4338000000000000;
static constexpr int exponentBias = 1023, mantissaBits = 52;

static LaneValue integer(LaneValue like, int64_t value) {
  return {like.k, like.k->integer(like.v.getType(), value)};
}

static LaneValue doubleOf(LaneValue bits) {
  Type type = typeLike(Float64Type::get(bits.v.getContext()), bits.v.getType());
  return {bits.k,
          bits.k->b.create<arith::BitcastOp>(bits.k->loc, type, bits.v)};
}

static LaneValue twoToThe(LaneValue exponent) {
  return doubleOf((exponent + integer(exponent, exponentBias)) << mantissaBits);
}

// Cody-Waite reduction; the polynomial is (exp(r) - 1 - r) / r^2 on
// |r| <= ln(2) / 2.
VectorMath::ExpParts VectorMath::expParts(LaneValue x) {
  static const double coefficients[] = {0.5,
                                        0.1666666666666667,
                                        0.04166666666666667,
                                        0.008333333333326112,
                                        0.001388888888888373,
                                        0.0001984126987490126,
                                        2.4801587325605324e-05,
                                        2.7557255297969643e-06,
                                        2.755727357010214e-07,
                                        2.5105259538448494e-08,
                                        2.0914717341716378e-09};
  LaneValue t = fma(x, 1.4426950408889634, roundingMagic);
  LaneValue n = t - roundingMagic;
  LaneValue r = fma(n, -0.6931471803691238, x);
  r = fma(n, -1.9082149292705877e-10, r);
  LaneValue whole = bits(t);
  return {fma(polynomial(r, coefficients), r * r, r),
          whole - integer(whole, roundingMagicBits)};
}

// 2^n by two factors, so that denormal results and results beyond 2^1023 are
// right.
LaneValue VectorMath::expDouble(LaneValue x) {
  LaneValue c = select(x > 710, 710, x);
  c = select(c < -746, -746, c);
  ExpParts parts = expParts(c);
  // Logical shifts of values that are made non-negative first: vectors have no
  // arithmetic shifts of 64 bits.
  constexpr int64_t even = 4096;
  LaneValue half = (parts.exponent + integer(parts.exponent, even))
                       .logicalShiftRight(integer(parts.exponent, 1)) -
                   integer(parts.exponent, even / 2);
  return (parts.rest + 1.0) * twoToThe(half) * twoToThe(parts.exponent - half);
}

// exp(2x) - 1 over exp(2x) + 1.
LaneValue VectorMath::tanhDouble(LaneValue x) {
  LaneValue a = abs(x);
  LaneValue c = select(a > 20, 20, a);
  ExpParts parts = expParts(c + c);
  LaneValue power = twoToThe(parts.exponent);
  LaneValue t = fma(power, parts.rest, power - 1.0);
  return copySign(t / (t + 2.0), x);
}

LaneValue VectorMath::logisticDouble(LaneValue x) {
  LaneValue e = expDouble(-abs(x));
  return select(x < 0, e, 1) / (e + 1.0);
}

// With x = 2^k (1 + f), 1 + f in [sqrt(1/2), sqrt(2)), and s = f / (2 + f):
// log(1 + f) = f - f^2/2 + s (f^2/2 + R(s^2)).
LaneValue VectorMath::logDouble(LaneValue x) {
  static const double coefficients[] = {
      6.666666666666735130e-01, 3.999999999940941908e-01,
      2.857142874366239149e-01, 2.222219843214978396e-01,
      1.818357216161805012e-01, 1.531383769920937332e-01,
      1.479819860511658591e-01};
  // Bits of sqrt(1/2), of 1 and of 2^52, whose low bits hold an integer.
  constexpr int64_t lowest = 0x3fe6a09e00000000, one = 0x3ff0000000000000,
                    wholeBits = 0x4330000000000000;
  Flag tiny = x < std::numeric_limits<double>::min();
  LaneValue i = bits(select(tiny, x * 0x1p54, x));
  i = i + integer(i, one - lowest);
  LaneValue exponent = i.logicalShiftRight(integer(i, mantissaBits));
  LaneValue k = doubleOf(exponent | integer(i, wholeBits)) -
                select(tiny, x.like(0x1p52 + exponentBias + 54),
                       x.like(0x1p52 + exponentBias));
  LaneValue f = doubleOf((i & integer(i, (int64_t(1) << mantissaBits) - 1)) +
                         integer(i, lowest)) -
                1.0;
  LaneValue half = f * f * 0.5, s = f / (f + 2.0), square = s * s;
  LaneValue rest = s * fma(polynomial(square, coefficients), square, half);
  LaneValue y = fma(k, 6.93147180369123816490e-01,
                    f - (half - fma(k, 1.90821492927058770002e-10, rest)));
  y = select(x == infinity, infinity, y);
  y = select(x == 0, -infinity, y);
  return select(!((x > 0) || (x == 0)), nan, y);
}

// x - n pi/2 as an unevaluated sum, and n in the low bits; n pi/2 in three
// parts, whose first leaves an exact difference.
VectorMath::Reduced VectorMath::reduceDouble(LaneValue x) {
  LaneValue t = fma(x, 0.63661977236758138, roundingMagic);
  LaneValue n = t - roundingMagic;
  LaneValue rest = fma(n, -0x1.921fb54442d18p0, x);
  constexpr double low = 0x1.1a62633145c07p-54,
                   lowest = -0x1.f1976b7ed8fbcp-110;
  LaneValue product = n * low, productLow = fma(n, low, -product);
  LaneValue high = rest - product, part = high - rest;
  LaneValue error = (rest - (high - part)) - (product + part);
  return {high, fma(n, -lowest, error - productLow), bits(t)};
}

LaneValue VectorMath::sineDouble(LaneValue x, int64_t quarters) {
  static const double sine[] = {
      -1.66666666666666324348e-01, 8.33333333332248946124e-03,
      -1.98412698298579493134e-04, 2.75573137070700676789e-06,
      -2.50507602534068634195e-08, 1.58969099521155010221e-10};
  static const double cosine[] = {
      4.16666666666666019037e-02, -1.38888888888741095749e-03,
      2.48015872894767294178e-05, -2.75573143513906633035e-07,
      2.08757232129817482790e-09, -1.13596475577881948265e-11};
  Reduced r = reduceDouble(x);
  LaneValue square = r.high * r.high, half = square * 0.5;
  LaneValue s = r.high + fma(polynomial(square, sine) * square, r.high,
                             fma(-half, r.low, r.low));
  s = select(r.high == 0, r.high, s); // -0 too
  LaneValue whole = 1.0 - half;
  LaneValue c = whole + fma(polynomial(square, cosine) * square, square,
                            ((1.0 - whole) - half) - r.high * r.low);
  LaneValue turns = r.quadrant + integer(r.quadrant, quarters);
  LaneValue y = select((turns & integer(turns, 1)) == 0, s, c);
  return doubleOf(bits(y) ^ ((turns & integer(turns, 2)) << 62));
}

// Beyond the limit, if any lane needs it, libm uses the bits of 2/pi.
LaneValue VectorMath::angleDouble(LaneValue x, StringRef name,
                                  int64_t quarters) {
  constexpr double largestPlainAngle = 1e5;
  Flag huge = abs(x) > largestPlainAngle;
  OpBuilder &b = kernel.b;
  LaneValue y = sineDouble(x, quarters);
  auto choice =
      b.create<scf::IfOp>(kernel.loc, TypeRange{y.v.getType()}, inAnyLane(huge),
                          /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(choice.thenBlock());
  LaneValue exact = {&kernel, libm(name, {x.v})};
  b.create<scf::YieldOp>(kernel.loc, select(huge, exact, y).v);
  b.setInsertionPointToEnd(choice.elseBlock());
  b.create<scf::YieldOp>(kernel.loc, y.v);
  return {&kernel, choice.getResult(0)};
}

LaneValue VectorMath::sinDouble(LaneValue x) {
  return angleDouble(x, "sin", 0);
}

LaneValue VectorMath::cosDouble(LaneValue x) {
  return angleDouble(x, "cos", 1);
}

} // namespace zenith::kernels
