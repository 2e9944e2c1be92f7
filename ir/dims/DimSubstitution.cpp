// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds an expression again from its atoms, so that every rule of the
// arithmetic sees the new symbols.

#include "ir/dims/DimSubstitution.h"

namespace zenith::graph {

static DimExpr
substitutedAtom(const DimAtom &atom,
                const std::function<DimExpr(const DimAtom &)> &valueOf) {
  if (atom.kind == DimAtom::Kind::Symbol)
    return valueOf(atom);
  DimExpr lhs = substituted(*atom.lhs, valueOf),
          rhs = substituted(*atom.rhs, valueOf);
  switch (atom.kind) {
  case DimAtom::Kind::FloorDiv:
    return DimExpr::floorDiv(lhs, rhs);
  case DimAtom::Kind::Mod:
    return DimExpr::mod(lhs, rhs);
  case DimAtom::Kind::Min:
    return DimExpr::min(lhs, rhs);
  case DimAtom::Kind::Broadcast:
    return DimExpr::broadcast(lhs, rhs);
  default:
    return DimExpr::max(lhs, rhs);
  }
}

DimExpr substituted(const DimExpr &expr,
                    const std::function<DimExpr(const DimAtom &)> &valueOf) {
  DimExpr result;
  for (const auto &[monomial, coefficient] : expr.terms()) {
    DimExpr term(coefficient);
    for (const auto &[atom, exponent] : monomial)
      for (unsigned i = 0; i < exponent; ++i)
        term = term * substitutedAtom(atom, valueOf);
    result = result + term;
  }
  return result;
}

DimExpr DimExpr::withBounds(
    const std::function<DimBounds(const std::string &)> &boundsOf) const {
  return substituted(*this, [&](const DimAtom &atom) {
    return symbol(atom.name, boundsOf(atom.name));
  });
}

} // namespace zenith::graph
