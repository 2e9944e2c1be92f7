// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows come from copies of the scheduled kernels: no kernel is fused or tiled
// otherwise than in the loop that stacked them.

#include "lowering/memory/RecomputeLoops.h"

#include "ir/matchers/TypeOf.h"
#include "lowering/memory/FunctionGraph.h"
#include "lowering/memory/LoopEdits.h"
#include "lowering/memory/RowKernels.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"
#include <cmath>

using namespace mlir;

namespace zenith::memory {

using graph::FusionOp;
using graph::typeOf;

namespace {

/// What is recomputed of one loop with stacks.
class LoopRecomputation {
public:
  /// With `inSegments` only the carried values at the start of each segment are
  /// stacked; a later loop computes those of a segment when it comes to it.
  LoopRecomputation(StackedLoop &stacked, LoopEdits &edits,
                    const target::TargetModel &target, bool inSegments)
      : stacked(stacked), edits(edits), kernels(target),
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
  /// What says that an op runs again.
  Attribute mark() {
    return FlatSymbolRefAttr::get(stacked.body.getSymNameAttr());
  }

  StackedLoop &stacked;
  LoopEdits &edits;
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
  stacked.loop = edits.carryMore(stacked.loop, inits);
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

/// Maps carried values to row `index` of their stacks.
LogicalResult LoopRecomputation::readCarried(OpBuilder &builder,
                                             host::LoopOp &reader, Value index,
                                             IRMapping &again) {
  for (auto [number, place] : rowsOf) {
    Value stack = edits.captured(reader, stacked.loop.getResult(place));
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
  reader = edits.carryMore(reader, inits);
  func::FuncOp own = edits.bodyOf(reader);
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
    edits.symbols.insert(function, std::next(stacked.body->getIterator()));
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
    captures.push_back(edits.captured(reader, value));
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
      again.map(body.getArgument(before + number),
                edits.captured(reader, value));
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
    if (failed(readRows(edits.loopOf(around), index, reads)))
      return failure();
  }
  return success();
}

LogicalResult LoopRecomputation::rewrite() {
  if (failed(stackCarried()) || failed(readRows()))
    return failure();
  edits.dropStacks(stacked,
                   [&](const LoopStack &stack) { return isDropped(stack); });
  return success();
}

/// Visits loops with stacks that can be recomputed, inner ones first, until one
/// visit says that it is enough or fails. With `inSegments` stacks that are
/// smaller that way are cut into segments.
static LogicalResult
forEachLoop(ModuleOp module, const target::TargetModel &target, bool inSegments,
            llvm::function_ref<LogicalResult(LoopRecomputation &)> visit) {
  return forEachStackedLoop(
      module, [&](StackedLoop &stacked, LoopEdits &edits) -> LogicalResult {
        LoopRecomputation rows(stacked, edits, target, false),
            segments(stacked, edits, target, inSegments);
        bool hasRows = rows.analyse(),
             hasSegments = inSegments && segments.analyse();
        bool takesSegments = hasSegments && (!hasRows || segments.savedBytes() >
                                                             rows.savedBytes());
        if (!hasRows && !hasSegments)
          return success();
        return visit(takesSegments ? segments : rows);
      });
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
