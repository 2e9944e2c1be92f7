// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of the Elementwise family: functions of floats, of integers, of
// complex numbers.

#ifndef ZENITH_IR_INTERPRETER_EVALELEMENTWISE_H
#define ZENITH_IR_INTERPRETER_EVALELEMENTWISE_H

#include "ir/GraphDialect.h"
#include "ir/interpreter/OpEvaluation.h"
#include <complex>

namespace zenith::interpreter {

using FloatFunction = double (*)(double);
using FloatFunction2 = double (*)(double, double);
using ComplexFunction = std::complex<double> (*)(const std::complex<double> &);
using ComplexFunction2 = std::complex<double> (*)(const std::complex<double> &,
                                                  const std::complex<double> &);
/// Operands are elements of `width` bits in 64; results are not wrapped yet. W
/// is int64_t or uint64_t.
template <typename W> using IntegerFunction = W (*)(W, unsigned width);
template <typename W> using IntegerFunction2 = W (*)(W, W, unsigned width);

/// The function of an op with one or two float operands of the result's type;
/// null if the op has none.
FloatFunction floatFunction(llvm::StringRef mnemonic);
FloatFunction2 floatFunction2(llvm::StringRef mnemonic);
/// The same for complex numbers and integers.
ComplexFunction complexFunction(llvm::StringRef mnemonic);
ComplexFunction2 complexFunction2(llvm::StringRef mnemonic);
template <typename W>
IntegerFunction<W> integerFunction(llvm::StringRef mnemonic);
template <typename W>
IntegerFunction2<W> integerFunction2(llvm::StringRef mnemonic);

template <typename T>
bool compareValues(graph::CompareDirection direction, const T &x, const T &y) {
  switch (direction) {
  case graph::CompareDirection::eq:
    return x == y;
  case graph::CompareDirection::ne:
    return x != y;
  case graph::CompareDirection::lt:
    return x < y;
  case graph::CompareDirection::le:
    return x <= y;
  case graph::CompareDirection::gt:
    return x > y;
  case graph::CompareDirection::ge:
    return x >= y;
  }
  return false;
}

llvm::Expected<Tensor> evaluateFloat(const OpEvaluation &e, FloatFunction fn);
llvm::Expected<Tensor> evaluateFloat(const OpEvaluation &e, FloatFunction2 fn);
/// Integers and booleans.
llvm::Expected<Tensor> evaluateInteger(const OpEvaluation &e);
llvm::Expected<Tensor> evaluateComplex(const OpEvaluation &e);

} // namespace zenith::interpreter

#endif // ZENITH_IR_INTERPRETER_EVALELEMENTWISE_H
