// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elementary functions as sequences of arithmetic on scalars or vectors of f32,
// within 2 ulp for all inputs; f64 by a few such sequences, else by one call of
// libm per lane.

#ifndef ZENITH_LOWERING_ELEMENTS_VECTORMATH_H
#define ZENITH_LOWERING_ELEMENTS_VECTORMATH_H

#include "lowering/builder/LaneValue.h"
#include <limits>

namespace zenith::kernels {

/// The same sequences serve CPU and OpenCL: arith, math.fma, sqrt, floor and
/// copysign only.
class VectorMath {
public:
  explicit VectorMath(KernelBuilder &kernel) : kernel(kernel) {}

  LaneValue exp(LaneValue x);
  /// exp for arguments <= 0 inside composites: relative error 3e-7, results
  /// below 1e-38 become that or 0, and 0 where x < vanishing (below -104 exp
  /// itself is 0).
  LaneValue expShort(LaneValue x, double vanishing = -104);
  /// Absolute error 3.4e-7: for gelu only, where 1 is added to them.
  LaneValue erfShort(LaneValue x);
  LaneValue tanhShort(LaneValue x);
  LaneValue expm1(LaneValue x);
  LaneValue log(LaneValue x);
  LaneValue log1p(LaneValue x);
  LaneValue logistic(LaneValue x);
  LaneValue tanh(LaneValue x);
  LaneValue sinh(LaneValue x);
  LaneValue cosh(LaneValue x);
  LaneValue asinh(LaneValue x);
  LaneValue acosh(LaneValue x);
  LaneValue atanh(LaneValue x);
  LaneValue erf(LaneValue x);
  LaneValue cbrt(LaneValue x);
  LaneValue pow(LaneValue x, LaneValue y);
  LaneValue sin(LaneValue x);
  LaneValue cos(LaneValue x);
  LaneValue tan(LaneValue x);
  LaneValue asin(LaneValue x);
  LaneValue acos(LaneValue x);
  LaneValue atan(LaneValue x);
  LaneValue atan2(LaneValue y, LaneValue x);
  LaneValue rsqrt(LaneValue x) { return 1.0 / sqrt(x); }
  LaneValue roundAway(LaneValue x);

  /// For f64, within 1 ulp (exp, log, sin, cos) and 2.2 ulp.
  LaneValue expDouble(LaneValue x);
  LaneValue tanhDouble(LaneValue x);
  LaneValue logisticDouble(LaneValue x);
  LaneValue logDouble(LaneValue x);
  LaneValue sinDouble(LaneValue x);
  LaneValue cosDouble(LaneValue x);
  /// libm's function `name` on f64, one call per lane.
  mlir::Value libm(llvm::StringRef name, llvm::ArrayRef<mlir::Value> operands);

private:
  static constexpr double infinity = std::numeric_limits<double>::infinity();
  static constexpr double nan = std::numeric_limits<double>::quiet_NaN();

  struct Reduced {
    LaneValue high, low; ///< remainder by pi/2 as an unevaluated sum
    LaneValue quadrant;  ///< number of quarter turns, in its low bits
  };
  struct ExpParts {
    LaneValue rest;     ///< exp(x) / 2^exponent - 1
    LaneValue exponent; ///< i64
  };
  /// For f64 x whose result is normal, and some beyond.
  ExpParts expParts(LaneValue x);
  /// Whether one instruction multiplies such values by powers of two.
  bool scalesAtOnce(LaneValue x) const;
  /// x 2^n by that instruction, for integral n, rounded once.
  LaneValue scaled(LaneValue x, LaneValue n);
  /// exp(x + low) * 2^extra.
  LaneValue expScaled(LaneValue x, std::optional<LaneValue> low, int extra);
  /// log(x * 2^extra) + low / x for x > 0.
  LaneValue logCore(LaneValue x, std::optional<LaneValue> low,
                    std::optional<LaneValue> extra);
  LaneValue log1pScaled(LaneValue x, std::optional<LaneValue> extra);
  void logPair(LaneValue x, LaneValue &high, LaneValue &low);
  /// Whether it is set in one lane at least.
  mlir::Value inAnyLane(Flag flag);
  Reduced reduceAngle(LaneValue x);
  Reduced reduceHugeAngle(LaneValue x);
  Reduced reduceDouble(LaneValue x);
  /// sin(x + quarters pi/2).
  LaneValue sineDouble(LaneValue x, int64_t quarters);
  /// The same for any x; libm calls it `name`.
  LaneValue angleDouble(LaneValue x, llvm::StringRef name, int64_t quarters);
  LaneValue sinPolynomial(Reduced r);
  LaneValue cosPolynomial(Reduced r);
  /// atan(y / x) for y, x >= 0 and not both 0 or infinite.
  LaneValue atanRatio(LaneValue y, LaneValue x);

  KernelBuilder &kernel;
};

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_ELEMENTS_VECTORMATH_H
