// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cotangents of loops: the trips in reverse order. Counted loops store what
// their backward part reads while they run; loops whose trips depend on data
// are counted, run again with a tape, and go back.

#include "ir/DimAnalysis.h"
#include "ir/LocationText.h"
#include "ir/matchers/RegionInlining.h"
#include "ir/matchers/TypeOf.h"
#include "passes/autodiff/sweeps/CountedLoop.h"
#include "passes/autodiff/sweeps/Residuals.h"
#include "passes/autodiff/sweeps/ReverseSweep.h"
#include "passes/autodiff/sweeps/Tape.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::autodiff {

namespace {

/// One loop and its backward part, which is built in three steps: the body, the
/// tape, and the loop around the body.
class LoopReversal {
public:
  LoopReversal(WhileOp loop, Activity &activity, OpBuilder &builder,
               const TapeChoice &tapes)
      : loop(loop), activity(activity), builder(builder),
        rule(builder, loop.getLoc()), tapes(tapes), counted(countedLoop(loop)) {
  }

  /// The backward body for cotangents of these carried values and captures.
  llvm::Error buildBody(ArrayRef<unsigned> ofCarried,
                        ArrayRef<Value> ofCaptures);
  /// Runs it; cotangents of carried values, then sums for the captures that
  /// `changed()` names.
  llvm::Expected<SmallVector<Value>> run(ArrayRef<Value> cotangents,
                                         ArrayRef<Value> sums);
  /// Captures whose cotangents the body changes, by index.
  ArrayRef<unsigned> changed() const { return used; }
  WhileOp current() const { return loop; }

private:
  Block &forwardBody() { return loop.getBody().front(); }
  llvm::Error checkDims(ArrayRef<Value> stored);
  void chooseTape();
  void countTrips();
  SmallVector<Value> storeWhileRunning();
  SmallVector<Value> storeAgain(RuleBuilder &place, Value first, Value last,
                                ValueRange inits, SmallVector<Value> *ends);
  SmallVector<Value> goBack(RuleBuilder &place, Region &source, Value first,
                            Value last, ArrayRef<Value> rows, ValueRange inits);
  SmallVector<Value> goBackBySegments(RuleBuilder &place, ValueRange inits);
  SmallVector<Value> goBackAsFits(ArrayRef<Value> like, ValueRange inits);
  void readResiduals(Value trip, Value first, ArrayRef<Value> rows);
  SmallVector<Type> backwardTypes();

  WhileOp loop;
  Activity &activity;
  OpBuilder &builder;
  RuleBuilder rule;
  const TapeChoice &tapes;
  std::optional<CountedLoop> counted;
  Value trips; ///< number of them

  /// Arguments: the trip, cotangents, sums. Ends without a terminator; `yields`
  /// are the next cotangents and sums.
  Region backward;
  SmallVector<Value> yields;
  SmallVector<unsigned> carried, used;
  llvm::SetVector<Value> stored;
};

} // namespace

llvm::Error LoopReversal::buildBody(ArrayRef<unsigned> ofCarried,
                                    ArrayRef<Value> ofCaptures) {
  carried.assign(ofCarried.begin(), ofCarried.end());
  Block &forward = forwardBody(), &block = backward.emplaceBlock();
  Location loc = loop.getLoc();
  block.addArgument(RankedTensorType::get({}, builder.getI64Type()), loc);
  for (unsigned index : carried)
    block.addArgument(loop.getResult(index).getType(), loc);
  // Each trip adds to the sums: in f32, where the captured value is narrower.
  for (Value capture : ofCaptures)
    block.addArgument(RuleBuilder::widenedType(typeOf(capture)), loc);
  unsigned firstSum = 1 + carried.size();
  OpBuilder inside(loop.getContext());
  inside.setInsertionPointToEnd(&block);
  ReverseSweep sweep(activity, inside, tapes);
  for (auto [i, capture] : llvm::enumerate(ofCaptures))
    sweep.setCotangent(capture, block.getArgument(firstSum + i));
  for (auto [i, index] : llvm::enumerate(carried))
    sweep.accumulate(forward.getTerminator()->getOperand(index),
                     block.getArgument(1 + i));
  if (llvm::Error error = sweep.run(forward))
    return error;
  RuleBuilder zeros(inside, loc);
  for (auto [i, index] : llvm::enumerate(carried)) {
    Value next = sweep.cotangentOf(forward.getArgument(index));
    yields.push_back(next ? next : zeros.zeros(block.getArgument(1 + i)));
  }
  BitVector dropped(block.getNumArguments());
  for (auto [i, capture] : llvm::enumerate(ofCaptures)) {
    Value argument = block.getArgument(firstSum + i);
    Value sum = sweep.sumOf(capture);
    if (sum == argument) {
      dropped.set(firstSum + i);
      continue;
    }
    used.push_back(i);
    yields.push_back(sum);
  }
  block.eraseArguments(dropped);
  chooseTape();
  return checkDims(stored.getArrayRef());
}

