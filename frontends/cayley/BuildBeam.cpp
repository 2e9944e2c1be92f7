// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Beam search: a loop that carries the beam, the predecessor links of all
// states, and the states excluded from the next layer. Links of few steps fill
// a buffer in place; for many steps they are a list that grows.

#include "frontends/cayley/BuildBeam.h"

#include "frontends/cayley/BeamModel.h"
#include "frontends/cayley/StateOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace zenith::cayley {

/// Indices of elements in a beam, and links, nearly always fit 32 bits.
static bool linksAreSmall(const StateGraph &graph, const BeamOptions &options) {
  auto most = int64_t(std::max(graph.central.size(), graph.generators()));
  return options.width <= INT32_MAX / most;
}

/// Appending to a list of links copies it, which takes more than half of the
/// time of wide beams. A buffer commits its pages before they are needed.
std::optional<int64_t> linksInPlace(const StateGraph &graph,
                                    const BeamOptions &options) {
  const int64_t bytesOfLink = linksAreSmall(graph, options) ? 4 : 8;
  constexpr int64_t manyLinks = 1 << 25, partOfMemory = 8, fewSteps = 16;
  // Limits up to the next power of two have one program.
  int64_t steps = int64_t(llvm::PowerOf2Ceil(
      uint64_t(std::max<int64_t>(options.maxSteps, fewSteps))));
  if (options.width > manyLinks / steps)
    return std::nullopt;
  int64_t links = options.width * steps;
  if (options.memoryBytes > 0 &&
      links * bytesOfLink > options.memoryBytes / partOfMemory)
    return std::nullopt;
  return links;
}

namespace {

class BeamBuilder {
public:
  BeamBuilder(const StateGraph &graph, const BeamOptions &options,
              ModuleOp module)
      : options(options), builder(module.getContext()),
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
    index = builder.getIntegerType(linksAreSmall(graph, options) ? 32 : 64);
    mostLinks = linksInPlace(graph, options);
  }

  void useModel(BeamModel scorer) { model = std::move(scorer); }
  int64_t numberCount() const { return numbers; }
  void build(ModuleOp module);

private:
  /// Loop-carried values by position; counts and further excluded layers
  /// follow, as far as there are any. Links are valid up to `end`.
  enum Carried { beam, links, sizes, size, depth, found, end, others };
  /// States and, for each, its link: parent * generators + generator.
  struct Layer {
    Value states, links;
  };
  struct Step {
    Layer layer;
    Value found;
    Value formed, scored; ///< different neighbours, and those not excluded
    Value nans;           ///< scores of a model that are NaN
  };
  /// Places of the best states, whether the target is among them, and how many
  /// scores of a model are NaN.
  struct Best {
    Value places, met, nans;
  };
  unsigned countLists() const { return options.countsStates ? 2 : 0; }
  unsigned olderLayers() const {
    return others + countLists() + (model ? 2 : 0);
  }

  Value firstLinks();
  Value withLinks(ValueRange now, Value more);
  SmallVector<Value> step(ValueRange now);
  Step bestNeighbours(Value beam, ArrayRef<Value> banned);
  Best bestPlaces(Value layer);
  Best bestByModel(Value layer);
  Layer withoutBanned(Layer layer, ArrayRef<Value> banned);

  Value target() {
    return rows.reshape(
        states.constantStates({options.target}),
        rows.type({positions}, states.rowsType().getElementType()), {});
  }
  Value scoresOf(Value layer);

  const BeamOptions &options;
  OpBuilder builder;
  Location location;
  RowBuilder rows;
  StateOps states;
  int64_t positions, generators;
  /// Size of the buffer of links; nothing where they are a list.
  std::optional<int64_t> mostLinks;
  int64_t numbers; ///< states contain 0 to numbers - 1
  Type index, scoreElement;
  std::optional<BeamModel> model;
};

} // namespace

