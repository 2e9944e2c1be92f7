// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the values that differ between rows: forward over the ops, and over
// loops until nothing new is found.

#include "passes/batching/VaryingValues.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::batching {

bool VaryingValues::read(Operation *op) const {
  if (llvm::any_of(op->getOperands(),
                   [&](Value operand) { return contains(operand); }))
    return true;
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  return llvm::any_of(captured, [&](Value value) { return contains(value); });
}

void VaryingValues::propagate(Region &region) {
  for (Block &block : region)
    for (Operation &op : block)
      propagate(&op);
}

void VaryingValues::propagateLoop(WhileOp loop) {
  Block &condition = loop.getCondition().front(),
        &body = loop.getBody().front();
  Operation *goesOn = condition.getTerminator(), *next = body.getTerminator();
  size_t before;
  do {
    before = values.size();
    bool everything = contains(goesOn->getOperand(0));
    for (auto [i, init] : llvm::enumerate(loop.getInits()))
      if (everything || contains(init) || contains(next->getOperand(i)))
        insertAll(
            {condition.getArgument(i), body.getArgument(i), loop.getResult(i)});
    propagate(loop.getCondition());
    propagate(loop.getBody());
  } while (values.size() != before);
}

void VaryingValues::propagateBranches(Operation *op) {
  bool everything = contains(op->getOperand(0));
  for (Region &region : op->getRegions()) {
    propagate(region);
    Operation *end = region.front().getTerminator();
    for (auto [result, yielded] :
         llvm::zip_equal(op->getResults(), end->getOperands()))
      if (everything || contains(yielded))
        insert(result);
  }
}

void VaryingValues::propagateRegion(Operation *op) {
  Block &body = op->getRegion(0).front();
  for (auto [input, argument] :
       llvm::zip_equal(op->getOperands(), body.getArguments()))
    if (contains(input))
      insert(argument);
  propagate(op->getRegion(0));
  for (auto [result, yielded] :
       llvm::zip_equal(op->getResults(), body.getTerminator()->getOperands()))
    if (contains(yielded))
      insert(result);
}

void VaryingValues::propagate(Operation *op) {
  if (isa<DimOp>(op))
    return;
  if (auto loop = dyn_cast<WhileOp>(op))
    return propagateLoop(loop);
  if (isa<IfOp, CaseOp>(op))
    return propagateBranches(op);
  if (isa<CheckpointOp, ManualOp>(op))
    return propagateRegion(op);
  if (isa<BarrierOp>(op)) {
    for (auto [operand, result] :
         llvm::zip_equal(op->getOperands(), op->getResults()))
      if (contains(operand))
        insert(result);
    return;
  }
  if (read(op))
    insertAll(op->getResults());
}

} // namespace zenith::batching