/// Carried values that each trip leaves alone are not stored, and the counter
/// of a trip is computed.
void LoopReversal::chooseTape() {
  Block &forward = forwardBody();
  SmallVector<Value> given;
  for (auto [argument, next] : llvm::zip(
           forward.getArguments(), forward.getTerminator()->getOperands()))
    if (argument == next)
      given.push_back(argument);
  if (counted)
    given.push_back(forward.getArgument(counted->counter));
  OpBuilder end(loop.getContext());
  end.setInsertionPointToEnd(&backward.front());
  end.create<YieldOp>(loop.getLoc(), yields);
  llvm::SetVector<Value> wanted =
      Residuals(loop.getBody(), backward.front()).wanted();
  stored = chooseStored(loop.getBody(), wanted.getArrayRef(), given);
}

/// The size of a tape is known before its loop.
llvm::Error LoopReversal::checkDims(ArrayRef<Value> values) {
  DimAnalysis dims;
  SmallVector<unsigned> indices(carried);
  for (Value value : values)
    if (auto argument = dyn_cast<BlockArgument>(value))
      indices.push_back(argument.getArgNumber());
  for (unsigned index : indices)
    if (!typeOf(loop.getResult(index)).hasStaticShape() &&
        dims.dimsOf(loop.getResult(index)) !=
            dims.dimsOf(loop.getInits()[index]))
      return refuseRule(loop, "carried value " + Twine(index) +
                                  " has a dimension that changes from trip to "
                                  "trip, which reverse mode cannot store");
  return llvm::Error::success();
}

void LoopReversal::countTrips() {
  OpBuilder before(loop);
  RuleBuilder outside(before, loop.getLoc());
  if (counted) {
    trips = counted->trips(loop, outside);
    return;
  }
  loop = withCarried(
      loop, outside.index(0), [](RuleBuilder &inside, ValueRange arguments) {
        return SmallVector<Value>{inside.add(arguments[0], inside.index(1))};
      });
  trips = loop->getResults().back();
}

/// The values whose sizes rows of a tape have, outside of the loop.
static Value likeOf(Value value, ValueRange inits) {
  auto argument = dyn_cast<BlockArgument>(value);
  return argument && !typeOf(value).hasStaticShape()
             ? inits[argument.getArgNumber()]
             : value;
}

static SmallVector<Value> emptyTapes(RuleBuilder &place, Value rows,
                                     ArrayRef<Value> values, ValueRange inits) {
  SmallVector<Value> tapes;
  for (Value value : values)
    tapes.push_back(emptyTape(place, rows, likeOf(value, inits)));
  return tapes;
}

SmallVector<Value> LoopReversal::storeWhileRunning() {
  if (stored.empty())
    return {};
  OpBuilder before(loop);
  RuleBuilder outside(before, loop.getLoc());
  SmallVector<Value> inits{outside.index(0)};
  llvm::append_range(
      inits, emptyTapes(outside, trips, stored.getArrayRef(), loop.getInits()));
  loop =
      withCarried(loop, inits, [&](RuleBuilder &inside, ValueRange arguments) {
        Value trip = arguments[0];
        SmallVector<Value> next{inside.add(trip, inside.index(1))};
        for (auto [value, rows] : llvm::zip(stored, arguments.drop_front()))
          next.push_back(writeRow(inside, rows, value, trip));
        return next;
      });
  return llvm::to_vector_of<Value>(loop->getResults().take_back(stored.size()));
}

