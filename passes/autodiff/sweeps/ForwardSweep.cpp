// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tangents after each op; branches and loops are built again with more results.

#include "passes/autodiff/sweeps/ForwardSweep.h"
#include "mlir/IR/IRMapping.h"
#include "passes/autodiff/sweeps/CustomRules.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::autodiff {

llvm::Error ForwardSweep::run(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block))
    if (llvm::Error error = visit(&op))
      return error;
  return llvm::Error::success();
}

llvm::Error ForwardSweep::visit(Operation *op) {
  if (op->hasTrait<OpTrait::IsTerminator>() || !activity.readsVaried(op))
    return llvm::Error::success();
  if (isa<IfOp, CaseOp>(op))
    return visitBranches(op);
  if (auto loop = dyn_cast<WhileOp>(op))
    return visitLoop(loop);
  if (auto call = dyn_cast<func::CallOp>(op))
    return visitCall(call);
  GradientAnswer answer = gradientAnswerOf(op);
  if (answer.kind == GradientAnswer::Zero ||
      (!activity.isVaried(op->getResults()) && !readsBits(op)))
    return llvm::Error::success();
  if (answer.kind == GradientAnswer::Refused)
    return refuseRule(op, answer.reason);
  if (auto manual = dyn_cast<ManualOp>(op))
    return visitManual(manual);
  SmallVector<Value> given;
  auto interface = cast<GradientRule>(op);
  for (Value variable : interface.variables())
    given.push_back(tangentOf(variable));
  if (llvm::none_of(given, [](Value value) { return bool(value); }))
    return llvm::Error::success();
  OpBuilder builder(op);
  builder.setInsertionPointAfter(op);
  RuleBuilder rule(builder, op->getLoc());
  Derivatives results = interface.linearize(rule, given);
  if (!results)
    return results.takeError();
  for (auto [result, tangent] : llvm::zip(op->getResults(), *results))
    if (tangent)
      setTangent(result, tangent);
  return llvm::Error::success();
}

llvm::Error ForwardSweep::yieldTangents(Block &block,
                                        ArrayRef<unsigned> wanted) {
  Operation *yield = block.getTerminator();
  OpBuilder builder(yield);
  RuleBuilder rule(builder, yield->getLoc());
  SmallVector<Value> values(yield->getOperands());
  for (unsigned index : wanted) {
    Value tangent = tangentOf(values[index]);
    values.push_back(tangent ? tangent : rule.zeros(values[index]));
  }
  yield->setOperands(values);
  return llvm::Error::success();
}

static SmallVector<unsigned> variedOf(const Activity &activity,
                                      ValueRange values) {
  SmallVector<unsigned> indices;
  for (auto [index, value] : llvm::enumerate(values))
    if (activity.isVaried(value))
      indices.push_back(index);
  return indices;
}

/// An op like `op` with the regions of `op` and more results of the types of
/// those in `wanted`.
static Operation *withTangents(Operation *op, ArrayRef<unsigned> wanted,
                               ValueRange operands) {
  SmallVector<Type> types(op->getResultTypes());
  for (unsigned index : wanted)
    types.push_back(op->getResult(index).getType());
  OperationState state(op->getLoc(), op->getName(), operands, types,
                       op->getAttrs());
  for (Region &region : op->getRegions())
    state.addRegion()->takeBody(region);
  OpBuilder builder(op);
  return builder.create(state);
}

llvm::Error ForwardSweep::visitBranches(Operation *op) {
  SmallVector<unsigned> wanted = variedOf(activity, op->getResults());
  for (Region &region : op->getRegions()) {
    if (llvm::Error error = run(region.front()))
      return error;
    if (llvm::Error error = yieldTangents(region.front(), wanted))
      return error;
  }
  Operation *wider = withTangents(op, wanted, op->getOperands());
  unsigned count = op->getNumResults();
  for (unsigned i = 0; i < count; ++i) {
    op->getResult(i).replaceAllUsesWith(wider->getResult(i));
    if (activity.isVaried(op->getResult(i)))
      activity.setVaried(wider->getResult(i));
  }
  for (auto [i, index] : llvm::enumerate(wanted))
    setTangent(wider->getResult(index), wider->getResult(count + i));
  op->erase();
  return llvm::Error::success();
}

