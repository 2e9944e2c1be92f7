// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One walk in program order; loops are walked until nothing changes.

#include "passes/autodiff/Activity.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/RegionUtils.h"
#include "passes/autodiff/GradientRule.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::autodiff {

Activity::Activity(Block &block, ValueRange seeds) {
  varied.insert(seeds.begin(), seeds.end());
  visit(block);
}

bool Activity::isVaried(ValueRange values) const {
  return llvm::any_of(values, [&](Value value) { return isVaried(value); });
}

bool Activity::readsVaried(Operation *op) const {
  auto rule = dyn_cast<GradientRule>(op);
  if (isVaried(op->getOperands()) || (rule && isVaried(rule.variables())))
    return true;
  return llvm::any_of(op->getRegions(), [&](Region &region) {
    return isVaried(capturedBy(region).getArrayRef());
  });
}

bool Activity::mark(Value value, bool isActive) {
  return isActive && isDifferentiable(value.getType()) &&
         varied.insert(value).second;
}

bool readsBits(Operation *op) {
  return isa<BitcastOp>(op) && !op->use_empty() &&
         gradientAnswerOf(op).kind == GradientAnswer::Refused;
}

/// What the derivative of `value` is made of: values before it, and those that
/// are carried in its place.
static void appendSources(Value value, SmallVectorImpl<Value> &sources) {
  auto argument = dyn_cast<BlockArgument>(value);
  Operation *op =
      argument ? argument.getOwner()->getParentOp() : value.getDefiningOp();
  unsigned index = argument ? argument.getArgNumber()
                            : cast<OpResult>(value).getResultNumber();
  if (auto loop = dyn_cast<WhileOp>(op)) {
    Block &body = loop.getBody().front();
    sources.append({loop.getInits()[index], body.getArgument(index),
                    body.getTerminator()->getOperand(index),
                    loop->getResult(index)});
    return;
  }
  if (isa<ManualOp>(op)) {
    sources.push_back(argument
                          ? op->getOperand(index)
                          : op->getRegion(0).front().back().getOperand(index));
    return;
  }
  if (argument)
    return;
  if (isa<IfOp, CaseOp>(op)) {
    for (Region &region : op->getRegions())
      sources.push_back(region.front().getTerminator()->getOperand(index));
    return;
  }
  if (gradientAnswerOf(op).kind == GradientAnswer::Zero)
    return;
  llvm::append_range(sources, op->getOperands());
  if (auto rule = dyn_cast<GradientRule>(op))
    llvm::append_range(sources, rule.variables());
  for (Region &region : op->getRegions())
    llvm::append_range(sources, capturedBy(region));
}

void Activity::keepUseful(Block &block, ValueRange ends) {
  SmallVector<Value> open(ends);
  block.walk([&](Operation *op) {
    if (readsBits(op))
      llvm::append_range(open, op->getOperands());
  });
  llvm::DenseSet<Value> useful;
  while (!open.empty()) {
    Value value = open.pop_back_val();
    if (isVaried(value) && useful.insert(value).second)
      appendSources(value, open);
  }
  varied = std::move(useful);
}

void Activity::visit(Block &block) {
  for (Operation &op : block)
    visit(&op);
}

/// A carried value is varied where its first value or that of any trip is.
void Activity::visitLoop(Operation *op) {
  auto loop = cast<WhileOp>(op);
  Block &body = loop.getBody().front();
  bool hasChanged = true;
  while (hasChanged) {
    hasChanged = false;
    for (auto [init, result, argument] :
         llvm::zip(loop.getInits(), loop.getResults(), body.getArguments()))
      hasChanged |= mark(argument, isVaried(init) || isVaried(Value(result)));
    visit(body);
    for (auto [result, yielded] :
         llvm::zip(loop.getResults(), body.getTerminator()->getOperands()))
      hasChanged |= mark(result, isVaried(yielded));
    for (auto [init, result] : llvm::zip(loop.getInits(), loop.getResults()))
      hasChanged |= mark(result, isVaried(init));
  }
}

void Activity::visit(Operation *op) {
  if (isa<WhileOp>(op))
    return visitLoop(op);
  if (isa<CheckpointOp, ManualOp>(op))
    for (auto [argument, input] :
         llvm::zip(op->getRegion(0).getArguments(), op->getOperands()))
      mark(argument, isVaried(input));
  if (isa<IfOp, CaseOp, CheckpointOp, ManualOp>(op)) {
    for (Region &region : op->getRegions()) {
      visit(region.front());
      for (auto [result, yielded] : llvm::zip(
               op->getResults(), region.front().getTerminator()->getOperands()))
        mark(result, isVaried(yielded));
    }
    return;
  }
  if (gradientAnswerOf(op).kind == GradientAnswer::Zero || !readsVaried(op))
    return;
  for (Value result : op->getResults())
    mark(result, true);
}

llvm::SetVector<Value> capturedBy(Region &region) {
  llvm::SetVector<Value> values;
  getUsedValuesDefinedAbove(region, region, values);
  return values;
}

} // namespace zenith::autodiff
