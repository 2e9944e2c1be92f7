// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Beam search: a loop that carries the beam, the links that lead back to the
// start, and what the next layer must not contain.

#include "frontends/cayley/BuildBeam.h"

#include "frontends/cayley/BeamModel.h"
#include "frontends/cayley/RowOps.h"
#include "frontends/cayley/StateOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"
#include <optional>

using namespace mlir;

namespace zenith::cayley {

static constexpr int64_t anySize = ShapedType::kDynamic;

BeamForm beamForm(const BeamOptions &options) {
  // A model costs more per state than telling states apart, and does not
  // promise equal states equal scores to the last bit.
  return options.score == BeamScore::Model ? BeamForm::DistinctFirst
                                           : BeamForm::ScoreFirst;
}

namespace {

class BeamBuilder {
public:
  BeamBuilder(const StateGraph &graph, const BeamOptions &options,
              ModuleOp module)
      : graph(graph), options(options), builder(module.getContext()),
        location(NameLoc::get(builder.getStringAttr(graph.name))),
        rows(builder, location),
        states(builder, location, graph, {options.start, options.target}),
        positions(graph.central.size()), generators(graph.generators()) {
    // Places of elements in a beam, and links, fit 32 bits nearly always.
    bool isSmall = options.width <= INT32_MAX / std::max(positions, generators);
    index = builder.getIntegerType(isSmall ? 32 : 64);
    scoreElement = builder.getIntegerType(positions < 256     ? 8
                                          : positions < 65536 ? 16
                                                              : 32,
                                          /*isSigned=*/false);
  }

  void useModel(BeamModel scorer) { model = std::move(scorer); }
  void build(ModuleOp module);

private:
  /// Carried values by position; further layers that are banned follow.
  enum Carried { beam, links, sizes, size, depth, found, olderLayers };
  /// States and, for each, parent * generators + generator.
  struct Layer {
    Value states, links;
  };

  SmallVector<Value> step(ValueRange now);
  Layer bestThenDistinct(Value beam, ArrayRef<Value> banned);
  Layer distinctThenBest(Value beam, ArrayRef<Value> banned);
  Value bestPlaces(Value layer);
  Layer withoutBanned(Layer layer, ArrayRef<Value> banned);
  Layer firstOf(Layer layer);

  Value target() {
    return rows.reshape(states.constantStates({options.target}),
                        rows.type({positions}, stateElement()), {});
  }
  Type stateElement() const { return states.rowsType().getElementType(); }
  Value neighbourScores(Value beam);
  Value scoresByPermutation(Value beam);
  Value scoreOf(Value differs, int64_t dim);
  Value neighboursAt(Value beam, Value places);

