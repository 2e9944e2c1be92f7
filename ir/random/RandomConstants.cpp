// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constants in the formulas of random numbers, rounded as JAX rounds them.

#include "ir/random/RandomFormulas.h"
#include "mlir/IR/BuiltinTypes.h"
#include <algorithm>
#include <climits>
#include <cmath>

using namespace mlir;

namespace zenith::graph {

APFloat roundedTo(FloatType type, APFloat value) {
  bool losesInfo = false;
  value.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                &losesInfo);
  return value;
}

static APFloat roundedTo(FloatType type, double value) {
  return roundedTo(type, APFloat(value));
}

APFloat uniformRange(const UniformBounds &bounds) {
  APFloat range = bounds.high;
  range.subtract(bounds.low, APFloat::rmNearestTiesToEven);
  return range;
}

bool roundsOnce(FloatType type, const UniformBounds &bounds) {
  bool isPowerOfTwo = uniformRange(bounds).getExactLog2Abs() != INT_MIN;
  return type.isF32() && !bounds.low.isZero() && !isPowerOfTwo;
}

UniformBounds normalBounds(FloatType type) {
  APFloat low = roundedTo(type, -1.0);
  low.next(/*nextDown=*/false);
  return {low, roundedTo(type, 1.0)};
}

UniformBounds gumbelBounds(FloatType type) {
  return {APFloat::getSmallestNormalized(type.getFloatSemantics()),
          roundedTo(type, 1.0)};
}

static double asDouble(APFloat value) {
  bool losesInfo = false;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                &losesInfo);
  return value.convertToDouble();
}

/// erf(bound / sqrt 2), each step rounded.
static APFloat erfOfBound(FloatType type, const APFloat &bound) {
  APFloat quotient = roundedTo(type, bound);
  quotient.divide(roundedTo(type, std::sqrt(2.0)),
                  APFloat::rmNearestTiesToEven);
  return roundedTo(type, std::erf(asDouble(quotient)));
}

UniformBounds truncatedBounds(FloatType type, APFloat lower, APFloat upper) {
  return {erfOfBound(type, lower), erfOfBound(type, upper)};
}

APFloat insideOf(FloatType type, APFloat bound, bool isLower) {
  APFloat inside = roundedTo(type, bound);
  inside.next(/*nextDown=*/!isLower);
  return inside;
}

unsigned permutationRounds(int64_t count) {
  double keys = 4294967295.0;
  return unsigned(std::ceil(3 * std::log(double(std::max<int64_t>(1, count))) /
                            std::log(keys)));
}

unsigned randomBitsOf(FloatType type) {
  return type.getFPMantissaWidth() - 1 < 8 ? 8 : type.getWidth();
}

} // namespace zenith::graph
