// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Powers, roots, rounding and the error function for f32.

#include "lowering/elements/VectorMath.h"

using namespace mlir;

namespace zenith::kernels {

// Odd polynomial near zero, and 1 - 2^(a polynomial) beyond.
LaneValue VectorMath::erf(LaneValue x) {
  static const double inner[] = {0.128379166,   -0.376125902, 0.11282865,
                                 -0.0268072877, 0.0050577037, -0.000634851865};
  static const double logOfRest[] = {-0.00215738174, -1.6181258,
                                     -0.935920775,   -0.133486837,
                                     0.0231716428,   -0.001897707};
  static const double powers[] = {1.00000012,   0.693147242,   0.240219131,
                                  0.0555008389, 0.00968547072, 0.00135213567};
  // Includes the bias of an exponent, so that a shift makes the power of two.
  constexpr double roundingMagic = 12582912.0 + 127;
  LaneValue a = abs(x), square = x * x;
  LaneValue c = select(a > 3.95, 3.95, a);
  LaneValue g = polynomial(c, logOfRest);
  LaneValue t = g + roundingMagic;
  LaneValue power = floatOf(bits(t) << 23);
  LaneValue rest = polynomial(g - (t - roundingMagic), powers) * power;
  LaneValue outer = withSignOf(1.0 - rest, x);
  return select(a > 0.85, outer, fma(polynomial(square, inner), x, x));
}

// Odd polynomial over an even one, with the argument clamped to where the
// function has reached 1.
LaneValue VectorMath::erfShort(LaneValue x) {
  static const double top[] = {-1.60960333262415e-02, -2.95459980854025e-03,
                               -7.34990630326855e-04, -5.69250639462346e-05,
                               -2.10102402082508e-06, 2.77068142495902e-08,
                               -2.72614225801306e-10};
  static const double bottom[] = {-1.42647390514189e-02, -7.37332916720468e-03,
                                  -1.68282697438203e-03, -2.13374055278905e-04,
                                  -1.45660718464996e-05};
  LaneValue c = select(x > 4, 4, x);
  c = select(c < -4, -4, c);
  LaneValue square = c * c;
  return c * polynomial(square, top) / polynomial(square, bottom);
}

LaneValue VectorMath::tanhShort(LaneValue x) {
  static const double top[] = {4.89352455891786e-03,  6.37261928875436e-04,
                               1.48572235717979e-05,  5.12229709037114e-08,
                               -8.60467152213735e-11, 2.00018790482477e-13,
                               -2.76076847742355e-16};
  static const double bottom[] = {4.89352518554385e-03, 2.26843463243900e-03,
                                  1.18534705686654e-04, 1.19825839466702e-06};
  // There the rounded quotient is exactly 1, as it must be: gelu of large
  // negative arguments has to be 0.
  constexpr double most = 7.99881172180175781;
  LaneValue c = select(x > most, most, x);
  c = select(c < -most, -most, c);
  LaneValue square = c * c;
  return c * polynomial(square, top) / polynomial(square, bottom);
}

// An estimate by dividing the exponent by three, two steps of Halley's method,
// one exact correction.
LaneValue VectorMath::cbrt(LaneValue x) {
  LaneValue a = abs(x);
  Flag tiny = a < 0x1p-126, huge = a > 1e30;
  LaneValue one = x.like(1);
  LaneValue y =
      a * select(tiny, x.like(0x1p24), select(huge, x.like(0x1p-24), one));
  LaneValue third = {&kernel, kernel.b.create<arith::DivUIOp>(
                                  kernel.loc, bits(y).v, bits(y).like(3).v)};
  LaneValue t = floatOf(third + double(0x2a5137a0));
  for (int step = 0; step < 2; ++step) {
    LaneValue cube = t * t * t;
    t = t * ((y + y + cube) / (y + cube + cube));
  }
  LaneValue square = t * t;
  LaneValue rest = fma(t, t, -square) * t;
  t = t - (fma(square, t, -y) + rest) / (square * 3.0);
  t = copySign(
      t * select(tiny, x.like(0x1p-8), select(huge, x.like(0x1p8), one)), x);
  return select((a < infinity) && (a > 0), t, x);
}

// log(x) as an unevaluated sum: 2 atanh((m-1)/(m+1)) + e log(2), all in
// double-length arithmetic.
void VectorMath::logPair(LaneValue x, LaneValue &high, LaneValue &low) {
  Flag tiny = x < 0x1p-126;
  LaneValue i = bits(select(tiny, x * 8388608.0, x));
  LaneValue exponent = (i - double(0x3f3504f3)) >> 23;
  LaneValue m = floatOf(i - (exponent << 23));
  LaneValue e = convertToFloat(exponent) + select(tiny, x.like(-23), x.like(0));
  LaneValue p = m + 1.0;
  m = m - 1.0;
  LaneValue r = 1.0 / p;
  LaneValue qh = r * m;
  LaneValue ql = r * fma(qh, -m, fma(qh, -2.0, m));
  LaneValue s = qh * qh;
  static const double coefficients[] = {0.3333332539, 0.2000148296,
                                        0.1419928074, 0.1293334961};
  r = polynomial(s, coefficients);
  LaneValue t = fma(qh, ql + ql, fma(qh, qh, -s));
  p = s * qh;
  t = fma(s, ql, fma(t, qh, fma(s, qh, -p)));
  s = fma(r, p, fma(r, t, ql));
  r = qh * 2.0;
  t = fma(e, 6.93147182e-1, r);
  p = fma(e, -6.93147182e-1, t);
  s = fma(e, -1.90465421e-9, fma(s, 2.0, r - p));
  high = t + s;
  low = (t - high) + s;
}

LaneValue VectorMath::pow(LaneValue a, LaneValue b) {
  LaneValue x = abs(a), high = x, low = x;
  logPair(x, high, low);
  LaneValue t = high * b;
  LaneValue rest = fma(low, b, fma(high, b, -t));
  t = select(t > 200, 200, t);
  t = select(t < -200, -200, t);
  rest = select(abs(t) < 200, rest, 0);
  LaneValue sum = t + rest;
  LaneValue y = expScaled(sum, (t - sum) + rest, 0);

  Flag toZero = b < 0;
  LaneValue zero = a.like(0), inf = a.like(infinity);
  y = select(x == 0, select(toZero, inf, zero), y);
  y = select(x == infinity, select(toZero, zero, inf), y);
  LaneValue magnitude = abs(b);
  LaneValue limit = select((x > 1) == (b > 0), inf, zero);
  y = select(magnitude == infinity, select(x == 1, 1, limit), y);
  LaneValue half = b * 0.5;
  Flag whole = floor(b) == b;
  Flag odd = whole && (floor(half) != half) && (magnitude < 16777216.0);
  LaneValue negated = {&kernel,
                       kernel.b.create<arith::NegFOp>(kernel.loc, y.v)};
  y = select(odd && (bits(a) < 0), negated, y);
  Flag undefined =
      (a < 0) && !whole && (x < infinity) && (magnitude < infinity);
  y = select(undefined || a.isNaN() || b.isNaN(), nan, y);
  return select((b == 0) || (a == 1), 1, y);
}

LaneValue VectorMath::roundAway(LaneValue x) {
  LaneValue a = abs(x), whole = floor(a);
  LaneValue up = select((a - whole) < 0.5, whole, whole + 1.0);
  return copySign(select(a < infinity, up, a), x);
}

} // namespace zenith::kernels
