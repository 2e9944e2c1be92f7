// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random walks: a loop that carries the current states, all states so far, and
// the state of the random generator.

#include "frontends/cayley/BuildWalks.h"

#include "frontends/cayley/StateOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace zenith::cayley {

namespace {

class WalkBuilder {
public:
  WalkBuilder(const StateGraph &graph, const WalkOptions &options,
              MLIRContext *context)
      : graph(graph), options(options), builder(context),
        location(NameLoc::get(builder.getStringAttr(graph.name))),
        rows(builder, location),
        states(builder, location, graph, options.starts),
        positions(graph.central.size()), generators(graph.generators()) {}

  OwningOpRef<ModuleOp> build();

private:
  /// States, sizes of steps, and the moves where they are asked for.
  using Results = SmallVector<Value>;

  Results buildWalks();
  Results buildLayers();
  std::pair<Value, Value> randomBits(Value state, int64_t count);
  Value seedState();
  Value firstStates();
  /// 0 to width - 1.
  Value walkNumbers() {
    return builder.create<graph::IotaOp>(location,
                                         rows.type({options.width}, rows.i64()),
                                         uint64_t(0), ValueRange());
  }
  Value chosenMoves(Value bits, Value last);
  Value along(Value current, Value moves);
  Value fixed(int64_t value, Type element) {
    return rows.broadcast(rows.constant(value, {}, element),
                          rows.type({options.width}, element), {}, {});
  }

  const StateGraph &graph;
  const WalkOptions &options;
  OpBuilder builder;
  Location location;
  RowBuilder rows;
  StateOps states;
  int64_t positions, generators;
};

} // namespace

Value WalkBuilder::seedState() {
  if (options.takesState)
    return builder.getInsertionBlock()->getArgument(0);
  return rows.constant({int64_t(options.seed), 0}, {2},
                       builder.getIntegerType(64, /*isSigned=*/false));
}

/// The next generator state, and `count` words of 32 bits.
std::pair<Value, Value> WalkBuilder::randomBits(Value state, int64_t count) {
  auto bits = builder.create<graph::RandomBitsOp>(
      location, state.getType(),
      rows.type({count}, builder.getIntegerType(32, /*isSigned=*/false)),
      graph::RandomKind::threefry, state);
  return {bits.getNewState(), bits.getBits()};
}

/// A generator per walk: word * choices / 2^32 is an index into the allowed
/// ones, which depend on the last generator for non-backtracking walks.
Value WalkBuilder::chosenMoves(Value bits, Value last) {
  Type wide = builder.getIntegerType(64, /*isSigned=*/false);
  Value words = rows.convert(bits, wide), shift = fixed(32, wide);
  auto numberBelow = [&](Value choices) {
    Value product = rows.mul(words, choices);
    return rows.convert(
        builder.create<graph::ShiftRightLogicalOp>(location, product, shift)
            .getResult(),
        rows.i64());
  };
  if (options.kind == WalkKind::Classic)
    return numberBelow(fixed(generators, wide));
  // Row `last` lists the generators that may follow; row `generators` is for
  // the start. A single generator that is its own inverse may follow itself.
  std::vector<size_t> inverses = graph.inverses();
  SmallVector<int64_t> table, counts;
  for (int64_t before = 0; before <= generators; ++before) {
    SmallVector<int64_t> allowed;
    for (int64_t next = 0; next < generators; ++next)
      if (before == generators || int64_t(inverses[before]) != next ||
          generators == 1)
        allowed.push_back(next);
    counts.push_back(allowed.size());
    allowed.resize(generators, allowed.back());
    table.append(allowed);
  }
  Value choices =
      rows.pick(rows.constant(counts, {generators + 1}, wide), last);
  Value cells = rows.add(rows.mul(last, fixed(generators, rows.i64())),
                         numberBelow(choices));
  return rows.pick(
      rows.constant(table, {(generators + 1) * generators}, rows.i64()), cells);
}

/// Each state's neighbour along its own generator.
Value WalkBuilder::along(Value current, Value moves) {
  RankedTensorType fixedRows =
      rows.type({options.width, positions}, states.rowsType().getElementType());
  Value places =
      rows.add(rows.mul(walkNumbers(), fixed(generators, rows.i64())), moves);
  Value anyRows =
      rows.reshape(current, states.rowsType(), rows.number(options.width));
  return rows.reshape(rows.pick(states.expand(anyRows), places), fixedRows, {});
}

/// The start of each walk, width x positions.
Value WalkBuilder::firstStates() {
  Value number = rows.rem(walkNumbers(),
                          fixed(int64_t(options.starts.size()), rows.i64()));
  return rows.pick(states.constantStates(options.starts), number);
}

