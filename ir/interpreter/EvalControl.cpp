// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Meaning of the Control family: choices, loops, barriers, assertions and calls
// of routines known by name.

#include "ir/AssertionCode.h"
#include "ir/GraphOps.h"
#include "ir/LocationText.h"
#include "ir/interpreter/EvalCustomCall.h"
#include "ir/tensor/Scalar.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::interpreter;
using llvm::Expected;

// Checks the values of a region against the result types.
static llvm::Error checkAll(const OpEvaluation &e, ArrayRef<Tensor> values) {
  if (values.size() != e.op->getNumResults())
    return e.fail("a region yields " + Twine(values.size()) +
                      " values, expected " + Twine(e.op->getNumResults()),
                  ErrorCode::Invalid);
  for (auto [i, value] : llvm::enumerate(values))
    if (llvm::Error error = e.checkShape(value.shape(), i))
      return error;
  return llvm::Error::success();
}

static Expected<Results> runBranch(const OpEvaluation &e, Region &region) {
  Expected<Results> results = e.regions->run(region, {});
  if (results)
    if (llvm::Error error = checkAll(e, *results))
      return std::move(error);
  return results;
}

static Expected<Results> evaluateCase(graph::CaseOp op, const OpEvaluation &e) {
  int64_t index = integerOf(e.operand(0)), count = op.getBranches().size();
  if (index < 0 || index >= count)
    index = count - 1;
  return runBranch(e, op.getBranches()[index]);
}

static Results takeAll(const OpEvaluation &e) {
  Results values;
  values.reserve(e.operands.size());
  for (size_t i = 0; i < e.operands.size(); ++i)
    values.push_back(e.take(i));
  return values;
}

static Expected<Results> evaluateWhile(graph::WhileOp op,
                                       const OpEvaluation &e) {
  Results values = takeAll(e);
  int64_t limit = e.regions->maxLoopSteps();
  for (int64_t step = 0;; ++step) {
    if (llvm::Error error = checkAll(e, values))
      return std::move(error);
    Expected<Results> shouldContinue =
        e.regions->run(op.getCondition(), values);
    if (!shouldContinue)
      return shouldContinue;
    if (!elementAt(shouldContinue->front(), 0).isNonZero())
      return values;
    if (step == limit)
      return e.fail("takes more than " + Twine(limit) + " steps");
    Expected<Results> next = e.regions->run(op.getBody(), std::move(values));
    if (!next)
      return next;
    values = std::move(*next);
  }
}

// `{0}` and so on replaced by the values of the details.
static std::string assertText(StringRef message, ArrayRef<Tensor> details) {
  std::string text;
  while (!message.empty()) {
    size_t open = message.find('{'), close = message.find('}', open);
    unsigned index = 0;
    bool isPlace = close != StringRef::npos &&
                   !message.slice(open + 1, close).getAsInteger(10, index) &&
                   index < details.size();
    text += message.take_front(open).str();
    if (isPlace)
      text += elementAt(details[index], 0).str();
    else if (open != StringRef::npos)
      text += "{";
    if (open == StringRef::npos)
      break;
    message = message.drop_front(isPlace ? close + 1 : open + 1);
  }
  return text;
}

Expected<Results> zenith::interpreter::evaluateControl(const OpEvaluation &e) {
  if (auto op = dyn_cast<graph::IfOp>(e.op))
    return runBranch(e, elementAt(e.operand(0), 0).isNonZero()
                            ? op.getThenRegion()
                            : op.getElseRegion());
  if (auto op = dyn_cast<graph::CaseOp>(e.op))
    return evaluateCase(op, e);
  if (auto op = dyn_cast<graph::WhileOp>(e.op))
    return evaluateWhile(op, e);
  if (isa<graph::BarrierOp, graph::HostReadOp, graph::NamedOp, graph::PlaceOp,
          graph::StopGradientOp, graph::ShardOp, graph::ReshardOp,
          graph::ShardBarrierOp>(e.op))
    return takeAll(e);
  // A group binds shardings, not values.
  if (isa<graph::ShardGroupOp>(e.op))
    return Results();
  if (auto op = dyn_cast<graph::CheckpointOp>(e.op))
    return e.regions->run(op.getBody(), takeAll(e));
  if (auto op = dyn_cast<graph::CustomCallOp>(e.op))
    return evaluateCustomCall(op, e);
  if (auto op = dyn_cast<graph::AssertOp>(e.op)) {
    if (elementAt(e.operand(0), 0).isNonZero())
      return Results();
    // The same words as those of compiled programs.
    return makeError(graph::assertionCode(op),
                     assertText(op.getMessage(), e.operands.drop_front()),
                     graph::placeOf(op->getLoc()));
  }
  return e.fail("has no meaning in the interpreter", ErrorCode::Unsupported);
}
