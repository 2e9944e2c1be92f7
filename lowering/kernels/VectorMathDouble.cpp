// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exponential functions for f64.

#include "lowering/kernels/VectorMath.h"

using namespace mlir;

namespace zenith::kernels {

// Adding it rounds to an integer, which then stands in the low bits.
static constexpr double roundingMagic = 0x1.8p52;
static constexpr int64_t roundingMagicBits = 0x4338000000000000;
static constexpr int exponentBias = 1023, mantissaBits = 52;

static Num integer(Num like, int64_t value) {
  return {like.k, like.k->integer(like.v.getType(), value)};
}

static Num doubleOf(Num bits) {
  Type type = typeLike(Float64Type::get(bits.v.getContext()), bits.v.getType());
  return {bits.k,
          bits.k->b.create<arith::BitcastOp>(bits.k->loc, type, bits.v)};
}

static Num twoToThe(Num exponent) {
  return doubleOf((exponent + integer(exponent, exponentBias)) << mantissaBits);
}

// Cody-Waite reduction; the polynomial is (exp(r) - 1 - r) / r^2 on
// |r| <= ln(2) / 2.
VectorMath::ExpParts VectorMath::expParts(Num x) {
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
  Num t = fma(x, 1.4426950408889634, roundingMagic);
  Num n = t - roundingMagic;
  Num r = fma(n, -0.6931471803691238, x);
  r = fma(n, -1.9082149292705877e-10, r);
  Num whole = bits(t);
  return {fma(polynomial(r, coefficients), r * r, r),
          whole - integer(whole, roundingMagicBits)};
}

// 2^n in two factors, so that denormal results and those beyond 2^1023 come
// out right.
Num VectorMath::expDouble(Num x) {
  Num c = select(x > 710, 710, x);
  c = select(c < -746, -746, c);
  ExpParts parts = expParts(c);
  // Logical shifts of what is made positive: vectors have no others.
  constexpr int64_t even = 4096;
  Num half = (parts.exponent + integer(parts.exponent, even))
                 .logicalShiftRight(integer(parts.exponent, 1)) -
             integer(parts.exponent, even / 2);
  return (parts.rest + 1.0) * twoToThe(half) * twoToThe(parts.exponent - half);
}

// exp(2x) - 1 over exp(2x) + 1.
Num VectorMath::tanhDouble(Num x) {
  Num a = abs(x);
  Num c = select(a > 20, 20, a);
  ExpParts parts = expParts(c + c);
  Num power = twoToThe(parts.exponent);
  Num t = fma(power, parts.rest, power - 1.0);
  return copySign(t / (t + 2.0), x);
}

Num VectorMath::logisticDouble(Num x) {
  Num e = expDouble(-abs(x));
  return select(x < 0, e, 1) / (e + 1.0);
}

} // namespace zenith::kernels
