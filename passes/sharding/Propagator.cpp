// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rounds and worklist of propagation.

#include "passes/sharding/Propagator.h"

#include "ir/program/Shardings.h"
#include "ir/remarks/Remark.h"
#include "llvm/ADT/StringSwitch.h"
#include <set>

using namespace mlir;
using namespace zenith::graph;

namespace zenith::sharding {

std::optional<Strategy> strategyOf(StringRef name) {
  return llvm::StringSwitch<std::optional<Strategy>>(name)
      .Case("basic", Strategy::Basic)
      .Case("aggressive", Strategy::Aggressive)
      .Case("op-priority", Strategy::OpPriority)
      .Case("user-priority", Strategy::UserPriority)
      .Case("full", Strategy::Full)
      .Default(std::nullopt);
}

void Propagator::run() {
  isListed.assign(graph.links().size(), false);
  if (strategy >= Strategy::UserPriority)
    runPriorities();
  else
    runRounds();
}

//===----------------------------------------------------------------------===//
// Rounds
//===----------------------------------------------------------------------===//

// Dimensions of a later priority are closed and empty; their axes count as
// replicated until their round comes.
void Propagator::runPriorities() {
  struct Hidden {
    Slot slot;
    size_t dim;
    DimState state;
  };
  std::vector<Hidden> hidden;
  std::set<int64_t> priorities{0};
  MutableArrayRef<TensorState> states = graph.allStates();
  for (auto [slot, state] : llvm::enumerate(states))
    for (auto [dim, entry] : llvm::enumerate(state.dims)) {
      if (entry.priority == 0)
        continue;
      priorities.insert(entry.priority);
      hidden.push_back({Slot(slot), dim, entry});
      state.replicated.append(entry.axes.begin(), entry.axes.end());
      entry.axes.clear();
      entry.open = false;
    }
  for (int64_t priority : priorities) {
    for (const Hidden &entry : hidden) {
      if (entry.state.priority != priority)
        continue;
      TensorState &state = states[entry.slot];
      llvm::erase_if(state.replicated, [&](const Axis &axis) {
        return llvm::is_contained(entry.state.axes, axis);
      });
      state.dims[entry.dim] = entry.state;
    }
    runRounds();
  }
}

void Propagator::runRounds() {
  if (strategy >= Strategy::OpPriority)
    for (Round round : {Round::SingleUses, Round::AnyUses, Round::PassThrough,
                        Round::BackwardBroadcast})
      runRound(round);
  runRound(Round::All);
}

void Propagator::runRound(Round round) {
  // What functions return, before and after their bodies.
  auto runReturns = [&] {
    for (const Link &link : graph.links())
      if (link.kind == Link::Kind::Return)
        visit(link, round);
  };
  runReturns();
  bool isChanged = true;
  while (isChanged) {
    isChanged = false;
    for (unsigned i = graph.links().size(); i-- > 0;)
      if (graph.links()[i].kind != Link::Kind::Return) {
        worklist.push_back(i);
        isListed[i] = true;
      }
    while (!worklist.empty()) {
      unsigned next = worklist.back();
      worklist.pop_back();
      isListed[next] = false;
      isChanged |= visit(graph.links()[next], round);
    }
  }
  runReturns();
}

Direction Propagator::directionOf(const Link &link, const Factor &factor,
                                  Round round) const {
  if (link.kind != Link::Kind::Op)
    return link.allowed;
  Direction early = Direction::None;
  if (link.elementwise || isa<ReshapeOp, TransposeOp>(link.op))
    early = Direction::Both;
  else if (isa<DynamicSliceOp, DynamicUpdateSliceOp>(link.op))
    early = Direction::Forward;
  Direction late =
      isa<BroadcastOp>(link.op) ? Direction::Backward : Direction::Both;
  switch (round) {
  case Round::SingleUses:
    return link.hasOnlyUses ? early : Direction::None;
  case Round::AnyUses:
    return early;
  case Round::PassThrough:
    return factor.kind == FactorKind::PassThrough ? late : early;
  case Round::BackwardBroadcast:
    return late;
  case Round::All:
    return Direction::Both;
  }
  return Direction::None;
}

//===----------------------------------------------------------------------===//
// One link
//===----------------------------------------------------------------------===//

static Slot slotAt(const Link &link, unsigned tensor) {
  return tensor < link.operands.size()
             ? link.operands[tensor]
             : link.results[tensor - link.operands.size()];
}

static const TensorFactors &factorsAt(const Link &link, unsigned tensor) {
  return tensor < link.operands.size()
             ? link.mapping.operands[tensor]
             : link.mapping.results[tensor - link.operands.size()];
}

static unsigned tensorsOf(const Link &link) {
  return link.operands.size() + link.results.size();
}

// The sharding outside of a manual region whose value this is inside; nullopt
// for all other values.
static std::optional<TensorState>
aroundManual(const Link &link, unsigned tensor, const PropagationGraph &graph) {
  auto manual = dyn_cast<ManualOp>(link.op);
  if (!manual || link.kind != Link::Kind::Edge)
    return std::nullopt;
  Slot slot = slotAt(link, tensor);
  bool isOperand = tensor < link.operands.size();
  auto stated = [&](ShardingAttr sharding) {
    return stateOf(sharding, graph.meshOf(sharding.getMesh()));
  };
  for (auto [i, argument] : llvm::enumerate(manual.getBody().getArguments()))
    if (!isOperand && graph.slotOf(argument) == slot)
      return stated(manual.inSharding(i));
  for (auto [i, result] : llvm::enumerate(manual.getResults()))
    if (isOperand && graph.slotOf(result) == link.results.front())
      return stated(manual.outSharding(i));
  return std::nullopt;
}

MeshAttr Propagator::commonMesh(const Link &link, FlatSymbolRefAttr &name) {
  MeshAttr common;
  for (unsigned i = 0; i < tensorsOf(link); ++i) {
    FlatSymbolRefAttr own = graph.state(slotAt(link, i)).mesh;
    if (!own)
      continue;
    MeshAttr mesh = graph.meshOf(own);
    if (common && mesh != common)
      return {};
    if (!common)
      name = own;
    common = mesh;
  }
  return common;
}

TensorState Propagator::viewOf(const Link &link, unsigned tensor) const {
  const TensorState &state = graph.state(slotAt(link, tensor));
  std::optional<TensorState> around = aroundManual(link, tensor, graph);
  return around ? outsideManual(state, *around, cast<ManualOp>(link.op))
                : state;
}

Projection Propagator::project(const Link &link) const {
  Projection projection;
  projection.operands = link.operands.size();
  for (unsigned i = 0; i < tensorsOf(link); ++i)
    projection.tensors.push_back(
        dealAxes(viewOf(link, i), factorsAt(link, i), link.mapping.factors));
  return projection;
}

bool Propagator::visit(const Link &link, Round round) {
  FlatSymbolRefAttr meshName;
  MeshAttr mesh = commonMesh(link, meshName);
  if (!mesh)
    return false;
  SmallVector<Direction> directions;
  for (const Factor &factor : link.mapping.factors)
    directions.push_back(directionOf(link, factor, round));
  if (llvm::all_of(directions,
                   [](Direction d) { return d == Direction::None; }))
    return false;
  Projection before = project(link), projection = before;
  PropagationStep step;
  step.factors = link.mapping.factors;
  step.directions = directions;
  step.elementwise = link.elementwise;
  step.conservative = conservative;
  step.aggressive = strategy != Strategy::Basic;
  SmallVector<Expansion> expansions = expand(projection, step);
  if (expansions.empty())
    return false;
  bool isChanged = false;
  for (unsigned i = 0; i < tensorsOf(link); ++i)
    if (llvm::any_of(expansions,
                     [&](const Expansion &e) { return e.tensor == i; }))
      isChanged |= update(link, i, projection, expansions, before, meshName);
  return isChanged;
}

// The user's sharding from which `axis` came to a value.
static std::string originOf(const TensorState &state, const Axis &axis) {
  auto exact = state.origins.find(axis.text());
  if (exact != state.origins.end())
    return exact->second;
  // A factor of an axis, or the axis of a factor.
  for (auto &[text, origin] : state.origins)
    if (StringRef(text).split(":(").first == axis.name)
      return origin;
  return "";
}

bool Propagator::update(const Link &link, unsigned tensor,
                        const Projection &projection,
                        ArrayRef<Expansion> expansions,
                        const Projection &before, FlatSymbolRefAttr mesh) {
  Slot slot = slotAt(link, tensor);
  TensorState view = viewOf(link, tensor);
  if (!view.mesh)
    view.mesh = mesh;
  if (!joinAxes(projection.tensors[tensor], factorsAt(link, tensor),
                link.mapping.factors, view))
    return false;
  for (const Expansion &expansion : expansions) {
    if (expansion.tensor != tensor)
      continue;
    const TensorState &source = graph.state(slotAt(link, expansion.source));
    ArrayRef<Axis> old =
        before.tensors[tensor].factors.at(expansion.factor).axes;
    for (const Axis &axis :
         projection.tensors[tensor].factors.at(expansion.factor).axes)
      if (!llvm::is_contained(old, axis))
        if (std::string origin = originOf(source, axis); !origin.empty())
          view.origins.try_emplace(axis.text(), origin);
  }
  auto manual = dyn_cast<ManualOp>(link.op);
  bool isInside = aroundManual(link, tensor, graph).has_value();
  graph.state(slot) = isInside ? insideManual(view, manual) : view;
  changed(slot);
  for (Slot member : graph.groupOf(slot))
    if (member != slot) {
      auto origins = graph.state(member).origins;
      graph.state(member) = graph.state(slot);
      for (auto &[axis, origin] : origins)
        graph.state(member).origins[axis] = origin;
      changed(member);
    }
  return true;
}

void Propagator::changed(Slot slot) {
  for (unsigned link : graph.linksOf(slot))
    if (!isListed[link]) {
      worklist.push_back(link);
      isListed[link] = true;
    }
}

//===----------------------------------------------------------------------===//
// Explanations
//===----------------------------------------------------------------------===//

static StringRef reasonOf(Obstacle obstacle) {
  switch (obstacle) {
  case Obstacle::Closed:
    return "the dimension is closed";
  case Obstacle::Replicated:
    return "the axis is replicated or unreduced there";
  case Obstacle::Overflow:
    return "the factors before it do not divide the axes of the dimension";
  case Obstacle::OtherFactor:
    return "another dimension has the axis";
  case Obstacle::Uneven:
    return "the axis does not divide the dimension";
  }
  return "";
}

void Propagator::explainStops() {
  for (const Link &link : graph.links()) {
    FlatSymbolRefAttr name;
    if (!commonMesh(link, name))
      continue;
    SmallVector<Direction> directions(link.mapping.factors.size(),
                                      Direction::Both);
    Projection projection = project(link);
    std::set<std::pair<unsigned, std::string>> told;
    auto stopped = [&](const Stop &stop) {
      if (!told.insert({stop.tensor, stop.axis.text()}).second)
        return;
      std::string origin =
          originOf(graph.state(slotAt(link, stop.source)), stop.axis);
      bool isOperand = stop.tensor < link.operands.size();
      int64_t index =
          int64_t(stop.tensor) - (isOperand ? 0 : link.operands.size());
      remarks::emit(link.op, remarks::Code::SHD102,
                    {stop.axis.text(), origin.empty() ? "an op" : origin,
                     isOperand ? "operand" : "result", index,
                     link.op->getName().getStringRef(),
                     reasonOf(stop.obstacle)});
    };
    PropagationStep step;
    step.factors = link.mapping.factors;
    step.directions = directions;
    step.elementwise = link.elementwise;
    step.conservative = conservative;
    step.stopped = stopped;
    expand(projection, step);
  }
}

} // namespace zenith::sharding
