// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Routines that programs call by name.

#ifndef ZENITH_IR_INTERPRETER_EVALCUSTOMCALL_H
#define ZENITH_IR_INTERPRETER_EVALCUSTOMCALL_H

#include "ir/GraphOps.h"
#include "ir/interpreter/OpEvaluation.h"

namespace zenith::interpreter {

llvm::Expected<Results> evaluateCustomCall(graph::CustomCallOp op,
                                           const OpEvaluation &e);

} // namespace zenith::interpreter

#endif // ZENITH_IR_INTERPRETER_EVALCUSTOMCALL_H
