// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elementwise functions of complex numbers, and between them and their parts.

#include "ir/interpreter/EvalElementwise.h"

#include "ir/interpreter/ElementLoops.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::interpreter;
using llvm::Expected;

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
  if (mnemonic != "neg")
    return false;
  mapElements<C, C>(result, e.operand(0), [](const C &x) { return -x; });
  return true;
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
    return e.fail("has no meaning on complex numbers",
                  EvalError::Kind::Unsupported);
  return result;
}
