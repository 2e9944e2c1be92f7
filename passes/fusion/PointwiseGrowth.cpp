// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Merges pointwise work into the groups that read it: evaluated inside where
// they are its only readers, as one more result where others read it too.

#include "passes/cost/CostRule.h"
#include "passes/fusion/FusionPlan.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::fusion {

/// Work that a kernel may repeat for each element it is broadcast to.
static constexpr unsigned cheapCost = 1;
static constexpr unsigned maxRepeated = 4;

/// Candidates of new keys or bits are computed where they are needed, whatever
/// it costs: written out they would be the largest values of the program. Their
/// size is no reason to write them either.
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

/// Positions that only the candidates of one bitset_difference are made of are
/// never all in memory.
bool FusionPlan::placePositions(search::BitPositionsOp op) {
  SmallVector<Read> reads = graph.reads(op.getResult());
  Operation *first = reads.empty() ? nullptr : reads.front().reader;
  Group *group = graph.isWork(first) ? graph.group(first) : nullptr;
  if (!group || !isa<search::BitsetDifferenceOp>(group->anchor) ||
      !joinsChunks(op, group))
    return false;
  graph.add(group, op);
  return true;
}

/// The group writes rows that were columns, which its kernel does by squares
/// that it turns in registers; what is read in another order than it lies has
/// no squares.
static bool breaksSquares(FusionGraph &graph, Operation *op, Group *group) {
  auto turn = dyn_cast<TransposeOp>(group->anchor);
  if (!turn || turn.getPermutation().empty() ||
      turn.getPermutation().back() + 1 == int64_t(turn.getPermutation().size()))
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
    repeated |= isExpanding(read.path, graph.analysis());
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
  if (breaksSquares(graph, op, group)) {
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
      breaksSquares(graph, op, group))
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

/// Scatters compute updates on the way and folds with a region their elements,
/// but a scalar again for each. What a scatter updates stays memory, which
/// nothing else in its kernel reads: else it could not update in place.
bool FusionPlan::computesOnTheWay(Operation *op, Group *group) {
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

void FusionPlan::placePointwise(Operation *op) {
  llvm::SmallSetVector<Group *, 4> readers;
  bool outside = false;
  for (const Read &read : graph.reads(op->getResult(0))) {
    Group *group =
        graph.isWork(read.reader) ? graph.group(read.reader) : nullptr;
    if (group && (graph.role(group->anchor) == Role::Opaque
                      ? computesOnTheWay(op, group)
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
