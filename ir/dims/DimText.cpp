// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text of dimension expressions: what str() writes, parse() reads back.

#include "ir/dims/DimExpr.h"
#include <algorithm>
#include <cctype>
#include <charconv>
#include <string_view>

namespace zenith::graph {

namespace {
constexpr size_t textLimit = 1 << 16;
constexpr unsigned depthLimit = 64;
constexpr unsigned termLimit = 256;
constexpr int64_t exponentLimit = 8;

bool isPlain(char c) {
  return !std::isspace(static_cast<unsigned char>(c)) &&
         std::string_view("+-*/(),'").find(c) == std::string_view::npos;
}

/// The name as it stands where parse() reads it so, else in quotes.
std::string nameText(const std::string &name) {
  bool isNumber = name.find_first_not_of("0123456789") == std::string::npos;
  if (!isNumber && std::all_of(name.begin(), name.end(), isPlain))
    return name;
  std::string text = "'";
  for (char c : name)
    text += c == '\'' ? std::string("''") : std::string(1, c);
  return text + "'";
}

/// Recursive descent over sum -> product -> power -> atom; bounded, because the
/// text may be hostile.
class DimParser {
public:
  explicit DimParser(const std::string &text) : text(text) {}

  std::optional<DimExpr> run() {
    auto result = parseSum();
    skipBlanks();
    return position == text.size() ? result : std::nullopt;
  }

private:
  void skipBlanks() {
    while (position < text.size() &&
           std::isspace(static_cast<unsigned char>(text[position])))
      ++position;
  }
  bool accept(const char *token) {
    skipBlanks();
    size_t length = std::char_traits<char>::length(token);
    if (text.compare(position, length, token) != 0)
      return false;
    position += length;
    return true;
  }
  bool peekPower() {
    skipBlanks();
    return text.compare(position, 2, "**") == 0;
  }
  static std::optional<DimExpr> bounded(DimExpr expr) {
    if (expr.terms().size() > termLimit)
      return std::nullopt;
    return expr;
  }

  std::optional<DimExpr> parseSum() {
    if (++depth > depthLimit)
      return std::nullopt;
    auto result = parseProduct();
    while (result) {
      bool plus = accept("+");
      if (!plus && !accept("-"))
        break;
      auto next = parseProduct();
      if (!next)
        return std::nullopt;
      result = bounded(plus ? *result + *next : *result - *next);
    }
    --depth;
    return result;
  }

  std::optional<DimExpr> parseProduct() {
    bool negative = false;
    while (accept("-"))
      negative = !negative;
    auto result = parsePower();
    while (result) {
      bool times = !peekPower() && accept("*");
      if (!times && !accept("//"))
        break;
      auto next = parsePower();
      if (!next || (!times && next->isConstant(0)))
        return std::nullopt;
      if (times && result->terms().size() * next->terms().size() > termLimit)
        return std::nullopt;
      result = times ? *result * *next : DimExpr::floorDiv(*result, *next);
    }
    if (result && negative)
      result = DimExpr(0) - *result;
    return result;
  }

  std::optional<DimExpr> parsePower() {
    auto base = parseAtom();
    if (!base || !accept("**"))
      return base;
    auto exponent = parseAtom();
    auto count = exponent ? exponent->constant() : std::nullopt;
    if (!count || *count < 0 || *count > exponentLimit)
      return std::nullopt;
    DimExpr result(1);
    for (int64_t i = 0; i < *count; ++i) {
      if (result.terms().size() * base->terms().size() > termLimit)
        return std::nullopt;
      result = result * *base;
    }
    return result;
  }

  std::optional<DimExpr> parseAtom() {
    if (accept("(")) {
      auto inner = parseSum();
      return inner && accept(")") ? inner : std::nullopt;
    }
    skipBlanks();
    if (position < text.size() && text[position] == '\'')
      return parseQuoted();
    size_t start = position;
    while (position < text.size() && isPlain(text[position]))
      ++position;
    std::string word = text.substr(start, position - start);
    if (word.empty())
      return std::nullopt;
    if (word.find_first_not_of("0123456789") == std::string::npos)
      return number(word);
    if (position < text.size() && text[position] == '(')
      return parseCall(word);
    return DimExpr::symbol(word);
  }

