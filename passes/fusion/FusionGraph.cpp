// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the view of a function that fusion plans on, and answers who depends
// on whom.

#include "passes/fusion/FusionGraph.h"
#include "ir/matchers/HostScalars.h"
#include "ir/target/TargetModel.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/RegionUtils.h"
#include "passes/fusion/NarrowOperands.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::fusion {

FusionGraph::FusionGraph(func::FuncOp function, DimAnalysis &dims)
    : dims(dims), host(function.getBody().front()) {
  Block &block = function.getBody().front();
  for (Operation &op : block) {
    positions[&op] = positions.size();
    roles[&op] = host.computes(&op) ? Role::Outside : roleOf(&op, dims);
  }
  bridges.resize(positions.size());
  for (Operation &op : block)
    if (roles[&op] == Role::Window)
      computeInt8Input(&op);
  for (Operation &op : block)
    pinWhatReadersNeed(&op);
  for (Operation &op : block) {
    Role role = roles[&op];
    if (role == Role::Outside ||
        (role == Role::Metadata && !pinned.contains(&op)))
      continue;
    workOps.push_back(&op);
    groupIndex[&op] = nullptr;
  }
}

/// The kernel computes such an input from int8, so that memory holds int8.
void FusionGraph::computeInt8Input(Operation *window) {
  if (auto input = int8InputOf(window))
    for (Operation *step : input->steps)
      roles[step] = Role::Metadata;
}

Role FusionGraph::role(Operation *op) const {
  Role role = roles.lookup(op);
  return role == Role::Metadata && pinned.contains(op) ? Role::Pointwise : role;
}

void FusionGraph::pin(Value value) {
  Operation *op = value.getDefiningOp();
  if (op && roles.lookup(op) == Role::Metadata)
    pinned.insert(op);
}

void FusionGraph::pinWhatReadersNeed(Operation *op) {
  if (roles[op] != Role::Outside) {
    if (auto rule = dyn_cast<FusionRule>(op))
      for (Value value : rule.memoryOperands(dims))
        pin(value);
    return;
  }
  if (isSplatConstant(op) || familyOf(op) == Family::Elementwise)
    return;
  // The host has its scalars without memory.
  for (Value operand : op->getOperands())
    if (!host.contains(operand))
      pin(operand);
}

SmallVector<Value> FusionGraph::operandsOf(Operation *op) {
  SmallVector<Value> operands(op->getOperands());
  if (op->getNumRegions() == 0 || op->hasTrait<OpTrait::IsIsolatedFromAbove>())
    return operands;
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  llvm::append_range(operands, captured);
  return operands;
}

void FusionGraph::collectReads(Value value, Read prefix,
                               SmallVectorImpl<Read> &found) const {
  for (OpOperand &use : value.getUses()) {
    Operation *reader = use.getOwner();
    // A value that a region captures is read by the op that holds the region.
    while (!roles.count(reader))
      reader = reader->getParentOp();
    Read read = prefix;
    read.reader = reader;
    read.operand = use.getOperandNumber();
    if (isWork(reader) || roles.lookup(reader) == Role::Outside) {
      found.push_back(std::move(read));
      continue;
    }
    read.asSize |= use.getOperandNumber() != 0 && !isa<ConcatOp>(reader);
    read.path.push_back(reader);
    collectReads(reader->getResult(0), std::move(read), found);
  }
}

SmallVector<Read> FusionGraph::reads(Value value) const {
  SmallVector<Read> found;
  collectReads(value, {}, found);
  llvm::stable_sort(found, [&](const Read &a, const Read &b) {
    return std::make_pair(position(a.reader), a.operand) <
           std::make_pair(position(b.reader), b.operand);
  });
  return found;
}

void FusionGraph::sourcesOf(Value value, SmallVectorImpl<Value> &found) const {
  Operation *op = value.getDefiningOp();
  if (!op || isWork(op) || roles.lookup(op) != Role::Metadata) {
    if (!llvm::is_contained(found, value))
      found.push_back(value);
    return;
  }
  for (Value operand : op->getOperands())
    sourcesOf(operand, found);
}

SmallVector<Value> FusionGraph::sources(Operation *op) const {
  SmallVector<Value> found;
  for (Value operand : operandsOf(op))
    sourcesOf(operand, found);
  return found;
}

Group *FusionGraph::group(Operation *op) const { return groupIndex.lookup(op); }
bool FusionGraph::isSingle(Operation *op) const {
  return isWork(op) && !group(op);
}

Group *FusionGraph::start(Operation *op, FusionKind kind) {
  groups.push_back(std::make_unique<Group>());
  Group *group = groups.back().get();
  group->kind = kind;
  group->anchor = op;
  add(group, op);
  return group;
}

void FusionGraph::addBridges(unsigned from, unsigned to, int count) {
  for (unsigned at = from; at < to; ++at)
    bridges[at + 1] += count;
}