  const StateGraph &graph;
  const BeamOptions &options;
  OpBuilder builder;
  Location location;
  RowOps rows;
  StateOps states;
  int64_t positions, generators;
  Type index, scoreElement;
  std::optional<BeamModel> model;
};

} // namespace

/// Scores from where elements differ from the target's.
Value BeamBuilder::scoreOf(Value differs, int64_t dim) {
  if (options.score == BeamScore::Zero)
    return rows.convert(rows.fold(graph::ReduceKind::any, differs, {dim}),
                        scoreElement);
  return rows.fold(graph::ReduceKind::sum, rows.convert(differs, scoreElement),
                   {dim});
}

/// Scores of all neighbours without making them: position p of the neighbour
/// along g is position g[p] of the state. A state per lane: positions come
/// first.
Value BeamBuilder::scoresByPermutation(Value beam) {
  Value size = rows.count(beam);
  auto columns = builder.create<graph::BarrierOp>(
      location, TypeRange(rows.type({positions, anySize}, stateElement())),
      ValueRange(rows.transpose(beam)));
  SmallVector<int64_t> sources;
  for (const Permutation &permutation : graph.permutations)
    sources.append(permutation.begin(), permutation.end());
  Value moved = rows.pick(
      columns.getResult(0),
      // Narrow places let a vector hold as many elements as it has bytes.
      rows.constant(sources, {generators * positions}, scoreElement));
  RankedTensorType cube =
      rows.type({generators, positions, anySize}, stateElement());
  Value differs =
      rows.compare(graph::CompareDirection::ne, rows.reshape(moved, cube, size),
                   rows.broadcast(target(), cube, {1}, size));
  Value scores = rows.transpose(scoreOf(differs, 1));
  return rows.reshape(scores, rows.type({anySize}, scoreElement),
                      rows.mul(size, rows.number(generators)));
}

Value BeamBuilder::neighbourScores(Value beam) {
  if (!graph.permutations.empty())
    return scoresByPermutation(beam);
  Value all = states.expand(beam);
  Value wanted =
      rows.broadcast(target(), states.rowsType(), {1}, rows.count(all));
  return scoreOf(rows.compare(graph::CompareDirection::ne, all, wanted), 1);
}

/// Neighbours by their places among all of a beam's.
Value BeamBuilder::neighboursAt(Value beam, Value places) {
  if (graph.permutations.empty())
    return rows.pick(states.expand(beam), places);
  SmallVector<int64_t> sources;
  for (const Permutation &permutation : graph.permutations)
    sources.append(permutation.begin(), permutation.end());
  Value n = rows.count(places);
  Value count = rows.broadcast(rows.number(generators), rows.listType(), {}, n);
  // Computed apart, so that rows are moved by as many elements at a time as
  // their own type allows.
  auto apart = builder.create<graph::BarrierOp>(
      location,
      TypeRange{rows.type({anySize}, index), rows.type({anySize}, index)},
      ValueRange{rows.convert(rows.div(places, count), index),
                 rows.convert(rows.rem(places, count), index)});
  Value moves =
      rows.pick(rows.constant(sources, {generators, positions}, scoreElement),
                apart.getResult(1));
  moves =
      rows.reshape(moves, rows.type({anySize, positions, 1}, scoreElement), n);
  auto dims = graph::GatherDimsAttr::get(
      builder.getContext(), /*offsetDims=*/{}, /*collapsedSliceDims=*/{1},
      /*operandBatchingDims=*/{0}, /*startIndicesBatchingDims=*/{0},
      /*startIndexMap=*/{1}, /*indexVectorDim=*/2);
  return builder.create<graph::GatherOp>(location, states.rowsType(),
                                         rows.pick(beam, apart.getResult(0)),
                                         moves, dims, ArrayRef<int64_t>{1, 1});
}

BeamBuilder::Layer BeamBuilder::withoutBanned(Layer layer,
                                              ArrayRef<Value> banned) {
  if (banned.empty())
    return layer;
  RankedTensorType mask = rows.type({anySize}, builder.getI1Type());
  Value known;
  for (Value set : banned) {
    Value in = builder.create<graph::IsInOp>(location, mask, layer.states, set);
    known = known ? rows.either(known, in) : in;
  }
  SmallVector<Value> kept =
      rows.keep(rows.negate(known), {layer.states, layer.links});
  return {kept[0], kept[1]};
}

BeamBuilder::Layer BeamBuilder::firstOf(Layer layer) {
  Value kept = rows.min(rows.count(layer.states), rows.number(options.width));
  Value zero = rows.number(0);
  return {rows.part(layer.states, zero, kept),
          rows.part(layer.links, zero, kept)};
}

/// Equal states have equal scores, so the first of them in order of score and
/// place is the first in order of place. Only the best neighbours, half more
/// than the beam holds, become rows; twice as many where too few of these are
/// distinct.
BeamBuilder::Layer BeamBuilder::bestThenDistinct(Value beam,
                                                 ArrayRef<Value> banned) {
  Value scores = neighbourScores(beam);
  Value total = rows.count(scores), zero = rows.number(0);
  enum Carried { tried, distinct, links, enough };
  SmallVector<Value> inits{zero, states.constantStates({}),
                           rows.constant({}, {0}, rows.i64()),
                           rows.condition(false)};
  SmallVector<Type> types{zero.getType(), states.rowsType(), rows.listType(),
                          inits[enough].getType()};
  ValueRange best = rows.loop(
      types, inits, [&](ValueRange now) { return rows.negate(now[enough]); },
      [&](ValueRange now) -> SmallVector<Value> {
        int64_t first = options.width + (options.width + 1) / 2;
        Value isFirst =
            rows.compare(graph::CompareDirection::eq, now[tried], zero);
        Value more = rows.select(isFirst, rows.number(first),
                                 rows.add(now[tried], now[tried]));
        more = rows.min(more, total);
        auto top = builder.create<graph::TopKOp>(
            location, rows.type({anySize}, scoreElement), rows.listType(),
            scores, more, uint64_t(0), /*smallest=*/true);
        Value places = top.getIndices();
        auto [once, at] = rows.distinctAt(neighboursAt(beam, places));
        Layer layer = withoutBanned({once, rows.pick(places, at)}, banned);
        Value isEnough = rows.either(
            rows.compare(graph::CompareDirection::ge, rows.count(layer.states),
                         rows.number(options.width)),
            rows.compare(graph::CompareDirection::eq, more, total));
        return {more, layer.states, layer.links, isEnough};
      });
  return firstOf({best[distinct], best[links]});
}

/// The places of the best states; that of the target alone where it is there.
Value BeamBuilder::bestPlaces(Value layer) {
  Value isTarget = rows.equalRows(layer, target());
  return rows.branch(
      rows.fold(graph::ReduceKind::any, isTarget, {0}), rows.listType(),
      [&]() -> SmallVector<Value> {
        return {rows.asList(rows.firstWhere(isTarget))};
      },
      [&]() -> SmallVector<Value> {
        Value scores = model->score(rows, builder, layer);
        Value kept = rows.min(rows.count(layer), rows.number(options.width));
        auto top = builder.create<graph::TopKOp>(
            location, scores.getType(), rows.listType(), scores, kept,
            uint64_t(0), /*smallest=*/true);
        return {top.getIndices()};
      })[0];
}

BeamBuilder::Layer BeamBuilder::distinctThenBest(Value beam,
                                                 ArrayRef<Value> banned) {
  auto [once, at] = rows.distinctAt(states.expand(beam));
  Layer layer = withoutBanned({once, at}, banned);
  ValueRange best = rows.branch(
      rows.compare(graph::CompareDirection::gt, rows.count(layer.states),
                   rows.number(0)),
      {states.rowsType(), rows.listType()},
      [&]() -> SmallVector<Value> {
        Value places = bestPlaces(layer.states);
        return {rows.pick(layer.states, places),
                rows.pick(layer.links, places)};
      },
      [&]() -> SmallVector<Value> { return {layer.states, layer.links}; });
  return {best[0], best[1]};
}

SmallVector<Value> BeamBuilder::step(ValueRange now) {
  SmallVector<Value> banned;
  if (options.history > 0) {
    banned.push_back(now[beam]);
    llvm::append_range(banned, now.drop_front(olderLayers));
  }
  Layer next = beamForm(options) == BeamForm::ScoreFirst
                   ? bestThenDistinct(now[beam], banned)
                   : distinctThenBest(now[beam], banned);
  Value kept = rows.count(next.states);
  // The target has the least score, so it is the first state.
  Value first =
      rows.part(next.states, rows.number(0), rows.min(kept, rows.number(1)));
  Value isMet =
      rows.fold(graph::ReduceKind::any, rows.equalRows(first, target()), {0});
  SmallVector<Value> values{
      next.states,
      rows.concat(now[links], rows.convert(next.links, index)),
      rows.concat(now[sizes], rows.asList(kept)),
      kept,
      rows.add(now[depth], rows.number(1)),
      isMet};
  if (!banned.empty())
    values.append(banned.begin(), banned.end() - 1);
  return values;
}

void BeamBuilder::build(ModuleOp module) {
  builder.setInsertionPointToEnd(module.getBody());
  SmallVector<Type> results{rows.type({}, builder.getI1Type()), rows.listType(),
                            rows.listType()};
  auto function = builder.create<func::FuncOp>(
      location, "main", builder.getFunctionType({}, results));
  nameResults(function, {"found", "path", "sizes"});
  builder.setInsertionPointToStart(function.addEntryBlock());
  Value one = rows.number(1);
  SmallVector<Value> inits{states.constantStates({options.start}),
                           rows.constant({}, {0}, index),
                           rows.asList(one),
                           one,
                           rows.number(0),
                           rows.condition(options.start == options.target)};
  SmallVector<Type> types{states.rowsType(), rows.type({anySize}, index),
                          rows.listType(),   one.getType(),
                          one.getType(),     inits[found].getType()};
  for (int64_t i = 1; i < options.history; ++i) {
    inits.push_back(states.constantStates({}));
    types.push_back(states.rowsType());
  }
  ValueRange last = rows.loop(
      types, inits,
      [&](ValueRange now) {
        Value hasStates = rows.compare(graph::CompareDirection::gt, now[size],
                                       rows.number(0));
        Value hasSteps = rows.compare(graph::CompareDirection::lt, now[depth],
                                      rows.number(options.maxSteps));
        return rows.both(rows.negate(now[found]),
                         rows.both(hasStates, hasSteps));
      },
      [&](ValueRange now) { return step(now); });
  Value layer = rows.select(last[found], last[depth], rows.number(0));
  Value path = walkBack(rows, last[links], last[sizes], layer, rows.number(0),
                        generators);
  builder.create<func::ReturnOp>(location,
                                 ValueRange{last[found], path, last[sizes]});
}

llvm::Error buildBeam(const StateGraph &graph, const BeamOptions &options,
                      ModuleOp module, func::FuncOp model) {
  BeamBuilder builder(graph, options, module);
  if (options.score == BeamScore::Model) {
    int64_t numbers = graph.modulus;
    for (const State *state : {&graph.central, &options.start, &options.target})
      for (int64_t number : *state)
        numbers = std::max(numbers, number + 1);
    auto scorer = BeamModel::create(model, options.modelName,
                                    graph.central.size(), numbers);
    if (!scorer)
      return scorer.takeError();
    SymbolTable symbols(module);
    (void)symbols.rename(model, "score_states");
    model.setPrivate();
    builder.useModel(std::move(*scorer));
  }
  builder.build(module);
  return llvm::Error::success();
}

} // namespace zenith::cayley
