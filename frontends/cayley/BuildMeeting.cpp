// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bidirectional breadth-first search (meet in the middle): a loop that carries
// the newest layers of both ends and swaps them. What it keeps of all layers is
// one list for both ends, to which each step appends.

#include "frontends/cayley/BuildMeeting.h"

#include "frontends/cayley/StateOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace zenith::cayley {

namespace {

class MeetingBuilder {
public:
  MeetingBuilder(const StateGraph &graph, const StateGraph &backwards,
                 const MeetingOptions &options, MLIRContext *context)
      : graph(graph), options(options), builder(context),
        location(NameLoc::get(builder.getStringAttr(graph.name))),
        rows(builder, location),
        forwardOps(builder, location, graph, {options.start, options.target}),
        backwardOps(builder, location, backwards,
                    {options.start, options.target}),
        needsAllLayers(!graph.isInverseClosed()) {}

  OwningOpRef<ModuleOp> build();

private:
  /// Loop-carried values by position: the newest layer of the end that is
  /// expanded and of the other one; links and sizes of all layers, which the
  /// ends find in turn; scalars; further states excluded from the next layer.
  enum Carried {
    mine,
    other,
    links,
    sizes,
    size,
    depth,
    met,
    known,
    otherKnown
  };

  SmallVector<Value> inits(Value start, Value target);
  SmallVector<Value> step(ValueRange now);
  Value isEven(Value number) {
    return rows.compare(graph::CompareDirection::eq,
                        rows.rem(number, rows.number(2)), rows.number(0));
  }
  Value isIn(Value states, Value set) {
    return builder.create<graph::IsInOp>(
        location, rows.type({anySize}, builder.getI1Type()), states, set);
  }
  Value tagged(Value states, Value end);
  Value withoutTags(Value states);
  Value meetingPath(ValueRange last);
  /// Of a list with an element for each end in turn, those of one end.
  Value ofEnd(Value list, int64_t end);

  const StateGraph &graph;
  const MeetingOptions &options;
  OpBuilder builder;
  Location location;
  RowBuilder rows;
  StateOps forwardOps, backwardOps;
  /// `known` holds all layers of both ends, each state with the number of its
  /// end; else that and `otherKnown` are the ends' last layers but one.
  bool needsAllLayers;
};

} // namespace

/// States with one more element, the number of their end.
Value MeetingBuilder::tagged(Value states, Value end) {
  auto type = cast<RankedTensorType>(states.getType());
  Type element = type.getElementType();
  SmallVector<Value> sizes;
  if (type.isDynamicDim(0))
    sizes.push_back(rows.count(states));
  Value column =
      rows.broadcast(rows.convert(end, element),
                     rows.type({type.getDimSize(0), 1}, element), {}, sizes);
  return builder.create<graph::ConcatOp>(
      location,
      rows.type({type.getDimSize(0), type.getDimSize(1) + 1}, element),
      uint64_t(1), ValueRange{states, column});
}

Value MeetingBuilder::withoutTags(Value states) {
  return builder.create<graph::SliceOp>(
      location, forwardOps.rowsType(), states, ValueRange(),
      ValueRange(rows.count(states)), ArrayRef<int64_t>{0, 0},
      forwardOps.rowsType().getShape(), ArrayRef<int64_t>{1, 1});
}

SmallVector<Value> MeetingBuilder::inits(Value start, Value target) {
  // Roots have links that nothing reads.
  SmallVector<Value> values{start,
                            target,
                            rows.constant({0, 0}, {2}, rows.i64()),
                            rows.constant({1, 1}, {2}, rows.i64()),
                            rows.number(1),
                            rows.number(0),
                            rows.areEqual(start, target)};
  if (needsAllLayers)
    values.push_back(rows.concat(tagged(start, rows.number(0)),
                                 tagged(target, rows.number(1))));
  else
    values.append(2, forwardOps.constantStates({}));
  return values;
}

SmallVector<Value> MeetingBuilder::step(ValueRange now) {
  Value current = now[mine];
  Value candidates = rows.branch(
      isEven(now[depth]), forwardOps.rowsType(),
      [&]() -> SmallVector<Value> { return {forwardOps.expand(current)}; },
      [&]() -> SmallVector<Value> { return {backwardOps.expand(current)}; })[0];
  if (needsAllLayers)
    candidates = tagged(candidates, rows.rem(now[depth], rows.number(2)));
  auto [once, at] = rows.distinctAt(candidates);
  Value old = isIn(once, now[known]);
  if (!needsAllLayers)
    old = rows.either(old, isIn(once, current));
  SmallVector<Value> fresh = rows.keep(rows.negate(old), {once, at});
  Value layer = needsAllLayers ? withoutTags(fresh[0]) : fresh[0];
  Value count = rows.count(layer);
  Value meets = rows.fold(graph::ReduceKind::any, isIn(layer, now[other]), {0});
  SmallVector<Value> values{now[other],
                            layer,
                            rows.concat(now[links], fresh[1]),
                            rows.concat(now[sizes], rows.asList(count)),
                            count,
                            rows.add(now[depth], rows.number(1)),
                            meets};
  if (needsAllLayers)
    values.push_back(rows.concat(now[known], fresh[0]));
  else
    values.append({now[otherKnown], current});
  return values;
}