/// Runs trips `first` to `last` again from carried values `inits`, and stores;
/// `ends` gets the carried values after them.
SmallVector<Value> LoopReversal::storeAgain(RuleBuilder &place, Value first,
                                            Value last, ValueRange inits,
                                            SmallVector<Value> *ends) {
  SmallVector<Value> kept =
      ends ? SmallVector<Value>() : SmallVector<Value>(stored.getArrayRef());
  if (!ends && kept.empty())
    return {};
  Block &forward = forwardBody();
  SmallVector<Value> all(inits);
  llvm::append_range(all,
                     emptyTapes(place, place.sub(last, first), kept, inits));
  SmallVector<Type> types(loop->getResultTypes());
  for (Value value : ArrayRef(all).drop_front(inits.size()))
    types.push_back(value.getType());
  SmallVector<Value> results = tripLoop(
      place, first, last, /*isUpwards=*/true, all, types,
      [&](RuleBuilder &inside, Value trip, ValueRange arguments) {
        IRMapping map;
        map.map(forward.getArguments(), arguments.take_front(inits.size()));
        for (Operation &op : forward.without_terminator())
          if (!isa<AssertOp>(op))
            inside.builder.clone(op, map);
        SmallVector<Value> next;
        for (Value value : forward.getTerminator()->getOperands())
          next.push_back(map.lookupOrDefault(value));
        Value row = inside.sub(trip, first);
        for (auto [value, rows] :
             llvm::zip(kept, arguments.drop_front(inits.size())))
          next.push_back(
              writeRow(inside, rows, map.lookupOrDefault(value), row));
        return next;
      });
  if (ends)
    ends->assign(results.begin(), results.begin() + inits.size());
  return SmallVector<Value>(ArrayRef(results).drop_front(inits.size()));
}

SmallVector<Type> LoopReversal::backwardTypes() {
  return llvm::to_vector(llvm::drop_begin(backward.front().getArgumentTypes()));
}

/// Replaces what the backward body reads of the forward body.
void LoopReversal::readResiduals(Value trip, Value first,
                                 ArrayRef<Value> rows) {
  Block &block = *trip.getParentBlock(), &forward = forwardBody();
  Residuals residuals(loop.getBody(), block);
  OpBuilder start = OpBuilder::atBlockBegin(&block);
  RuleBuilder inside(start, loop.getLoc());
  for (auto [index, pair] : llvm::enumerate(llvm::zip(
           forward.getArguments(), forward.getTerminator()->getOperands())))
    if (std::get<0>(pair) == std::get<1>(pair))
      residuals.give(std::get<0>(pair),
                     asType(start, loop.getLoc(), loop.getInits()[index],
                            std::get<0>(pair).getType()));
  if (counted)
    residuals.give(forward.getArgument(counted->counter),
                   counted->valueAt(loop, inside, trip));
  if (!rows.empty()) {
    Value row = inside.sub(trip, first);
    for (auto [value, tape] : llvm::zip(stored, rows))
      residuals.give(value, readRow(inside, tape, typeOf(value), row));
  }
  residuals.makeAvailable();
}

