// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Trigonometric functions and their inverses for f32, with exact reduction of
// every angle.

#include "lowering/elements/VectorMath.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <limits>

using namespace mlir;

namespace zenith::kernels {

static constexpr double infinity = std::numeric_limits<double>::infinity();
static constexpr double nan = std::numeric_limits<double>::quiet_NaN();
// pi/2 = high - low - ..., each exact in f32.
static constexpr double halfPi = 1.57079637, halfPiLow = 4.37113883e-8,
                        halfPiLowest = 1.71512489e-15;
static const double sinCoefficients[] = {-0.166666672, 0.00833338033,
                                         -0.000198535112, 2.83751228e-06};
static const double cosCoefficients[] = {0.0416666679, -0.00138889824,
                                         2.48229844e-05, -2.89772913e-07};
static const double atanCoefficients[] = {
    -0.333333164, 0.199985325, -0.142445117, 0.106001884, -0.0609279387};
static const double asinCoefficients[] = {
    0.166667536, 0.0749525204, 0.0454760417, 0.0241520926, 0.0422117971};
static constexpr double largestPlainAngle = 30000;

static void renormalize(Num &high, Num &low) {
  Num sum = high + low;
  low = (high - sum) + low;
  high = sum;
}

Value VectorMath::inAnyLane(Flag flag) {
  if (!isa<VectorType>(flag.v.getType()))
    return flag.v;
  return kernel.b.create<vector::ReductionOp>(
      kernel.loc, vector::CombiningKind::OR, flag.v);
}

// Below the limit, three parts of pi/2 are enough; beyond it, if any lane needs
// it, the bits of 2/pi are used.
VectorMath::Reduced VectorMath::reduceAngle(Num x) {
  Num t = fma(x, 0.636619772, 12582912.0);
  Num quadrant = bits(t) - double(0x4b400000);
  Num n = t - 12582912.0;
  Num r = fma(n, -halfPi, x);
  Num product = n * halfPiLow;
  Num productLow = fma(n, halfPiLow, -product);
  Num high = r + product;
  Num part = high - r;
  Num low =
      fma(n, halfPiLowest, (r - (high - part)) + (product - part) + productLow);
  renormalize(high, low);

  Flag huge = abs(x) > largestPlainAngle;
  OpBuilder &b = kernel.b;
  auto choice = b.create<scf::IfOp>(
      kernel.loc,
      TypeRange{high.v.getType(), low.v.getType(), quadrant.v.getType()},
      inAnyLane(huge), /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(choice.thenBlock());
  Reduced exact = reduceHugeAngle(x);
  b.create<scf::YieldOp>(kernel.loc,
                         ValueRange{select(huge, exact.high, high).v,
                                    select(huge, exact.low, low).v,
                                    select(huge, exact.quadrant, quadrant).v});
  b.setInsertionPointToEnd(choice.elseBlock());
  b.create<scf::YieldOp>(kernel.loc, ValueRange{high.v, low.v, quadrant.v});
  return {{&kernel, choice.getResult(0)},
          {&kernel, choice.getResult(1)},
          {&kernel, choice.getResult(2)}};
}

// x = m 2^e times the 96 bits of 2/pi that matter for this exponent, as
// integers.
VectorMath::Reduced VectorMath::reduceHugeAngle(Num x) {
  static const uint32_t twoOverPi[] = {0,           0xa2f9836eu, 0x4e441529u,
                                       0xfc2757d1u, 0xf534ddc0u, 0xdb629599u,
                                       0x3c439041u, 0xfe5163abu};
  OpBuilder &b = kernel.b;
  Num i = bits(x) & double(0x7fffffff);
  Num mantissa = (i & double(0x7fffff)) | i.like(0x800000);
  Num skip = (i >> 23) - double(127 + 25 - 32);
  skip = select(skip < 0, 0, skip);
  skip = select(skip > 134, 134, skip);
  Num word = skip >> 5;
  Type wide = typeLike(b.getI64Type(), x.v.getType());
  auto widen = [&](Num n) {
    return Num{&kernel, b.create<arith::ExtUIOp>(kernel.loc, wide, n.v)};
  };
  Num shift = widen(skip & 31);
  auto wordAt = [&](unsigned offset) {
    Num chosen = i.like(0);
    chosen.v = kernel.integer(i.v.getType(), int32_t(twoOverPi[offset]));
    for (unsigned w = 1; w <= 4; ++w)
      chosen = select(word == double(w),
                      {&kernel, kernel.integer(i.v.getType(),
                                               int32_t(twoOverPi[w + offset]))},
                      chosen);
    return widen(chosen);
  };
  Num words[] = {wordAt(0), wordAt(1), wordAt(2), wordAt(3)};
  Num m = widen(mantissa);
  auto lowHalf = [&](Num n) {
    return n & Num{&kernel, kernel.integer(wide, 0xffffffff)};
  };
  auto shifted = [&](unsigned w) {
    return lowHalf(((words[w] << 32 | words[w + 1]) << shift)
                       .logicalShiftRight(m.like(32)));
  };
  Num low = m * shifted(2);
  Num middle = m * shifted(1) + low.logicalShiftRight(m.like(32));
  Num high = m * shifted(0) + middle.logicalShiftRight(m.like(32));
  Num turns = (high << 32) | lowHalf(middle);
  // Two bits of quarter turns, then a signed fraction, halved so that it
  // converts without overflow.
  Num fraction = (turns << 2) >> 1;
  Num quarter = turns.logicalShiftRight(m.like(62)) +
                (turns.logicalShiftRight(m.like(61)) & 1);
  Num f = convertToFloat(fraction);
  Num back = {&kernel, b.create<arith::FPToSIOp>(kernel.loc, wide, f.v)};
  Num rest = convertToFloat(fraction - back) * 0x1p-63;
  f = f * 0x1p-63;
  Num r = f * halfPi;
  Num l = fma(f, halfPi, -r) + fma(f, -halfPiLow, rest * halfPi);
  renormalize(r, l);
  Num quadrant = {
      &kernel, b.create<arith::TruncIOp>(kernel.loc, i.v.getType(), quarter.v)};
  Flag negative = x < 0;
  Flag finite = abs(x) < infinity;
  return {select(finite, select(negative, -r, r), nan),
          select(finite, select(negative, -l, l), nan),
          select(negative, i.like(0) - quadrant, quadrant)};
}

Num VectorMath::sinPolynomial(Reduced r) {
  Num square = r.high * r.high;
  return r.high +
         fma(polynomial(square, sinCoefficients) * square, r.high, r.low);
}

Num VectorMath::cosPolynomial(Reduced r) {
  Num square = r.high * r.high;
  Num half = square * 0.5;
  Num w = 1.0 - half;
  return w + (((1.0 - w) - half) + fma(polynomial(square, cosCoefficients),
                                       square * square, -(r.high * r.low)));
}

static Num withSign(Num x, Num bitTwo) {
  return floatOf(bits(x) ^ ((bitTwo & 2) << 30));
}

Num VectorMath::sin(Num x) {
  Reduced r = reduceAngle(x);
  Num y = select((r.quadrant & 1) == 0, sinPolynomial(r), cosPolynomial(r));
  return select(x == 0, x, withSign(y, r.quadrant));
}

Num VectorMath::cos(Num x) {
  Reduced r = reduceAngle(x);
  Num y = select((r.quadrant & 1) == 0, cosPolynomial(r), sinPolynomial(r));
  return withSign(y, r.quadrant + 1);
}

// The quotient of double-length sums, so that errors of sine and cosine don't
// add up.
Num VectorMath::tan(Num x) {
  Reduced r = reduceAngle(x);
  Num square = r.high * r.high, half = square * 0.5;
  Num s = r.high,
      sLow = fma(polynomial(square, sinCoefficients) * square, r.high, r.low);
  Num c = 1.0 - half;
  Num cLow = ((1.0 - c) - half) + fma(polynomial(square, cosCoefficients),
                                      square * square, -(r.high * r.low));
  renormalize(s, sLow);
  renormalize(c, cLow);
  Flag even = (r.quadrant & 1) == 0;
  Num top = select(even, s, -c), topLow = select(even, sLow, -cLow);
  Num bottom = select(even, c, s), bottomLow = select(even, cLow, sLow);
  Num y = top / bottom;
  Num rest = fma(-y, bottom, top) + fma(-y, bottomLow, topLow);
  return select(x == 0, x, y + rest / bottom);
}

// Beyond 1/2 by the half-angle formula; the root's rounding error is corrected.
Num VectorMath::asin(Num x) {
  Num a = abs(x);
  Flag big = a > 0.5;
  Num z = select(big, fma(a, -0.5, 0.5), a * a);
  Num v = select(big, sqrt(z), a);
  Num p = polynomial(z, asinCoefficients) * z * v;
  Num error = fma(-v, v, z) / (v + v + 1e-30);
  Num twice = v + v;
  Num h = halfPi - twice;
  Num lost = (halfPi - h) - twice;
  Num outer = h - ((p + error) * 2.0 + (halfPiLow - lost));
  return select(a > 1, nan, copySign(select(big, outer, v + p), x));
}

Num VectorMath::acos(Num x) {
  Num a = abs(x);
  Flag big = a > 0.5;
  Num z = select(big, fma(a, -0.5, 0.5), a * a);
  Num v = select(big, sqrt(z), x);
  Num p = polynomial(z, asinCoefficients) * z * v;
  Num inner = halfPi - (v + (p + halfPiLow));
  Num near = (v + p) * 2.0;
  Num far = 2 * halfPi - (near + 2 * halfPiLow);
  return select(a > 1, nan, select(big, select(x < 0, far, near), inner));
}

Num VectorMath::atanRatio(Num y, Num x) {
  Flag swapped = y > x;
  Num u = select(swapped, x, y), v = select(swapped, y, x);
  Flag middle = u > (v * 0.414213562);
  Num top = select(middle, u - v, u), bottom = select(middle, u + v, v);
  Num t = top / bottom;
  Num low = fma(-t, bottom, top) / bottom;
  Num lost = select(middle, (u - bottom) + v, 0);
  low = low - t * lost / bottom;
  Num square = t * t;
  Num rest = fma(polynomial(square, atanCoefficients) * square, t, low);
  Num base = select(middle, x.like(halfPi / 2), x.like(0)),
      baseLow = select(middle, x.like(-halfPiLow / 2), x.like(0));
  Num h = base + t;
  Num l = ((base - h) + t) + (rest + baseLow);
  Num other = halfPi - h;
  Num otherLow = ((halfPi - other) - h) - halfPiLow - l;
  return select(swapped, other + otherLow, h + l);
}

Num VectorMath::atan(Num x) {
  Num a = abs(x);
  a = select(a > 1e15, 1e15, a);
  return copySign(atanRatio(a, x.like(1)), x);
}

Num VectorMath::atan2(Num y, Num x) {
  Num a = abs(y), c = abs(x);
  Num largest = select(a > c, a, c);
  Num one = x.like(1), zero = x.like(0);
  // Far from 1 the intermediate products would overflow or lose bits.
  Num scale = select(largest > 1e18, x.like(0x1p-60),
                     select(largest < 1e-18, x.like(0x1p70), one));
  Flag infinite = largest == infinity;
  Flag bothZero = largest == 0;
  Num p = select(infinite, select(a == infinity, one, zero), a * scale);
  Num q = select(infinite, select(c == infinity, one, zero), c * scale);
  Num t = atanRatio(p, select(bothZero, one, q));
  Num r = select(bits(x) < 0, 2 * halfPi - (t + 2 * halfPiLow), t);
  return select(a.isNaN() || c.isNaN(), nan, copySign(r, y));
}

} // namespace zenith::kernels
