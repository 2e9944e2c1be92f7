// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Routines that programs call by name: LAPACK's, each with its operands,
// results and options; others are refused.

#include "ir/interpreter/EvalCustomCall.h"
#include "ir/matchers/LapackCalls.h"
#include "runtime/routines/Lapack.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::interpreter;
using llvm::Expected;

// Operands have sizes at run time, and so have dims computed from them.
static Shape constantsOf(ArrayRef<graph::DimExpr> dims) {
  Shape shape;
  for (const graph::DimExpr &dim : dims)
    shape.push_back(dim.constant().value_or(0));
  return shape;
}

static Expected<Results> callLapack(const OpEvaluation &e,
                                    const graph::LapackCall &call) {
  Results results;
  for (auto [i, dims] : llvm::enumerate(call.resultDims)) {
    Expected<Tensor> result = e.allocate(constantsOf(dims), i);
    if (!result)
      return result.takeError();
    results.push_back(std::move(*result));
  }
  Shape sizes = constantsOf({call.batches, call.rows, call.columns});
  sizes.append(constantsOf(call.options));
  SmallVector<void *> inputs, targets;
  for (const Tensor &input : e.operands)
    inputs.push_back(const_cast<char *>(input.bytes()));
  for (Tensor &result : results)
    targets.push_back(result.writable());
  switch (zenith_routine_lapack(call.routine.c_str(), call.letter, sizes.data(),
                                inputs.data(), targets.data())) {
  case ZENITH_LAPACK_DONE:
    return results;
  case ZENITH_LAPACK_NO_LIBRARY:
    return e.fail("calls 'lapack_" + call.routine +
                      "', and this machine has no liblapack.so.3",
                  ErrorCode::Unsupported);
  case ZENITH_LAPACK_NO_MEMORY:
    return e.fail("has no memory for the work space of 'lapack_" +
                      call.routine + "'",
                  ErrorCode::Memory);
  case ZENITH_LAPACK_UNKNOWN_ROUTINE:
    break;
  }
  return e.fail("calls 'lapack_" + call.routine + "', which is no routine here",
                ErrorCode::Unsupported);
}

Expected<Results>
zenith::interpreter::evaluateCustomCall(graph::CustomCallOp op,
                                        const OpEvaluation &e) {
  std::vector<graph::DimVector> dims;
  for (const Tensor &operand : e.operands)
    dims.emplace_back(operand.type().getShape());
  Expected<graph::LapackCall> call = graph::lapackCall(op, dims);
  if (!call)
    return e.fail(llvm::toString(call.takeError()), ErrorCode::Unsupported);
  return callLapack(e, *call);
}
