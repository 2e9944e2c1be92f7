// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies constants and functions for each use, and merges equal copies.

#include "passes/sharding/SplitSharedValues.h"

#include "ir/GraphOps.h"
#include "ir/program/Shardings.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::sharding {

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

static bool isScalar(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getRank() == 0;
}

namespace {
/// Copies what readers share within one function.
class ConstantCopies {
public:
  SmallVector<SmallVector<Operation *>> run(func::FuncOp function) {
    function.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isConstant(op)) {
        constants.insert(op);
        return;
      }
      if (isa<BroadcastOp>(op) && isScalar(op->getOperand(0)))
        expansions.insert(op);
      for (OpOperand &operand : op->getOpOperands())
        read(operand);
    });
    SmallVector<SmallVector<Operation *>> lists;
    for (Operation *op : order)
      lists.push_back(copies[op]);
    return lists;
  }

private:
  bool isConstant(Operation *op) const {
    if (isa<ConstantOp, IotaOp>(op))
      return true;
    bool isPure =
        familyOf(op) == Family::Elementwise || isa<BroadcastOp, SliceOp>(op);
    return isPure && op->getNumOperands() > 0 &&
           llvm::all_of(op->getOperands(), [&](Value operand) {
             return constants.contains(operand.getDefiningOp());
           });
  }

  // The first reader keeps the original.
  void read(OpOperand &operand) {
    Operation *producer = operand.get().getDefiningOp();
    if (!producer || isScalar(operand.get()) ||
        !(constants.contains(producer) || expansions.contains(producer)))
      return;
    operand.set(copy(producer)->getResult(
        cast<OpResult>(operand.get()).getResultNumber()));
  }

  Operation *copy(Operation *op) {
    SmallVector<Operation *> &list = copies[op];
    if (!list.empty()) {
      llvm::DenseMap<Operation *, Operation *> made;
      return clone(op, made);
    }
    order.push_back(op);
    list.push_back(op);
    for (OpOperand &operand : op->getOpOperands())
      if (!isScalar(operand.get()))
        read(operand);
    return op;
  }

  // What is read several times within one copy is copied once.
  Operation *clone(Operation *op,
                   llvm::DenseMap<Operation *, Operation *> &made) {
    if (Operation *known = made.lookup(op))
      return known;
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(op);
    Operation *clone = builder.clone(*op);
    made[op] = clone;
    copies[op].push_back(clone);
    for (OpOperand &operand : clone->getOpOperands())
      if (Operation *inner = originalOf(operand.get().getDefiningOp()))
        operand.set(
            this->clone(inner, made)
                ->getResult(cast<OpResult>(operand.get()).getResultNumber()));
    return clone;
  }

  // The constant of which `op` is a copy, if it is one with dimensions.
  Operation *originalOf(Operation *op) const {
    return op && constants.contains(op) && !isScalar(op->getResult(0))
               ? op
               : nullptr;
  }

  llvm::SetVector<Operation *> constants, expansions;
  llvm::DenseMap<Operation *, SmallVector<Operation *>> copies;
  SmallVector<Operation *> order;
};
} // namespace

void SharedValues::splitConstants(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>())
    llvm::append_range(constants, ConstantCopies().run(function));
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

void SharedValues::splitCalls(ModuleOp module) {
  SymbolTable symbols(module);
  llvm::DenseMap<Operation *, size_t> lists;
  // Calls of functions that are themselves copied come after, in the copies.
  SmallVector<func::CallOp> calls;
  for (auto function : module.getOps<func::FuncOp>())
    if (function.isPublic())
      function.walk([&](func::CallOp call) { calls.push_back(call); });
  llvm::DenseSet<Operation *> called;
  // A program whose calls would be copied without end has been refused as
  // recursive; one that grows too far keeps what is left shared.
  constexpr size_t mostCalls = 10000;
  for (size_t i = 0; i < calls.size() && i < mostCalls; ++i) {
    auto callee = symbols.lookup<func::FuncOp>(calls[i].getCallee());
    if (!callee || callee.isExternal())
      continue;
    func::FuncOp own = callee;
    if (!called.insert(callee).second) {
      own = cast<func::FuncOp>(callee->clone());
      own.setPrivate();
      symbols.insert(own, std::next(callee->getIterator()));
      calls[i].setCallee(own.getSymName());
      auto [list, isNew] = lists.try_emplace(callee, functions.size());
      if (isNew)
        functions.push_back({callee});
      functions[list->second].push_back(own);
    }
    own.walk([&](func::CallOp call) { calls.push_back(call); });
  }
}

//===----------------------------------------------------------------------===//
// Merging
//===----------------------------------------------------------------------===//

static SmallVector<Attribute> shardingsOf(Operation *op) {
  SmallVector<Attribute> list;
  for (Value result : op->getResults())
    list.push_back(shardingOf(result));
  return list;
}

/// All that may differ between copies of a function.
static SmallVector<Attribute> signatureOf(func::FuncOp function) {
  SmallVector<Attribute> list;
  for (BlockArgument argument : function.getArguments())
    list.push_back(shardingOf(argument));
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    list.push_back(resultSharding(function, i));
  function.walk([&](Operation *op) {
    if (auto call = dyn_cast<func::CallOp>(op))
      list.push_back(call.getCalleeAttr());
    if (auto manual = dyn_cast<ManualOp>(op))
      list.append({manual.getInShardings(), manual.getOutShardings()});
    else if (auto shard = dyn_cast<ShardOp>(op))
      list.push_back(shard.getSharding());
    llvm::append_range(list, shardingsOf(op));
  });
  return list;
}

void SharedValues::merge(ModuleOp module) {
  // What a copy reads was mostly copied after it: copies of operands are merged
  // first.
  for (auto &copies : llvm::reverse(constants))
    for (size_t i = 1; i < copies.size(); ++i)
      for (size_t k = 0; k < i; ++k) {
        if (!copies[k] || shardingsOf(copies[i]) != shardingsOf(copies[k]) ||
            copies[i]->getOperands() != copies[k]->getOperands())
          continue;
        // The original stands first, and each later copy before earlier ones.
        copies[i]->replaceAllUsesWith(copies[k]->getResults());
        if (k > 0)
          copies[k]->moveAfter(copies[0]);
        copies[i]->erase();
        copies[i] = nullptr;
        break;
      }
  // Callees first.
  for (auto &copies : llvm::reverse(functions))
    for (size_t i = 1; i < copies.size(); ++i)
      for (size_t k = 0; k < i; ++k) {
        if (!copies[k] || signatureOf(copies[i]) != signatureOf(copies[k]))
          continue;
        StringRef gone = copies[i].getSymName();
        module.walk([&](func::CallOp call) {
          if (call.getCallee() == gone)
            call.setCallee(copies[k].getSymName());
        });
        copies[i].erase();
        copies[i] = nullptr;
        break;
      }
}

} // namespace zenith::sharding
