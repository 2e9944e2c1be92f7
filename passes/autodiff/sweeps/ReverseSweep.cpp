// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The walk from the last op to the first, and ops that have rules.

#include "passes/autodiff/sweeps/ReverseSweep.h"
#include "ir/matchers/RegionInlining.h"
#include "mlir/IR/TypeUtilities.h"
#include "passes/autodiff/sweeps/CustomRules.h"
#include "passes/autodiff/sweeps/PullBack.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::autodiff {

void ReverseSweep::accumulate(Value value, Value cotangent) {
  if (!cotangent || !activity.isVaried(value))
    return;
  RuleBuilder rule(builder, cotangent.getLoc());
  // What a region yields may know more dimensions than the result.
  Value own = asType(builder, cotangent.getLoc(), cotangent, value.getType());
  Value &sum = cotangents[value];
  sum = sum ? rule.add(rule.widened(sum), rule.widened(own)) : own;
}

Value ReverseSweep::cotangentOf(Value value) {
  Value sum = cotangents.lookup(value);
  if (!sum)
    return {};
  RuleBuilder rule(builder, sum.getLoc());
  return rule.convert(sum, getElementTypeOrSelf(value.getType()));
}

llvm::Error ReverseSweep::run(Block &block) {
  // Loops are replaced while they are visited, and what is built may be in the
  // same block.
  SmallVector<Operation *> ops;
  for (Operation &op : block.without_terminator())
    ops.push_back(&op);
  for (Operation *op : llvm::reverse(ops))
    if (llvm::Error error = visit(op))
      return error;
  return llvm::Error::success();
}

BitVector ReverseSweep::activeAmong(ValueRange values) const {
  BitVector active(values.size());
  for (auto [index, value] : llvm::enumerate(values))
    active[index] = activity.isVaried(value);
  return active;
}

llvm::Error ReverseSweep::visit(Operation *op) {
  GradientAnswer answer = gradientAnswerOf(op);
  if (readsBits(op) && activity.readsVaried(op))
    return refuseRule(op, answer.reason);
  SmallVector<Value> given;
  for (Value result : op->getResults())
    given.push_back(cotangentOf(result));
  if (llvm::none_of(given, [](Value value) { return bool(value); }))
    return llvm::Error::success();
  if (isa<IfOp, CaseOp>(op))
    return visitBranches(op, given);
  if (auto loop = dyn_cast<WhileOp>(op))
    return visitLoop(loop, given);
  if (auto checkpoint = dyn_cast<CheckpointOp>(op))
    return visitCheckpoint(checkpoint, given);
  if (auto call = dyn_cast<func::CallOp>(op))
    return visitCall(call, given);
  // A parameter that is differentiated by has a cotangent, and no operands.
  if (answer.kind == GradientAnswer::Zero)
    return llvm::Error::success();
  if (answer.kind == GradientAnswer::Refused)
    return refuseRule(op, answer.reason);
  if (auto manual = dyn_cast<ManualOp>(op))
    return visitManual(manual, given);
  if (takesBlocks(op))
    return visitAttention(cast<AttentionOp>(op), given[0]);
  if (isa<LayerNormOp, RmsNormOp>(op))
    return visitNorm(op, given[0]);
  return visitRule(op, given);
}

llvm::Error ReverseSweep::visitRule(Operation *op, ArrayRef<Value> ofResults) {
  if (accumulatePart(op, ofResults[0]))
    return llvm::Error::success();
  RuleBuilder rule(builder, op->getLoc());
  auto interface = cast<GradientRule>(op);
  SmallVector<Value> variables = interface.variables();
  Derivatives gradients =
      pullBack(builder, op->getLoc(), variables, activeAmong(variables),
               ofResults, [&](ArrayRef<Value> tangents) {
                 return interface.linearize(rule, tangents);
               });
  if (!gradients)
    return gradients.takeError();
  for (auto [variable, gradient] : llvm::zip(variables, *gradients))
    accumulate(variable, gradient);
  return llvm::Error::success();
}

llvm::Error ReverseSweep::visitCall(func::CallOp call,
                                    ArrayRef<Value> ofResults) {
  func::FuncOp callee = calleeOf(call);
  SmallVector<Value> gradients;
  if (callee->hasAttr(customVjpAttrName)) {
    OpBuilder before(call);
    SmallVector<Value> computed = customForward(call, before);
    unsigned count = call.getNumResults();
    call->replaceAllUsesWith(ArrayRef(computed).take_front(count));
    gradients = customGradients(
        call, builder, ArrayRef(computed).drop_front(count), ofResults);
  } else {
    Derivatives own = pullBack(builder, call.getLoc(), call.getOperands(),
                               activeAmong(call.getOperands()), ofResults,
                               [&](ArrayRef<Value> tangents) {
                                 return customTangents(call, builder, tangents);
                               });
    if (!own) {
      Error error = errorOf(own.takeError());
      // The program promised that its rule is linear.
      return makeError(error.text.find("not linear") == std::string::npos
                           ? error.code
                           : ErrorCode::Invalid,
                       "graph.custom_jvp of @" + call.getCallee() + ": " +
                           error.text,
                       error.location);
    }
    gradients = std::move(*own);
  }
  for (auto [operand, gradient] : llvm::zip(call.getOperands(), gradients))
    accumulate(operand, gradient);
  if (call.use_empty())
    call.erase();
  return llvm::Error::success();
}

SmallVector<Value> ReverseSweep::variedCaptures(Operation *op) const {
  llvm::SetVector<Value> values;
  for (Region &region : op->getRegions())
    for (Value value : capturedBy(region))
      if (activity.isVaried(value))
        values.insert(value);
  return values.takeVector();
}

} // namespace zenith::autodiff
