// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inverse functions after Hull, Fairgrieve and Tang (1997), with other forms
// where squares overflow or vanish.

#include "frontends/stablehlo/import/functions/ComplexFunctions.h"

#include "frontends/stablehlo/import/functions/ExprFunctions.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::stablehlo;

ComplexExpr stablehlo::partsOf(HLOBuilder &x, Value value) {
  return {Expr(x, x.realPart(value)), Expr(x, x.imagPart(value))};
}

static Expr atan2(Expr y, Expr x) { return y.apply<graph::Atan2Op>(x); }
static Expr max(Expr x, Expr y) { return x.apply<graph::MaxOp>(y); }
static Expr min(Expr x, Expr y) { return x.apply<graph::MinOp>(y); }
static Expr hypot(Expr x, Expr y) {
  Value z = x.builder->complexOf(x.value, y.value);
  return x.with(x.builder->make<graph::ComplexAbsOp>(x.value.getType(), z));
}

// |value| with the sign of `sign`, including the sign of zeros.
static Expr copySign(Expr value, Expr sign) {
  Type integer = IntegerType::get(sign.element().getContext(),
                                  sign.element().getIntOrFloatBitWidth());
  Expr bits = sign.with(sign.builder->bitcast(sign.value, integer));
  Expr magnitude = abs(value);
  return select(bits < 0.0, -magnitude, magnitude);
}

// x / y for 0 <= x <= y, where 0 / 0 and inf / inf count as 0.
static Expr properRatio(Expr x, Expr y) {
  Expr ratio = x / y;
  return select(ratio == ratio, ratio, 0.0);
}

//===----------------------------------------------------------------------===//
// asin, acos and their hyperbolic counterparts
//===----------------------------------------------------------------------===//

namespace {
/// Of |x| + i |y|: asin is atan2(x, root) + i imag, acos atan2(root, x) - i
/// imag.
struct InverseSine {
  Expr root, imag;
};
} // namespace

// `x` and `y` are not negative. a is half the sum of the distances from -1 and
// 1; a term small beside 1 is never subtracted from it.
static InverseSine inverseSine(Expr x, Expr y) {
  constexpr double large = 0x1p508;      // squares of more overflow
  constexpr double vanishing = 0x1p-500; // squares of less vanish
  Expr r = hypot(x + 1.0, y), s = hypot(x - 1.0, y);
  Expr a = 0.5 * (r + s), yy = y * y, sum = a + x;
  Expr right = r + (x + 1.0), left = s - (x - 1.0), behind = s + (x - 1.0);

  Expr inside = sqrt(0.5 * sum * (yy / right + left));
  Expr outside = y * sqrt(0.5 * (sum / right + sum / behind));
  Expr largest = max(x, y);
  Expr isLarge = largest >= large;
  Expr root = select(isLarge, y, select(x <= 1.0, inside, outside));

  Expr excess = select(x >= 1.0, 0.5 * (yy / right + behind),
                       select(a <= 1.5, 0.5 * (yy / right + yy / left),
                              a - 1.0)); // a - 1
  Expr near = log1p(excess + sqrt(excess * (a + 1.0)));
  near = select((x < 1.0) & (y < vanishing), y / sqrt((1.0 - x) * (1.0 + x)),
                near);
  constexpr double log2 = 0.693147180559945309417;
  Expr ratio = properRatio(min(x, y), largest);
  Expr far = log2 + (log(largest) + 0.5 * log1p(ratio * ratio));
  return {root, select(isLarge, far, near)};
}

ComplexExpr stablehlo::complexAsin(ComplexExpr z) {
  InverseSine inverse = inverseSine(abs(z.real), abs(z.imag));
  return {atan2(z.real, inverse.root), copySign(inverse.imag, z.imag)};
}
ComplexExpr stablehlo::complexAcos(ComplexExpr z) {
  InverseSine inverse = inverseSine(abs(z.real), abs(z.imag));
  return {atan2(inverse.root, z.real), -copySign(inverse.imag, z.imag)};
}
// asinh z = -i asin(i z)
ComplexExpr stablehlo::complexAsinh(ComplexExpr z) {
  ComplexExpr turned = complexAsin({-z.imag, z.real});
  return {turned.imag, -turned.real};
}
ComplexExpr stablehlo::complexAcosh(ComplexExpr z) {
  InverseSine inverse = inverseSine(abs(z.real), abs(z.imag));
  return {inverse.imag, copySign(atan2(inverse.root, z.real), z.imag)};
}

//===----------------------------------------------------------------------===//
// atanh and atan
//===----------------------------------------------------------------------===//

// (log(1 + z) - log(1 - z)) / 2 by parts; far out 1 / z from i pi / 2.
ComplexExpr stablehlo::complexAtanh(ComplexExpr z) {
  constexpr double large = 0x1p500, quarterTurn = 1.57079632679489661923;
  Expr x = abs(z.real), y = z.imag;
  Expr largest = max(x, abs(y)), smallest = min(x, abs(y));
  Expr isFar = largest >= large;
  Expr ratio = properRatio(smallest, largest);
  Expr far = properRatio(x, largest) / (1.0 + ratio * ratio) / largest;
  far = select(largest == infinity, 0.0, far);
  Expr near = 0.25 * log1p(4.0 * x / ((1.0 - x) * (1.0 - x) + y * y));
  Expr imag = 0.5 * atan2(2.0 * y, (1.0 - x) * (1.0 + x) - y * y);
  return {copySign(select(isFar, far, near), z.real),
          select(isFar, copySign(y.constant(quarterTurn), y), imag)};
}
// atan z = -i atanh(i z)
ComplexExpr stablehlo::complexAtan(ComplexExpr z) {
  ComplexExpr turned = complexAtanh({-z.imag, z.real});
  return {turned.imag, -turned.real};
}

//===----------------------------------------------------------------------===//
// Others
//===----------------------------------------------------------------------===//

ComplexExpr stablehlo::complexSinh(ComplexExpr z) {
  return {z.real.apply<graph::SinhOp>() * z.imag.apply<graph::CosOp>(),
          z.real.apply<graph::CoshOp>() * z.imag.apply<graph::SinOp>()};
}
ComplexExpr stablehlo::complexCosh(ComplexExpr z) {
  return {z.real.apply<graph::CoshOp>() * z.imag.apply<graph::CosOp>(),
          z.real.apply<graph::SinhOp>() * z.imag.apply<graph::SinOp>()};
}
ComplexExpr stablehlo::complexTan(ComplexExpr z) {
  Value whole = z.join();
  return partsOf(*z.real.builder, z.real.builder->unary<graph::TanOp>(whole));
}
// 0 on the diagonals, though a sum there may overflow.
ComplexExpr stablehlo::complexSquare(ComplexExpr z) {
  Expr x = abs(z.real), y = abs(z.imag);
  Expr real = select((x == y) & (x < infinity), 0.0,
                     (z.real - z.imag) * (z.real + z.imag));
  Expr product = z.real * z.imag;
  return {real, product + product};
}
