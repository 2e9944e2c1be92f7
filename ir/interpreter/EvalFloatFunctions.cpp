// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elementwise functions of floats: one function of double per op, rounded to
// the element type.

#include "ir/interpreter/EvalElementwise.h"

#include "ir/interpreter/ElementLoops.h"
#include "llvm/ADT/StringSwitch.h"
#include <cmath>

using namespace mlir;
using namespace zenith;
using namespace zenith::interpreter;
using llvm::Expected;

static double negate(double x) { return -x; }
static double sign(double x) { return x > 0 ? 1.0 : x < 0 ? -1.0 : x; }
static double rsqrt(double x) { return 1.0 / std::sqrt(x); }
// For negative x the other form, whose exponential cannot overflow.
static double logistic(double x) {
  if (x >= 0)
    return 1.0 / (1.0 + std::exp(-x));
  double y = std::exp(x);
  return y / (1.0 + y);
}

static double add(double x, double y) { return x + y; }
static double subtract(double x, double y) { return x - y; }
static double multiply(double x, double y) { return x * y; }
static double divide(double x, double y) { return x / y; }
static double floorMod(double x, double y) {
  double r = std::fmod(x, y);
  if (r == 0)
    return std::copysign(0.0, y);
  return (r < 0) != (y < 0) ? r + y : r;
}

FloatFunction zenith::interpreter::floatFunction(StringRef mnemonic) {
  using F = FloatFunction;
  return llvm::StringSwitch<F>(mnemonic)
#define ZENITH_UNARY_FUNCTION(OP, NAME, MATH, BY) .Case(#NAME, F(std::NAME))
#include "ir/ElementaryFunctions.def"
      .Case("abs", F(std::fabs))
      .Case("neg", negate)
      .Case("sign", sign)
      .Case("sqrt", F(std::sqrt))
      .Case("rsqrt", rsqrt)
      .Case("logistic", logistic)
      .Case("floor", F(std::floor))
      .Case("ceil", F(std::ceil))
      .Case("round_even", F(std::nearbyint))
      .Case("round_away", F(std::round))
      .Default(nullptr);
}

FloatFunction2 zenith::interpreter::floatFunction2(StringRef mnemonic) {
  using F = FloatFunction2;
  return llvm::StringSwitch<F>(mnemonic)
#define ZENITH_BINARY_FUNCTION(OP, NAME, MATH, BY) .Case(#NAME, F(std::NAME))
#include "ir/ElementaryFunctions.def"
      .Case("add", add)
      .Case("sub", subtract)
      .Case("mul", multiply)
      .Case("div", divide)
      .Case("rem", F(std::fmod))
      .Case("floor_mod", floorMod)
      .Case("max", F(maxOf<double>))
      .Case("min", F(minOf<double>))
      .Default(nullptr);
}

Expected<Tensor> zenith::interpreter::evaluateFloat(const OpEvaluation &e,
                                                    FloatFunction fn) {
  Expected<Tensor> result = e.allocate(e.operand(0).shape());
  if (!result)
    return result;
  Tensor operand = widened(e.operand(0));
  if (operand.elementType().isF64()) {
    mapElements<double, double>(*result, operand, fn);
    return result;
  }
  Tensor single(operand.type());
  mapElements<float, float>(single, operand,
                            [fn](float x) { return float(fn(x)); });
  return narrowed(single, e.resultElement());
}

// The four operations have loops of their own, since models spend their time in
// them. A sum, product or quotient of floats that is rounded to double first
// rounds to the same float.
template <typename T>
static bool evaluateBasic(Tensor &result, const Tensor &a, const Tensor &b,
                          FloatFunction2 fn) {
  if (fn == add)
    mapPairs<T, T>(result, a, b, [](T x, T y) { return x + y; });
  else if (fn == subtract)
    mapPairs<T, T>(result, a, b, [](T x, T y) { return x - y; });
  else if (fn == multiply)
    mapPairs<T, T>(result, a, b, [](T x, T y) { return x * y; });
  else if (fn == divide)
    mapPairs<T, T>(result, a, b, [](T x, T y) { return x / y; });
  else
    return false;
  return true;
}

Expected<Tensor> zenith::interpreter::evaluateFloat(const OpEvaluation &e,
                                                    FloatFunction2 fn) {
  Expected<Tensor> result = e.allocate(e.operand(0).shape());
  if (!result)
    return result;
  Tensor lhs = widened(e.operand(0)), rhs = widened(e.operand(1));
  if (lhs.elementType().isF64()) {
    if (!evaluateBasic<double>(*result, lhs, rhs, fn))
      mapPairs<double, double>(*result, lhs, rhs, fn);
    return result;
  }
  Tensor single(lhs.type());
  if (!evaluateBasic<float>(single, lhs, rhs, fn))
    mapPairs<float, float>(single, lhs, rhs,
                           [fn](float x, float y) { return float(fn(x, y)); });
  return narrowed(single, e.resultElement());
}
