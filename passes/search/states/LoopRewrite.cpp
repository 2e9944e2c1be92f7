// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clones condition and body of a breadth-first loop around a new computation of
// the next layer.

#include "passes/search/states/LoopRewrite.h"

#include "ir/matchers/RowBuilder.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::search {

CarriedStates LoopRewrite::carry(ValueRange values, TypeRange carriedTypes) {
  CarriedStates states{unsigned(inits.size()), unsigned(values.size())};
  llvm::append_range(inits, values);
  llvm::append_range(types, carriedTypes);
  return states;
}

Value LoopRewrite::countOfStarts(OpBuilder &at, Location place) {
  auto type = RankedTensorType::get({}, at.getI64Type());
  return at.create<ConstantOp>(
      place, DenseElementsAttr::get(type, int64_t(bfs.starts.size())));
}

Value LoopRewrite::sumOf(Value list) {
  auto word = RankedTensorType::get({}, builder.getIntegerType(64, false)),
       size = RankedTensorType::get({}, builder.getI64Type());
  Value sum = builder.create<ReduceOp>(location, word, ReduceKind::sum, list,
                                       ArrayRef<int64_t>{0});
  return builder.create<ConvertOp>(location, size, sum);
}

Value LoopRewrite::countHalved(Value list, Value own) {
  Value count = builder.create<DimOp>(location, list, uint64_t(0));
  own = sumOf(own);
  Value twice = builder.create<AddOp>(location, count, count);
  return builder.create<SubOp>(location, twice, own);
}

void LoopRewrite::mapOthers(Block &from, Block &to, IRMapping &mapping) {
  for (auto [before, after] : others)
    mapping.map(from.getArgument(before), to.getArgument(after));
}

/// The size of the states that a dim asks for: null for other ops.
static Value statesOf(Operation &op) {
  auto dim = dyn_cast<DimOp>(op);
  return dim && dim.getDim() == 0 ? dim.getOperand() : Value();
}

void LoopRewrite::buildCondition(Block *block) {
  builder.setInsertionPointToStart(block);
  Block &from = old.getCondition().front();
  IRMapping mapping;
  mapOthers(from, *block, mapping);
  for (Operation &op : from)
    if (statesOf(op) == from.getArgument(bfs.layer))
      mapping.map(op.getResult(0), sizeOfLayer(block->getArguments()));
    else
      builder.clone(op, mapping);
}

/// The note that an op is a part of.
BfsLoop::Note *LoopRewrite::noteOf(Operation *op) {
  for (auto &[carried, noted] : notes)
    if (BfsLoop::Note &each = noted.note;
        op == each.lookup || op == each.select || op == each.count ||
        (each.count && op == each.count.getOperand().getDefiningOp()))
      return &each;
  return nullptr;
}

/// The part of a note that an op is, in the new loop.
void LoopRewrite::buildNote(BfsLoop::Note &part, Operation &op,
                            IRMapping &mapping) {
  if (&op != part.select)
    return;
  auto [list, count] = note(lookups.find(part.lookup.getOperand())->second,
                            mapping.lookup(part.select.getOnFalse()),
                            mapping.lookupOrDefault(part.number));
  mapping.map(op.getResult(0), list);
  if (part.count)
    mapping.map(part.count.getResult(), count);
}

/// The size of states, or of a list that is noted, as the new loop has it;
/// null for others.
Value LoopRewrite::sizeIn(Block &block, Value list) {
  if (list == old.getBody().getArgument(bfs.layer))
    return sizeOfLayer(block.getArguments());
  if (list == bfs.fresh)
    return sizeOfNext();
  for (auto &[carried, noted] : notes)
    if (list == old.getBody().getArgument(carried))
      return RowBuilder(builder, location)
          .count(noted.note.lookup.getOperand());
  return {};
}

void LoopRewrite::buildBody(Block *block) {
  builder.setInsertionPointToStart(block);
  Block &from = old.getBody().front();
  IRMapping mapping;
  mapOthers(from, *block, mapping);
  const IRMapping carried = mapping;
  SmallVector<Value> yielded(block->getNumArguments());
  for (Operation &op : from.without_terminator()) {
    if (&op == bfs.fresh.getDefiningOp()) {
      another = shouldContinue(carried);
      buildNext(block->getArguments(), yielded);
    }
    if (llvm::is_contained(bfs.replaced, &op))
      continue;
    Value list = statesOf(op), size = list ? sizeIn(*block, list) : Value();
    if (BfsLoop::Note *part = noteOf(&op))
      buildNote(*part, op, mapping);
    else if (auto isIn = dyn_cast<IsInOp>(op);
             isIn && llvm::is_contained(bfs.lookups, isIn))
      mapping.map(op.getResult(0),
                  inNext(lookups.find(isIn.getOperand())->second));
    else if (size)
      mapping.map(op.getResult(0), size);
    else
      builder.clone(op, mapping);
  }
  for (auto [before, after] : others)
    yielded[after] =
        mapping.lookupOrDefault(from.getTerminator()->getOperand(before));
  builder.create<YieldOp>(location, yielded);
}

/// The first layer is constant, so its size is, too.
void LoopRewrite::countStarts() {
  Value rows = old.getInits()[bfs.layer];
  for (Operation *user : llvm::make_early_inc_range(rows.getUsers()))
    if (statesOf(*user) == rows) {
      OpBuilder here(user);
      user->getResult(0).replaceAllUsesWith(
          countOfStarts(here, user->getLoc()));
      user->erase();
    }
}

void LoopRewrite::prepareLookups() {
  for (IsInOp lookup : bfs.lookups)
    if (Value rows = lookup.getOperand(); !lookups.count(rows))
      lookups.try_emplace(rows, wordsOf(rows));
}

void LoopRewrite::carryOthers() {
  RowBuilder ops(builder, location);
  for (BfsLoop::Note note : bfs.notes)
    if (auto places = placesOf(lookups.find(note.lookup.getOperand())->second))
      notes.insert({note.carried, {note, *places}});
  for (unsigned carried = 0; carried < old.getInits().size(); ++carried)
    if (!isState(carried)) {
      others.push_back({carried, unsigned(inits.size())});
      auto note = notes.find(carried);
      bool isNoted = note != notes.end();
      inits.push_back(isNoted ? ops.broadcast(note->second.note.first,
                                              ops.listType(), {},
                                              note->second.places.size)
                              : old.getInits()[carried]);
      types.push_back(isNoted ? ops.listType()
                              : old.getResult(carried).getType());
    }
}

void LoopRewrite::run() {
  countStarts();
  prepareLookups();
  carryStates();
  carryOthers();
  auto loop = builder.create<WhileOp>(location, types, inits);
  SmallVector<Location> places(types.size(), location);
  Block *condition =
      builder.createBlock(&loop.getCondition(), {}, types, places);
  Block *body = builder.createBlock(&loop.getBody(), {}, types, places);
  buildCondition(condition);
  buildBody(body);
  builder.setInsertionPointAfter(loop);
  RowBuilder ops(builder, location);
  for (auto [before, after] : others) {
    Value result = loop.getResult(after);
    if (auto note = notes.find(before); note != notes.end())
      result = ops.pick(result, note->second.places.ofRows);
    old.getResult(before).replaceAllUsesWith(result);
  }
  old.erase();
}

} // namespace zenith::search