/// The loop around `source`, the backward body or a copy, which it empties.
SmallVector<Value> LoopReversal::goBack(RuleBuilder &place, Region &source,
                                        Value first, Value last,
                                        ArrayRef<Value> rows,
                                        ValueRange inits) {
  return tripLoop(
      place, first, last, /*isUpwards=*/false, inits, backwardTypes(),
      [&](RuleBuilder &inside, Value trip, ValueRange arguments) {
        Block &body = source.front();
        SmallVector<Value> all{trip};
        llvm::append_range(all, arguments);
        for (auto [own, argument] : llvm::zip(body.getArguments(), all))
          own.replaceAllUsesWith(argument);
        // The terminator stays until residuals are read: it may yield one.
        Operation *end = body.getTerminator();
        Block *target = inside.builder.getInsertionBlock();
        target->getOperations().splice(target->end(), body.getOperations());
        readResiduals(trip, first, rows);
        SmallVector<Value> next(end->getOperands());
        end->erase();
        inside.builder.setInsertionPointToEnd(target);
        return next;
      });
}

/// Keeps the carried values of every ceil(sqrt(n))-th trip, and stores the
/// trips between when it goes back over them.
SmallVector<Value> LoopReversal::goBackBySegments(RuleBuilder &place,
                                                  ValueRange inits) {
  Type f64 = builder.getF64Type(), i64 = builder.getI64Type();
  Value zero = place.index(0), one = place.index(1);
  Value root = place.unary<SqrtOp>(place.convert(trips, f64));
  Value size =
      place.binary<MaxOp>(place.convert(place.unary<CeilOp>(root), i64), one);
  Value segments = place.div(place.sub(place.add(trips, size), one), size);
  auto firstOf = [&](RuleBuilder &inside, Value segment) {
    return inside.mul(segment, size);
  };
  auto lastOf = [&](RuleBuilder &inside, Value first) {
    return inside.binary<MinOp>(inside.add(first, size), trips);
  };
  ValueRange starts = loop.getInits();
  unsigned count = starts.size();
  SmallVector<Value> all(starts);
  for (Value start : starts)
    all.push_back(emptyTape(place, segments, start));
  SmallVector<Type> types(loop->getResultTypes());
  for (Value value : ArrayRef(all).drop_front(count))
    types.push_back(value.getType());
  SmallVector<Value> kept = tripLoop(
      place, zero, segments, /*isUpwards=*/true, all, types,
      [&](RuleBuilder &inside, Value segment, ValueRange arguments) {
        SmallVector<Value> next, rows;
        for (auto [value, row] : llvm::zip(arguments.take_front(count),
                                           arguments.drop_front(count)))
          rows.push_back(writeRow(inside, row, value, segment));
        Value first = firstOf(inside, segment);
        storeAgain(inside, first, lastOf(inside, first),
                   arguments.take_front(count), &next);
        next.append(rows);
        return next;
      });
  return tripLoop(
      place, zero, segments, /*isUpwards=*/false, inits, backwardTypes(),
      [&](RuleBuilder &inside, Value segment, ValueRange arguments) {
        SmallVector<Value> from;
        for (auto [type, rows] : llvm::zip(loop->getResultTypes(),
                                           ArrayRef(kept).drop_front(count)))
          from.push_back(
              readRow(inside, rows, cast<RankedTensorType>(type), segment));
        Value first = firstOf(inside, segment), last = lastOf(inside, first);
        SmallVector<Value> rows =
            storeAgain(inside, first, last, from, nullptr);
        return goBack(inside, backward, first, last, rows, arguments);
      });
}

/// Both forms, of which the one runs that fits when the number of trips is
/// known.
SmallVector<Value> LoopReversal::goBackAsFits(ArrayRef<Value> like,
                                              ValueRange inits) {
  Value fits = TapeChoice::fits(rule, trips, like);
  auto choice = rule.builder.create<IfOp>(rule.loc, backwardTypes(), fits);
  Region copy;
  IRMapping map;
  backward.cloneInto(&copy, map);
  auto yieldFrom = [&](Region &region, auto goBackIn) {
    OpBuilder inside = OpBuilder::atBlockBegin(&region.emplaceBlock());
    RuleBuilder place(inside, rule.loc);
    inside.create<YieldOp>(rule.loc, goBackIn(place));
  };
  yieldFrom(choice.getThenRegion(), [&](RuleBuilder &place) {
    Value zero = place.index(0);
    SmallVector<Value> rows =
        storeAgain(place, zero, trips, loop.getInits(), nullptr);
    return goBack(place, copy, zero, trips, rows, inits);
  });
  yieldFrom(choice.getElseRegion(),
            [&](RuleBuilder &place) { return goBackBySegments(place, inits); });
  return SmallVector<Value>(choice->getResults());
}

