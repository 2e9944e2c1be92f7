// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of the LinearAlgebra family: factorizations and Fourier
// transforms.

#ifndef ZENITH_IR_INTERPRETER_EVALLINEARALGEBRA_H
#define ZENITH_IR_INTERPRETER_EVALLINEARALGEBRA_H

#include "ir/interpreter/OpEvaluation.h"

namespace zenith::interpreter {

llvm::Expected<Tensor> evaluateFourier(const OpEvaluation &e);

} // namespace zenith::interpreter

#endif // ZENITH_IR_INTERPRETER_EVALLINEARALGEBRA_H