/// Through the first state of the newest layer that the other end has too. The
/// part of the path from there to the target is found from the meeting state
/// on, so it is in order already.
Value MeetingBuilder::meetingPath(ValueRange last) {
  Value newest = last[other], opposite = last[mine];
  Value row = rows.firstWhere(isIn(newest, opposite));
  int64_t positions = graph.central.size();
  Value state = rows.reshape(
      rows.pick(newest, rows.asList(row)),
      rows.type({positions}, forwardOps.rowsType().getElementType()), {});
  Value place = rows.firstWhere(rows.equalRows(opposite, state));
  // The layers that meet are the last two, of which one is the forward one.
  Value newestLayer = rows.add(last[depth], rows.number(1)),
        oppositeLayer = last[depth],
        newestOffset = rows.sub(rows.count(last[links]),
                                rows.at(last[sizes], newestLayer)),
        oppositeOffset =
            rows.sub(newestOffset, rows.at(last[sizes], oppositeLayer));
  Value newestIsBackward = isEven(last[depth]);
  auto back = [&](bool forward) {
    auto of = [&](Value newestOne, Value oppositeOne) {
      return forward ? rows.select(newestIsBackward, oppositeOne, newestOne)
                     : rows.select(newestIsBackward, newestOne, oppositeOne);
    };
    return walkBack(rows, {last[links], last[sizes], /*ends=*/2},
                    of(newestLayer, oppositeLayer),
                    of(newestOffset, oppositeOffset), of(row, place),
                    graph.generators());
  };
  Value start = back(/*forward=*/true);
  Value forwards = builder.create<graph::ReverseOp>(
      location, start.getType(), start, builder.getDenseI64ArrayAttr({0}));
  return rows.concat(forwards, back(/*forward=*/false));
}

Value MeetingBuilder::ofEnd(Value list, int64_t end) {
  // Those of the first end are as many as those of the other or one more.
  Value count = rows.div(rows.add(rows.count(list), rows.number(1 - end)),
                         rows.number(2));
  return builder.create<graph::SliceOp>(
      location, rows.listType(), list, ValueRange(), ValueRange(count),
      ArrayRef<int64_t>{end}, ArrayRef<int64_t>{anySize}, ArrayRef<int64_t>{2});
}

OwningOpRef<ModuleOp> MeetingBuilder::build() {
  OwningOpRef<ModuleOp> module = ModuleOp::create(location);
  builder.setInsertionPointToEnd(module->getBody());
  Type list = rows.listType();
  Type boolean = rows.type({}, builder.getI1Type());
  Type state = forwardOps.rowType();
  SmallVector<Type> results{boolean, list, list, list};
  SmallVector<StringRef> names{"found", "path", "forwards", "backwards"};
  if (options.givesLayer) {
    results.push_back(forwardOps.rowsType());
    names.push_back("layer");
  }
  auto function = builder.create<func::FuncOp>(
      location, "main",
      builder.getFunctionType({state, state, rows.type({}, rows.i64())},
                              results));
  nameArguments(function, {"start", "target", "max_steps"});
  nameResults(function, names);
  builder.setInsertionPointToStart(function.addEntryBlock());
  SmallVector<Value> first =
      inits(function.getArgument(0), function.getArgument(1));
  Type states = forwardOps.rowsType();
  SmallVector<Type> types{states, states, list, list};
  for (Value scalar : ArrayRef(first).slice(size, known - size))
    types.push_back(scalar.getType());
  if (needsAllLayers)
    types.push_back(rows.type({anySize, int64_t(graph.central.size()) + 1},
                              forwardOps.rowsType().getElementType()));
  else
    types.append(2, states);
  ValueRange last = rows.loop(
      types, first,
      [&](ValueRange now) {
        Value shouldContinue = rows.both(
            rows.negate(now[met]), rows.compare(graph::CompareDirection::gt,
                                                now[size], rows.number(0)));
        return rows.both(shouldContinue,
                         rows.compare(graph::CompareDirection::lt, now[depth],
                                      function.getArgument(2)));
      },
      [&](ValueRange now) { return step(now); });
  Value path = rows.branch(
      last[met], list,
      [&]() -> SmallVector<Value> { return {meetingPath(last)}; },
      [&]() -> SmallVector<Value> {
        return {rows.constant({}, {0}, rows.i64())};
      })[0];
  SmallVector<Value> values{last[met], path, ofEnd(last[sizes], 0),
                            ofEnd(last[sizes], 1)};
  // Before the first step that is the start.
  if (options.givesLayer)
    values.push_back(rows.branch(
        forwardOps.isPositive(last[depth]), states,
        [&]() -> SmallVector<Value> { return {last[other]}; },
        [&]() -> SmallVector<Value> { return {last[mine]}; })[0]);
  builder.create<func::ReturnOp>(location, values);
  return module;
}

llvm::Expected<OwningOpRef<ModuleOp>>
buildMeeting(const StateGraph &graph, const MeetingOptions &options,
             MLIRContext *context) {
  llvm::Expected<StateGraph> backwards = graph.reversed();
  if (!backwards)
    return backwards.takeError();
  return MeetingBuilder(graph, *backwards, options, context).build();
}

} // namespace zenith::cayley