void FusionGraph::add(Group *group, Operation *op) {
  if (!group->members.empty()) {
    addBridges(position(op), position(group->members.front()), 1);
    addBridges(position(group->members.back()), position(op), 1);
  }
  auto *at =
      llvm::upper_bound(group->members, op, [&](Operation *a, Operation *b) {
        return position(a) < position(b);
      });
  group->members.insert(at, op);
  groupIndex[op] = group;
}

void FusionGraph::dissolve(Group *group) {
  addBridges(position(group->members.front()), position(group->members.back()),
             -1);
  for (Operation *member : group->members)
    groupIndex[member] = nullptr;
  llvm::erase_if(groups, [&](const std::unique_ptr<Group> &other) {
    return other.get() == group;
  });
}

/// `first` is the position of the earliest target. An op before it can need a
/// target only through a group with members on both sides, since a group runs
/// as one.
bool FusionGraph::dependsOn(
    SmallVector<Operation *> stack, unsigned first,
    llvm::function_ref<bool(Operation *)> isTarget) const {
  llvm::DenseSet<Operation *> seen;
  SmallVector<Value> outside;
  while (bridges[first] > 0)
    --first;
  while (!stack.empty()) {
    Operation *op = stack.pop_back_val();
    if (!op || !seen.insert(op).second)
      continue;
    if (!isWork(op)) {
      // Control and the host's scalars stand between kernels, sizes that depend
      // on data too.
      if (position(op) > first)
        for (Value operand : op->getOperands())
          sourcesOf(operand, outside);
      for (Value source : outside)
        stack.push_back(source.getDefiningOp());
      outside.clear();
      continue;
    }
    if (isTarget(op))
      return true;
    // A group runs as one: it needs what any of its members needs.
    Group *group = this->group(op);
    if (position(group ? group->members.back() : op) < first)
      continue;
    if (group)
      stack.append(group->members.begin(), group->members.end());
    for (Value source : sources(op))
      stack.push_back(source.getDefiningOp());
  }
  return false;
}

bool FusionGraph::needsIndirectly(Operation *op, Group *group) const {
  SmallVector<Operation *> from;
  for (Value source : sources(op))
    if (Operation *producer = source.getDefiningOp();
        producer && this->group(producer) != group)
      from.push_back(producer);
  return dependsOn(
      from, position(group->members.front()),
      [&](Operation *other) { return this->group(other) == group; });
}

bool FusionGraph::feedsIndirectly(Operation *op, Group *group) const {
  SmallVector<Operation *> from;
  for (Operation *member : group->members)
    for (Value source : sources(member))
      if (Operation *producer = source.getDefiningOp();
          producer && producer != op && this->group(producer) != group)
        from.push_back(producer);
  return dependsOn(from, position(op),
                   [&](Operation *other) { return other == op; });
}

SmallVector<Group *> FusionGraph::order() {
  llvm::DenseMap<Group *, llvm::SmallVector<Group *>> readers;
  llvm::DenseMap<Group *, unsigned> missing;
  std::vector<Group *> all;
  for (auto &group : groups)
    all.push_back(group.get());
  for (Group *group : all) {
    llvm::DenseSet<Group *> needed;
    for (Operation *member : group->members)
      for (Value source : sources(member))
        if (Operation *op = source.getDefiningOp();
            op && isWork(op) && this->group(op) != group)
          if (needed.insert(this->group(op)).second)
            readers[this->group(op)].push_back(group);
    missing[group] = needed.size();
  }
  // Of the groups that can run, the one whose last member comes first.
  auto later = [&](Group *a, Group *b) {
    return position(a->members.back()) > position(b->members.back());
  };
  std::vector<Group *> ready;
  for (Group *group : all)
    if (missing[group] == 0)
      ready.push_back(group);
  SmallVector<Group *> result;
  std::make_heap(ready.begin(), ready.end(), later);
  while (!ready.empty()) {
    std::pop_heap(ready.begin(), ready.end(), later);
    Group *next = ready.back();
    ready.pop_back();
    result.push_back(next);
    for (Group *reader : readers[next])
      if (--missing[reader] == 0) {
        ready.push_back(reader);
        std::push_heap(ready.begin(), ready.end(), later);
      }
  }
  return result;
}

Value traceUp(const FusionGraph &graph, Value operand,
              SmallVectorImpl<Operation *> &path) {
  Operation *op = operand.getDefiningOp();
  while (op && !graph.isWork(op) && graph.role(op) == Role::Metadata &&
         op->getNumOperands() > 0) {
    path.insert(path.begin(), op);
    operand = op->getOperand(0);
    op = operand.getDefiningOp();
  }
  return operand;
}

bool isBijective(ArrayRef<Operation *> path) {
  return llvm::all_of(
      path, [](Operation *op) { return isa<TransposeOp, ReshapeOp>(op); });
}

bool isExpanding(ArrayRef<Operation *> path, DimAnalysis &dims) {
  return llvm::any_of(path, [&](Operation *op) {
    return isa<BroadcastOp>(op) && dims.elementCount(op->getOperand(0)) !=
                                       dims.elementCount(op->getResult(0));
  });
}

} // namespace zenith::fusion
