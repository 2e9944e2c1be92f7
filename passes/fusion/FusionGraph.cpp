// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the view of a function that fusion plans on, and answers who depends
// on whom.

#include "passes/fusion/FusionGraph.h"
#include "ir/encodings/CodedPanels.h"
#include "ir/encodings/PackedPanels.h"
#include "ir/matchers/HostScalars.h"
#include "ir/target/TargetModel.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/RegionUtils.h"
#include "passes/fusion/NarrowOperands.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallPtrSet.h"

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
    else if (auto dot = dyn_cast<DotGeneralOp>(op))
      decodeWeights(dot);
  for (Operation &op : block)
    pinWhatReadersNeed(&op);
  pinRepeated(block);
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

/// The kernel decodes such panels, so that memory holds the integers.
void FusionGraph::decodeWeights(DotGeneralOp dot) {
  auto panels = matchUnpackedPanels(dot.getRhs());
  SmallVector<Operation *> decoding;
  if (panels && matchCodedPanels(panels->packed, &decoding))
    for (Operation *step : decoding)
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

/// Each path through metadata ops is a read of its own. Where paths fork and
/// meet again and again, they double with each op: such values are written. So
/// is one at the end of a long path, which kernels follow by recursion.
void FusionGraph::pinRepeated(Block &block) {
  constexpr unsigned mostPaths = 128, longestPath = 1024;
  llvm::DenseMap<Operation *, unsigned> paths, lengths;
  for (Operation &op : block) {
    if (roles.lookup(&op) != Role::Metadata || pinned.contains(&op))
      continue;
    unsigned all = 0, forks = 0, length = 1;
    for (Value operand : op.getOperands()) {
      Operation *producer = operand.getDefiningOp();
      unsigned through = std::max(1u, paths.lookup(producer));
      all += through;
      forks += through > 1;
      length = std::max(length, 1 + lengths.lookup(producer));
    }
    if ((forks > 1 && all > mostPaths) || length > longestPath) {
      pinned.insert(&op);
    } else {
      paths[&op] = all;
      lengths[&op] = length;
    }
  }
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

const SmallVector<Read> &FusionGraph::reads(Value value) const {
  if (auto known = knownReads.find(value); known != knownReads.end())
    return *known->second;
  SmallVector<Read> found;
  collectReads(value, {}, found);
  llvm::stable_sort(found, [&](const Read &a, const Read &b) {
    return std::make_pair(position(a.reader), a.operand) <
           std::make_pair(position(b.reader), b.operand);
  });
  auto kept = std::make_unique<const SmallVector<Read>>(std::move(found));
  return *(knownReads[value] = std::move(kept));
}

bool FusionGraph::leadsToReductions(Value value, unsigned distance) const {
  auto key = std::make_pair(value, distance);
  if (auto known = knownLeads.find(key); known != knownLeads.end())
    return known->second;
  const SmallVector<Read> &all = reads(value);
  bool leads = !all.empty() && llvm::all_of(all, [&](const Read &read) {
    if (read.asSize || !isWork(read.reader))
      return false;
    if (role(read.reader) == Role::Reduction)
      return true;
    return distance > 0 && isElementwise(read.reader) &&
           leadsToReductions(read.reader->getResult(0), distance - 1);
  });
  return knownLeads[key] = leads;
}

void FusionGraph::addSources(Value value, Sources &found) const {
  SmallVector<Value> stack{value};
  llvm::SmallPtrSet<Operation *, 8> seen;
  while (!stack.empty()) {
    Value next = stack.pop_back_val();
    Operation *op = next.getDefiningOp();
    if (!op || isWork(op) || roles.lookup(op) != Role::Metadata)
      found.insert(next);
    else if (seen.insert(op).second)
      llvm::append_range(stack, llvm::reverse(op->getOperands()));
  }
}

SmallVector<Value> FusionGraph::sources(Operation *op) const {
  Sources found;
  for (Value operand : operandsOf(op))
    addSources(operand, found);
  return found.takeVector();
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
  // Mostly the group that was made last.
  auto found = llvm::find_if(llvm::reverse(groups),
                             [&](const std::unique_ptr<Group> &other) {
                               return other.get() == group;
                             });
  groups.erase(std::prev(found.base()));
}

SmallVector<Operation *> FusionGraph::readersOf(Operation *op) const {
  SmallVector<Operation *> readers;
  for (Value result : op->getResults())
    for (const Read &read : reads(result))
      readers.push_back(read.reader);
  return readers;
}

SmallVector<Operation *> FusionGraph::producersOf(Operation *op) const {
  SmallVector<Operation *> producers;
  for (Value source : sources(op))
    if (Operation *producer = source.getDefiningOp())
      producers.push_back(producer);
  return producers;
}

/// One end of a search between ops: what it has met, and what it has yet to
/// leave. A group runs as one, so all of its members are met at once. An op
/// outside of the range of positions is on no path, unless a group has members
/// on both sides.
struct FusionGraph::Search {
  const FusionGraph &graph;
  unsigned first, last; ///< positions
  llvm::DenseSet<Operation *> met = {};
  SmallVector<Operation *> open = {};
  size_t work = 0, spent = 0; ///< edges of the open ops, and of those left

  void meet(Operation *op, bool isDown) {
    Group *group = graph.group(op);
    ArrayRef<Operation *> all = group ? ArrayRef<Operation *>(group->members)
                                      : ArrayRef<Operation *>(op);
    if (graph.position(all.back()) < first ||
        graph.position(all.front()) > last || !met.insert(op).second)
      return;
    met.insert(all.begin(), all.end());
    for (Operation *member : all) {
      open.push_back(member);
      ++work;
      if (isDown)
        for (Value result : member->getResults())
          work += graph.reads(result).size();
    }
  }
};

/// Whether some path from `from` to `to`, which will be one kernel, passes
/// other ops: the side that has done less goes on until both meet. Control and
/// the host's scalars stand between kernels, sizes that depend on data too.
bool FusionGraph::isReached(ArrayRef<Operation *> from,
                            ArrayRef<Operation *> to) const {
  llvm::SmallPtrSet<Operation *, 16> sources(from.begin(), from.end()), inside;
  for (ArrayRef<Operation *> ops : {from, to})
    inside.insert(ops.begin(), ops.end());
  unsigned first = ~0u, last = 0;
  for (Operation *op : from)
    first = std::min(first, position(op));
  for (Operation *op : to)
    last = std::max(last, position(op));
  while (bridges[first] > 0)
    --first;
  while (last + 1 < bridges.size() && bridges[last + 1] > 0)
    ++last;
  Search down{*this, first, last}, up{*this, first, last};
  down.open.append(from.begin(), from.end());
  for (Operation *op : from)
    for (Value result : op->getResults())
      down.work += reads(result).size();
  up.open.append(to.begin(), to.end());
  up.work = to.size();
  bool isFirstStep = true;
  while (!down.open.empty() && !up.open.empty()) {
    bool goesDown = !isFirstStep && down.spent + down.work < up.spent + up.work;
    Search &side = goesDown ? down : up, &other = goesDown ? up : down;
    SmallVector<Operation *> leaving = std::move(side.open);
    side.open.clear();
    side.spent += std::exchange(side.work, 0);
    for (Operation *op : leaving)
      for (Operation *next : goesDown ? readersOf(op) : producersOf(op)) {
        // The kernel's own ops are no other path.
        if (!goesDown && !isFirstStep && sources.contains(next))
          return true;
        if (inside.contains(next))
          continue;
        if (other.met.contains(next))
          return true;
        side.meet(next, goesDown);
      }
    isFirstStep = false;
  }
  return false;
}

bool FusionGraph::needsIndirectly(Operation *op, Group *group) const {
  return isReached(group->members, op);
}

bool FusionGraph::feedsIndirectly(Operation *op, Group *group) const {
  return isReached(op, group->members);
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
    return isa<BroadcastOp, ExpandOp>(op) &&
           dims.elementCount(op->getOperand(0)) !=
               dims.elementCount(op->getResult(0));
  });
}

} // namespace zenith::fusion
