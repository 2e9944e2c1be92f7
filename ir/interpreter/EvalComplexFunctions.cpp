// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elementwise functions of complex numbers, and between them and their parts.

#include "ir/interpreter/EvalElementwise.h"

#include "ir/interpreter/ElementLoops.h"
#include "llvm/ADT/StringSwitch.h"
#include <cmath>
#include <complex>

using namespace mlir;
using namespace zenith;
using namespace zenith::interpreter;
using llvm::Expected;

using C128 = std::complex<double>;
using C256 = std::complex<long double>;

template <typename T>
static std::complex<T> divide(const std::complex<T> &x,
                              const std::complex<T> &y) {
  // The wider type hides the rounding of the division's intermediate products.
  using Part =
      std::conditional_t<std::is_same_v<T, float>, double, long double>;
  using D = std::complex<Part>;
  D quotient = D(x.real(), x.imag()) / D(y.real(), y.imag());
  return {T(quotient.real()), T(quotient.imag())};
}

static C128 add(const C128 &x, const C128 &y) { return x + y; }
static C128 subtract(const C128 &x, const C128 &y) { return x - y; }
static C128 multiply(const C128 &x, const C128 &y) { return x * y; }
static C128 negate(const C128 &x) { return -x; }

// The parts are products, so that an infinite modulus has no angle; a real
// operand gives a real result.
static C128 exponential(const C128 &x) {
  double modulus = std::exp(x.real());
  return {modulus * std::cos(x.imag()),
          x.imag() == 0 ? x.imag() : modulus * std::sin(x.imag())};
}

// exp(a) cos(b) - 1 without the cancellation near 0.
static C128 expm1(const C128 &x) {
  double sine = std::sin(x.imag() / 2);
  return {std::expm1(x.real()) * std::cos(x.imag()) - 2 * sine * sine,
          x.imag() == 0 ? x.imag() : std::exp(x.real()) * std::sin(x.imag())};
}

// The real part is half the logarithm of |1 + x|^2 = 1 + a (2 + a) + b^2.
static C128 log1p(const C128 &x) {
  long double a = x.real(), b = x.imag();
  if (!(std::abs(a) < 1e100L && std::abs(b) < 1e100L))
    return std::log(C128(1 + x.real(), x.imag()));
  return {double(std::log1p(a * (2 + a) + b * b) / 2),
          double(std::atan2(b, 1 + a))};
}

static C128 rsqrt(const C128 &x) { return C128(1) / std::sqrt(x); }

static C128 cbrt(const C128 &x) {
  if (x == C128(0))
    return x;
  return std::polar(std::cbrt(std::abs(x)), std::arg(x) / 3);
}

// For negative real parts the other form, whose exponential cannot overflow.
static C128 logistic(const C128 &x) {
  if (x.real() >= 0)
    return C128(1) / (C128(1) + std::exp(-x));
  C128 y = std::exp(x);
  return y / (C128(1) + y);
}

static C128 sign(const C128 &x) { return x == C128(0) ? x : x / std::abs(x); }

static C128 power(const C128 &x, const C128 &y) {
  if (x == C128(0) && y == C128(0))
    return 1;
  if (x == C128(0) && y.real() > 0)
    return 0;
  if (y == C128(1))
    return x;
  C256 result =
      std::exp(C256(y.real(), y.imag()) * std::log(C256(x.real(), x.imag())));
  return {double(result.real()), double(result.imag())};
}

ComplexFunction zenith::interpreter::complexFunction(StringRef mnemonic) {
  using F = ComplexFunction;
  return llvm::StringSwitch<F>(mnemonic)
      .Case("neg", negate)
      .Case("exp", F(exponential))
      .Case("expm1", F(expm1))
      .Case("log", F([](const C128 &x) { return std::log(x); }))
      .Case("log1p", F(log1p))
      .Case("sqrt", F([](const C128 &x) { return std::sqrt(x); }))
      .Case("rsqrt", F(rsqrt))
      .Case("cbrt", F(cbrt))
      .Case("sin", F([](const C128 &x) { return std::sin(x); }))
      .Case("cos", F([](const C128 &x) { return std::cos(x); }))
      .Case("tan", F([](const C128 &x) { return std::tan(x); }))
      .Case("tanh", F([](const C128 &x) { return std::tanh(x); }))
      .Case("logistic", logistic)
      .Case("sign", sign)
      .Default(nullptr);
}

ComplexFunction2 zenith::interpreter::complexFunction2(StringRef mnemonic) {
  using F = ComplexFunction2;
  return llvm::StringSwitch<F>(mnemonic)
      .Case("add", add)
      .Case("sub", subtract)
      .Case("mul", multiply)
      .Case("div", F(divide<double>))
      .Case("pow", power)
      .Default(nullptr);
}

// Ops from complex numbers to complex numbers.
template <typename T>
static bool evaluateArithmetic(StringRef mnemonic, const OpEvaluation &e,
                               Tensor &result) {
  using C = std::complex<T>;
  auto map = [&](C (*fn)(const C &, const C &)) {
    mapPairs<C, C>(result, e.operand(0), e.operand(1), fn);
    return true;
  };
  if (mnemonic == "add")
    return map([](const C &x, const C &y) { return x + y; });
  if (mnemonic == "sub")
    return map([](const C &x, const C &y) { return x - y; });
  if (mnemonic == "mul")
    return map([](const C &x, const C &y) { return x * y; });
  if (mnemonic == "div")
    return map([](const C &x, const C &y) { return divide(x, y); });
  auto rounded = [](const C128 &x) { return C(T(x.real()), T(x.imag())); };
  if (e.operands.size() == 2) {
    ComplexFunction2 fn = complexFunction2(mnemonic);
    if (fn)
      mapPairs<C, C>(result, e.operand(0), e.operand(1),
                     [&](const C &x, const C &y) {
                       return rounded(fn(C128(x), C128(y)));
                     });
    return fn;
  }
  ComplexFunction fn = complexFunction(mnemonic);
  if (fn)
    mapElements<C, C>(result, e.operand(0),
                      [&](const C &x) { return rounded(fn(C128(x))); });
  return fn;
}

template <typename T>
static bool evaluateTyped(const OpEvaluation &e, Tensor &result) {
  using C = std::complex<T>;
  StringRef mnemonic = e.op->getName().stripDialect();
  if (mnemonic == "complex")
    mapPairs<C, T>(result, e.operand(0), e.operand(1),
                   [](T real, T imag) { return C(real, imag); });
  else if (mnemonic == "real")
    mapElements<T, C>(result, e.operand(0),
                      [](const C &x) { return x.real(); });
  else if (mnemonic == "imag")
    mapElements<T, C>(result, e.operand(0),
                      [](const C &x) { return x.imag(); });
  else if (mnemonic == "complex_abs")
    mapElements<T, C>(result, e.operand(0), [](const C &x) {
      return T(std::hypot(double(x.real()), double(x.imag())));
    });
  else
    return evaluateArithmetic<T>(mnemonic, e, result);
  return true;
}

Expected<Tensor> zenith::interpreter::evaluateComplex(const OpEvaluation &e) {
  Expected<Tensor> result = e.allocate(e.operand(0).shape());
  if (!result)
    return result;
  Type element = e.operand(0).elementType();
  if (auto complex = dyn_cast<ComplexType>(element))
    element = complex.getElementType();
  bool known = element.isF32() ? evaluateTyped<float>(e, *result)
                               : evaluateTyped<double>(e, *result);
  if (!known)
    return e.fail("has no meaning on complex numbers", ErrorCode::Unsupported);
  return result;
}
