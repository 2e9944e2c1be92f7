// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A common size that has to be another size is written as that one, so that
// broadcasts of sizes that have to be equal go.

#include "passes/simplify/SizeFacts.h"

#include "ir/DimScalars.h"
#include "ir/GraphOps.h"
#include "ir/dims/DimSubstitution.h"
#include "ir/program/SizeChecks.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::simplify {

/// True for sizes that depend on arguments' sizes alone.
static bool isDecidedBySizes(const DimExpr &expr) {
  bool decided = true;
  expr.forEachSymbol(
      [&](const std::string &name) { decided &= name.front() != '%'; });
  return decided;
}

static bool hasAtom(const DimExpr &expr, const DimAtom &wanted) {
  bool found = false;
  substituted(expr, [&](const DimAtom &atom) -> std::optional<DimExpr> {
    found |= atom.compare(wanted) == 0;
    return std::nullopt;
  });
  return found;
}

SizeFacts::SizeFacts(func::FuncOp function, DimAnalysis &dims) {
  for (auto check : function.getBody().front().getOps<AssertOp>()) {
    auto condition = statedBy(check, dims);
    if (condition && condition->relation == SizeCondition::Relation::Equal &&
        isDecidedBySizes(condition->lhs) && isDecidedBySizes(condition->rhs))
      add(apply(condition->lhs), apply(condition->rhs));
  }
}

void SizeFacts::add(const DimExpr &lhs, const DimExpr &rhs) {
  // Names stay: types of arguments say them.
  for (auto [expr, by] : {std::pair(&rhs, &lhs), std::pair(&lhs, &rhs)}) {
    const DimAtom *atom = expr->asAtom();
    if (!atom || atom->kind != DimAtom::Kind::Broadcast || hasAtom(*by, *atom))
      continue;
    auto replace = [&](const DimAtom &other) {
      return other.compare(*atom) == 0 ? std::optional(*by) : std::nullopt;
    };
    for (auto &[earlier, value] : known)
      value = substituted(value, replace);
    known.emplace(*atom, *by);
    return;
  }
}

DimExpr SizeFacts::apply(const DimExpr &expr) const {
  // What a substitution simplifies to may be an atom that has a value too.
  DimExpr result = expr;
  constexpr int mostRounds = 4;
  for (int round = 0; round < mostRounds; ++round) {
    DimExpr next = substituted(result, [&](const DimAtom &atom) {
      auto value = known.find(atom);
      return value == known.end() ? std::nullopt : std::optional(value->second);
    });
    if (next == result)
      break;
    result = next;
  }
  return result;
}

void applySizeFacts(func::FuncOp function) {
  DimAnalysis dims;
  SizeFacts facts(function, dims);
  if (facts.empty())
    return;
  DimScalars scalars(function, dims);
  // The layers of a model have the same sizes.
  std::map<DimExpr, DimExpr> applied;
  SmallVector<std::pair<OpOperand *, DimExpr>> known;
  for (Operation &op : function.getBody().front()) {
    if (familyOf(&op) != Family::Movement || isa<DimOp>(op) ||
        !cast<RankedTensorType>(op.getResult(0).getType()).getRank())
      continue;
    for (OpOperand &operand : op.getOpOperands()) {
      auto type = cast<RankedTensorType>(operand.get().getType());
      if (type.getRank() || !type.getElementType().isSignlessInteger(64))
        continue;
      DimExpr size = dims.scalar(operand.get());
      auto [by, isNew] = applied.try_emplace(size);
      if (isNew)
        by->second = facts.apply(size);
      if (size != by->second)
        known.push_back({&operand, by->second});
    }
  }
  for (auto &[operand, by] : known)
    if (Value value = scalars.materialize(by))
      operand->set(value);
}

} // namespace zenith::simplify
