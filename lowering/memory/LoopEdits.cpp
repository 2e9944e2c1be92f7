// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop and its functions change together: carried values are operands,
// results, arguments of both functions, and what the body returns.

#include "lowering/memory/LoopEdits.h"

#include "ir/matchers/TypeOf.h"
#include "lowering/memory/FunctionPlans.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace zenith::memory {

using graph::FusionOp;
using graph::typeOf;

ArrayAttr extentsOf(RankedTensorType type) {
  SmallVector<Attribute> lengths;
  for (int64_t size : type.getShape())
    lengths.push_back(
        graph::DimAttr::get(type.getContext(), graph::DimExpr(size)));
  return ArrayAttr::get(type.getContext(), lengths);
}

void readRow(const StackRead &read, Value row) {
  FusionOp fusion = read.fusion;
  BlockArgument argument = fusion.getBody().getArgument(read.operand);
  argument.setType(row.getType());
  for (Operation *slice : llvm::make_early_inc_range(argument.getUsers())) {
    slice->getResult(0).replaceAllUsesWith(argument);
    slice->erase();
  }
  fusion.getInputsMutable()[read.operand].set(row);
}

LoopEdits::LoopEdits(SymbolTable &symbols, func::FuncOp function)
    : symbols(symbols) {
  for (host::LoopOp loop : function.getBody().front().getOps<host::LoopOp>())
    loops[bodyOf(loop)] = loop;
}

SmallVector<func::FuncOp> LoopEdits::bodies() const {
  SmallVector<func::FuncOp> all;
  for (auto &[body, loop] : loops)
    all.push_back(body);
  return all;
}

host::LoopOp LoopEdits::carryMore(host::LoopOp loop, ValueRange inits) {
  OpBuilder builder(loop);
  unsigned count = loop.getInits().size();
  auto condition = symbols.lookup<func::FuncOp>(loop.getCondition());
  func::FuncOp body = bodyOf(loop);
  auto donated = builder.getDictionaryAttr(
      builder.getNamedAttr(donatedAttrName, builder.getUnitAttr()));
  SmallVector<Value> all(loop.getInits());
  SmallVector<Attribute> sizes(loop.getDims().begin(), loop.getDims().end());
  for (Value init : inits) {
    unsigned place = all.size();
    condition.insertArgument(place, init.getType(), {}, loop.getLoc());
    body.insertArgument(place, init.getType(), donated, loop.getLoc());
    body.insertResult(place, init.getType(), {});
    sizes.push_back(extentsOf(typeOf(init)));
    all.push_back(init);
  }
  auto wider = builder.create<host::LoopOp>(
      loop.getLoc(), ValueRange(all).getTypes(), all,
      loop.getConditionCaptures(), loop.getBodyCaptures(), loop.getShared(),
      loop.getConditionAttr(), loop.getBodyAttr(), builder.getArrayAttr(sizes),
      loop.getNumbersAttr());
  wider->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  loop->replaceAllUsesWith(wider->getResults().take_front(count));
  loop.erase();
  return loops[body] = wider;
}

Value LoopEdits::captured(host::LoopOp reader, Value outside) {
  func::FuncOp function = bodyOf(reader);
  unsigned first = reader.getInits().size();
  for (auto [number, value] : llvm::enumerate(reader.getBodyCaptures()))
    if (value == outside)
      return function.getArgument(first + number);
  unsigned place = function.getNumArguments();
  function.insertArgument(place, outside.getType(), {}, reader.getLoc());
  reader.getBodyCapturesMutable().append(outside);
  return function.getArgument(place);
}

/// What nothing reads any more.
void LoopEdits::dropCaptures(host::LoopOp reader) {
  func::FuncOp body = bodyOf(reader);
  unsigned first = reader.getInits().size();
  BitVector unread(body.getNumArguments());
  for (unsigned number = reader.getBodyCaptures().size(); number-- > 0;)
    if (body.getArgument(first + number).use_empty()) {
      unread.set(first + number);
      reader.getBodyCapturesMutable().erase(number);
    }
  body.eraseArguments(unread);
}

void LoopEdits::dropStacks(
    StackedLoop &stacked,
    llvm::function_ref<bool(const LoopStack &)> isDropped) {
  host::LoopOp loop = stacked.loop;
  for (Operation &op : *loop->getBlock())
    if (auto reader = dyn_cast<host::LoopOp>(op); reader && reader != loop)
      dropCaptures(reader);
  unsigned count = loop.getInits().size();
  BitVector ofBody(stacked.body.getNumArguments()),
      ofCondition(stacked.condition.getNumArguments()), results(count);
  Block &body = stacked.body.getBody().front();
  Operation *end = body.getTerminator();
  for (const LoopStack &stack : stacked.stacks)
    if (isDropped(stack)) {
      ofBody.set(stack.index);
      ofCondition.set(stack.index);
      results.set(stack.index);
    }
  end->eraseOperands(results);
  for (const LoopStack &stack : stacked.stacks)
    if (isDropped(stack))
      FusionOp(stack.update).erase();
  // Last readers first: what only rows rested on runs no more.
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
    if (isOpTriviallyDead(&op))
      op.erase();
  stacked.body.eraseArguments(ofBody);
  stacked.body.eraseResults(results);
  stacked.condition.eraseArguments(ofCondition);
  SmallVector<Value> inits, kept;
  SmallVector<Attribute> sizes;
  for (unsigned index = 0; index < count; ++index)
    if (!results.test(index)) {
      inits.push_back(loop.getInits()[index]);
      kept.push_back(loop.getResult(index));
      sizes.push_back(loop.getDims()[index]);
    }
  OpBuilder builder(loop);
  auto fewer = builder.create<host::LoopOp>(
      loop.getLoc(), ValueRange(inits).getTypes(), inits,
      loop.getConditionCaptures(), loop.getBodyCaptures(), loop.getShared(),
      loop.getConditionAttr(), loop.getBodyAttr(), builder.getArrayAttr(sizes),
      loop.getNumbersAttr());
  fewer->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  for (auto [from, to] : llvm::zip(kept, fewer.getResults()))
    from.replaceAllUsesWith(to);
  Block &around = *loop->getBlock();
  loop.erase();
  stacked.loop = loops[stacked.body] = fewer;
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(around)))
    if (isOpTriviallyDead(&op))
      op.erase();
}

LogicalResult forEachStackedLoop(
    ModuleOp module,
    llvm::function_ref<LogicalResult(StackedLoop &, LoopEdits &)> visit) {
  SymbolTable symbols(module);
  CallCounts calls = callCounts(module, symbols);
  for (func::FuncOp function : calleesFirst(module, symbols)) {
    if (function.isExternal())
      continue;
    LoopEdits edits(symbols, function);
    for (func::FuncOp body : edits.bodies()) {
      std::optional<StackedLoop> stacked =
          stackedLoop(edits.loopOf(body), symbols, calls);
      if (stacked && failed(visit(*stacked, edits)))
        return failure();
    }
  }
  return success();
}

} // namespace zenith::memory
