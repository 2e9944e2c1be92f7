// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Canonical polynomial arithmetic on dimensions: sums, exact quotients,
// rounding quotients and proofs of order.

#include "ir/dims/DimExpr.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <limits>
#include <set>

namespace zenith::graph {

namespace {
constexpr int64_t highest = std::numeric_limits<int64_t>::max();
constexpr int64_t lowest = std::numeric_limits<int64_t>::min();

int64_t saturatingAdd(int64_t lhs, int64_t rhs) {
  int64_t sum;
  if (!__builtin_add_overflow(lhs, rhs, &sum))
    return sum;
  return lhs < 0 ? lowest : highest;
}

int64_t saturatingMul(int64_t lhs, int64_t rhs) {
  int64_t product;
  if (!__builtin_mul_overflow(lhs, rhs, &product))
    return product;
  return (lhs < 0) == (rhs < 0) ? highest : lowest;
}

int64_t floorDivide(int64_t lhs, int64_t rhs) {
  if (rhs == 0)
    return 0;
  if (rhs == -1)
    return lhs == lowest ? highest : -lhs;
  int64_t quotient = lhs / rhs;
  return lhs % rhs != 0 && (lhs < 0) != (rhs < 0) ? quotient - 1 : quotient;
}

int64_t floorRemainder(int64_t lhs, int64_t rhs) {
  if (rhs == 0 || rhs == -1)
    return 0;
  int64_t remainder = lhs % rhs;
  return remainder != 0 && (remainder < 0) != (rhs < 0) ? remainder + rhs
                                                        : remainder;
}

bool saturated(int64_t value) { return value == highest || value == lowest; }

/// Lexicographic order of monomials, which multiplication respects, unlike the
/// order of the map.
bool lexicallyLess(const DimExpr::Monomial &lhs, const DimExpr::Monomial &rhs) {
  auto left = lhs.begin(), right = rhs.begin();
  while (left != lhs.end() && right != rhs.end()) {
    int order = left->first.compare(right->first);
    if (order != 0)
      return order > 0;
    if (left->second != right->second)
      return left->second < right->second;
    ++left;
    ++right;
  }
  return left == lhs.end() && right != rhs.end();
}

DimExpr::Monomial product(const DimExpr::Monomial &lhs,
                          const DimExpr::Monomial &rhs) {
  DimExpr::Monomial result = lhs;
  for (const auto &[atom, exponent] : rhs)
    result[atom] += exponent;
  return result;
}

std::optional<DimExpr::Monomial> quotient(const DimExpr::Monomial &lhs,
                                          const DimExpr::Monomial &rhs) {
  DimExpr::Monomial result = lhs;
  for (const auto &[atom, exponent] : rhs) {
    auto found = result.find(atom);
    if (found == result.end() || found->second < exponent)
      return std::nullopt;
    found->second -= exponent;
    if (found->second == 0)
      result.erase(found);
  }
  return result;
}

int compareMonomials(const DimExpr::Monomial &lhs,
                     const DimExpr::Monomial &rhs) {
  auto left = lhs.begin(), right = rhs.begin();
  for (; left != lhs.end() && right != rhs.end(); ++left, ++right) {
    if (int order = left->first.compare(right->first))
      return order;
    if (left->second != right->second)
      return left->second < right->second ? -1 : 1;
  }
  return left != lhs.end() ? 1 : right != rhs.end() ? -1 : 0;
}

bool nonNegative(const DimExpr &expr);

bool nonNegative(const DimAtom &atom) {
  switch (atom.kind) {
  case DimAtom::Kind::Symbol:
    return atom.name.compare(0, 2, "%i") != 0;
  case DimAtom::Kind::FloorDiv:
  case DimAtom::Kind::Min:
  case DimAtom::Kind::Broadcast:
    return nonNegative(*atom.lhs) && nonNegative(*atom.rhs);
  case DimAtom::Kind::Mod:
    return nonNegative(*atom.rhs);
  case DimAtom::Kind::Max:
    return nonNegative(*atom.lhs) || nonNegative(*atom.rhs);
  }
  return false;
}
/// Looks at each term alone: linear in the size of the expression.
bool nonNegative(const DimExpr &expr) {
  for (const auto &[monomial, coefficient] : expr.terms()) {
    if (coefficient < 0)
      return false;
    for (const auto &[atom, exponent] : monomial)
      if (exponent % 2 != 0 && !nonNegative(atom))
        return false;
  }
  return true;
}
} // namespace

int DimAtom::compare(const DimAtom &other) const {
  if (kind != other.kind)
    return kind < other.kind ? -1 : 1;
  if (kind == Kind::Symbol)
    return name.compare(other.name);
  if (int order = lhs->compare(*other.lhs))
    return order;
  return rhs->compare(*other.rhs);
}

DimExpr::DimExpr(int64_t constant) {
  if (constant != 0)
    sum.emplace(Monomial(), constant);
}

DimExpr DimExpr::atom(DimAtom atom) {
  DimExpr result;
  result.sum.emplace(Monomial{{std::move(atom), 1u}}, 1);
  return result;
}

DimExpr DimExpr::symbol(std::string name, DimBounds bounds) {
  DimAtom factor;
  factor.name = std::move(name);
  factor.bounds = bounds;
  return atom(std::move(factor));
}

static DimAtom makeAtom(DimAtom::Kind kind, const DimExpr &lhs,
                        const DimExpr &rhs) {
  DimAtom atom;
  atom.kind = kind;
  atom.lhs = std::make_shared<const DimExpr>(lhs);
  atom.rhs = std::make_shared<const DimExpr>(rhs);
  return atom;
}

DimExpr DimExpr::quotientAtom(const DimExpr &lhs, const DimExpr &rhs) {
  return atom(makeAtom(DimAtom::Kind::FloorDiv, lhs, rhs));
}

std::optional<int64_t> DimExpr::constant() const {
  if (sum.empty())
    return 0;
  if (sum.size() == 1 && sum.begin()->first.empty())
    return sum.begin()->second;
  return std::nullopt;
}

const DimAtom *DimExpr::asAtom() const {
  if (sum.size() != 1 || sum.begin()->second != 1 ||
      sum.begin()->first.size() != 1)
    return nullptr;
  const auto &[atom, exponent] = *sum.begin()->first.begin();
  return exponent == 1 ? &atom : nullptr;
}

std::optional<std::string> DimExpr::asSymbol() const {
  const DimAtom *atom = asAtom();
  if (!atom || atom->kind != DimAtom::Kind::Symbol)
    return std::nullopt;
  return atom->name;
}

void DimExpr::addTerm(const Monomial &monomial, int64_t coefficient) {
  auto [found, added] = sum.emplace(monomial, coefficient);
  if (!added)
    found->second = saturatingAdd(found->second, coefficient);
  if (found->second == 0)
    sum.erase(found);
}

DimExpr DimExpr::operator+(const DimExpr &other) const {
  DimExpr result = *this;
  for (const auto &[monomial, coefficient] : other.sum)
    result.addTerm(monomial, coefficient);
  return result;
}

DimExpr DimExpr::operator-(const DimExpr &other) const {
  DimExpr result = *this;
  for (const auto &[monomial, coefficient] : other.sum)
    result.addTerm(monomial, saturatingMul(coefficient, -1));
  return result;
}

DimExpr DimExpr::operator*(const DimExpr &other) const {
  DimExpr result;
  for (const auto &[left, leftCoefficient] : sum)
    for (const auto &[right, rightCoefficient] : other.sum)
      result.addTerm(product(left, right),
                     saturatingMul(leftCoefficient, rightCoefficient));
  return result;
}

std::optional<DimExpr> DimExpr::exactDiv(const DimExpr &rhs) const {
  if (rhs.sum.empty())
    return std::nullopt;
  auto leading = [](const DimExpr &expr) {
    return *std::max_element(expr.sum.begin(), expr.sum.end(),
                             [](const auto &a, const auto &b) {
                               return lexicallyLess(a.first, b.first);
                             });
  };
  auto [divisor, divisorCoefficient] = leading(rhs);
  if (saturated(divisorCoefficient))
    return std::nullopt;
  DimExpr result, rest = *this;
  // Each step removes the leading monomial of the rest; an expression is small,
  // so a long division is no quotient.
  for (unsigned step = 0; !rest.sum.empty(); ++step) {
    auto [monomial, coefficient] = leading(rest);
    auto factor = quotient(monomial, divisor);
    if (!factor || saturated(coefficient) ||
        floorRemainder(coefficient, divisorCoefficient) != 0 || step == 256)
      return std::nullopt;
    DimExpr term;
    term.sum.emplace(*factor, floorDivide(coefficient, divisorCoefficient));
    result = result + term;
    rest = rest - term * rhs;
  }
  return result;
}

/// Parts of `expr` by a constant divisor > 0: whole * divisor + rest, all
/// coefficients of the rest in [0, divisor). What multiples of symbols divide
/// belongs to the whole.
static void splitByConstant(const DimExpr &expr, int64_t divisor,
                            DimExpr &whole, DimExpr &rest) {
  for (const auto &[monomial, coefficient] : expr.terms()) {
    if (auto exact = hasBounds(monomial)
                         ? dividedByMultiples(monomial, coefficient, divisor)
                         : std::nullopt) {
      whole = whole + *exact;
      continue;
    }
    DimExpr term = DimExpr::fromMonomial(monomial);
    whole = whole + term * DimExpr(floorDivide(coefficient, divisor));
    rest = rest + term * DimExpr(floorRemainder(coefficient, divisor));
  }
}

DimExpr DimExpr::fromMonomial(const Monomial &monomial) {
  DimExpr result;
  result.sum.emplace(monomial, 1);
  return result;
}

DimExpr DimExpr::floorDiv(const DimExpr &lhs, const DimExpr &rhs) {
  auto divisor = rhs.constant();
  if (divisor == 0)
    return 0;
  if (auto dividend = lhs.constant(); dividend && divisor)
    return floorDivide(*dividend, *divisor);
  if (auto exact = lhs.exactDiv(rhs))
    return *exact;
  if (!divisor || *divisor < 0)
    return quotientAtom(lhs, rhs);
  DimExpr whole, rest;
  splitByConstant(lhs, *divisor, whole, rest);
  if (auto constant = rest.constant())
    return whole + DimExpr(floorDivide(*constant, *divisor));
  return whole + quotientAtom(rest, rhs);
}

DimExpr DimExpr::ceilDiv(const DimExpr &lhs, const DimExpr &rhs) {
  return DimExpr(0) - floorDiv(DimExpr(0) - lhs, rhs);
}

DimExpr DimExpr::mod(const DimExpr &lhs, const DimExpr &rhs) {
  auto divisor = rhs.constant();
  if (divisor == 0)
    return 0;
  if (auto dividend = lhs.constant(); dividend && divisor)
    return floorRemainder(*dividend, *divisor);
  if (lhs.exactDiv(rhs))
    return 0;
  if (!divisor || *divisor < 0)
    return atom(makeAtom(DimAtom::Kind::Mod, lhs, rhs));
  DimExpr whole, rest;
  splitByConstant(lhs, *divisor, whole, rest);
  if (auto constant = rest.constant())
    return floorRemainder(*constant, *divisor);
  return atom(makeAtom(DimAtom::Kind::Mod, rest, rhs));
}

DimExpr DimExpr::min(const DimExpr &lhs, const DimExpr &rhs) {
  if (lhs.provablyAtMost(rhs))
    return lhs;
  if (rhs.provablyAtMost(lhs))
    return rhs;
  return atom(lhs < rhs ? makeAtom(DimAtom::Kind::Min, lhs, rhs)
                        : makeAtom(DimAtom::Kind::Min, rhs, lhs));
}

DimExpr DimExpr::max(const DimExpr &lhs, const DimExpr &rhs) {
  if (lhs.provablyAtMost(rhs))
    return rhs;
  if (rhs.provablyAtMost(lhs))
    return lhs;
  return atom(lhs < rhs ? makeAtom(DimAtom::Kind::Max, lhs, rhs)
                        : makeAtom(DimAtom::Kind::Max, rhs, lhs));
}

/// True where no value of the symbols makes the expression 1.
static bool isNeverOne(const DimExpr &expr) {
  bool isEven = llvm::all_of(
      expr.terms(), [](const auto &term) { return term.second % 2 == 0; });
  return isEven || DimExpr(2).provablyAtMost(expr);
}

/// The sizes that a common size is made of.
static void addBroadcastParts(const DimExpr &expr, std::set<DimExpr> &parts) {
  const DimAtom *atom = expr.asAtom();
  if (!atom || atom->kind != DimAtom::Kind::Broadcast) {
    if (!expr.isConstant(1))
      parts.insert(expr);
    return;
  }
  addBroadcastParts(*atom->lhs, parts);
  addBroadcastParts(*atom->rhs, parts);
}

/// True for min(c, size), where c is never 1: such a size is 1 only if `size`
/// is, so that both are equal or contradict each other.
static bool isLimitOf(const DimExpr &limited, const DimExpr &size) {
  const DimAtom *atom = limited.asAtom();
  if (!atom || atom->kind != DimAtom::Kind::Min)
    return false;
  return (*atom->lhs == size && DimExpr(2).provablyAtMost(*atom->rhs)) ||
         (*atom->rhs == size && DimExpr(2).provablyAtMost(*atom->lhs));
}

DimExpr DimExpr::broadcast(const DimExpr &lhs, const DimExpr &rhs) {
  if (isLimitOf(lhs, rhs))
    return rhs;
  if (isLimitOf(rhs, lhs))
    return lhs;
  std::set<DimExpr> parts;
  addBroadcastParts(lhs, parts);
  addBroadcastParts(rhs, parts);
  if (parts.empty())
    return 1;
  // A size that is never 1 is the common one, a constant before others.
  for (bool wantsConstant : {true, false})
    for (const DimExpr &part : parts)
      if (part.constant().has_value() == wantsConstant && isNeverOne(part))
        return part;
  DimExpr common = *parts.begin();
  for (const DimExpr &part : llvm::drop_begin(parts))
    common = atom(makeAtom(DimAtom::Kind::Broadcast, common, part));
  return common;
}

int DimExpr::compare(const DimExpr &other) const {
  auto left = sum.begin(), right = other.sum.begin();
  for (; left != sum.end() && right != other.sum.end(); ++left, ++right) {
    if (int order = compareMonomials(left->first, right->first))
      return order;
    if (left->second != right->second)
      return left->second < right->second ? -1 : 1;
  }
  return left != sum.end() ? 1 : right != other.sum.end() ? -1 : 0;
}

/// `expr` with every symbol s that is >= 1 written as 1 + s, so that all
/// symbols are >= 0 again.
static DimExpr shiftSymbols(const DimExpr &expr) {
  DimExpr result;
  for (const auto &[monomial, coefficient] : expr.terms()) {
    DimExpr term(coefficient);
    for (const auto &[atom, exponent] : monomial) {
      DimExpr factor = DimExpr::fromMonomial({{atom, 1u}});
      if (atom.kind == DimAtom::Kind::Symbol && nonNegative(atom))
        factor = factor + DimExpr(1);
      for (unsigned i = 0; i < exponent; ++i)
        term = term * factor;
    }
    result = result + term;
  }
  return result;
}

/// At most `expr`: multiples of c times floordiv(x, c) are bounded by those of
/// x and of x - (c - 1).
static DimExpr withoutQuotients(const DimExpr &expr) {
  DimExpr result;
  for (const auto &[monomial, coefficient] : expr.terms()) {
    const DimAtom *atom = monomial.size() == 1 && monomial.begin()->second == 1
                              ? &monomial.begin()->first
                              : nullptr;
    auto divisor = atom && atom->kind == DimAtom::Kind::FloorDiv
                       ? atom->rhs->constant()
                       : std::nullopt;
    if (!divisor || *divisor < 1 || coefficient % *divisor != 0) {
      result = result + DimExpr::fromMonomial(monomial) * DimExpr(coefficient);
      continue;
    }
    int64_t most = coefficient > 0 ? *divisor - 1 : 0;
    result =
        result + (*atom->lhs - DimExpr(most)) * DimExpr(coefficient / *divisor);
  }
  return result;
}

bool DimExpr::provablyAtMost(const DimExpr &other, bool atLeastOne) const {
  for (const DimExpr *side : {this, &other})
    for (const auto &[monomial, coefficient] : side->sum)
      if (saturated(coefficient))
        return false;
  DimExpr difference = other - *this;
  if (nonNegative(difference))
    return true;
  if (atLeastOne && nonNegative(shiftSymbols(difference)))
    return true;
  if (hasBounds(difference) && rangeOf(difference).low >= 0)
    return true;
  if (DimExpr bound = withoutQuotients(difference);
      bound != difference &&
      nonNegative(atLeastOne ? shiftSymbols(bound) : bound))
    return true;
  if (const DimAtom *atom = asAtom()) {
    if (atom->kind == DimAtom::Kind::Min)
      return atom->lhs->provablyAtMost(other, atLeastOne) ||
             atom->rhs->provablyAtMost(other, atLeastOne);
    if (atom->kind == DimAtom::Kind::Max ||
        atom->kind == DimAtom::Kind::Broadcast)
      return atom->lhs->provablyAtMost(other, atLeastOne) &&
             atom->rhs->provablyAtMost(other, atLeastOne);
    auto divisor = atom->kind == DimAtom::Kind::FloorDiv ? atom->rhs->constant()
                                                         : std::nullopt;
    if (divisor && *divisor >= 1 && nonNegative(*atom->lhs) &&
        atom->lhs->provablyAtMost(other, atLeastOne))
      return true;
    // x mod c <= c - 1.
    if (atom->kind == DimAtom::Kind::Mod &&
        atom->rhs->constant().value_or(0) >= 1)
      return (*atom->rhs - DimExpr(1)).provablyAtMost(other, atLeastOne);
  }
  if (const DimAtom *atom = other.asAtom()) {
    if (atom->kind == DimAtom::Kind::Max)
      return provablyAtMost(*atom->lhs, atLeastOne) ||
             provablyAtMost(*atom->rhs, atLeastOne);
    if (atom->kind == DimAtom::Kind::Min ||
        atom->kind == DimAtom::Kind::Broadcast)
      return provablyAtMost(*atom->lhs, atLeastOne) &&
             provablyAtMost(*atom->rhs, atLeastOne);
  }
  return false;
}

static std::optional<int64_t> evaluateAtom(
    const DimAtom &atom,
    const std::function<std::optional<int64_t>(const std::string &)> &valueOf) {
  if (atom.kind == DimAtom::Kind::Symbol)
    return valueOf(atom.name);
  auto lhs = atom.lhs->evaluate(valueOf), rhs = atom.rhs->evaluate(valueOf);
  if (!lhs || !rhs)
    return std::nullopt;
  switch (atom.kind) {
  case DimAtom::Kind::FloorDiv:
    return floorDivide(*lhs, *rhs);
  case DimAtom::Kind::Mod:
    return floorRemainder(*lhs, *rhs);
  case DimAtom::Kind::Min:
    return std::min(*lhs, *rhs);
  case DimAtom::Kind::Max:
    return std::max(*lhs, *rhs);
  case DimAtom::Kind::Broadcast:
    return *lhs == 1 ? *rhs : *lhs;
  case DimAtom::Kind::Symbol:
    break;
  }
  return std::nullopt;
}

std::optional<int64_t> DimExpr::evaluate(
    const std::function<std::optional<int64_t>(const std::string &)> &valueOf)
    const {
  int64_t total = 0;
  for (const auto &[monomial, coefficient] : sum) {
    int64_t term = coefficient;
    for (const auto &[atom, exponent] : monomial) {
      auto value = evaluateAtom(atom, valueOf);
      if (!value)
        return std::nullopt;
      for (unsigned i = 0; i < exponent; ++i)
        term = saturatingMul(term, *value);
    }
    total = saturatingAdd(total, term);
  }
  return total;
}

void DimExpr::forEachSymbol(
    const std::function<void(const std::string &)> &visit) const {
  for (const auto &[monomial, coefficient] : sum)
    for (const auto &[atom, exponent] : monomial) {
      if (atom.kind == DimAtom::Kind::Symbol) {
        visit(atom.name);
        continue;
      }
      atom.lhs->forEachSymbol(visit);
      atom.rhs->forEachSymbol(visit);
    }
}

} // namespace zenith::graph
