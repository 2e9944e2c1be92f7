// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collects values and links of a module, and writes the shardings back.

#include "passes/sharding/PropagationGraph.h"

#include "ir/program/Shardings.h"
#include "passes/sharding/ShardingRule.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::sharding {

//===----------------------------------------------------------------------===//
// Manual regions
//===----------------------------------------------------------------------===//

TensorState insideManual(const TensorState &state, ManualOp manual) {
  TensorState inside = state;
  auto drop = [&](Axes &axes) {
    llvm::erase_if(
        axes, [&](const Axis &axis) { return manual.isManual(axis.name); });
  };
  for (DimState &dim : inside.dims)
    drop(dim.axes);
  drop(inside.replicated);
  drop(inside.unreduced);
  return inside;
}

TensorState outsideManual(const TensorState &inside, const TensorState &around,
                          ManualOp manual) {
  TensorState outside = inside;
  if (!outside.mesh) {
    outside.mesh = around.mesh;
    outside.dims.resize(around.dims.size());
  }
  auto add = [&](Axes &to, const Axes &from) {
    Axes joined;
    for (const Axis &axis : from)
      if (manual.isManual(axis.name))
        joined.push_back(axis);
    for (const Axis &axis : to)
      appendAxis(joined, axis);
    to = joined;
  };
  for (auto [to, from] : llvm::zip_equal(outside.dims, around.dims))
    add(to.axes, from.axes);
  add(outside.replicated, around.replicated);
  add(outside.unreduced, around.unreduced);
  return outside;
}

//===----------------------------------------------------------------------===//
// Collection
//===----------------------------------------------------------------------===//

/// Fills a graph: first the values of all functions, then the links.
class GraphBuilder {
public:
  GraphBuilder(PropagationGraph &graph) : graph(graph) {}

  void run() {
    for (auto mesh : graph.module.getOps<MeshOp>())
      graph.meshes[FlatSymbolRefAttr::get(mesh.getSymNameAttr())] =
          mesh.getMesh();
    for (auto function : graph.module.getOps<func::FuncOp>())
      addValues(function);
    for (auto function : graph.module.getOps<func::FuncOp>())
      if (!function.isExternal())
        addLinks(function);
    graph.uses.resize(graph.states.size());
    for (auto [i, link] : llvm::enumerate(graph.allLinks))
      if (link.kind != Link::Kind::Return)
        addUses(i, link);
  }

private:
  //===-- values ----------------------------------------------------------===//
  Slot newSlot(Type type, ShardingAttr sharding, StringRef origin) {
    TensorState state;
    MeshAttr mesh = sharding ? graph.meshOf(sharding.getMesh()) : MeshAttr();
    if (mesh) {
      state = stateOf(sharding, mesh);
      for (const DimState &dim : state.dims)
        noteOrigins(state, dim.axes, origin);
      noteOrigins(state, state.unreduced, origin);
    } else if (auto tensor = dyn_cast<RankedTensorType>(type)) {
      state.dims.resize(tensor.getRank());
    }
    graph.states.push_back(std::move(state));
    return graph.states.size() - 1;
  }
  static void noteOrigins(TensorState &state, ArrayRef<Axis> axes,
                          StringRef origin) {
    for (const Axis &axis : axes)
      if (!origin.empty())
        state.origins.try_emplace(axis.text(), origin);
  }

  void addValue(Value value, StringRef origin) {
    Slot slot = newSlot(value.getType(), shardingOf(value), origin);
    graph.slots[value] = slot;
    for (NamedAttribute entry : statedOrigins(value))
      graph.states[slot].origins[entry.getName().str()] =
          cast<StringAttr>(entry.getValue()).str();
  }

