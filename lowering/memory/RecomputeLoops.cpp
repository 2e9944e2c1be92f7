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
#include <cmath>

using namespace mlir;

namespace zenith::memory {

using graph::FusionOp;
using graph::typeOf;

/// The sizes of a static type as host.loop has them.
static ArrayAttr extentsOf(RankedTensorType type) {
  SmallVector<Attribute> lengths;
  for (int64_t size : type.getShape())
    lengths.push_back(
        graph::DimAttr::get(type.getContext(), graph::DimExpr(size)));
  return ArrayAttr::get(type.getContext(), lengths);
}

namespace {

/// Loops by their bodies: a loop that carries more than before is another op.
using LoopsOfBodies = llvm::MapVector<func::FuncOp, host::LoopOp>;

/// What is recomputed of one loop with stacks.
class LoopRecomputation {
public:
  /// With `inSegments` only the carried values at the start of each segment are
  /// stacked; a later loop computes those of a segment when it comes to it.
  LoopRecomputation(StackedLoop &stacked, SymbolTable &symbols,
                    LoopsOfBodies &loops, const target::TargetModel &target,
                    bool inSegments)
      : stacked(stacked), symbols(symbols), loops(loops), kernels(target),
        body(stacked.body.getBody().front()),
        length(inSegments ? int64_t(std::ceil(std::sqrt(stacked.trips))) : 1) {}

  /// Whether all that the rows need can be had again, in less memory.
  bool analyse();
  LogicalResult rewrite();
  /// Bytes of the stacks that it drops, less those that it adds.
  int64_t savedBytes() const { return saved; }

private:
  bool collectNeeded();
  bool hasSegments() const { return length > 1; }
  /// Rows of a stack of carried values: the last of several segments is there
  /// for what trips behind its start write.
  int64_t rowCount() const {
    return hasSegments() ? (stacked.trips - 2 + length) / length + 1
                         : stacked.trips;
  }
  bool isDropped(const LoopStack &stack) const;
  int64_t bytesOf(Value value) const;
  host::LoopOp carryMore(host::LoopOp loop, ValueRange inits);
  LogicalResult stackCarried();
  LogicalResult readRows();
  LogicalResult readRows(host::LoopOp reader, Value index,
                         ArrayRef<std::pair<const LoopStack *, StackRead>>);
  LogicalResult readCarried(OpBuilder &builder, host::LoopOp &reader,
                            Value index, IRMapping &again);
  LogicalResult readSegment(OpBuilder &builder, host::LoopOp &reader,
                            Value index, IRMapping &again);
  FailureOr<host::LoopOp> advance(OpBuilder &builder, host::LoopOp &reader,
                                  Value start, Value count, ValueRange stacks);
  void cloneNeeded(OpBuilder &builder, SmallVectorImpl<Value> &open,
                   IRMapping &again);
  Value captured(host::LoopOp &reader, Value outside);
  void dropStacks();
  /// What says that an op runs again.
  Attribute mark() {
    return FlatSymbolRefAttr::get(stacked.body.getSymNameAttr());
  }

