// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Producer fusion: pointwise ops join the group that reads them, computed
// inside where it is their only reader, as one more result where others read
// them too.

#include "passes/cost/CostRule.h"
#include "passes/fusion/FusionPlan.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::fusion {

/// Cost of an op, and of all ops, that a kernel may repeat for each element
/// that the value is broadcast to.
static constexpr unsigned cheapCost = 1;
static constexpr unsigned maxRepeated = 4;

/// Candidates of new states are computed in the kernel that reads them,
/// whatever that costs: in memory they would be the largest values of the
/// program. That a reader asks for their size is no reason to write them
/// either.
bool FusionPlan::joinsChunks(Operation *op, Group *group) {
  return group->members.size() < options.maxChunkMembers &&
         llvm::all_of(
             graph.reads(op->getResult(0)),
             [&](const Read &read) {
               return (read.asSize || read.path.empty()) &&
                      graph.isWork(read.reader) &&
                      graph.group(read.reader) == group;
             });
}

/// Bit positions that only the candidates of one bitset_difference are computed
/// from are never all in memory.
bool FusionPlan::assignPositions(search::BitPositionsOp op) {
  const SmallVector<Read> &reads = graph.reads(op.getResult());
  Operation *first = reads.empty() ? nullptr : reads.front().reader;
  Group *group = graph.isWork(first) ? graph.group(first) : nullptr;
  if (!group || !isa<search::BitsetDifferenceOp>(group->anchor) ||
      !joinsChunks(op, group))
    return false;
  graph.add(group, op);
  return true;
}

/// The group writes columns as rows, which its kernel does by transposing
/// square tiles in registers; an operand that is itself read in another order
/// than it lies in memory has no such tiles.
static bool preventsTiles(FusionGraph &graph, Operation *op, Group *group) {
  auto transpose = dyn_cast<TransposeOp>(group->anchor);
  if (!transpose || transpose.getPermutation().empty() ||
      transpose.getPermutation().back() + 1 ==
          int64_t(transpose.getPermutation().size()))
    return false;
  return llvm::any_of(op->getOperands(), [&](Value operand) {
    SmallVector<Operation *> path;
    traceUp(graph, operand, path);
    auto holds = [&](auto kind) {
      return llvm::any_of(
          path, [](Operation *move) { return isa<decltype(kind)>(move); });
    };
    return holds(TransposeOp()) && holds(ReshapeOp());
  });
}

/// A gather reads an index for each element of the slice that it names.
static bool isReadPerElement(const Read &read) {
  auto gather = dyn_cast<GatherOp>(read.reader);
  return gather && read.operand == 1 &&
         llvm::any_of(gather.getSliceSizes(),
                      [](int64_t size) { return size != 1; });
}

bool FusionPlan::joinsAsProducer(Operation *op, Group *group) {
  if (readsChunks(group->anchor))
    return joinsChunks(op, group);
  if (group->members.size() >= options.maxMembers)
    return false;
  bool repeated = false;
  for (const Read &read : graph.reads(op->getResult(0))) {
    if (read.asSize || !graph.isWork(read.reader) ||
        graph.group(read.reader) != group)
      return false;
    repeated |=
        isExpanding(read.path, graph.analysis()) || isReadPerElement(read);
  }
  if (repeated) {
    unsigned cost = cost::elementCost(op);
    for (Operation *member : group->members)
      if (!graph.sameDims(member->getResult(0), group->anchor->getResult(0)))
        ++cost;
    if (cost::elementCost(op) > cheapCost || cost > maxRepeated) {
      remark(op, remarks::Code::FUS105);
      return false;
    }
  }
  if (preventsTiles(graph, op, group)) {
    remark(op, remarks::Code::FUS103,
           {"computed apart",
            "its reader transposes it, and it reads an operand with a stride"});
    return false;
  }
  if (!readsStayFew(group, op)) {
    remark(op, remarks::Code::FUS102);
    return false;
  }
  return true;
}

