// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Interval arithmetic on expressions, whose ends stand for "any" at the ends of
// int64_t, and divisors of monomials.

#include "ir/dims/DimExpr.h"
#include <algorithm>
#include <numeric>

namespace zenith::graph {

namespace {
constexpr int64_t anyHigh = std::numeric_limits<int64_t>::max();
constexpr int64_t anyLow = std::numeric_limits<int64_t>::min();
constexpr DimRange anything = {anyLow, anyHigh};

/// An end at `end` of int64_t stays there.
int64_t addEnds(int64_t lhs, int64_t rhs, int64_t end) {
  int64_t sum;
  if (lhs == end || rhs == end || __builtin_add_overflow(lhs, rhs, &sum))
    return end;
  return sum;
}

/// Of numbers that are not negative.
int64_t multiplyEnds(int64_t lhs, int64_t rhs) {
  int64_t product;
  return __builtin_mul_overflow(lhs, rhs, &product) ? anyHigh : product;
}

DimRange add(DimRange lhs, DimRange rhs) {
  return {addEnds(lhs.low, rhs.low, anyLow),
          addEnds(lhs.high, rhs.high, anyHigh)};
}

/// Of factors that are not negative; anything, where one may be.
DimRange multiply(DimRange lhs, DimRange rhs) {
  if (lhs.low < 0 || rhs.low < 0)
    return anything;
  return {multiplyEnds(lhs.low, rhs.low), multiplyEnds(lhs.high, rhs.high)};
}

DimRange scale(DimRange range, int64_t coefficient) {
  if (coefficient == anyLow || range.low < 0)
    return anything;
  if (coefficient >= 0)
    return {multiplyEnds(range.low, coefficient),
            multiplyEnds(range.high, coefficient)};
  int64_t low = multiplyEnds(range.high, -coefficient),
          high = multiplyEnds(range.low, -coefficient);
  return {low == anyHigh ? anyLow : -low, high == anyHigh ? 0 : -high};
}

DimRange divide(DimRange range, DimRange divisor) {
  if (range.low < 0 || divisor.low < 1)
    return anything;
  return {divisor.high == anyHigh ? 0 : range.low / divisor.high,
          range.high == anyHigh ? anyHigh : range.high / divisor.low};
}

DimRange remainder(DimRange range, DimRange divisor) {
  if (divisor.low < 1)
    return anything;
  int64_t most = divisor.high == anyHigh ? anyHigh : divisor.high - 1;
  return {0, range.low >= 0 ? std::min(range.high, most) : most};
}

DimRange rangeOfSymbol(const DimAtom &atom) {
  // Scalars that are read from data.
  if (atom.name.compare(0, 2, "%i") == 0)
    return anything;
  return {std::max<int64_t>(atom.bounds.low, 0), atom.bounds.high};
}

DimRange rangeOf(const DimAtom &atom) {
  if (atom.kind == DimAtom::Kind::Symbol)
    return rangeOfSymbol(atom);
  DimRange lhs = zenith::graph::rangeOf(*atom.lhs),
           rhs = zenith::graph::rangeOf(*atom.rhs);
  switch (atom.kind) {
  case DimAtom::Kind::FloorDiv:
    return divide(lhs, rhs);
  case DimAtom::Kind::Mod:
    return remainder(lhs, rhs);
  case DimAtom::Kind::Min:
    return {std::min(lhs.low, rhs.low), std::min(lhs.high, rhs.high)};
  case DimAtom::Kind::Max:
    return {std::max(lhs.low, rhs.low), std::max(lhs.high, rhs.high)};
  // One of both.
  case DimAtom::Kind::Broadcast:
    return {std::min(lhs.low, rhs.low), std::max(lhs.high, rhs.high)};
  case DimAtom::Kind::Symbol:
    break;
  }
  return anything;
}

bool hasBounds(const DimAtom &atom) {
  return atom.kind == DimAtom::Kind::Symbol
             ? atom.bounds.saySomething()
             : zenith::graph::hasBounds(*atom.lhs) ||
                   zenith::graph::hasBounds(*atom.rhs);
}
} // namespace

bool hasBounds(const DimExpr::Monomial &monomial) {
  return std::any_of(monomial.begin(), monomial.end(), [](const auto &factor) {
    return hasBounds(factor.first);
  });
}

bool hasBounds(const DimExpr &expr) {
  return std::any_of(expr.terms().begin(), expr.terms().end(),
                     [](const auto &term) { return hasBounds(term.first); });
}

DimRange rangeOf(const DimExpr &expr) {
  DimRange sum = {0, 0};
  for (const auto &[monomial, coefficient] : expr.terms()) {
    DimRange product = {1, 1};
    for (const auto &[atom, exponent] : monomial)
      for (unsigned i = 0; i < exponent; ++i)
        product = multiply(product, rangeOf(atom));
    sum = add(sum, scale(product, coefficient));
  }
  return sum;
}

/// The largest known divisor of `monomial`, as far as it divides `divisor`.
static int64_t commonDivisor(const DimExpr::Monomial &monomial,
                             int64_t divisor) {
  int64_t common = 1;
  for (const auto &[atom, exponent] : monomial)
    for (unsigned i = 0; i < exponent && atom.kind == DimAtom::Kind::Symbol;
         ++i)
      common *= std::gcd(atom.bounds.multiple, divisor / common);
  return common;
}

std::optional<DimExpr> dividedByMultiples(const DimExpr::Monomial &monomial,
                                          int64_t coefficient,
                                          int64_t divisor) {
  if (monomial.empty() || coefficient == anyLow)
    return std::nullopt;
  int64_t shared = std::gcd(coefficient, divisor), rest = divisor / shared;
  if (commonDivisor(monomial, rest) != rest)
    return std::nullopt;
  DimExpr whole = DimExpr::fromMonomial(monomial);
  DimExpr quotient =
      rest == 1 ? whole : DimExpr::quotientAtom(whole, DimExpr(rest));
  return quotient * DimExpr(coefficient / shared);
}

} // namespace zenith::graph
