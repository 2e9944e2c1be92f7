// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order of decisions, the limits that all of them share, and the remarks
// that explain them.

#include "passes/fusion/FusionPlan.h"
#include "llvm/ADT/Hashing.h"
#include <set>

using namespace mlir;
using namespace zenith::graph;

namespace zenith::fusion {

void FusionPlan::build() {
  for (Operation *op : graph.work())
    if (Role role = graph.role(op);
        role == Role::Window || role == Role::Contraction)
      growAnchor(op, *cast<FusionRule>(op).kernelKind());
  for (Operation *op : graph.work())
    if (graph.isSingle(op) && graph.role(op) == Role::Reduction)
      growReduction(op);
  for (Operation *op : llvm::reverse(graph.work())) {
    if (!graph.isSingle(op))
      continue;
    auto positions = dyn_cast<search::BitPositionsOp>(op);
    if (positions && assignPositions(positions))
      continue;
    if (graph.role(op) == Role::Pointwise)
      assignPointwise(op);
    else
      graph.start(op, *cast<FusionRule>(op).kernelKind());
  }
  for (Group *group : graph.order()) {
    if (group->kind == FusionKind::pointwise &&
        llvm::all_of(group->members, [](Operation *op) {
          return familyOf(op) == Family::Movement;
        }))
      group->kind = FusionKind::copy;
    remarkGroup(group);
  }
}

unsigned FusionPlan::resultCount(Group *group) const {
  return llvm::count_if(group->members, [&](Operation *member) {
    return llvm::any_of(graph.reads(member->getResult(0)),
                        [&](const Read &read) {
                          return read.asSize || !graph.isWork(read.reader) ||
                                 graph.group(read.reader) != group;
                        });
  });
}

/// Counts distinct (value, index map) pairs by walking up from the members that
/// others read; an index map is known by the movement that makes it.
bool FusionPlan::readsStayFew(Group *group, Operation *joining) {
  std::set<std::pair<void *, size_t>> seen;
  SmallVector<std::pair<Value, size_t>> stack;
  auto isInside = [&](Operation *op) {
    return op == joining || (graph.isWork(op) && graph.group(op) == group);
  };
  for (Operation *member : group->members)
    if (llvm::any_of(graph.reads(member->getResult(0)),
                     [&](const Read &read) { return !isInside(read.reader); }))
      stack.push_back({member->getResult(0), 0});
  while (!stack.empty()) {
    auto [value, key] = stack.pop_back_val();
    if (!seen.insert({value.getAsOpaquePointer(), key}).second)
      continue;
    if (seen.size() > options.maxReads)
      return false;
    Operation *op = value.getDefiningOp();
    if (!op ||
        (graph.isWork(op) ? !isInside(op) : graph.role(op) != Role::Metadata))
      continue;
    bool sameIndex = isElementwise(op) || graph.role(op) == Role::Reduction;
    for (OpOperand &operand : op->getOpOperands()) {
      size_t next =
          sameIndex
              ? key
              : size_t(llvm::hash_combine(key, op, operand.getOperandNumber()));
      stack.push_back({operand.get(), next});
    }
  }
  return true;
}

void FusionPlan::remark(Operation *op, remarks::Code code,
                        ArrayRef<remarks::Value> values) const {
  if (options.explain)
    remarks::emit(op, code, values);
}

void FusionPlan::remarkGroup(Group *group) const {
  if (!options.explain)
    return;
  StringRef kind = stringifyFusionKind(group->kind);
  if (group->members.size() == 1) {
    remark(group->anchor, remarks::Code::FUS002,
           {group->anchor->getName().stripDialect(), kind});
    return;
  }
  std::string names;
  for (Operation *member : group->members)
    names +=
        (names.empty() ? "" : ", ") + member->getName().stripDialect().str();
  remark(group->anchor, remarks::Code::FUS001,
         {kind, group->members.size(), names});
}

} // namespace zenith::fusion
