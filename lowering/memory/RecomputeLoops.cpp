// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows come from copies of the scheduled kernels: no kernel is fused or tiled
// otherwise than in the loop that stacked them.

#include "lowering/memory/RecomputeLoops.h"

#include "ir/matchers/TypeOf.h"
#include "lowering/memory/FunctionGraph.h"
#include "lowering/memory/FunctionPlans.h"
#include "lowering/memory/RowKernels.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace zenith::memory {

using graph::FusionOp;
using graph::typeOf;

namespace {

/// What is recomputed of one loop with stacks.
class LoopRecomputation {
public:
  LoopRecomputation(StackedLoop &stacked, const SymbolTable &symbols,
                    const target::TargetModel &target)
      : stacked(stacked), symbols(symbols), kernels(target),
        body(stacked.body.getBody().front()) {}

  /// Whether all that the rows need can be had again, in less memory.
  bool analyse();
  LogicalResult rewrite();

private:
  bool collectNeeded();
  bool isDropped(const LoopStack &stack) const;
  int64_t bytesOf(Value value) const;
  LogicalResult stackCarried();
  LogicalResult readRows();
  LogicalResult readRows(host::LoopOp reader, Value index,
                         ArrayRef<std::pair<const LoopStack *, StackRead>>);
  Value captured(host::LoopOp &reader, Value outside);
  void dropStacks();

  StackedLoop &stacked;
  const SymbolTable &symbols;
  RowKernels kernels;
  Block &body;
  llvm::SetVector<Operation *> needed; ///< ops of the body
  /// Carried values that the rows rest on, without those that are stacked.
  llvm::SetVector<unsigned> carried;
  /// Stacks of carried values, by their index: results of the loop.
  llvm::MapVector<unsigned, unsigned> rowsOf;
};

} // namespace

int64_t LoopRecomputation::bytesOf(Value value) const {
  graph::DimAnalysis own;
  return memory::bytesOf(value, own).constant().value_or(0);
}

/// Stacks of carried values stay: the others are made from them.
bool LoopRecomputation::isDropped(const LoopStack &stack) const {
  return !stack.carried;
}

bool LoopRecomputation::collectNeeded() {
  unsigned count = stacked.loop.getInits().size();
  SmallVector<Value> open;
  auto readBy = [&](FusionOp update, Value stack) {
    for (Value input : update.getInputs())
      if (input != stack)
        open.push_back(input);
  };
  for (const LoopStack &stack : stacked.stacks)
    if (isDropped(stack))
      readBy(stack.update, body.getArgument(stack.index));
  while (!open.empty()) {
    Value value = open.pop_back_val();
    if (!typeOf(value).hasStaticShape())
      return false;
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      unsigned index = argument.getArgNumber();
      if (index < count && index != stacked.counter && !rowsOf.count(index))
        carried.insert(index);
      continue;
    }
    Operation *op = value.getDefiningOp();
    if (!needed.insert(op))
      continue;
    // Loops and branches of the body have functions of their own.
    if (!isMemoryEffectFree(op) || isa<host::BranchOp, host::LoopOp>(op))
      return false;
    llvm::append_range(open, op->getOperands());
  }
  return true;
}

bool LoopRecomputation::analyse() {
  for (const LoopStack &stack : stacked.stacks)
    if (stack.carried)
      rowsOf.insert({*stack.carried, stack.index});
  if (llvm::none_of(stacked.stacks,
                    [&](const LoopStack &stack) { return isDropped(stack); }) ||
      !collectNeeded())
    return false;
  int64_t dropped = 0, added = 0;
  for (const LoopStack &stack : stacked.stacks)
    if (isDropped(stack))
      dropped += bytesOf(stacked.loop.getResult(stack.index));
  for (unsigned index : carried)
    added += bytesOf(stacked.loop.getInits()[index]) * stacked.trips;
  return added < dropped;
}

