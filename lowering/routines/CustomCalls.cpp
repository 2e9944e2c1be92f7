// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// custom_call: LAPACK's routines, where this machine has them.

#include "ir/matchers/LapackCalls.h"
#include "lowering/routines/RoutineCall.h"
#include "lowering/routines/RoutineKernels.h"
#include "runtime/routines/Lapack.h"

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

// A call without matrices only tells whether there is such a routine.
static bool isAvailable(const graph::LapackCall &call) {
  int64_t nothing[8] = {};
  return zenith_routine_lapack(call.routine.c_str(), call.letter, nothing,
                               nullptr, nullptr) == ZENITH_LAPACK_DONE;
}

// At most eight letters as a word, low byte first.
static int64_t lettersOf(StringRef part) {
  uint64_t word = 0;
  for (auto [at, letter] : llvm::enumerate(part))
    word |= uint64_t(uint8_t(letter)) << (8 * at);
  return int64_t(word);
}

using Arguments = zenith_custom_call_arguments;

static void setMatrices(RoutineCall<Arguments> &call,
                        const graph::LapackCall &lapack) {
  StringRef name = lapack.routine;
  call.set(&Arguments::name_low, lettersOf(name.take_front(8)));
  call.set(&Arguments::name_high,
           lettersOf(name.drop_front(std::min<size_t>(8, name.size()))));
  call.set(&Arguments::type, int64_t(lapack.letter));
  SmallVector<Value> sizes = {call.number(lapack.batches),
                              call.number(lapack.rows),
                              call.number(lapack.columns)};
  for (const DimExpr &option : lapack.options)
    sizes.push_back(call.number(option));
  call.set(&Arguments::sizes, sizes);
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
  if (lapack->routine.size() > 16 || !isAvailable(*lapack))
    return op.emitError() << "no kernel for '" << op->getName()
                          << "' that calls '" << op.getTarget()
                          << "': this machine has no liblapack.so.3";
  RoutineCall<Arguments> call(context, "custom_call");
  setMatrices(call, *lapack);
  SmallVector<Value> bytes, inputs, results;
  for (Value input : op.getInputs())
    inputs.push_back(call.operand(input));
  for (Value result : op.getResults()) {
    if (!call.kernel.resultOf(result))
      return op.emitError() << "no kernel for '" << op->getName()
                            << "' without all of its results";
    bytes.push_back(call.number(context.dims.elementCount(result) *
                                elementBytesOf(result)));
    results.push_back(call.result(result));
  }
  call.set(&Arguments::ninputs, int64_t(inputs.size()));
  call.set(&Arguments::nresults, int64_t(results.size()));
  call.set(&Arguments::result_bytes, bytes);
  call.set(&Arguments::inputs, inputs);
  call.set(&Arguments::results, results);
  KernelPlan plan;
  if (!addLaunch(plan, call.finish(1, flopsOf(*lapack))))
    return failure();
  return plan;
}

} // namespace zenith::kernels