llvm::Expected<SmallVector<Value>> LoopReversal::run(ArrayRef<Value> cotangents,
                                                     ArrayRef<Value> sums) {
  countTrips();
  SmallVector<Value> inits(cotangents);
  for (unsigned index : used)
    inits.push_back(sums[index]);
  Value zero = rule.index(0);
  if (stored.empty())
    return goBack(rule, backward, zero, trips, {}, inits);
  SmallVector<Value> like;
  for (Value value : stored)
    like.push_back(likeOf(value, loop.getInits()));
  TapeForm form = tapes.formOf(rule, trips, like);
  if (form == TapeForm::Sqrt)
    return goBackBySegments(rule, inits);
  if (form == TapeForm::Default)
    return goBackAsFits(like, inits);
  SmallVector<Value> rows =
      counted ? storeWhileRunning()
              : storeAgain(rule, zero, trips, loop.getInits(), nullptr);
  return goBack(rule, backward, zero, trips, rows, inits);
}

/// Carried values that change a result which has a cotangent.
static SmallVector<unsigned> usefulCarried(WhileOp loop,
                                           const Activity &activity,
                                           ArrayRef<Value> ofResults) {
  Block &body = loop.getBody().front();
  llvm::DenseSet<Value> seen;
  SmallVector<Value> open;
  BitVector useful(loop->getNumResults());
  auto add = [&](unsigned index) {
    if (!activity.isVaried(body.getArgument(index)) || useful.test(index))
      return;
    useful.set(index);
    open.push_back(body.getTerminator()->getOperand(index));
  };
  for (auto [index, cotangent] : llvm::enumerate(ofResults))
    if (cotangent)
      add(index);
  while (!open.empty()) {
    Value value = open.pop_back_val();
    if (!activity.isVaried(value) || !seen.insert(value).second)
      continue;
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      if (argument.getOwner() == &body)
        add(argument.getArgNumber());
      continue;
    }
    Operation *op = value.getDefiningOp();
    if (!loop.getBody().isAncestor(op->getParentRegion()))
      continue;
    llvm::append_range(open, op->getOperands());
    for (Region &region : op->getRegions())
      llvm::append_range(open, capturedBy(region));
  }
  return llvm::to_vector_of<unsigned>(useful.set_bits());
}

llvm::Error ReverseSweep::visitLoop(WhileOp loop, ArrayRef<Value> ofResults) {
  SmallVector<unsigned> carried = usefulCarried(loop, activity, ofResults);
  llvm::SetVector<Value> captures;
  for (Value value : capturedBy(loop.getBody()))
    if (activity.isVaried(value))
      captures.insert(value);
  LoopReversal reversal(loop, activity, builder, tapes);
  if (llvm::Error error = reversal.buildBody(carried, captures.getArrayRef()))
    return error;
  RuleBuilder rule(builder, loop.getLoc());
  SmallVector<Value> cotangents, sums;
  for (unsigned index : carried)
    cotangents.push_back(ofResults[index] ? ofResults[index]
                                          : rule.zeros(loop.getResult(index)));
  for (Value capture : captures) {
    Value sum = sumOf(capture);
    sums.push_back(rule.widened(sum ? sum : rule.zeros(capture)));
  }
  llvm::Expected<SmallVector<Value>> results = reversal.run(cotangents, sums);
  if (!results)
    return results.takeError();
  // Sums take the place of those so far; an initial value that the body reads
  // too adds to its own.
  for (auto [i, index] : llvm::enumerate(reversal.changed()))
    setCotangent(captures[index], (*results)[carried.size() + i]);
  for (auto [i, index] : llvm::enumerate(carried))
    accumulate(reversal.current().getInits()[index], (*results)[i]);
  return llvm::Error::success();
}

} // namespace zenith::autodiff
