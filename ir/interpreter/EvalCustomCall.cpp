// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Refuses routines by name where the run has none of this name.

#include "ir/interpreter/EvalCustomCall.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::interpreter;

llvm::Expected<Results>
zenith::interpreter::evaluateCustomCall(graph::CustomCallOp op,
                                        const OpEvaluation &e) {
  return e.fail("calls '" + op.getTarget() + "', which is no routine here",
                EvalError::Kind::Unsupported);
}