/// Scores from the mask of elements that differ from the target.
Value BeamBuilder::scoresOf(Value layer) {
  Value wanted =
      rows.broadcast(target(), states.rowsType(), {1}, rows.count(layer));
  Value differs = rows.compare(graph::CompareDirection::ne, layer, wanted);
  if (options.score == BeamScore::Zero)
    return rows.convert(rows.fold(graph::ReduceKind::any, differs, {1}),
                        scoreElement);
  return rows.fold(graph::ReduceKind::sum, rows.convert(differs, scoreElement),
                   {1});
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

/// The indices of the best states, and whether the target is among them; only
/// the target has score 0.
BeamBuilder::Best BeamBuilder::bestPlaces(Value layer) {
  Value kept = rows.min(rows.count(layer), rows.number(options.width)),
        zero = rows.number(0);
  auto top = builder.create<graph::TopKOp>(
      location, rows.type({anySize}, scoreElement), rows.listType(),
      scoresOf(layer), kept, uint64_t(0), /*smallest=*/true);
  Value least = rows.convert(rows.at(top.getValues(), zero), rows.i64());
  return {top.getIndices(),
          rows.compare(graph::CompareDirection::eq, least, zero), Value()};
}

/// The indices of the best states, only that of the target where it is among
/// them; and whether it is.
BeamBuilder::Best BeamBuilder::bestByModel(Value layer) {
  Value n = rows.count(layer);
  Value first =
      rows.fold(graph::ReduceKind::min,
                rows.select(rows.equalRows(layer, target()), rows.positions(n),
                            rows.broadcast(n, rows.listType(), {}, n)),
                {0});
  Value met = rows.compare(graph::CompareDirection::lt, first, n);
  ValueRange best = rows.branch(
      met, {rows.listType(), n.getType()},
      [&]() -> SmallVector<Value> {
        return {rows.part(rows.positions(n), first, rows.number(1)),
                rows.number(0)};
      },
      [&]() -> SmallVector<Value> {
        Value scores = model->score(rows, builder, layer);
        Value kept = rows.min(n, rows.number(options.width));
        auto top = builder.create<graph::TopKOp>(
            location, scores.getType(), rows.listType(), scores, kept,
            uint64_t(0), /*smallest=*/true);
        Value isNaN = rows.compare(graph::CompareDirection::ne, scores, scores);
        return {top.getIndices(),
                rows.fold(graph::ReduceKind::sum,
                          rows.convert(isNaN, rows.i64()), {0})};
      });
  return {best[0], met, best[1]};
}

BeamBuilder::Step BeamBuilder::bestNeighbours(Value beam,
                                              ArrayRef<Value> banned) {
  auto [once, at] = rows.distinctAt(states.expand(beam));
  Layer layer = withoutBanned({once, at}, banned);
  Value no = rows.condition(false), zero = rows.number(0);
  SmallVector<Type> types{states.rowsType(), rows.listType(), no.getType()};
  if (model)
    types.push_back(zero.getType());
  ValueRange best = rows.branch(
      rows.compare(graph::CompareDirection::gt, rows.count(layer.states),
                   rows.number(0)),
      types,
      [&]() -> SmallVector<Value> {
        auto [places, met, nans] =
            model ? bestByModel(layer.states) : bestPlaces(layer.states);
        SmallVector<Value> values{rows.pick(layer.states, places),
                                  rows.pick(layer.links, places), met};
        if (model)
          values.push_back(nans);
        return values;
      },
      [&]() -> SmallVector<Value> {
        SmallVector<Value> values{layer.states, layer.links, no};
        if (model)
          values.push_back(zero);
        return values;
      });
  Step step{{best[0], best[1]}, best[2], {}, {}, {}};
  if (options.countsStates)
    step.formed = rows.count(once);
  if (options.countsStates || model)
    step.scored = rows.count(layer.states);
  if (model)
    step.nans = best[3];
  return step;
}

Value BeamBuilder::firstLinks() {
  if (!mostLinks)
    return rows.constant({}, {0}, index);
  return rows.broadcast(rows.constant({0}, {}, index),
                        rows.type({*mostLinks}, index), {}, {});
}

Value BeamBuilder::withLinks(ValueRange now, Value more) {
  Value links = rows.convert(more, index);
  if (!mostLinks)
    return rows.concat(now[Carried::links], links);
  return builder.create<graph::DynamicUpdateSliceOp>(
      location, now[Carried::links].getType(), now[Carried::links], links,
      ValueRange(now[end]));
}

SmallVector<Value> BeamBuilder::step(ValueRange now) {
  SmallVector<Value> banned;
  if (options.history > 0) {
    banned.push_back(now[beam]);
    llvm::append_range(banned, now.drop_front(olderLayers()));
  }
  Step next = bestNeighbours(now[beam], banned);
  Value kept = rows.count(next.layer.states);
  SmallVector<Value> values{next.layer.states,
                            withLinks(now, next.layer.links),
                            rows.concat(now[sizes], rows.asList(kept)),
                            kept,
                            rows.add(now[depth], rows.number(1)),
                            next.found,
                            rows.add(now[end], kept)};
  if (options.countsStates)
    values.append({rows.concat(now[others], rows.asList(next.formed)),
                   rows.concat(now[others + 1], rows.asList(next.scored))});
  if (model) {
    unsigned at = others + countLists();
    Value areAll = rows.both(
        rows.compare(graph::CompareDirection::gt, next.nans, rows.number(0)),
        rows.compare(graph::CompareDirection::eq, next.nans, next.scored));
    values.append({rows.add(now[at], next.nans),
                   rows.add(now[at + 1], rows.convert(areAll, rows.i64()))});
  }
  if (!banned.empty())
    values.append(banned.begin(), banned.end() - 1);
  return values;
}

void BeamBuilder::build(ModuleOp module) {
  builder.setInsertionPointToEnd(module.getBody());
  SmallVector<Type> results{rows.type({}, builder.getI1Type()), rows.listType(),
                            rows.listType()};
  SmallVector<StringRef> names{"found", "path", "sizes"};
  if (options.countsStates) {
    results.append(2, rows.listType());
    names.append({"formed", "scored"});
  }
  if (model) {
    results.append(2, rows.type({}, rows.i64()));
    names.append({"nan_scores", "nan_steps"});
  }
  if (options.givesBeam) {
    results.push_back(states.rowsType());
    names.push_back("beam");
  }
  auto function = builder.create<func::FuncOp>(
      location, "main",
      builder.getFunctionType({states.rowType(), rows.type({}, rows.i64())},
                              results));
  nameArguments(function, {"start", "max_steps"});
  nameResults(function, names);
  builder.setInsertionPointToStart(function.addEntryBlock());
  Value one = rows.number(1), start = function.getArgument(0);
  SmallVector<Value> inits{
      start,
      firstLinks(),
      rows.asList(one),
      one,
      rows.number(0),
      rows.areEqual(start, states.constantStates({options.target})),
      rows.number(0)};
  SmallVector<Type> types{
      states.rowsType(), rows.type({mostLinks.value_or(anySize)}, index),
      rows.listType(),   one.getType(),
      one.getType(),     inits[found].getType(),
      one.getType()};
  Value none = rows.constant({}, {0}, rows.i64());
  inits.append(countLists(), none);
  types.append(countLists(), rows.listType());
  inits.append(model ? 2 : 0, rows.number(0));
  types.append(model ? 2 : 0, one.getType());
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
                                      function.getArgument(1));
        return rows.both(rows.negate(now[found]),
                         rows.both(hasStates, hasSteps));
      },
      [&](ValueRange now) { return step(now); });
  Value layer = rows.select(last[found], last[depth], rows.number(0));
  // The last layer's links are the last ones.
  Value offset = rows.sub(last[end], rows.at(last[sizes], layer));
  Value path = walkBack(rows, {last[links], last[sizes]}, layer, offset,
                        rows.number(0), generators);
  SmallVector<Value> values{last[found], path, last[sizes]};
  llvm::append_range(values,
                     last.slice(others, olderLayers() - unsigned(others)));
  if (options.givesBeam)
    values.push_back(last[beam]);
  builder.create<func::ReturnOp>(location, values);
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
