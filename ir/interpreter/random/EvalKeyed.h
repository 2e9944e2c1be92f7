// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares the meaning of random ops that take keys.

#ifndef ZENITH_IR_INTERPRETER_RANDOM_EVALKEYED_H
#define ZENITH_IR_INTERPRETER_RANDOM_EVALKEYED_H

#include "ir/interpreter/OpEvaluation.h"

namespace zenith::interpreter {

/// All ops of the Random family but random_bits.
llvm::Expected<Tensor> evaluateKeyed(const OpEvaluation &e);

} // namespace zenith::interpreter

#endif // ZENITH_IR_INTERPRETER_RANDOM_EVALKEYED_H