llvm::Error ForwardSweep::visitLoop(WhileOp loop) {
  SmallVector<unsigned> wanted = variedOf(activity, loop.getResults());
  OpBuilder builder(loop);
  RuleBuilder rule(builder, loop.getLoc());
  SmallVector<Value> inits(loop.getInits());
  Block &body = loop.getBody().front(),
        &condition = loop.getCondition().front();
  for (unsigned index : wanted) {
    Value tangent = tangentOf(inits[index]);
    inits.push_back(tangent ? tangent : rule.zeros(inits[index]));
    Type type = loop.getResult(index).getType();
    condition.addArgument(type, loop.getLoc());
    Value argument = body.addArgument(type, loop.getLoc());
    setTangent(body.getArgument(index), argument);
  }
  if (llvm::Error error = run(body))
    return error;
  if (llvm::Error error = yieldTangents(body, wanted))
    return error;
  Operation *wider = withTangents(loop, wanted, inits);
  unsigned count = loop->getNumResults();
  for (unsigned i = 0; i < count; ++i) {
    if (activity.isVaried(loop->getResult(i)))
      activity.setVaried(wider->getResult(i));
    loop->getResult(i).replaceAllUsesWith(wider->getResult(i));
  }
  for (auto [i, index] : llvm::enumerate(wanted))
    setTangent(wider->getResult(index), wider->getResult(count + i));
  loop->erase();
  return llvm::Error::success();
}

// Tangents are dealt like their values.
llvm::Error ForwardSweep::visitManual(ManualOp op) {
  Block &body = op.getBody().front();
  SmallVector<Value> inputs(op.getInputs());
  SmallVector<Attribute> inShardings(op.getInShardings().getValue()),
      outShardings(op.getOutShardings().getValue());
  for (auto [index, input] : llvm::enumerate(op.getInputs())) {
    Value tangent = tangentOf(input);
    if (!tangent)
      continue;
    BlockArgument own = body.getArgument(index);
    inputs.push_back(tangent);
    inShardings.push_back(inShardings[index]);
    setTangent(own, body.addArgument(own.getType(), op.getLoc()));
  }
  if (llvm::Error error = run(body))
    return error;
  SmallVector<unsigned> wanted = variedOf(activity, op.getResults());
  if (llvm::Error error = yieldTangents(body, wanted))
    return error;
  for (unsigned index : wanted)
    outShardings.push_back(outShardings[index]);
  unsigned count = op.getNumResults();
  auto wider = cast<ManualOp>(withTangents(op, wanted, inputs));
  wider->removeAttr(shardingAttrName);
  Builder attributes(op.getContext());
  wider.setInShardingsAttr(attributes.getArrayAttr(inShardings));
  wider.setOutShardingsAttr(attributes.getArrayAttr(outShardings));
  for (auto [result, other] :
       llvm::zip(op.getResults(), wider.getResults().take_front(count))) {
    if (activity.isVaried(result))
      activity.setVaried(other);
    result.replaceAllUsesWith(other);
  }
  for (auto [i, index] : llvm::enumerate(wanted))
    setTangent(wider.getResult(index), wider.getResult(count + unsigned(i)));
  op.erase();
  return llvm::Error::success();
}

llvm::Error ForwardSweep::visitCall(func::CallOp call) {
  SmallVector<Value> given;
  for (Value operand : call.getOperands())
    given.push_back(tangentOf(operand));
  OpBuilder builder(call);
  builder.setInsertionPointAfter(call);
  Derivatives results = customTangents(call, builder, given);
  if (!results)
    return results.takeError();
  for (auto [result, tangent] : llvm::zip(call.getResults(), *results))
    if (tangent)
      setTangent(result, tangent);
  return llvm::Error::success();
}

} // namespace zenith::autodiff