/// Adds a carried stack for each carried value that the rows rest on.
LogicalResult LoopRecomputation::stackCarried() {
  if (carried.empty())
    return success();
  host::LoopOp loop = stacked.loop;
  Location loc = loop.getLoc();
  OpBuilder before(loop), inside(body.getTerminator());
  unsigned count = loop.getInits().size();
  SmallVector<Value> inits(loop.getInits()), next;
  SmallVector<Attribute> sizes(loop.getDims().begin(), loop.getDims().end());
  Builder attributes(loop.getContext());
  for (unsigned index : carried) {
    RankedTensorType type =
        stackType(typeOf(body.getArgument(index)), stacked.trips);
    FailureOr<Value> init = kernels.zeros(before, loc, type);
    unsigned place = inits.size();
    auto donated = attributes.getDictionaryAttr(
        attributes.getNamedAttr(donatedAttrName, attributes.getUnitAttr()));
    for (func::FuncOp function : {stacked.condition, stacked.body})
      function.insertArgument(
          place, type,
          function == stacked.body ? donated : attributes.getDictionaryAttr({}),
          loc);
    FailureOr<Value> update = kernels.write(
        inside, loc, body.getArgument(place), body.getArgument(index),
        body.getArgument(stacked.counter));
    if (failed(init) || failed(update))
      return failure();
    SmallVector<Attribute> lengths;
    for (int64_t size : type.getShape())
      lengths.push_back(
          graph::DimAttr::get(loop.getContext(), graph::DimExpr(size)));
    sizes.push_back(attributes.getArrayAttr(lengths));
    rowsOf.insert({index, place});
    inits.push_back(*init);
    next.push_back(*update);
    stacked.body.insertResult(place, type, {});
  }
  Operation *end = body.getTerminator();
  end->insertOperands(end->getNumOperands(), next);
  auto wider = before.create<host::LoopOp>(
      loc, ValueRange(inits).getTypes(), inits, loop.getConditionCaptures(),
      loop.getBodyCaptures(), loop.getConditionAttr(), loop.getBodyAttr(),
      attributes.getArrayAttr(sizes));
  wider->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  loop->replaceAllUsesWith(wider->getResults().take_front(count));
  loop.erase();
  stacked.loop = wider;
  return success();
}

/// The argument of the body of a later loop that is `outside`, a value around
/// both loops.
Value LoopRecomputation::captured(host::LoopOp &reader, Value outside) {
  auto function = symbols.lookup<func::FuncOp>(reader.getBody());
  unsigned first = reader.getInits().size();
  for (auto [number, value] : llvm::enumerate(reader.getBodyCaptures()))
    if (value == outside)
      return function.getArgument(first + number);
  unsigned place = function.getNumArguments();
  function.insertArgument(place, outside.getType(), {}, reader.getLoc());
  reader.getBodyCapturesMutable().append(outside);
  return function.getArgument(place);
}

/// Lets a fusion read a row instead of slicing it out of a stack.
static void readRow(const StackRead &read, Value row) {
  FusionOp fusion = read.fusion;
  BlockArgument argument = fusion.getBody().getArgument(read.operand);
  argument.setType(row.getType());
  for (Operation *slice : llvm::make_early_inc_range(argument.getUsers())) {
    slice->getResult(0).replaceAllUsesWith(argument);
    slice->erase();
  }
  fusion.getInputsMutable()[read.operand].set(row);
}

/// Rows that one later loop reads at one index.
LogicalResult LoopRecomputation::readRows(
    host::LoopOp reader, Value index,
    ArrayRef<std::pair<const LoopStack *, StackRead>> reads) {
  Operation *first = llvm::min_element(reads, [](auto &x, auto &y) {
                       FusionOp a = x.second.fusion, b = y.second.fusion;
                       return a->isBeforeInBlock(b);
                     })->second.fusion;
  OpBuilder builder(first);
  Location loc = reader.getLoc();
  // As the slices do, which stay within the stacks.
  Value own = builder.create<graph::MinOp>(
      loc, index.getType(), index,
      integerScalar(builder, loc, index.getType(), stacked.trips - 1));
  own = builder.create<graph::MaxOp>(
      loc, index.getType(), own,
      integerScalar(builder, loc, index.getType(), 0));
  Value counter = body.getArgument(stacked.counter);
  if (own.getType() != counter.getType())
    own = builder.create<graph::ConvertOp>(loc, counter.getType(), own);
  IRMapping again;
  again.map(counter, own);
  for (auto [number, place] : rowsOf) {
    Value stack = captured(reader, stacked.loop.getResult(place));
    FailureOr<Value> value = kernels.read(builder, loc, stack, own);
    if (failed(value))
      return failure();
    again.map(body.getArgument(number), *value);
  }
  unsigned before = stacked.loop.getInits().size();
  for (auto [number, value] : llvm::enumerate(stacked.loop.getBodyCaptures()))
    if (!body.getArgument(before + number).use_empty())
      again.map(body.getArgument(before + number), captured(reader, value));
  auto mark =
      FlatSymbolRefAttr::get(stacked.loop.getContext(), stacked.loop.getBody());
  llvm::SetVector<Operation *> wanted;
  SmallVector<Value> open;
  for (auto &[stack, read] : reads)
    llvm::append_range(open, FusionOp(stack->update).getInputs());
  while (!open.empty()) {
    Operation *op = open.pop_back_val().getDefiningOp();
    if (op && needed.contains(op) && wanted.insert(op))
      llvm::append_range(open, op->getOperands());
  }
  for (Operation &op : body)
    if (wanted.contains(&op))
      if (Operation *copy = builder.clone(op, again); isa<FusionOp>(copy))
        copy->setAttr(recomputesAttrName, mark);
  llvm::DenseMap<const LoopStack *, Value> rows;
  for (auto &[stack, read] : reads) {
    Value &row = rows[stack];
    if (!row) {
      FailureOr<Value> made = kernels.rowOf(builder, stack->update, again);
      if (failed(made))
        return failure();
      row = *made;
      if (auto fusion = row.getDefiningOp<FusionOp>();
          !liveness::isReshapeOnly(fusion))
        fusion->setAttr(recomputesAttrName, mark);
    }
    readRow(read, row);
  }
  return success();
}