  /// A name between quotes; '' in it is one quote.
  std::optional<DimExpr> parseQuoted() {
    std::string name;
    while (++position < text.size()) {
      if (text[position] != '\'')
        name += text[position];
      else if (text.compare(position, 2, "''") == 0)
        name += text[position++];
      else
        return ++position, DimExpr::symbol(name);
    }
    return std::nullopt;
  }

  static std::optional<DimExpr> number(const std::string &digits) {
    int64_t value = 0;
    for (char digit : digits)
      if (__builtin_mul_overflow(value, int64_t(10), &value) ||
          __builtin_add_overflow(value, digit - '0', &value))
        return std::nullopt;
    return DimExpr(value);
  }

  std::optional<DimExpr> parseCall(const std::string &function) {
    accept("(");
    auto lhs = parseSum();
    if (!lhs)
      return std::nullopt;
    if (function == "floor")
      return accept(")") ? lhs : std::nullopt;
    if (!accept(","))
      return std::nullopt;
    auto rhs = parseSum();
    bool divides =
        function == "floordiv" || function == "ceildiv" || function == "mod";
    if (!rhs || !accept(")") || (divides && rhs->isConstant(0)))
      return std::nullopt;
    if (function == "floordiv")
      return DimExpr::floorDiv(*lhs, *rhs);
    if (function == "ceildiv")
      return DimExpr::ceilDiv(*lhs, *rhs);
    if (function == "mod")
      return DimExpr::mod(*lhs, *rhs);
    if (function == "min" || function == "Min")
      return DimExpr::min(*lhs, *rhs);
    if (function == "max" || function == "Max")
      return DimExpr::max(*lhs, *rhs);
    if (function == "broadcast")
      return DimExpr::broadcast(*lhs, *rhs);
    return std::nullopt;
  }

  const std::string &text;
  size_t position = 0;
  unsigned depth = 0;
};

std::string atomText(const DimAtom &atom) {
  auto call = [&](const char *function) {
    return std::string(function) + "(" + atom.lhs->str() + ", " +
           atom.rhs->str() + ")";
  };
  switch (atom.kind) {
  case DimAtom::Kind::Symbol:
    return nameText(atom.name);
  case DimAtom::Kind::FloorDiv:
    return call("floordiv");
  case DimAtom::Kind::Mod:
    return call("mod");
  case DimAtom::Kind::Min:
    return call("min");
  case DimAtom::Kind::Max:
    return call("max");
  case DimAtom::Kind::Broadcast:
    return call("broadcast");
  }
  return {};
}

std::string termText(const DimExpr::Monomial &monomial, uint64_t magnitude) {
  std::string text;
  if (magnitude != 1 || monomial.empty())
    text = std::to_string(magnitude);
  for (const auto &[atom, exponent] : monomial) {
    if (!text.empty())
      text += "*";
    text += atomText(atom);
    if (exponent != 1)
      text += "**" + std::to_string(exponent);
  }
  return text;
}
} // namespace

std::optional<DimExpr> DimExpr::parse(const std::string &text) {
  if (text.size() > textLimit)
    return std::nullopt;
  // The smallest integer has no magnitude that a sign could precede.
  int64_t literal = 0;
  const char *end = text.data() + text.size();
  if (auto [last, error] = std::from_chars(text.data(), end, literal);
      error == std::errc() && last == end)
    return DimExpr(literal);
  return DimParser(text).run();
}

std::string DimExpr::str() const {
  if (sum.empty())
    return "0";
  std::string text;
  auto append = [&](const Monomial &monomial, int64_t coefficient) {
    uint64_t magnitude =
        coefficient < 0 ? -uint64_t(coefficient) : uint64_t(coefficient);
    if (text.empty())
      text = coefficient < 0 ? "-" : "";
    else
      text += coefficient < 0 ? " - " : " + ";
    text += termText(monomial, magnitude);
  };
  // The constant comes last, as people write it.
  for (const auto &[monomial, coefficient] : sum)
    if (!monomial.empty())
      append(monomial, coefficient);
  if (auto found = sum.find(Monomial()); found != sum.end())
    append(found->first, found->second);
  return text;
}

} // namespace zenith::graph
