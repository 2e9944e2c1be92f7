// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of the Contraction family beyond matmuls and convolutions:
// factorizations and Fourier transforms.

#ifndef ZENITH_IR_INTERPRETER_EVALCONTRACTION_H
#define ZENITH_IR_INTERPRETER_EVALCONTRACTION_H

#include "ir/interpreter/OpEvaluation.h"

namespace zenith::interpreter {

llvm::Expected<Tensor> evaluateCholesky(const OpEvaluation &e);
llvm::Expected<Tensor> evaluateTriangularSolve(const OpEvaluation &e);
llvm::Expected<Tensor> evaluateFourier(const OpEvaluation &e);

} // namespace zenith::interpreter

#endif // ZENITH_IR_INTERPRETER_EVALCONTRACTION_H
