// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Assigns slots to the values of a block and finds the last use of each,
// including uses in regions of its ops.

#include "ir/interpreter/BlockPlan.h"

#include "mlir/IR/Operation.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::interpreter;

SmallVector<Block *> zenith::interpreter::blocksUpTo(Block *block,
                                                     Value value) {
  SmallVector<Block *> path;
  Block *owner = value.getParentBlock();
  for (; block; block = block->getParentOp() ? block->getParentOp()->getBlock()
                                             : nullptr) {
    path.push_back(block);
    if (block == owner)
      return path;
  }
  return {};
}

llvm::DenseMap<Value, unsigned> zenith::interpreter::slotsOf(Block &block) {
  llvm::DenseMap<Value, unsigned> slots;
  for (Value argument : block.getArguments())
    slots.try_emplace(argument, slots.size());
  for (Operation &op : block)
    for (Value result : op.getResults())
      slots.try_emplace(result, slots.size());
  return slots;
}

namespace {
struct LastUse {
  Operation *op = nullptr; ///< an op of the block
  bool byOperand = false, byRegion = false;
};
} // namespace

static llvm::DenseMap<Value, LastUse> lastUses(Block &block) {
  llvm::DenseMap<Value, LastUse> last;
  auto note = [&](Operation &op, Value value, bool byRegion) {
    if (value.getParentBlock() != &block)
      return;
    LastUse &use = last[value];
    if (use.op != &op)
      use = {&op, false, false};
    (byRegion ? use.byRegion : use.byOperand) = true;
  };
  for (Operation &op : block) {
    for (Value operand : op.getOperands())
      note(op, operand, false);
    for (Region &region : op.getRegions())
      region.walk([&](Operation *inner) {
        for (Value operand : inner->getOperands())
          note(op, operand, true);
      });
  }
  return last;
}

BlockPlan::BlockPlan(Block &block) {
  llvm::DenseMap<Block *, llvm::DenseMap<Value, unsigned>> slots;
  auto slotOf = [&](Value value) {
    Block *owner = value.getParentBlock();
    auto [known, isNew] = slots.try_emplace(owner);
    if (isNew)
      known->second = slotsOf(*owner);
    return known->second.lookup(value);
  };
  llvm::DenseMap<Value, LastUse> last = lastUses(block);
  llvm::DenseMap<Operation *, SmallVector<unsigned, 2>> dead;
  for (auto &[value, use] : last)
    if (use.byRegion)
      dead[use.op].push_back(slotOf(value));
  ops.reserve(block.getOperations().size());
  slotCount = block.getNumArguments();
  for (Operation &op : block) {
    slotCount += op.getNumResults();
    PlannedOp &planned = ops.emplace_back();
    planned.op = &op;
    for (size_t i = 0, count = op.getNumOperands(); i < count; ++i) {
      Value operand = op.getOperand(i);
      auto use = last.find(operand);
      // If an op reads a value twice, its last operand releases the slot.
      bool givesUp =
          use != last.end() && use->second.op == &op && !use->second.byRegion &&
          !llvm::is_contained(op.getOperands().drop_front(i + 1), operand);
      planned.operands.push_back(
          {unsigned(blocksUpTo(&block, operand).size()) - 1, slotOf(operand),
           givesUp});
    }
    for (Value result : op.getResults())
      planned.results.push_back(last.count(result) ? int64_t(slotOf(result))
                                                   : -1);
    if (auto found = dead.find(&op); found != dead.end())
      planned.dead = found->second;
  }
}
