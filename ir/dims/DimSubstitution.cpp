// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds an expression again from its atoms, so that every rule of the
// arithmetic sees the new symbols.

#include "ir/dims/DimSubstitution.h"

namespace zenith::graph {

using ValueOf = std::function<std::optional<DimExpr>(const DimAtom &)>;

static DimExpr substitutedAtom(const DimAtom &atom, const ValueOf &valueOf) {
  if (std::optional<DimExpr> value = valueOf(atom))
    return *value;
  if (atom.kind == DimAtom::Kind::Symbol)
    return DimExpr::fromMonomial({{atom, 1u}});
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

DimExpr substituted(const DimExpr &expr, const ValueOf &valueOf) {
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
    return atom.kind == DimAtom::Kind::Symbol
               ? std::optional(symbol(atom.name, boundsOf(atom.name)))
               : std::nullopt;
  });
}

} // namespace zenith::graph
