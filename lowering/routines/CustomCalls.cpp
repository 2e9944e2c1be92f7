// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// custom_call: LAPACK's routines, where this machine has them.

#include "ir/matchers/LapackCalls.h"
#include "lowering/routines/OrderingCalls.h"
#include "lowering/routines/RoutineCall.h"
#include "runtime/routines/Lapack.h"

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

// A call without matrices only tells whether there is such a routine.
static bool isThere(const graph::LapackCall &call) {
  int64_t nothing[8] = {};
  return zenith_routine_lapack(call.routine.c_str(), call.letter, nothing,
                               nullptr, nullptr) == ZENITH_LAPACK_DONE;
}

// The name in two words, low byte first.
static void nameNumbers(RoutineCall &call, StringRef name) {
  for (StringRef part : {name.take_front(8),
                         name.drop_front(std::min<size_t>(8, name.size()))}) {
    uint64_t word = 0;
    for (auto [at, letter] : llvm::enumerate(part))
      word |= uint64_t(uint8_t(letter)) << (8 * at);
    call.number(int64_t(word));
  }
}

// Sizes that are not known count as 64.
static double flopsOf(const graph::LapackCall &call) {
  auto size = [](const DimExpr &dim) {
    return double(dim.constant().value_or(64));
  };
  double rows = size(call.rows), columns = size(call.columns);
  return 10 * size(call.batches) * rows * columns * std::max(rows, columns);
}

FailureOr<KernelPlan> emitCustomCall(const EmissionContext &context,
                                     graph::CustomCallOp op) {
  std::vector<graph::DimVector> dims;
  for (Value input : op.getInputs())
    dims.push_back(context.dims.dimsOf(input));
  auto lapack = graph::lapackCall(op, dims);
  if (!lapack)
    return op.emitError() << "no kernel for '" << op->getName() << "' that "
                          << llvm::toString(lapack.takeError());
  if (lapack->routine.size() > 16 || !isThere(*lapack))
    return op.emitError() << "no kernel for '" << op->getName()
                          << "' that calls '" << op.getTarget()
                          << "': this machine has no liblapack.so.3";
  RoutineCall call(context, "custom_call");
  nameNumbers(call, lapack->routine);
  call.number(int64_t(lapack->letter));
  call.number(int64_t(op.getInputs().size()));
  call.number(int64_t(op.getNumResults()));
  for (Value result : op.getResults())
    call.number(context.dims.elementCount(result) * elementBytesOf(result));
  call.number(lapack->batches);
  call.number(lapack->rows);
  call.number(lapack->columns);
  for (const DimExpr &option : lapack->options)
    call.number(option);
  for (Value input : op.getInputs())
    call.operand(input);
  for (Value result : op.getResults()) {
    if (!call.kernel.resultOf(result))
      return op.emitError() << "no kernel for '" << op->getName()
                            << "' without all of its results";
    call.result(result);
  }
  FailureOr<Launch> launch = call.finish(1, flopsOf(*lapack));
  if (failed(launch))
    return failure();
  KernelPlan plan;
  plan.launches.push_back(std::move(*launch));
  return plan;
}

} // namespace zenith::kernels