bool FusionPlan::joinsAsResult(Operation *op, Group *group) {
  Value value = op->getResult(0);
  if (group->members.size() >= options.maxMembers ||
      resultCount(group) >= options.maxResults ||
      preventsTiles(graph, op, group))
    return false;
  Value space = group->kind == FusionKind::reduction
                    ? group->anchor->getOperand(0)
                    : group->anchor->getResult(0);
  if (!graph.sameDims(value, space))
    return false;
  for (const Read &read : graph.reads(value)) {
    bool inside =
        graph.isWork(read.reader) && graph.group(read.reader) == group;
    if (read.asSize || (inside && !read.path.empty()))
      return false;
  }
  if (graph.feedsIndirectly(op, group)) {
    remark(op, remarks::Code::FUS101,
           {"computed apart",
            "another reader comes before the one it would join"});
    return false;
  }
  return readsStayFew(group, op);
}

/// Scatters compute their updates themselves, and reductions with a region
/// their elements, but scalars would be computed again for each. The updated
/// operand stays in memory, and nothing else in the kernel reads it: else the
/// kernel could not update in place.
bool FusionPlan::computesOperandOf(Operation *op, Group *group) {
  auto rule = cast<FusionRule>(group->anchor);
  if (readsChunks(group->anchor))
    return llvm::none_of(graph.reads(op->getResult(0)), [&](const Read &read) {
      return read.reader == group->anchor && !rule.readsChunks(read.operand);
    });
  if ((group->kind != FusionKind::scatter &&
       group->kind != FusionKind::reduction) ||
      cast<RankedTensorType>(op->getResult(0).getType()).getRank() == 0)
    return false;
  unsigned updated = rule.updatedOperands();
  for (const Read &read : graph.reads(op->getResult(0)))
    if (read.reader == group->anchor && read.operand < updated)
      return false;
  SmallVector<Value> sources = graph.sources(op);
  return llvm::none_of(group->anchor->getOperands(), [&](Value operand) {
    return llvm::is_contained(sources, operand);
  });
}

void FusionPlan::assignPointwise(Operation *op) {
  llvm::SmallSetVector<Group *, 4> readers;
  bool outside = false;
  for (const Read &read : graph.reads(op->getResult(0))) {
    Group *group =
        graph.isWork(read.reader) ? graph.group(read.reader) : nullptr;
    if (group && (graph.role(group->anchor) == Role::Opaque
                      ? computesOperandOf(op, group)
                      : group->kind == FusionKind::pointwise ||
                            group->kind == FusionKind::reduction))
      readers.insert(group);
    else
      outside = true;
  }
  if (!outside && readers.size() == 1 && joinsAsProducer(op, readers.front()))
    return graph.add(readers.front(), op);
  for (Group *group : readers)
    if (group->kind == FusionKind::pointwise && joinsAsResult(op, group))
      return graph.add(group, op);
  if (isa<TransposeOp, ReshapeOp, SliceOp, BroadcastOp>(op) &&
      llvm::any_of(graph.reads(op->getResult(0)), [&](const Read &read) {
        return graph.role(read.reader) == Role::Contraction;
      }))
    remark(op, remarks::Code::FUS103,
           {"copied", "its reader takes strided operands, and this isn't"});
  graph.start(op, FusionKind::pointwise);
}

bool FusionPlan::absorbProducers(Group *group, bool sharedToo) {
  bool grewAtAll = false, grew = true;
  while (grew) {
    grew = false;
    SmallVector<Operation *> members = group->members;
    for (Operation *member : llvm::reverse(members))
      for (Value source : graph.sources(member)) {
        Operation *op = source.getDefiningOp();
        if (!op || !graph.isSingle(op) || graph.role(op) != Role::Pointwise)
          continue;
        bool isPrivate =
            llvm::all_of(graph.reads(source), [&](const Read &read) {
              return graph.isWork(read.reader) &&
                     graph.group(read.reader) == group;
            });
        if (isPrivate ? !joinsAsProducer(op, group)
                      : !sharedToo || !joinsAsResult(op, group))
          continue;
        graph.add(group, op);
        grew = grewAtAll = true;
      }
  }
  return grewAtAll;
}

} // namespace zenith::fusion
