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
#include "llvm/Support/MathExtras.h"
#include <optional>

using namespace mlir;

namespace zenith::cayley {

static constexpr int64_t anySize = ShapedType::kDynamic;

BeamForm beamForm(const BeamOptions &options) {
  // A model costs more per state than telling states apart, and does not
  // promise equal states equal scores to the last bit.
  return options.score == BeamScore::Model || !options.mayScoreFirst
             ? BeamForm::DistinctFirst
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
        positions(graph.central.size()), generators(graph.generators()),
        numbers(graph.modulus) {
    scoreElement = builder.getIntegerType(positions < 256     ? 8
                                          : positions < 65536 ? 16
                                                              : 32,
                                          /*isSigned=*/false);
    for (const State *state : {&graph.central, &options.start, &options.target})
      for (int64_t number : *state)
        numbers = std::max(numbers, number + 1);
    hasScoreTable = options.score == BeamScore::Hamming &&
                    beamForm(options) == BeamForm::ScoreFirst &&
                    !graph.permutations.empty() && chooseScoreTable();
    radix = hasScoreTable ? paddedGenerators() : generators;
    // Places of elements in a beam, and links, fit 32 bits nearly always.
    bool isSmall = options.width <= INT32_MAX / std::max(positions, radix);
    index = builder.getIntegerType(isSmall ? 32 : 64);
  }

  void useModel(BeamModel scorer) { model = std::move(scorer); }
  int64_t numberCount() const { return numbers; }
  void build(ModuleOp module);

private:
  /// Carried values by position; further layers that are banned follow. `tries`
  /// is how many of the best neighbours are looked at first.
  enum Carried { beam, links, sizes, size, depth, found, tries, olderLayers };
  /// States and, for each, its link: parent * radix + generator.
  struct Layer {
    Value states, links;
  };
  struct Step {
    Layer layer;
    Value found, tries;
  };

  SmallVector<Value> step(ValueRange now);
  Step bestThenDistinct(Value beam, Value tries, ArrayRef<Value> banned);
  Value triesForWidth(Value tried, Value distinct);
  Layer distinct(Value candidates, Value places, ArrayRef<Value> banned,
                 Value &count);
  Step distinctThenBest(Value beam, Value tries, ArrayRef<Value> banned);
  std::pair<Value, Value> bestPlaces(Value layer);
  std::pair<Value, Value> bestByModel(Value layer);
  Layer withoutBanned(Layer layer, ArrayRef<Value> banned);

  Value target() {
    return rows.reshape(states.constantStates({options.target}),
                        rows.type({positions}, stateElement()), {});
  }
  Type stateElement() const { return states.rowsType().getElementType(); }
  Value scoresOf(Value layer);
  Value neighbourScores(Value beam);
  int64_t paddedGenerators() const;
  bool chooseScoreTable() const;
  Value scoreTable();
  Value scoresByTable(Value beam);
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
  int64_t numbers; ///< states contain 0 to numbers - 1
  /// A layer has scores of `radix` neighbours per state, of which the first are
  /// those along the generators.
  int64_t radix;
  bool hasScoreTable;
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

/// As many as vectors of scores have lanes.
int64_t BeamBuilder::paddedGenerators() const {
  constexpr int64_t lanes = 16;
  return generators < lanes ? int64_t(llvm::PowerOf2Ceil(generators))
                            : int64_t(llvm::alignTo(generators, lanes));
}

/// A table of scores is read at one place per position of a state: no gain
/// where it outgrows caches. Its largest score stands for no neighbour.
bool BeamBuilder::chooseScoreTable() const {
  constexpr int64_t mostBytes = 1 << 20;
  unsigned bits = scoreElement.getIntOrFloatBitWidth();
  return positions < (int64_t(1) << bits) - 1 &&
         positions * numbers <= mostBytes / (paddedGenerators() * bits / 8);
}

/// What each number in each position adds to the score of each neighbour:
/// position p of the neighbour along g is position g[p] of the state.
Value BeamBuilder::scoreTable() {
  SmallVector<int64_t> table(positions * numbers * radix);
  int64_t most = (int64_t(1) << scoreElement.getIntOrFloatBitWidth()) - 1;
  for (int64_t number = 0; number < numbers; ++number) {
    for (auto [g, permutation] : llvm::enumerate(graph.permutations))
      for (int64_t p = 0; p < positions; ++p)
        table[(permutation[p] * numbers + number) * radix + g] =
            number != options.target[p];
    for (int64_t g = generators; g < radix; ++g)
      table[number * radix + g] = most;
  }
  return rows.constant(table, {positions, numbers, radix}, scoreElement);
}

/// Scores of all neighbours without making them.
Value BeamBuilder::scoresByTable(Value beam) {
  Value size = rows.count(beam);
  auto dims = graph::GatherDimsAttr::get(
      builder.getContext(), /*offsetDims=*/{2}, /*collapsedSliceDims=*/{1},
      /*operandBatchingDims=*/{0}, /*startIndicesBatchingDims=*/{1},
      /*startIndexMap=*/{1}, /*indexVectorDim=*/2);
  Value places = rows.reshape(
      beam, rows.type({anySize, positions, 1}, stateElement()), size);
  Value parts = builder.create<graph::GatherOp>(
      location, rows.type({anySize, positions, radix}, scoreElement),
      scoreTable(), places, dims, ArrayRef<int64_t>{1, 1, radix});
  Value scores = rows.fold(graph::ReduceKind::sum, parts, {1});
  return rows.reshape(scores, rows.type({anySize}, scoreElement),
                      rows.mul(size, rows.number(radix)));
}

/// Scores of all neighbours without making them, however large the group is. A
/// state per lane: positions come first.
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

Value BeamBuilder::scoresOf(Value layer) {
  Value wanted =
      rows.broadcast(target(), states.rowsType(), {1}, rows.count(layer));
  return scoreOf(rows.compare(graph::CompareDirection::ne, layer, wanted), 1);
}

Value BeamBuilder::neighbourScores(Value beam) {
  if (hasScoreTable)
    return scoresByTable(beam);
  if (!graph.permutations.empty())
    return scoresByPermutation(beam);
  return scoresOf(states.expand(beam));
}

/// Neighbours by their places among all of a beam's.
Value BeamBuilder::neighboursAt(Value beam, Value places) {
  if (graph.permutations.empty())
    return rows.pick(states.expand(beam), places);
  SmallVector<int64_t> sources;
  for (const Permutation &permutation : graph.permutations)
    sources.append(permutation.begin(), permutation.end());
  Value n = rows.count(places);
  Value count = rows.broadcast(rows.number(radix), rows.listType(), {}, n);
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

/// The first `width` distinct states that are not banned, and how many there
/// are in all.
BeamBuilder::Layer BeamBuilder::distinct(Value candidates, Value places,
                                         ArrayRef<Value> banned, Value &count) {
  auto [once, at] = rows.distinctAt(candidates);
  Value zero = rows.number(0), width = rows.number(options.width);
  if (banned.empty()) {
    count = rows.count(at);
    Value kept = rows.part(at, zero, rows.min(count, width));
    return {rows.pick(candidates, kept), rows.pick(places, kept)};
  }
  Layer layer = withoutBanned({once, rows.pick(places, at)}, banned);
  count = rows.count(layer.states);
  Value kept = rows.min(count, width);
  return {rows.part(layer.states, zero, kept),
          rows.part(layer.links, zero, kept)};
}

/// How many neighbours have as many distinct states as the beam holds, where
/// those tried had so many; an eighth more, since the share changes from step
/// to step.
Value BeamBuilder::triesForWidth(Value tried, Value distinct) {
  Value one = rows.number(1), width = rows.number(options.width);
  Value wanted = rows.div(rows.mul(tried, width), rows.add(distinct, one));
  wanted = rows.add(wanted, rows.div(wanted, rows.number(8)));
  return rows.max(wanted, rows.number(options.width + options.width / 8 + 1));
}

/// Equal states have equal scores, so the first of them in order of score and
/// place is the first in order of place. Only the best neighbours become rows;
/// half more where too few of these are distinct. The target alone has score 0.
BeamBuilder::Step BeamBuilder::bestThenDistinct(Value beam, Value tries,
                                                ArrayRef<Value> banned) {
  Value scores = neighbourScores(beam);
  Value total = rows.mul(rows.count(beam), rows.number(generators)),
        zero = rows.number(0);
  enum Carried { wanted, kept, links, met, enough };
  Value no = rows.condition(false);
  SmallVector<Value> inits{tries, states.constantStates({}),
                           rows.constant({}, {0}, rows.i64()), no, no};
  SmallVector<Type> types{zero.getType(), states.rowsType(), rows.listType(),
                          no.getType(), no.getType()};
  ValueRange best = rows.loop(
      types, inits, [&](ValueRange now) { return rows.negate(now[enough]); },
      [&](ValueRange now) -> SmallVector<Value> {
        Value tried = rows.min(now[wanted], total);
        auto top = builder.create<graph::TopKOp>(
            location, rows.type({anySize}, scoreElement), rows.listType(),
            scores, tried, uint64_t(0), /*smallest=*/true);
        Value places = top.getIndices(), count;
        Layer layer =
            distinct(neighboursAt(beam, places), places, banned, count);
        Value isEnough = rows.either(
            rows.compare(graph::CompareDirection::ge, count,
                         rows.number(options.width)),
            rows.compare(graph::CompareDirection::eq, tried, total));
        Value more = rows.add(
            tried, rows.add(rows.div(tried, rows.number(2)), rows.number(1)));
        Value least = rows.convert(rows.at(top.getValues(), zero), rows.i64());
        return {rows.select(isEnough, triesForWidth(tried, count), more),
                layer.states, layer.links,
                rows.compare(graph::CompareDirection::eq, least, zero),
                isEnough};
      });
  return {{best[kept], best[links]}, best[met], best[wanted]};
}

/// The places of the best states, and whether the target is there; it alone has
/// score 0.
std::pair<Value, Value> BeamBuilder::bestPlaces(Value layer) {
  Value kept = rows.min(rows.count(layer), rows.number(options.width)),
        zero = rows.number(0);
  auto top = builder.create<graph::TopKOp>(
      location, rows.type({anySize}, scoreElement), rows.listType(),
      scoresOf(layer), kept, uint64_t(0), /*smallest=*/true);
  Value least = rows.convert(rows.at(top.getValues(), zero), rows.i64());
  return {top.getIndices(),
          rows.compare(graph::CompareDirection::eq, least, zero)};
}

/// The places of the best states, that of the target alone where it is there;
/// and whether it is.
std::pair<Value, Value> BeamBuilder::bestByModel(Value layer) {
  Value n = rows.count(layer);
  Value first =
      rows.fold(graph::ReduceKind::min,
                rows.select(rows.equalRows(layer, target()), rows.positions(n),
                            rows.broadcast(n, rows.listType(), {}, n)),
                {0});
  Value met = rows.compare(graph::CompareDirection::lt, first, n);
  Value places = rows.branch(
      met, rows.listType(),
      [&]() -> SmallVector<Value> {
        return {rows.part(rows.positions(n), first, rows.number(1))};
      },
      [&]() -> SmallVector<Value> {
        Value scores = model->score(rows, builder, layer);
        Value kept = rows.min(n, rows.number(options.width));
        auto top = builder.create<graph::TopKOp>(
            location, scores.getType(), rows.listType(), scores, kept,
            uint64_t(0), /*smallest=*/true);
        return {top.getIndices()};
      })[0];
  return {places, met};
}

BeamBuilder::Step BeamBuilder::distinctThenBest(Value beam, Value tries,
                                                ArrayRef<Value> banned) {
  auto [once, at] = rows.distinctAt(states.expand(beam));
  Layer layer = withoutBanned({once, at}, banned);
  Value no = rows.condition(false);
  ValueRange best = rows.branch(
      rows.compare(graph::CompareDirection::gt, rows.count(layer.states),
                   rows.number(0)),
      {states.rowsType(), rows.listType(), no.getType()},
      [&]() -> SmallVector<Value> {
        auto [places, met] =
            model ? bestByModel(layer.states) : bestPlaces(layer.states);
        return {rows.pick(layer.states, places), rows.pick(layer.links, places),
                met};
      },
      [&]() -> SmallVector<Value> { return {layer.states, layer.links, no}; });
  return {{best[0], best[1]}, best[2], tries};
}

SmallVector<Value> BeamBuilder::step(ValueRange now) {
  SmallVector<Value> banned;
  if (options.history > 0) {
    banned.push_back(now[beam]);
    llvm::append_range(banned, now.drop_front(olderLayers));
  }
  Step next = beamForm(options) == BeamForm::ScoreFirst
                  ? bestThenDistinct(now[beam], now[tries], banned)
                  : distinctThenBest(now[beam], now[tries], banned);
  Value kept = rows.count(next.layer.states);
  SmallVector<Value> values{
      next.layer.states,
      rows.concat(now[links], rows.convert(next.layer.links, index)),
      rows.concat(now[sizes], rows.asList(kept)),
      kept,
      rows.add(now[depth], rows.number(1)),
      next.found,
      next.tries};
  if (!banned.empty())
    values.append(banned.begin(), banned.end() - 1);
  return values;
}

void BeamBuilder::build(ModuleOp module) {
  builder.setInsertionPointToEnd(module.getBody());
  SmallVector<Type> results{rows.type({}, builder.getI1Type()), rows.listType(),
                            rows.listType()};
  auto function = builder.create<func::FuncOp>(
      location, "main", builder.getFunctionType({states.rowType()}, results));
  nameArguments(function, {"start"});
  nameResults(function, {"found", "path", "sizes"});
  builder.setInsertionPointToStart(function.addEntryBlock());
  Value one = rows.number(1), start = function.getArgument(0);
  SmallVector<Value> inits{
      start,
      rows.constant({}, {0}, index),
      rows.asList(one),
      one,
      rows.number(0),
      rows.areEqual(start, states.constantStates({options.target})),
      rows.number(options.width + options.width / 2 + 1)};
  SmallVector<Type> types{states.rowsType(), rows.type({anySize}, index),
                          rows.listType(),   one.getType(),
                          one.getType(),     inits[found].getType(),
                          one.getType()};
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
  Value path =
      walkBack(rows, last[links], last[sizes], layer, rows.number(0), radix);
  builder.create<func::ReturnOp>(location,
                                 ValueRange{last[found], path, last[sizes]});
}

llvm::Error buildBeam(const StateGraph &graph, const BeamOptions &options,
                      ModuleOp module, func::FuncOp model) {
  BeamBuilder builder(graph, options, module);
  if (options.score == BeamScore::Model) {
    auto scorer = BeamModel::create(
        model, options.modelName, graph.central.size(), builder.numberCount());
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
