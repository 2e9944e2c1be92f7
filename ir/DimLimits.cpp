// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts the terms and nodes of expressions.

#include "ir/DimLimits.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

namespace zenith::graph {

static constexpr size_t nodeLimit = 128;

/// Takes the nodes of `expr`, as a tree, from `budget`; false once it is spent.
static bool fits(const DimExpr &expr, size_t &budget) {
  for (const auto &[monomial, coefficient] : expr.terms())
    for (const auto &[atom, exponent] : monomial) {
      if (budget-- == 0)
        return false;
      if (atom.kind != DimAtom::Kind::Symbol &&
          (!fits(*atom.lhs, budget) || !fits(*atom.rhs, budget)))
        return false;
    }
  return true;
}

bool exceedsLimits(const DimExpr &expr) {
  size_t budget = nodeLimit;
  return expr.terms().size() > termLimit || !fits(expr, budget);
}

std::optional<DimExpr> withinLimits(std::optional<DimExpr> expr) {
  return expr && !exceedsLimits(*expr) ? expr : std::nullopt;
}

bool isIntegerScalar(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getRank() == 0 &&
         tensor.getElementType().isInteger() &&
         !tensor.getElementType().isInteger(1);
}

} // namespace zenith::graph
