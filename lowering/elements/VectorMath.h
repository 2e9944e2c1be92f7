// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elementary functions as sequences of arithmetic on scalars or vectors of f32,
// within 2 ulp for all inputs; f64 by a few such sequences, else by one call of
// libm per lane.

#ifndef ZENITH_LOWERING_ELEMENTS_VECTORMATH_H
#define ZENITH_LOWERING_ELEMENTS_VECTORMATH_H

#include "lowering/builder/LaneNumber.h"

namespace zenith::kernels {

/// The same sequences serve CPU and OpenCL: arith, math.fma, sqrt, floor and
/// copysign only.
class VectorMath {
public:
  explicit VectorMath(KernelBuilder &kernel) : kernel(kernel) {}

  Num exp(Num x);
  /// exp for arguments <= 0 inside composites: relative error 3e-7, results
  /// below 1e-38 become that or 0, and 0 where x < vanishing (below -104 exp
  /// itself is 0).
  Num expShort(Num x, double vanishing = -104);
  /// Absolute error 3.4e-7: for gelu only, where 1 is added to them.
  Num erfShort(Num x);
  Num tanhShort(Num x);
  Num expm1(Num x);
  Num log(Num x);
  Num log1p(Num x);
  Num logistic(Num x);
  Num tanh(Num x);
  Num sinh(Num x);
  Num cosh(Num x);
  Num asinh(Num x);
  Num acosh(Num x);
  Num atanh(Num x);
  Num erf(Num x);
  Num cbrt(Num x);
  Num pow(Num x, Num y);
  Num sin(Num x);
  Num cos(Num x);
  Num tan(Num x);
  Num asin(Num x);
  Num acos(Num x);
  Num atan(Num x);
  Num atan2(Num y, Num x);
  Num rsqrt(Num x) { return 1.0 / sqrt(x); }
  Num roundAway(Num x);

  /// For f64, within 1 ulp (exp, log, sin, cos) and 2.2 ulp.
  Num expDouble(Num x);
  Num tanhDouble(Num x);
  Num logisticDouble(Num x);
  Num logDouble(Num x);
  Num sinDouble(Num x);
  Num cosDouble(Num x);
  /// libm's function `name` on f64, one call per lane.
  mlir::Value libm(llvm::StringRef name, llvm::ArrayRef<mlir::Value> operands);

private:
  struct Reduced {
    Num high, low; ///< remainder by pi/2 as an unevaluated sum
    Num quadrant;  ///< number of quarter turns, in its low bits
  };
  struct ExpParts {
    Num rest;     ///< exp(x) / 2^exponent - 1
    Num exponent; ///< i64
  };
  /// For f64 x whose result is normal, and some beyond.
  ExpParts expParts(Num x);
  /// Whether one instruction multiplies such values by powers of two.
  bool scalesAtOnce(Num x) const;
  /// x 2^n by that instruction, for integral n, rounded once.
  Num scaled(Num x, Num n);
  /// exp(x + low) * 2^extra.
  Num expScaled(Num x, std::optional<Num> low, int extra);
  /// log(x * 2^extra) + low / x for x > 0.
  Num logCore(Num x, std::optional<Num> low, std::optional<Num> extra);
  Num log1pScaled(Num x, std::optional<Num> extra);
  void logPair(Num x, Num &high, Num &low);
  /// Whether it is set in one lane at least.
  mlir::Value inAnyLane(Flag flag);
  Reduced reduceAngle(Num x);
  Reduced reduceHugeAngle(Num x);
  Reduced reduceDouble(Num x);
  /// sin(x + quarters pi/2).
  Num sineDouble(Num x, int64_t quarters);
  /// The same for any x; libm calls it `name`.
  Num angleDouble(Num x, llvm::StringRef name, int64_t quarters);
  Num sinPolynomial(Reduced r);
  Num cosPolynomial(Reduced r);
  /// atan(y / x) for y, x >= 0 and not both 0 or infinite.
  Num atanRatio(Num y, Num x);

  KernelBuilder &kernel;
};

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_ELEMENTS_VECTORMATH_H