LogicalResult LoopRecomputation::readRows() {
  llvm::MapVector<Value, SmallVector<std::pair<const LoopStack *, StackRead>>>
      places;
  for (const LoopStack &stack : stacked.stacks)
    if (isDropped(stack))
      for (const StackRead &read : stack.reads)
        places[read.index].push_back({&stack, read});
  llvm::DenseMap<Operation *, host::LoopOp> readers;
  for (Operation &op : *stacked.loop->getBlock())
    if (auto loop = dyn_cast<host::LoopOp>(op))
      readers[symbols.lookup(loop.getBody())] = loop;
  for (auto &[index, reads] : places) {
    FusionOp fusion = reads.front().second.fusion;
    if (failed(readRows(readers[fusion->getParentOp()], index, reads)))
      return failure();
  }
  return success();
}

/// What nothing reads any more.
static void dropCaptures(host::LoopOp reader, func::FuncOp body) {
  unsigned first = reader.getInits().size();
  BitVector unread(body.getNumArguments());
  for (unsigned number = reader.getBodyCaptures().size(); number-- > 0;)
    if (body.getArgument(first + number).use_empty()) {
      unread.set(first + number);
      reader.getBodyCapturesMutable().erase(number);
    }
  body.eraseArguments(unread);
}

void LoopRecomputation::dropStacks() {
  host::LoopOp loop = stacked.loop;
  for (Operation &op : *loop->getBlock())
    if (auto reader = dyn_cast<host::LoopOp>(op); reader && reader != loop)
      dropCaptures(reader, symbols.lookup<func::FuncOp>(reader.getBody()));
  unsigned count = loop.getInits().size();
  BitVector ofBody(stacked.body.getNumArguments()),
      ofCondition(stacked.condition.getNumArguments()), results(count);
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
      loop.getConditionCaptures(), loop.getBodyCaptures(),
      loop.getConditionAttr(), loop.getBodyAttr(), builder.getArrayAttr(sizes));
  fewer->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  for (auto [from, to] : llvm::zip(kept, fewer.getResults()))
    from.replaceAllUsesWith(to);
  Block &around = *loop->getBlock();
  loop.erase();
  stacked.loop = fewer;
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(around)))
    if (isOpTriviallyDead(&op))
      op.erase();
}

LogicalResult LoopRecomputation::rewrite() {
  if (failed(stackCarried()) || failed(readRows()))
    return failure();
  dropStacks();
  return success();
}

/// Visits loops with stacks that can be recomputed, inner ones first, until one
/// visit says that it is enough or fails.
static LogicalResult
forEachLoop(ModuleOp module, const target::TargetModel &target,
            llvm::function_ref<LogicalResult(LoopRecomputation &)> visit) {
  SymbolTable symbols(module);
  CallCounts calls = callCounts(module, symbols);
  for (func::FuncOp function : calleesFirst(module, symbols)) {
    if (function.isExternal())
      continue;
    SmallVector<host::LoopOp> loops(
        function.getBody().front().getOps<host::LoopOp>());
    for (host::LoopOp loop : loops) {
      std::optional<StackedLoop> stacked = stackedLoop(loop, symbols, calls);
      if (!stacked)
        continue;
      LoopRecomputation recomputation(*stacked, symbols, target);
      if (recomputation.analyse() && failed(visit(recomputation)))
        return failure();
    }
  }
  return success();
}

bool hasLoopsToRecompute(ModuleOp module) {
  target::TargetModel target = target::modelOf(module);
  return failed(forEachLoop(module, target,
                            [](LoopRecomputation &) { return failure(); }));
}

LogicalResult recomputeLoops(ModuleOp module,
                             const target::TargetModel &target) {
  return forEachLoop(module, target, [](LoopRecomputation &recomputation) {
    return recomputation.rewrite();
  });
}

} // namespace zenith::memory