WalkBuilder::Results WalkBuilder::buildWalks() {
  Type element = states.rowsType().getElementType();
  Value start = firstStates();
  RankedTensorType all =
      rows.type({options.width * options.length, positions}, element);
  Value zero = rows.number(0), one = rows.number(1);
  auto place = [&](Value into, Value step, Value states) -> Value {
    Value row = rows.mul(step, rows.number(options.width));
    return builder.create<graph::DynamicUpdateSliceOp>(
        location, all, into, states, ValueRange{row, zero});
  };
  Value empty = rows.broadcast(rows.constant(0, {}, element), all, {}, {});
  Value moves = fixed(generators, rows.i64());
  RankedTensorType taken =
      rows.type({options.length - 1, options.width}, rows.i64());
  bool givesMoves = options.givesMoves && options.length > 1;
  enum Carried { size, step, current, visited, random, last, allMoves };
  SmallVector<Value> inits{rows.number(options.width), one,         start,
                           place(empty, zero, start),  seedState(), moves};
  if (givesMoves)
    inits.push_back(rows.broadcast(zero, taken, {}, {}));
  SmallVector<Type> types;
  for (Value init : inits)
    types.push_back(init.getType());
  ValueRange end = rows.loop(
      types, inits,
      [&](ValueRange now) {
        return rows.compare(graph::CompareDirection::lt, now[step],
                            rows.number(options.length));
      },
      [&](ValueRange now) -> SmallVector<Value> {
        auto [state, bits] = randomBits(now[random], options.width);
        Value chosen = chosenMoves(bits, now[last]);
        Value next = along(now[current], chosen);
        SmallVector<Value> values{
            now[size], rows.add(now[step], one),
            next,      place(now[visited], now[step], next),
            state,     chosen};
        if (givesMoves) {
          Value row = rows.reshape(
              chosen, rows.type({1, options.width}, rows.i64()), {});
          values.push_back(builder.create<graph::DynamicUpdateSliceOp>(
              location, taken, now[allMoves], row,
              ValueRange{rows.sub(now[step], one), zero}));
        }
        return values;
      });
  Value sizes = rows.broadcast(rows.number(options.width), rows.listType(), {},
                               rows.number(options.length));
  Results results{end[visited], sizes};
  if (givesMoves)
    results.push_back(end[allMoves]);
  else if (options.givesMoves)
    results.push_back(rows.constant({}, taken.getShape(), rows.i64()));
  return results;
}

WalkBuilder::Results WalkBuilder::buildLayers() {
  Value start = states.distinct(states.constantStates(options.starts)),
        one = rows.number(1), count = rows.count(start);
  enum Carried { size, step, current, visited, random, sizes };
  SmallVector<Value> inits{count, one,         start,
                           start, seedState(), rows.asList(count)};
  SmallVector<Type> types{one.getType(),           one.getType(),
                          states.rowsType(),       states.rowsType(),
                          inits[random].getType(), rows.listType()};
  int64_t most =
      std::max<int64_t>(options.width, options.starts.size()) * generators;
  ValueRange end = rows.loop(
      types, inits,
      [&](ValueRange now) {
        Value hasStates = rows.compare(graph::CompareDirection::gt, now[size],
                                       rows.number(0));
        return rows.both(hasStates,
                         rows.compare(graph::CompareDirection::lt, now[step],
                                      rows.number(options.length)));
      },
      [&](ValueRange now) -> SmallVector<Value> {
        Value fresh = states.without(
            states.distinct(states.expand(now[current])), now[visited]);
        auto [state, bits] = randomBits(now[random], most);
        Value count = rows.count(fresh);
        Value keys = rows.part(bits, rows.number(0), count);
        Value kept = rows.min(count, rows.number(options.width));
        auto top = builder.create<graph::TopKOp>(
            location, keys.getType(), rows.listType(), keys, kept, uint64_t(0),
            /*smallest=*/true);
        Value isLayer =
            rows.compare(graph::CompareDirection::gt, kept, rows.number(0));
        Value next = rows.branch(
            isLayer, states.rowsType(),
            [&]() -> SmallVector<Value> {
              return {rows.pick(fresh, top.getIndices())};
            },
            [&]() -> SmallVector<Value> { return {fresh}; })[0];
        // The empty layer after the last one does not count.
        Value counted = rows.keep(
            rows.reshape(isLayer, rows.type({1}, builder.getI1Type()), {}),
            rows.asList(kept))[0];
        return {kept,  rows.add(now[step], one),
                next,  rows.concat(now[visited], next),
                state, rows.concat(now[sizes], counted)};
      });
  return {end[visited], end[sizes]};
}

OwningOpRef<ModuleOp> WalkBuilder::build() {
  OwningOpRef<ModuleOp> module = ModuleOp::create(location);
  builder.setInsertionPointToEnd(module->getBody());
  SmallVector<Type> inputs;
  if (options.takesState)
    inputs.push_back(
        rows.type({2}, builder.getIntegerType(64, /*isSigned=*/false)));
  auto function = builder.create<func::FuncOp>(
      location, "main", builder.getFunctionType(inputs, {}));
  builder.setInsertionPointToStart(function.addEntryBlock());
  Results results =
      options.kind == WalkKind::Layers ? buildLayers() : buildWalks();
  function.setFunctionType(
      builder.getFunctionType(inputs, ValueRange(results).getTypes()));
  nameResults(function,
              ArrayRef<StringRef>{"states", "sizes", "moves"}.take_front(
                  results.size()));
  builder.create<func::ReturnOp>(location, results);
  return module;
}

OwningOpRef<ModuleOp> buildWalks(const StateGraph &graph,
                                 const WalkOptions &options,
                                 MLIRContext *context) {
  return WalkBuilder(graph, options, context).build();
}

} // namespace zenith::cayley