  // What applyConstraints() wrote beside a sharding.
  static ArrayRef<NamedAttribute> statedOrigins(Value value) {
    DictionaryAttr origins;
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      if (auto function =
              dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp()))
        origins = function.getArgAttrOfType<DictionaryAttr>(
            argument.getArgNumber(), originsAttrName);
    } else if (auto list = value.getDefiningOp()->getAttrOfType<ArrayAttr>(
                   originsAttrName)) {
      origins = dyn_cast<DictionaryAttr>(
          list[cast<OpResult>(value).getResultNumber()]);
    }
    return origins ? origins.getValue() : ArrayRef<NamedAttribute>();
  }

  void addValues(func::FuncOp function) {
    constraints = regions = 0;
    for (auto [i, type] : llvm::enumerate(function.getResultTypes())) {
      Slot slot = newSlot(type, resultSharding(function, i),
                          ("output: " + Twine(i)).str());
      if (i == 0)
        graph.functionResults[function] = slot;
    }
    if (function.isExternal())
      return;
    for (BlockArgument argument : function.getArguments())
      addValue(argument, ("input: " + Twine(argument.getArgNumber())).str());
    function.getBody().walk<WalkOrder::PreOrder>(
        [&](Operation *op) { addResults(op); });
  }

  void addResults(Operation *op) {
    if (auto manual = dyn_cast<ManualOp>(op))
      return addManual(manual);
    if (isa<ShardOp, ReshardOp>(op)) {
      std::string origin =
          isa<ShardOp>(op) ? "constraint_" + std::to_string(constraints++) : "";
      ShardingAttr sharding = isa<ShardOp>(op)
                                  ? cast<ShardOp>(op).getSharding()
                                  : cast<ReshardOp>(op).getSharding();
      graph.slots[op->getResult(0)] =
          newSlot(op->getResult(0).getType(), sharding, origin);
      return;
    }
    if (auto group = dyn_cast<ShardGroupOp>(op)) {
      if (std::optional<Slot> slot = graph.slotOf(group.getInput())) {
        graph.groups[group.getId()].push_back(*slot);
        graph.groupIds[*slot] = group.getId();
      }
      return;
    }
    for (Value result : op->getResults())
      addValue(result, "");
    if (auto loop = dyn_cast<WhileOp>(op)) {
      for (Region *region : {&loop.getCondition(), &loop.getBody()})
        for (auto [argument, result] :
             llvm::zip_equal(region->getArguments(), loop.getResults()))
          graph.slots[argument] = graph.slots[result];
      return;
    }
    // Scalars of the regions of folds and comparators.
    for (Region &region : op->getRegions())
      for (BlockArgument argument : region.getArguments())
        graph.slots[argument] = newSlot(argument.getType(), {}, "");
  }

  void addManual(ManualOp manual) {
    std::string name = "mc_" + std::to_string(regions++);
    for (auto [i, argument] :
         llvm::enumerate(manual.getBody().getArguments())) {
      Slot slot = newSlot(argument.getType(), manual.inSharding(i),
                          (name + "_input: " + Twine(i)).str());
      graph.states[slot] = insideManual(graph.states[slot], manual);
      graph.slots[argument] = slot;
    }
    for (auto [i, result] : llvm::enumerate(manual.getResults()))
      graph.slots[result] = newSlot(result.getType(), manual.outSharding(i),
                                    (name + "_output: " + Twine(i)).str());
  }

  //===-- links -----------------------------------------------------------===//
  Slot slotOf(Value value) { return graph.slots.at(value); }

  Link &addLink(Link::Kind kind, Operation *op, ArrayRef<Value> operands,
                ArrayRef<Slot> results) {
    Link &link = graph.allLinks.emplace_back();
    link.kind = kind;
    link.op = op;
    for (Value operand : operands)
      link.operands.push_back(slotOf(operand));
    link.results.assign(results.begin(), results.end());
    return link;
  }

  /// All values of an edge have one sharding, dimension by dimension.
  void addEdge(Link::Kind kind, Operation *op, ArrayRef<Value> sources,
               Slot target, Direction allowed = Direction::Both) {
    Link &link = addLink(kind, op, sources, target);
    link.allowed = allowed;
    link.hasOnlyUses = true;
    ArrayRef<int64_t> shape = shapeOf(sources.front());
    TensorFactors tensor;
    for (auto [dim, size] : llvm::enumerate(shape)) {
      link.mapping.factors.push_back({size});
      tensor.push_back({unsigned(dim)});
    }
    link.mapping.operands.assign(sources.size(), tensor);
    link.mapping.results.assign(1, tensor);
  }

  static bool isElementwise(Operation *op) {
    return familyOf(op) == Family::Elementwise ||
           isa<ShardOp, ReshardOp, StopGradientOp, GeluOp, DropoutOp>(op);
  }

  void addOp(Operation *op) {
    FactorMapping mapping = factorMappingOf(op, graph.conservative);
    if (mapping.empty())
      return;
    SmallVector<Slot> results;
    for (Value result : op->getResults())
      results.push_back(slotOf(result));
    Link &link = addLink(Link::Kind::Op, op,
                         SmallVector<Value>(op->getOperands()), results);
    link.mapping = std::move(mapping);
    link.elementwise = isElementwise(op);
    link.hasOnlyUses = llvm::all_of(op->getOperands(), [](Value operand) {
      return shapeOf(operand).empty() || operand.hasOneUse();
    });
  }

  void addLinks(func::FuncOp function) {
    Block &block = function.getBody().front();
    addLinks(block);
    // What a called function returns is known where it is called.
    if (!graph.throughCalls && function.isPrivate())
      return;
    for (auto [i, value] :
         llvm::enumerate(block.getTerminator()->getOperands()))
      if (isa<RankedTensorType>(value.getType()))
        addEdge(Link::Kind::Return, function, {value},
                graph.resultSlot(function, i));
  }

  void addLinks(Block &block) {
    for (Operation &op : block.without_terminator())
      addLinksOf(&op);
  }

  void addLinksOf(Operation *op) {
    if (auto manual = dyn_cast<ManualOp>(op))
      for (auto [input, argument] :
           llvm::zip_equal(manual.getInputs(), manual.getBody().getArguments()))
        addEdge(Link::Kind::Edge, op, {input}, slotOf(argument));
    if (isa<WhileOp, CaseOp, IfOp, ManualOp>(op))
      for (Region &region : op->getRegions())
        addLinks(region.front());
    if (auto barrier = dyn_cast<ShardBarrierOp>(op)) {
      Direction allowed = barrier.getAllowed() == ShardDirection::forward
                              ? Direction::Forward
                          : barrier.getAllowed() == ShardDirection::backward
                              ? Direction::Backward
                              : Direction::None;
      return addEdge(Link::Kind::Edge, op, {barrier.getInput()},
                     slotOf(barrier.getResult()), allowed);
    }
    if (auto call = dyn_cast<func::CallOp>(op))
      return addCall(call);
    if (!isa<WhileOp, CaseOp, IfOp, ManualOp, BarrierOp>(op))
      return addOp(op);
    for (auto [i, result] : llvm::enumerate(op->getResults())) {
      SmallVector<Value> sources;
      if (isa<WhileOp, BarrierOp>(op))
        sources.push_back(op->getOperand(i));
      for (Region &region : op->getRegions())
        if (!isa<WhileOp>(op) || region.getRegionNumber() == 1)
          sources.push_back(region.front().getTerminator()->getOperand(i));
      addEdge(Link::Kind::Edge, op, sources, slotOf(result));
    }
  }

  void addCall(func::CallOp call) {
    auto callee = graph.module.lookupSymbol<func::FuncOp>(call.getCallee());
    if (!graph.throughCalls || !callee || callee.isExternal())
      return;
    for (auto [operand, argument] :
         llvm::zip_equal(call.getOperands(), callee.getArguments()))
      if (isa<RankedTensorType>(operand.getType()))
        addEdge(Link::Kind::Edge, call, {operand}, slotOf(argument));
    Operation *end = callee.getBody().front().getTerminator();
    for (auto [value, result] :
         llvm::zip_equal(end->getOperands(), call.getResults()))
      if (isa<RankedTensorType>(value.getType()))
        addEdge(Link::Kind::Edge, call, {value}, slotOf(result));
  }

  // After a change the link that gives the value comes last and its first
  // reader first; `uses` is in the order in which they are put on a stack.
  void addUses(unsigned index, const Link &link) {
    auto add = [&](Slot slot) {
      auto &list = graph.uses[slot];
      if (!llvm::is_contained(list, index))
        list.push_back(index);
    };
    llvm::for_each(link.results, add);
    llvm::for_each(link.operands, add);
  }

  PropagationGraph &graph;
  unsigned constraints = 0, regions = 0;
};

