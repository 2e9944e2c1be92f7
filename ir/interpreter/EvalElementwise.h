// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of the Elementwise family: functions of floats, of integers, of
// complex numbers.

#ifndef ZENITH_IR_INTERPRETER_EVALELEMENTWISE_H
#define ZENITH_IR_INTERPRETER_EVALELEMENTWISE_H

#include "ir/interpreter/OpEvaluation.h"

namespace zenith::interpreter {

using FloatFunction = double (*)(double);
using FloatFunction2 = double (*)(double, double);

/// The function of an op with one or two float operands of the result's type;
/// null where the op has none.
FloatFunction floatFunction(llvm::StringRef mnemonic);
FloatFunction2 floatFunction2(llvm::StringRef mnemonic);

llvm::Expected<Tensor> evaluateFloat(const OpEvaluation &e, FloatFunction fn);
llvm::Expected<Tensor> evaluateFloat(const OpEvaluation &e, FloatFunction2 fn);
/// Integers and booleans.
llvm::Expected<Tensor> evaluateInteger(const OpEvaluation &e);
llvm::Expected<Tensor> evaluateComplex(const OpEvaluation &e);

} // namespace zenith::interpreter

#endif // ZENITH_IR_INTERPRETER_EVALELEMENTWISE_H
