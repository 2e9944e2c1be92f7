// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reduction fusion: a reduction takes other reductions of the same rows
// (horizontal fusion), the elementwise consumers of its rows, and producers
// that only it reads (vertical fusion).

#include "passes/fusion/FusionPlan.h"
#include "passes/fusion/ReductionSpace.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::fusion {

namespace {

/// What a reduction takes in, from most to least. Results of one kernel have
/// one shape, so the next choice is tried where they would have two.
enum Ambition : unsigned {
  withSiblings,
  wholeRows,
  reducedWithSiblings,
  reducedOnly,
  producersOnly
};

class ReductionGrower {
public:
  ReductionGrower(FusionGraph &graph, Group *group, Ambition ambition)
      : graph(graph), group(group), space(group->anchor, graph.analysis()),
        ambition(ambition) {}

  /// Takes readers in until none fits.
  bool takeReaders(unsigned maxMembers);
  bool hasMixedResults();

private:
  bool isInside(Operation *op) const {
    return graph.isWork(op) && graph.group(op) == group;
  }
  bool wantsSiblings() const {
    return ambition == withSiblings || ambition == reducedWithSiblings;
  }
  bool wantsReducedOnly() const {
    return ambition == reducedOnly || ambition == reducedWithSiblings;
  }
  bool takesReader(Operation *op);
  bool takesSibling(Operation *op);
  SmallVector<Operation *> siblings(Operation *member) const;

  FusionGraph &graph;
  Group *group;
  ReductionSpace space;
  Ambition ambition;
};

} // namespace

bool ReductionGrower::takesReader(Operation *op) {
  // Reductions store one scalar per element, complex elements are two.
  if (isa<ComplexOp>(op) || !graph.isSingle(op))
    return false;
  bool isReduction = graph.role(op) == Role::Reduction;
  if (isReduction ? !space.matches(op)
                  : graph.role(op) != Role::Pointwise || !isElementwise(op))
    return false;
  Value to = isReduction ? op->getOperand(0) : op->getResult(0);
  SpaceShape shape = space.shapeOf(to);
  if (shape == SpaceShape::Other ||
      (shape == SpaceShape::Full && wantsReducedOnly()))
    return false;
  for (OpOperand &operand : op->getOpOperands()) {
    SmallVector<Operation *> path;
    Value source = traceUp(graph, operand.get(), path);
    if (source.getDefiningOp() && isInside(source.getDefiningOp()) &&
        !space.isAligned(source, path, to))
      return false;
  }
  return !graph.needsIndirectly(op, group);
}

/// Reductions that read what `member` reads, after elementwise ops that only
/// reductions read: other elementwise results are in memory in any case, so a
/// shared pass over the operands would save nothing. Of a value with very many
/// readers those around `member` are asked.
SmallVector<Operation *> ReductionGrower::siblings(Operation *member) const {
  constexpr size_t mostBefore = 64, mostReads = 128;
  SmallVector<Value> stack = graph.sources(member);
  SmallVector<Operation *> found;
  while (!stack.empty()) {
    ArrayRef<Read> reads = graph.reads(stack.pop_back_val());
    size_t here = llvm::partition_point(reads,
                                        [&](const Read &read) {
                                          return graph.position(read.reader) <
                                                 graph.position(member);
                                        }) -
                  reads.begin();
    reads = reads.drop_front(here - std::min(here, mostBefore));
    for (const Read &read : reads.take_front(mostReads)) {
      if (!graph.isSingle(read.reader))
        continue;
      if (graph.role(read.reader) == Role::Reduction)
        found.push_back(read.reader);
      else if (isElementwise(read.reader) &&
               graph.leadsToReductions(read.reader->getResult(0)))
        stack.push_back(read.reader->getResult(0));
    }
  }
  return found;
}

/// Another reduction of the same rows that reads what a member reads.
bool ReductionGrower::takesSibling(Operation *op) {
  return graph.isSingle(op) && graph.role(op) == Role::Reduction &&
         space.matches(op) && !graph.needsIndirectly(op, group) &&
         !graph.feedsIndirectly(op, group);
}

bool ReductionGrower::takeReaders(unsigned maxMembers) {
  bool grewAtAll = false, grew = ambition != producersOnly;
  while (grew && group->members.size() < maxMembers) {
    grew = false;
    SmallVector<Operation *> members = group->members;
    for (Operation *member : members) {
      for (const Read &read : graph.reads(member->getResult(0)))
        if (!read.asSize && graph.isSingle(read.reader) &&
            takesReader(read.reader)) {
          graph.add(group, read.reader);
          grew = grewAtAll = true;
        }
      if (!wantsSiblings() || graph.role(member) != Role::Reduction)
        continue;
      for (Operation *sibling : siblings(member))
        if (takesSibling(sibling)) {
          graph.add(group, sibling);
          grew = grewAtAll = true;
        }
    }
  }
  return grewAtAll;
}

bool ReductionGrower::hasMixedResults() {
  bool hasFull = false, hasReduced = false;
  for (Operation *member : group->members) {
    bool isResult =
        llvm::any_of(graph.reads(member->getResult(0)), [&](const Read &read) {
          return read.asSize || !isInside(read.reader);
        });
    if (!isResult)
      continue;
    // Where all reduced dimensions have size 1 the two coincide.
    (space.shapeOf(member->getResult(0)) == SpaceShape::Full ? hasFull
                                                             : hasReduced) =
        true;
  }
  return hasFull && hasReduced;
}

bool FusionPlan::growReduction(Operation *reduction, unsigned ambition) {
  Group *group = graph.start(reduction, FusionKind::reduction);
  ReductionGrower grower(graph, group, Ambition(ambition));
  bool grew = true;
  while (grew) {
    grew = grower.takeReaders(options.maxMembers);
    grew |= absorbProducers(group, false);
  }
  if (ambition <= wholeRows) {
    // A value of the rows' shape that others read as well becomes one more
    // result, if the results have that shape.
    while (absorbProducers(group, true))
      grower.takeReaders(options.maxMembers);
  }
  if (!grower.hasMixedResults() || ambition == producersOnly)
    return true;
  graph.dissolve(group);
  return false;
}

void FusionPlan::growReduction(Operation *reduction) {
  for (unsigned ambition : {withSiblings, wholeRows, reducedWithSiblings,
                            reducedOnly, producersOnly})
    if (growReduction(reduction, ambition))
      return;
}

} // namespace zenith::fusion
