// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bidirectional breadth-first search (meet in the middle): a loop that carries
// the layers of both ends and swaps them.

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
      : graph(graph), builder(context),
        location(NameLoc::get(builder.getStringAttr(graph.name))),
        rows(builder, location),
        forwardOps(builder, location, graph, {options.start, options.target}),
        backwardOps(builder, location, backwards,
                    {options.start, options.target}),
        needsAllLayers(!graph.isInverseClosed()) {}

  OwningOpRef<ModuleOp> build();

private:
  /// Loop-carried values by position: of the end that is expanded, of the other
  /// end, scalars.
  enum Carried { mine = 0, other = 4, size = 8, depth, met };
  /// Of an end: the last layer; further states excluded from the next; links of
  /// all states but the root; sizes of layers.
  enum End { layer, known, links, sizes };

  SmallVector<Value> inits(Value start, Value target);
  SmallVector<Value> step(ValueRange now);
  Value isEven(Value number) {
    return rows.compare(graph::CompareDirection::eq,
                        rows.rem(number, rows.number(2)), rows.number(0));
  }
  Value meetingPath(ValueRange last);
  Value back(Value links, Value sizes, Value row) {
    Value layers = rows.sub(rows.count(sizes), rows.number(1));
    return walkBack(rows, links, rows.count(links), sizes, layers, row,
                    graph.generators());
  }

  const StateGraph &graph;
  OpBuilder builder;
  Location location;
  RowBuilder rows;
  StateOps forwardOps, backwardOps;
  bool needsAllLayers; ///< `known` holds all layers, else the last but one
};

} // namespace

SmallVector<Value> MeetingBuilder::inits(Value start, Value target) {
  SmallVector<Value> values;
  Value one = rows.number(1), none = rows.constant({}, {0}, rows.i64());
  for (Value root : {start, target})
    values.append({root, needsAllLayers ? root : forwardOps.constantStates({}),
                   none, rows.asList(one)});
  values.append({one, rows.number(0), rows.areEqual(start, target)});
  return values;
}

SmallVector<Value> MeetingBuilder::step(ValueRange now) {
  RankedTensorType states = forwardOps.rowsType();
  Value current = now[mine + layer];
  Value candidates = rows.branch(
      isEven(now[depth]), states,
      [&]() -> SmallVector<Value> { return {forwardOps.expand(current)}; },
      [&]() -> SmallVector<Value> { return {backwardOps.expand(current)}; })[0];
  auto [once, at] = rows.distinctAt(candidates);
  auto isIn = [&](Value states, Value set) -> Value {
    return builder.create<graph::IsInOp>(
        location, rows.type({ShapedType::kDynamic}, builder.getI1Type()),
        states, set);
  };
  Value old = isIn(once, now[mine + known]);
  if (!needsAllLayers)
    old = rows.either(old, isIn(once, current));
  SmallVector<Value> fresh = rows.keep(rows.negate(old), {once, at});
  Value count = rows.count(fresh[0]);
  Value meets = rows.fold(graph::ReduceKind::any,
                          isIn(fresh[0], now[other + layer]), {0});
  SmallVector<Value> values(now.slice(other, 4));
  values.append(
      {fresh[0],
       needsAllLayers ? rows.concat(now[mine + known], fresh[0]) : current,
       rows.concat(now[mine + links], fresh[1]),
       rows.concat(now[mine + sizes], rows.asList(count)), count,
       rows.add(now[depth], rows.number(1)), meets});
  return values;
}

/// Through the first state of the newest layer that the other end has too. The
/// part of the path from there to the target is found from the meeting state
/// on, so it is in order already.
Value MeetingBuilder::meetingPath(ValueRange last) {
  Value newest = last[other + layer], opposite = last[mine + layer];
  Value common = builder.create<graph::IsInOp>(
      location, rows.type({ShapedType::kDynamic}, builder.getI1Type()), newest,
      opposite);
  Value row = rows.firstWhere(common);
  RankedTensorType one = forwardOps.rowsType();
  int64_t positions = graph.central.size();
  Value state = rows.reshape(rows.pick(newest, rows.asList(row)),
                             rows.type({positions}, one.getElementType()), {});
  Value place = rows.firstWhere(rows.equalRows(opposite, state));
  Type list = rows.listType(), number = row.getType();
  SmallVector<Value> mineFirst{last[mine + links],  last[mine + sizes],  place,
                               last[other + links], last[other + sizes], row};
  SmallVector<Value> otherFirst(mineFirst);
  std::rotate(otherFirst.begin(), otherFirst.begin() + 3, otherFirst.end());
  ValueRange ends = rows.branch(
      isEven(last[depth]), {list, list, number, list, list, number},
      [&] { return mineFirst; }, [&] { return otherFirst; });
  Value start = back(ends[0], ends[1], ends[2]);
  Value forwards = builder.create<graph::ReverseOp>(
      location, start.getType(), start, builder.getDenseI64ArrayAttr({0}));
  return rows.concat(forwards, back(ends[3], ends[4], ends[5]));
}

OwningOpRef<ModuleOp> MeetingBuilder::build() {
  OwningOpRef<ModuleOp> module = ModuleOp::create(location);
  builder.setInsertionPointToEnd(module->getBody());
  Type list = rows.listType();
  Type boolean = rows.type({}, builder.getI1Type());
  Type state = forwardOps.rowType();
  auto function = builder.create<func::FuncOp>(
      location, "main",
      builder.getFunctionType({state, state, rows.type({}, rows.i64())},
                              {boolean, list, list, list}));
  nameArguments(function, {"start", "target", "max_steps"});
  nameResults(function, {"found", "path", "forwards", "backwards"});
  builder.setInsertionPointToStart(function.addEntryBlock());
  SmallVector<Value> first =
      inits(function.getArgument(0), function.getArgument(1));
  Type states = forwardOps.rowsType();
  SmallVector<Type> types{states, states, list, list,
                          states, states, list, list};
  for (Value number : ArrayRef(first).drop_front(size))
    types.push_back(number.getType());
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
  ValueRange layers = rows.branch(
      isEven(last[depth]), {list, list},
      [&]() -> SmallVector<Value> {
        return {last[mine + sizes], last[other + sizes]};
      },
      [&]() -> SmallVector<Value> {
        return {last[other + sizes], last[mine + sizes]};
      });
  builder.create<func::ReturnOp>(
      location, ValueRange{last[met], path, layers[0], layers[1]});
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