PropagationGraph::PropagationGraph(ModuleOp module, bool conservative,
                                   bool throughCalls)
    : module(module), conservative(conservative), throughCalls(throughCalls) {
  GraphBuilder(*this).run();
}

ArrayRef<Slot> PropagationGraph::groupOf(Slot slot) const {
  auto id = groupIds.find(slot);
  if (id == groupIds.end())
    return {};
  return groups.at(id->second);
}

std::optional<Slot> PropagationGraph::slotOf(Value value) const {
  auto found = slots.find(value);
  return found == slots.end() ? std::nullopt : std::optional(found->second);
}

Slot PropagationGraph::resultSlot(func::FuncOp function, unsigned index) const {
  return functionResults.at(function) + index;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

DictionaryAttr PropagationGraph::originsOf(Slot slot) const {
  MLIRContext *context = ModuleOp(module).getContext();
  SmallVector<NamedAttribute> entries;
  for (auto &[axis, origin] : states[slot].origins)
    entries.emplace_back(StringAttr::get(context, axis),
                         StringAttr::get(context, origin));
  return DictionaryAttr::get(context, entries);
}

ShardingAttr PropagationGraph::attributeOf(Slot slot) const {
  return sharding::attributeOf(states[slot], meshOf(states[slot].mesh));
}

// A result and the value that is returned have one history. Of a value that is
// returned several times the last result tells it.
void PropagationGraph::mergeReturnedOrigins(func::FuncOp function,
                                            unsigned index) {
  if (function.isExternal())
    return;
  auto returned = function.getBody().front().getTerminator()->getOperands();
  auto &origins = states[resultSlot(function, index)].origins;
  if (llvm::is_contained(returned.drop_front(index + 1), returned[index])) {
    origins.clear();
    return;
  }
  for (auto &[axis, origin] : states[slots.at(returned[index])].origins)
    origins[axis] = origin;
}

void PropagationGraph::writeOrigins(Operation *op) {
  SmallVector<Attribute> entries;
  bool isEmpty = true;
  for (Value result : op->getResults()) {
    DictionaryAttr origins = originsOf(slots.at(result));
    isEmpty &= origins.empty();
    entries.push_back(origins);
  }
  if (!isEmpty)
    op->setAttr(originsAttrName, ArrayAttr::get(op->getContext(), entries));
}

void PropagationGraph::writeOp(Operation *op) {
  writeOrigins(op);
  auto manual = dyn_cast<ManualOp>(op);
  if (auto shard = dyn_cast<ShardOp>(op))
    return shard.setShardingAttr(attributeOf(slots.at(shard.getResult())));
  if (auto reshard = dyn_cast<ReshardOp>(op))
    return reshard.setShardingAttr(attributeOf(slots.at(reshard.getResult())));
  if (!manual) {
    for (Value result : op->getResults())
      setSharding(result, attributeOf(slots.at(result)));
    return;
  }
  SmallVector<Attribute> inputs, outputs;
  for (auto [i, argument] : llvm::enumerate(manual.getBody().getArguments())) {
    MeshAttr mesh = meshOf(manual.inSharding(i).getMesh());
    inputs.push_back(sharding::attributeOf(
        outsideManual(states[slots.at(argument)],
                      stateOf(manual.inSharding(i), mesh), manual),
        mesh));
  }
  for (Value result : manual.getResults())
    outputs.push_back(attributeOf(slots.at(result)));
  manual.setInShardingsAttr(ArrayAttr::get(op->getContext(), inputs));
  manual.setOutShardingsAttr(ArrayAttr::get(op->getContext(), outputs));
}

void PropagationGraph::write() {
  auto originsName = StringAttr::get(module.getContext(), originsAttrName);
  for (auto function : module.getOps<func::FuncOp>()) {
    for (unsigned i = 0; i < function.getNumResults(); ++i) {
      Slot slot = resultSlot(function, i);
      setResultSharding(function, i, attributeOf(slot));
      mergeReturnedOrigins(function, i);
      if (!states[slot].origins.empty())
        function.setResultAttr(i, originsName, originsOf(slot));
    }
    if (function.isExternal())
      continue;
    for (BlockArgument argument : function.getArguments()) {
      Slot slot = slots.at(argument);
      setSharding(argument, attributeOf(slot));
      if (!states[slot].origins.empty())
        function.setArgAttr(argument.getArgNumber(), originsName,
                            originsOf(slot));
    }
    function.getBody().walk([&](Operation *op) { writeOp(op); });
  }
}

} // namespace zenith::sharding