  StackedLoop &stacked;
  SymbolTable &symbols;
  LoopsOfBodies &loops;
  RowKernels kernels;
  Block &body;
  int64_t length; ///< trips of a segment
  int64_t saved = 0;
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

/// Stacks of carried values stay, where there are no segments: the others are
/// made from them.
bool LoopRecomputation::isDropped(const LoopStack &stack) const {
  return hasSegments() || !stack.carried;
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
      if (index < count && index != stacked.counter && !rowsOf.count(index) &&
          carried.insert(index) && hasSegments())
        open.push_back(body.getTerminator()->getOperand(index));
      continue;
    }
    Operation *op = value.getDefiningOp();
    if (!needed.insert(op))
      continue;
    // Loops and branches of the body have functions of their own, and what is
    // shared with the body is not with the readers.
    if (!isMemoryEffectFree(op) ||
        isa<host::BranchOp, host::LoopOp, host::SharedOp>(op))
      return false;
    llvm::append_range(open, op->getOperands());
  }
  return true;
}

bool LoopRecomputation::analyse() {
  for (const LoopStack &stack : stacked.stacks)
    if (!isDropped(stack))
      rowsOf.insert({*stack.carried, stack.index});
  if (llvm::none_of(stacked.stacks,
                    [&](const LoopStack &stack) { return isDropped(stack); }) ||
      !collectNeeded())
    return false;
  for (const LoopStack &stack : stacked.stacks)
    if (isDropped(stack))
      saved += bytesOf(stacked.loop.getResult(stack.index));
  int64_t rows = rowCount() + (hasSegments() ? length : 0);
  for (unsigned index : carried)
    saved -= bytesOf(stacked.loop.getInits()[index]) * rows;
  return saved > 0;
}

/// The loop with further carried values, arguments of its functions, which the
/// caller lets the body return. Those that it had stay where they were.
host::LoopOp LoopRecomputation::carryMore(host::LoopOp loop, ValueRange inits) {
  OpBuilder builder(loop);
  unsigned count = loop.getInits().size();
  auto condition = symbols.lookup<func::FuncOp>(loop.getCondition()),
       body = symbols.lookup<func::FuncOp>(loop.getBody());
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

/// Adds a carried stack for each carried value that the rows rest on. Row r of
/// segments is written until trip r * length, where the segment starts.
LogicalResult LoopRecomputation::stackCarried() {
  if (carried.empty())
    return success();
  Location loc = stacked.loop.getLoc();
  OpBuilder before(stacked.loop), inside(body.getTerminator());
  unsigned first = stacked.loop.getInits().size();
  SmallVector<Value> inits, next;
  for (unsigned index : carried) {
    FailureOr<Value> init = kernels.zeros(
        before, loc, stackType(typeOf(body.getArgument(index)), rowCount()));
    if (failed(init))
      return failure();
    rowsOf.insert({index, first + inits.size()});
    inits.push_back(*init);
  }
  stacked.loop = carryMore(stacked.loop, inits);
  Value row = body.getArgument(stacked.counter);
  if (hasSegments()) {
    row = inside.create<graph::AddOp>(
        loc, row.getType(), row,
        integerScalar(inside, loc, row.getType(), length - 1));
    row = inside.create<graph::DivOp>(
        loc, row.getType(), row,
        integerScalar(inside, loc, row.getType(), length));
  }
  for (unsigned index : carried) {
    FailureOr<Value> update =
        kernels.write(inside, loc, body.getArgument(rowsOf[index]),
                      body.getArgument(index), row);
    if (failed(update))
      return failure();
    next.push_back(*update);
  }
  Operation *end = body.getTerminator();
  end->insertOperands(end->getNumOperands(), next);
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

/// Maps carried values to row `index` of their stacks.
LogicalResult LoopRecomputation::readCarried(OpBuilder &builder,
                                             host::LoopOp &reader, Value index,
                                             IRMapping &again) {
  for (auto [number, place] : rowsOf) {
    Value stack = captured(reader, stacked.loop.getResult(place));
    FailureOr<Value> value =
        kernels.read(builder, reader.getLoc(), stack, index);
    if (failed(value))
      return failure();
    again.map(body.getArgument(number), *value);
  }
  return success();
}

/// Lets a later loop carry the values of the segment that it is in, whose
/// number it carries, too: in a trip with an index of another segment it
/// computes those of that one.
LogicalResult LoopRecomputation::readSegment(OpBuilder &builder,
                                             host::LoopOp &reader, Value index,
                                             IRMapping &again) {
  Location loc = reader.getLoc();
  Type type = index.getType();
  auto number = [&](OpBuilder &at, int64_t value) {
    return integerScalar(at, loc, type, value);
  };
  OpBuilder before(reader);
  unsigned first = reader.getInits().size();
  SmallVector<Value> inits{number(before, -1)}, stacks, next;
  for (auto [carriedValue, place] : rowsOf) {
    FailureOr<Value> init = kernels.zeros(
        before, loc, stackType(typeOf(body.getArgument(carriedValue)), length));
    if (failed(init))
      return failure();
    inits.push_back(*init);
  }
  reader = carryMore(reader, inits);
  auto own = symbols.lookup<func::FuncOp>(reader.getBody());
  for (unsigned k = 1; k < inits.size(); ++k)
    stacks.push_back(own.getArgument(first + k));
  Value segment =
      builder.create<graph::DivOp>(loc, type, index, number(builder, length));
  Value start =
      builder.create<graph::MulOp>(loc, type, segment, number(builder, length));
  Value isThere = builder.create<graph::CompareOp>(
      loc, typeOf(index).clone(builder.getI1Type()),
      graph::CompareDirection::eq, own.getArgument(first), segment);
  // The last segment may have fewer trips.
  Value rest = builder.create<graph::SubOp>(
      loc, type, number(builder, stacked.trips), start);
  rest = builder.create<graph::MinOp>(loc, type, rest, number(builder, length));
  Value count = builder.create<graph::SelectOp>(loc, type, isThere,
                                                number(builder, 0), rest);
  IRMapping atStart;
  if (failed(readCarried(builder, reader, segment, atStart)))
    return failure();
  SmallVector<Value> values{number(builder, 0)};
  for (auto [carriedValue, place] : rowsOf)
    values.push_back(atStart.lookup(body.getArgument(carriedValue)));
  llvm::append_range(values, stacks);
  FailureOr<host::LoopOp> inner =
      advance(builder, reader, start, count, values);
  if (failed(inner))
    return failure();
  Value place = builder.create<graph::SubOp>(loc, type, index, start);
  next.push_back(segment);
  for (auto [k, row] : llvm::enumerate(rowsOf)) {
    Value stack = inner->getResult(1 + rowsOf.size() + k);
    FailureOr<Value> value = kernels.read(builder, loc, stack, place);
    if (failed(value))
      return failure();
    again.map(body.getArgument(row.first), *value);
    next.push_back(stack);
  }
  Operation *end = own.getBody().front().getTerminator();
  end->insertOperands(first, next);
  return success();
}

/// A loop in the body of `reader` that computes `count` carried values from
/// trip `start` on: of `inits`, which are a counter, the carried values and
/// their stacks, it writes the values into rows from 0 on.
FailureOr<host::LoopOp> LoopRecomputation::advance(OpBuilder &builder,
                                                   host::LoopOp &reader,
                                                   Value start, Value count,
                                                   ValueRange inits) {
  Location loc = reader.getLoc();
  Type counter = start.getType();
  auto makeFunction = [&](StringRef role, TypeRange results) {
    SmallVector<Type> types(inits.getTypes());
    types.push_back(counter);
    auto function = func::FuncOp::create(
        loc, (stacked.body.getSymName() + "_" + role).str(),
        builder.getFunctionType(types, results));
    function.setPrivate();
    function->setAttr(host::nestedAttrName, builder.getUnitAttr());
    function.addEntryBlock();
    symbols.insert(function, std::next(stacked.body->getIterator()));
    return function;
  };
  Type truth = typeOf(start).clone(builder.getI1Type());
  func::FuncOp condition = makeFunction("more", truth),
               step = makeFunction("again", inits.getTypes());
  OpBuilder test = OpBuilder::atBlockBegin(&condition.getBody().front());
  Value isMore = test.create<graph::CompareOp>(
      loc, truth, graph::CompareDirection::lt, condition.getArgument(0),
      condition.getArgument(inits.size()));
  test.create<func::ReturnOp>(loc, isMore);
  for (unsigned index = 0; index < inits.size(); ++index)
    step.setArgAttr(index, donatedAttrName, builder.getUnitAttr());

  OpBuilder inside = OpBuilder::atBlockBegin(&step.getBody().front());
  SmallVector<Value> captures{start}, next;
  IRMapping again;
  again.map(body.getArgument(stacked.counter),
            inside.create<graph::AddOp>(loc, counter, step.getArgument(0),
                                        step.getArgument(inits.size())));
  next.push_back(
      inside.create<graph::AddOp>(loc, counter, step.getArgument(0),
                                  integerScalar(inside, loc, counter, 1)));
  SmallVector<Value> stacks, open;
  for (auto [k, row] : llvm::enumerate(rowsOf)) {
    again.map(body.getArgument(row.first), step.getArgument(1 + k));
    open.push_back(body.getTerminator()->getOperand(row.first));
    FailureOr<Value> update =
        kernels.write(inside, loc, step.getArgument(1 + rowsOf.size() + k),
                      step.getArgument(1 + k), step.getArgument(0));
    if (failed(update))
      return failure();
    stacks.push_back(*update);
  }
  unsigned before = stacked.loop.getInits().size();
  for (auto [number, value] : llvm::enumerate(stacked.loop.getBodyCaptures())) {
    Value argument = body.getArgument(before + number);
    if (argument.use_empty())
      continue;
    captures.push_back(captured(reader, value));
    step.insertArgument(step.getNumArguments(), argument.getType(), {}, loc);
    again.map(argument, step.getArguments().back());
  }
  cloneNeeded(inside, open, again);
  for (auto row : rowsOf)
    next.push_back(again.lookup(body.getTerminator()->getOperand(row.first)));
  llvm::append_range(next, stacks);
  inside.create<func::ReturnOp>(loc, next);
  SmallVector<Attribute> sizes;
  for (Value init : inits)
    sizes.push_back(extentsOf(typeOf(init)));
  return builder.create<host::LoopOp>(
      loc, inits.getTypes(), inits, count, captures, reader.getShared(),
      FlatSymbolRefAttr::get(condition.getSymNameAttr()),
      FlatSymbolRefAttr::get(step.getSymNameAttr()),
      builder.getArrayAttr(sizes), reader.getNumbersAttr());
}

/// Copies the ops of the body on which `open` rests.
void LoopRecomputation::cloneNeeded(OpBuilder &builder,
                                    SmallVectorImpl<Value> &open,
                                    IRMapping &again) {
  llvm::SetVector<Operation *> wanted;
  while (!open.empty()) {
    Operation *op = open.pop_back_val().getDefiningOp();
    if (op && needed.contains(op) && wanted.insert(op))
      llvm::append_range(open, op->getOperands());
  }
  for (Operation &op : body)
    if (wanted.contains(&op))
      if (Operation *copy = builder.clone(op, again); isa<FusionOp>(copy))
        copy->setAttr(recomputesAttrName, mark());
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
  LogicalResult read = hasSegments() && !rowsOf.empty()
                           ? readSegment(builder, reader, own, again)
                           : readCarried(builder, reader, own, again);
  if (failed(read))
    return failure();
  unsigned before = stacked.loop.getInits().size();
  for (auto [number, value] : llvm::enumerate(stacked.loop.getBodyCaptures()))
    if (!body.getArgument(before + number).use_empty())
      again.map(body.getArgument(before + number), captured(reader, value));
  SmallVector<Value> open;
  for (auto &[stack, read] : reads)
    llvm::append_range(open, FusionOp(stack->update).getInputs());
  cloneNeeded(builder, open, again);
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
        fusion->setAttr(recomputesAttrName, mark());
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
  for (auto &[index, reads] : places) {
    auto around = reads.front().second.fusion->getParentOfType<func::FuncOp>();
    if (failed(readRows(loops[around], index, reads)))
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

LogicalResult LoopRecomputation::rewrite() {
  if (failed(stackCarried()) || failed(readRows()))
    return failure();
  dropStacks();
  return success();
}

/// Visits loops with stacks that can be recomputed, inner ones first, until one
/// visit says that it is enough or fails. With `inSegments` stacks that are
/// smaller that way are cut into segments.
static LogicalResult
forEachLoop(ModuleOp module, const target::TargetModel &target, bool inSegments,
            llvm::function_ref<LogicalResult(LoopRecomputation &)> visit) {
  SymbolTable symbols(module);
  CallCounts calls = callCounts(module, symbols);
  for (func::FuncOp function : calleesFirst(module, symbols)) {
    if (function.isExternal())
      continue;
    LoopsOfBodies loops;
    SmallVector<func::FuncOp> bodies;
    for (host::LoopOp loop :
         function.getBody().front().getOps<host::LoopOp>()) {
      bodies.push_back(symbols.lookup<func::FuncOp>(loop.getBody()));
      loops[bodies.back()] = loop;
    }
    for (func::FuncOp body : bodies) {
      std::optional<StackedLoop> stacked =
          stackedLoop(loops[body], symbols, calls);
      if (!stacked)
        continue;
      LoopRecomputation rows(*stacked, symbols, loops, target, false),
          segments(*stacked, symbols, loops, target, inSegments);
      bool hasRows = rows.analyse(),
           hasSegments = inSegments && segments.analyse();
      bool takesSegments = hasSegments && (!hasRows || segments.savedBytes() >
                                                           rows.savedBytes());
      if ((hasRows || hasSegments) &&
          failed(visit(takesSegments ? segments : rows)))
        return failure();
    }
  }
  return success();
}

bool hasLoopsToRecompute(ModuleOp module) {
  return failed(forEachLoop(module, target::modelOf(module),
                            /*inSegments=*/true,
                            [](LoopRecomputation &) { return failure(); }));
}

LogicalResult recomputeLoops(ModuleOp module, const target::TargetModel &target,
                             bool inSegments) {
  return forEachLoop(
      module, target, inSegments,
      [](LoopRecomputation &recomputation) { return recomputation.rewrite(); });
}

} // namespace zenith::memory
