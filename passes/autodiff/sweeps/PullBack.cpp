// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Linear ops are built on placeholders, transposed from the last to the first,
// and erased.

#include "passes/autodiff/sweeps/PullBack.h"
#include "mlir/IR/Block.h"

using namespace mlir;

namespace zenith::autodiff {

namespace {

/// The ops that one rule has built, and the cotangents of their values.
class LinearOps {
public:
  LinearOps(OpBuilder &builder, Block &tangents)
      : builder(builder), tangents(tangents),
        block(builder.getInsertionBlock()) {
    Block::iterator place = builder.getInsertionPoint();
    before = place == block->begin() ? nullptr : &*std::prev(place);
  }

  /// Finds the ops between the place at construction and now.
  void collect() {
    Block::iterator from =
        before ? std::next(before->getIterator()) : block->begin();
    for (Operation &op : llvm::make_range(from, builder.getInsertionPoint()))
      if (llvm::any_of(op.getOperands(),
                       [&](Value value) { return isLinear(value); })) {
        ops.push_back(&op);
        for (Value result : op.getResults())
          if (graph::isDifferentiable(result.getType()))
            linear.insert(result);
      }
  }

  void accumulate(Value value, Value cotangent) {
    if (!cotangent || !isLinear(value))
      return;
    RuleBuilder rule(builder, cotangent.getLoc());
    Value &sum = cotangents[value];
    sum = rule.plus(sum, cotangent);
  }

  llvm::Error transpose() {
    for (Operation *op : llvm::reverse(ops))
      if (llvm::Error error = transpose(op))
        return error;
    return llvm::Error::success();
  }

  Value cotangentOf(Value value) const { return cotangents.lookup(value); }

  /// Sizes of linear values are sizes of the values that they change.
  void erase(ArrayRef<Value> primals) {
    for (auto [placeholder, primal] :
         llvm::zip(tangents.getArguments(), primals))
      placeholder.replaceAllUsesWith(primal);
    for (Operation *op : llvm::reverse(ops))
      if (op->use_empty())
        op->erase();
  }

private:
  bool isLinear(Value value) const {
    return value.getParentBlock() == &tangents || linear.contains(value);
  }

  llvm::Error transpose(Operation *op) {
    SmallVector<Value> given;
    for (Value result : op->getResults())
      given.push_back(cotangents.lookup(result));
    if (llvm::none_of(given, [](Value value) { return bool(value); }))
      return llvm::Error::success();
    BitVector mask(op->getNumOperands());
    for (OpOperand &operand : op->getOpOperands())
      mask[operand.getOperandNumber()] = isLinear(operand.get());
    auto interface = dyn_cast<GradientRule>(op);
    if (!interface)
      return notLinear(op);
    RuleBuilder rule(builder, op->getLoc());
    Derivatives result = interface.transpose(rule, given, mask);
    if (!result)
      return result.takeError();
    for (auto [operand, cotangent] : llvm::zip(op->getOperands(), *result))
      accumulate(operand, cotangent);
    return llvm::Error::success();
  }

  OpBuilder &builder;
  Block &tangents; ///< whose arguments are the placeholders
  Block *block;
  Operation *before;
  SmallVector<Operation *> ops;
  llvm::DenseSet<Value> linear;
  llvm::DenseMap<Value, Value> cotangents;
};

} // namespace

Derivatives pullBack(OpBuilder &builder, Location loc, ValueRange operands,
                     const BitVector &active, ArrayRef<Value> cotangents,
                     BuildTangents linearize) {
  Block tangents;
  SmallVector<Value> placeholders(operands.size()), primals;
  for (unsigned index : active.set_bits()) {
    placeholders[index] = tangents.addArgument(operands[index].getType(), loc);
    primals.push_back(operands[index]);
  }
  LinearOps ops(builder, tangents);
  Derivatives results = linearize(placeholders);
  if (!results) {
    ops.collect();
    ops.erase(primals);
    return results.takeError();
  }
  ops.collect();
  for (auto [result, cotangent] : llvm::zip(*results, cotangents))
    if (result)
      ops.accumulate(result, cotangent);
  llvm::Error error = ops.transpose();
  SmallVector<Value> sums(operands.size());
  for (unsigned index : active.set_bits())
    sums[index] = ops.cotangentOf(placeholders[index]);
  ops.erase(primals);
  if (error)
    return std::move(error);
  return sums;
}

} // namespace zenith::autodiff
