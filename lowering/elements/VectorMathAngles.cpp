// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Trigonometric functions and their inverses for f32, with exact reduction of
// every angle.

#include "lowering/elements/VectorMath.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace zenith::kernels {

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

static void renormalize(LaneValue &high, LaneValue &low) {
  LaneValue sum = high + low;
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
VectorMath::Reduced VectorMath::reduceAngle(LaneValue x) {
  LaneValue t = fma(x, 0.636619772, 12582912.0);
  LaneValue quadrant = bits(t) - double(0x4b400000);
  LaneValue n = t - 12582912.0;
  LaneValue r = fma(n, -halfPi, x);
  LaneValue product = n * halfPiLow;
  LaneValue productLow = fma(n, halfPiLow, -product);
  LaneValue high = r + product;
  LaneValue part = high - r;
  LaneValue low =
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
VectorMath::Reduced VectorMath::reduceHugeAngle(LaneValue x) {
  static const uint32_t twoOverPi[] = {0,           0xa2f9836eu, 0x4e441529u,
                                       0xfc2757d1u, 0xf534ddc0u, 0xdb629599u,
                                       0x3c439041u, 0xfe5163abu};
  OpBuilder &b = kernel.b;
  LaneValue i = bits(x) & double(0x7fffffff);
  LaneValue mantissa = (i & double(0x7fffff)) | i.like(0x800000);
  LaneValue skip = (i >> 23) - double(127 + 25 - 32);
  skip = select(skip < 0, 0, skip);
  skip = select(skip > 134, 134, skip);
  LaneValue word = skip >> 5;
  Type wide = typeLike(b.getI64Type(), x.v.getType());
  auto widen = [&](LaneValue n) {
    return LaneValue{&kernel, b.create<arith::ExtUIOp>(kernel.loc, wide, n.v)};
  };
  LaneValue shift = widen(skip & 31);
  auto wordAt = [&](unsigned offset) {
    LaneValue chosen = i.like(0);
    chosen.v = kernel.integer(i.v.getType(), int32_t(twoOverPi[offset]));
    for (unsigned w = 1; w <= 4; ++w)
      chosen = select(word == double(w),
                      {&kernel, kernel.integer(i.v.getType(),
                                               int32_t(twoOverPi[w + offset]))},
                      chosen);
    return widen(chosen);
  };
  LaneValue words[] = {wordAt(0), wordAt(1), wordAt(2), wordAt(3)};
  LaneValue m = widen(mantissa);
  auto lowHalf = [&](LaneValue n) {
    return n & LaneValue{&kernel, kernel.integer(wide, 0xffffffff)};
  };
  auto shifted = [&](unsigned w) {
    return lowHalf(((words[w] << 32 | words[w + 1]) << shift)
                       .logicalShiftRight(m.like(32)));
  };
  LaneValue low = m * shifted(2);
  LaneValue middle = m * shifted(1) + low.logicalShiftRight(m.like(32));
  LaneValue high = m * shifted(0) + middle.logicalShiftRight(m.like(32));
  LaneValue turns = (high << 32) | lowHalf(middle);
  // Two bits of quarter turns, then a signed fraction, halved so that it
  // converts without overflow.
  LaneValue fraction = (turns << 2) >> 1;
  LaneValue quarter = turns.logicalShiftRight(m.like(62)) +
                      (turns.logicalShiftRight(m.like(61)) & 1);
  LaneValue f = convertToFloat(fraction);
  LaneValue back = {&kernel, b.create<arith::FPToSIOp>(kernel.loc, wide, f.v)};
  LaneValue rest = convertToFloat(fraction - back) * 0x1p-63;
  f = f * 0x1p-63;
  LaneValue r = f * halfPi;
  LaneValue l = fma(f, halfPi, -r) + fma(f, -halfPiLow, rest * halfPi);
  renormalize(r, l);
  LaneValue quadrant = {
      &kernel, b.create<arith::TruncIOp>(kernel.loc, i.v.getType(), quarter.v)};
  Flag negative = x < 0;
  Flag finite = abs(x) < infinity;
  return {select(finite, select(negative, -r, r), nan),
          select(finite, select(negative, -l, l), nan),
          select(negative, i.like(0) - quadrant, quadrant)};
}

LaneValue VectorMath::sinPolynomial(Reduced r) {
  LaneValue square = r.high * r.high;
  return r.high +
         fma(polynomial(square, sinCoefficients) * square, r.high, r.low);
}

LaneValue VectorMath::cosPolynomial(Reduced r) {
  LaneValue square = r.high * r.high;
  LaneValue half = square * 0.5;
  LaneValue w = 1.0 - half;
  return w + (((1.0 - w) - half) + fma(polynomial(square, cosCoefficients),
                                       square * square, -(r.high * r.low)));
}

static LaneValue withSign(LaneValue x, LaneValue bitTwo) {
  return floatOf(bits(x) ^ ((bitTwo & 2) << 30));
}

LaneValue VectorMath::sin(LaneValue x) {
  Reduced r = reduceAngle(x);
  LaneValue y =
      select((r.quadrant & 1) == 0, sinPolynomial(r), cosPolynomial(r));
  return select(x == 0, x, withSign(y, r.quadrant));
}

LaneValue VectorMath::cos(LaneValue x) {
  Reduced r = reduceAngle(x);
  LaneValue y =
      select((r.quadrant & 1) == 0, cosPolynomial(r), sinPolynomial(r));
  return withSign(y, r.quadrant + 1);
}

// The quotient of double-length sums, so that errors of sine and cosine don't
// add up.
LaneValue VectorMath::tan(LaneValue x) {
  Reduced r = reduceAngle(x);
  LaneValue square = r.high * r.high, half = square * 0.5;
  LaneValue s = r.high, sLow = fma(polynomial(square, sinCoefficients) * square,
                                   r.high, r.low);
  LaneValue c = 1.0 - half;
  LaneValue cLow = ((1.0 - c) - half) + fma(polynomial(square, cosCoefficients),
                                            square * square, -(r.high * r.low));
  renormalize(s, sLow);
  renormalize(c, cLow);
  Flag even = (r.quadrant & 1) == 0;
  LaneValue top = select(even, s, -c), topLow = select(even, sLow, -cLow);
  LaneValue bottom = select(even, c, s), bottomLow = select(even, cLow, sLow);
  LaneValue y = top / bottom;
  LaneValue rest = fma(-y, bottom, top) + fma(-y, bottomLow, topLow);
  return select(x == 0, x, y + rest / bottom);
}

// Beyond 1/2 by the half-angle formula; the root's rounding error is corrected.
LaneValue VectorMath::asin(LaneValue x) {
  LaneValue a = abs(x);
  Flag big = a > 0.5;
  LaneValue z = select(big, fma(a, -0.5, 0.5), a * a);
  LaneValue v = select(big, sqrt(z), a);
  LaneValue p = polynomial(z, asinCoefficients) * z * v;
  LaneValue error = fma(-v, v, z) / (v + v + 1e-30);
  LaneValue twice = v + v;
  LaneValue h = halfPi - twice;
  LaneValue lost = (halfPi - h) - twice;
  LaneValue outer = h - ((p + error) * 2.0 + (halfPiLow - lost));
  return select(a > 1, nan, copySign(select(big, outer, v + p), x));
}

LaneValue VectorMath::acos(LaneValue x) {
  LaneValue a = abs(x);
  Flag big = a > 0.5;
  LaneValue z = select(big, fma(a, -0.5, 0.5), a * a);
  LaneValue v = select(big, sqrt(z), x);
  LaneValue p = polynomial(z, asinCoefficients) * z * v;
  LaneValue inner = halfPi - (v + (p + halfPiLow));
  LaneValue near = (v + p) * 2.0;
  LaneValue far = 2 * halfPi - (near + 2 * halfPiLow);
  return select(a > 1, nan, select(big, select(x < 0, far, near), inner));
}

LaneValue VectorMath::atanRatio(LaneValue y, LaneValue x) {
  Flag swapped = y > x;
  LaneValue u = select(swapped, x, y), v = select(swapped, y, x);
  Flag middle = u > (v * 0.414213562);
  LaneValue top = select(middle, u - v, u), bottom = select(middle, u + v, v);
  LaneValue t = top / bottom;
  LaneValue low = fma(-t, bottom, top) / bottom;
  LaneValue lost = select(middle, (u - bottom) + v, 0);
  low = low - t * lost / bottom;
  LaneValue square = t * t;
  LaneValue rest = fma(polynomial(square, atanCoefficients) * square, t, low);
  LaneValue base = select(middle, x.like(halfPi / 2), x.like(0)),
            baseLow = select(middle, x.like(-halfPiLow / 2), x.like(0));
  LaneValue h = base + t;
  LaneValue l = ((base - h) + t) + (rest + baseLow);
  LaneValue other = halfPi - h;
  LaneValue otherLow = ((halfPi - other) - h) - halfPiLow - l;
  return select(swapped, other + otherLow, h + l);
}

LaneValue VectorMath::atan(LaneValue x) {
  LaneValue a = abs(x);
  a = select(a > 1e15, 1e15, a);
  return copySign(atanRatio(a, x.like(1)), x);
}

LaneValue VectorMath::atan2(LaneValue y, LaneValue x) {
  LaneValue a = abs(y), c = abs(x);
  LaneValue largest = select(a > c, a, c);
  LaneValue one = x.like(1), zero = x.like(0);
  // Far from 1 the intermediate products would overflow or lose bits.
  LaneValue scale = select(largest > 1e18, x.like(0x1p-60),
                           select(largest < 1e-18, x.like(0x1p70), one));
  Flag infinite = largest == infinity;
  Flag bothZero = largest == 0;
  LaneValue p = select(infinite, select(a == infinity, one, zero), a * scale);
  LaneValue q = select(infinite, select(c == infinity, one, zero), c * scale);
  LaneValue t = atanRatio(p, select(bothZero, one, q));
  LaneValue r = select(bits(x) < 0, 2 * halfPi - (t + 2 * halfPiLow), t);
  return select(a.isNaN() || c.isNaN(), nan, copySign(r, y));
}

} // namespace zenith::kernels
