// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A dimension as a polynomial with integer coefficients over named dimensions:
// canonical, so equal means equal.

#ifndef ZENITH_IR_DIMS_DIMEXPR_H
#define ZENITH_IR_DIMS_DIMEXPR_H

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace zenith::graph {

class DimExpr;

/// What is known of a named dimension's value: low <= value <= high, and
/// `multiple` divides it.
struct DimBounds {
  int64_t low = 0, high = std::numeric_limits<int64_t>::max(), multiple = 1;
  bool saySomething() const {
    return low > 0 || high != DimBounds().high || multiple > 1;
  }
};

/// A factor of a monomial: a named dimension, or a quotient, remainder,
/// minimum, maximum or common size that no rule turns into a polynomial.
struct DimAtom {
  enum class Kind { Symbol, FloorDiv, Mod, Min, Max, Broadcast };
  Kind kind = Kind::Symbol;
  std::string name; ///< Symbol only.
  /// Symbol only; no part of its identity.
  DimBounds bounds;
  std::shared_ptr<const DimExpr> lhs; ///< other kinds
  std::shared_ptr<const DimExpr> rhs;
  int compare(const DimAtom &other) const;
  bool operator<(const DimAtom &other) const { return compare(other) < 0; }
};

/// Sum of coefficient * product of atoms. Symbols stand for integers >= 0, but
/// for those whose name starts with "%i" (scalars read from data), which may be
/// negative. Arithmetic saturates at the ends of int64_t, so hostile sizes stay
/// hostile instead of wrapping.
class DimExpr {
public:
  using Monomial = std::map<DimAtom, unsigned>;
  DimExpr() = default;
  DimExpr(int64_t constant);
  static DimExpr symbol(std::string name, DimBounds bounds = DimBounds());
  /// The same over symbols with the bounds that `boundsOf` knows, simplified by
  /// them.
  DimExpr withBounds(
      const std::function<DimBounds(const std::string &)> &boundsOf) const;
  static DimExpr fromMonomial(const Monomial &monomial);
  /// Parses "24*batch", "past + seq", "((seq**2)//seq)", and the functions
  /// floordiv, ceildiv, mod, min, max and broadcast of two arguments; nullopt
  /// where the text is no expression. Names with blanks, operators (+ - * /),
  /// commas or parentheses stand in single quotes: 'batch size'.
  static std::optional<DimExpr> parse(const std::string &text);

  std::optional<int64_t> constant() const;
  bool isConstant(int64_t value) const { return constant() == value; }
  /// The name, if the expression is one named dimension.
  std::optional<std::string> asSymbol() const;
  /// The atom, if the expression is one; else null.
  const DimAtom *asAtom() const;

  DimExpr operator+(const DimExpr &other) const;
  DimExpr operator-(const DimExpr &other) const;
  DimExpr operator*(const DimExpr &other) const;
  /// Rounds toward minus infinity; exact polynomial quotient where one exists.
  /// Division by zero gives 0.
  static DimExpr floorDiv(const DimExpr &lhs, const DimExpr &rhs);
  static DimExpr ceilDiv(const DimExpr &lhs, const DimExpr &rhs);
  static DimExpr mod(const DimExpr &lhs, const DimExpr &rhs);
  static DimExpr min(const DimExpr &lhs, const DimExpr &rhs);
  static DimExpr max(const DimExpr &lhs, const DimExpr &rhs);
  /// The size that dimensions of sizes `lhs` and `rhs` have together, one of
  /// which may be 1: `rhs` where `lhs` is 1, else `lhs`. Sizes that are equal,
  /// or 1, give a polynomial; the order of operands and repetitions don't
  /// matter.
  static DimExpr broadcast(const DimExpr &lhs, const DimExpr &rhs);
  /// Polynomial quotient if `rhs` divides this without remainder.
  std::optional<DimExpr> exactDiv(const DimExpr &rhs) const;

  bool operator==(const DimExpr &other) const { return compare(other) == 0; }
  bool operator!=(const DimExpr &other) const { return compare(other) != 0; }
  bool operator<(const DimExpr &other) const { return compare(other) < 0; }
  int compare(const DimExpr &other) const;

  /// True where this <= other holds for all values of the symbols within their
  /// bounds (>= 1 where `atLeastOne`); false means "not proved".
  bool provablyAtMost(const DimExpr &other, bool atLeastOne = false) const;

  /// Value under an assignment; nullopt where a symbol has none.
  std::optional<int64_t> evaluate(
      const std::function<std::optional<int64_t>(const std::string &)> &valueOf)
      const;
  void
  forEachSymbol(const std::function<void(const std::string &)> &visit) const;
  /// Text that parse() reads back.
  std::string str() const;
  const std::map<Monomial, int64_t> &terms() const { return sum; }

  /// lhs // rhs, also where a rule would say it otherwise.
  static DimExpr quotientAtom(const DimExpr &lhs, const DimExpr &rhs);

private:
  static DimExpr atom(DimAtom atom);
  void addTerm(const Monomial &monomial, int64_t coefficient);

  std::map<Monomial, int64_t> sum; ///< no zero coefficients
};

/// True where bounds are known of a symbol.
bool hasBounds(const DimExpr &expr);
bool hasBounds(const DimExpr::Monomial &monomial);

/// The least and the largest value; the ends of int64_t where it has none that
/// is known.
struct DimRange {
  int64_t low, high;
};
DimRange rangeOf(const DimExpr &expr);

/// `coefficient` * `monomial` divided by `divisor` > 0, where the multiples of
/// its symbols prove that nothing remains; else nullopt.
std::optional<DimExpr> dividedByMultiples(const DimExpr::Monomial &monomial,
                                          int64_t coefficient, int64_t divisor);

} // namespace zenith::graph

#endif // ZENITH_IR_DIMS_DIMEXPR_H
