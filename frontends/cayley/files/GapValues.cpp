// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A parser by recursive descent that computes as it reads: GAP takes values at
// their statement.

#include "frontends/cayley/files/GapValues.h"

#include "frontends/cayley/PermutationFamilies.h"
#include "frontends/cayley/PermutationProducts.h"
#include "ir/LLVMError.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include <set>

using namespace llvm;

namespace zenith::cayley {

llvm::Error gapError(StringRef path, const GapToken &token, const Twine &text) {
  return makeError(
      ErrorCode::Invalid, text.str(),
      (path + ":" + Twine(token.line) + ":" + Twine(token.column)).str());
}

namespace {

/// What an expression is worth.
struct Value {
  enum Kind { Integer, Element, List, Group };
  Kind kind = Integer;
  int64_t integer = 0;
  std::shared_ptr<const Permutation> element;
  std::vector<GapMove> moves; ///< of lists and groups; lists of points: none
  std::string name;           ///< of a value that is one name and no more

  static Value of(Permutation permutation) {
    Value value;
    value.kind = Element;
    value.element = std::make_shared<const Permutation>(std::move(permutation));
    return value;
  }
};

class Parser {
public:
  Parser(StringRef path, StringRef text) : path(path), tokens(gapTokens(text)) {
    for (const GapToken &token : tokens)
      if (token.kind == GapToken::Hint)
        program.hints.push_back(token);
    erase_if(tokens, [](const GapToken &token) {
      return token.kind == GapToken::Hint;
    });
  }

  Expected<GapProgram> read() {
    while (next().kind != GapToken::End)
      if (llvm::Error error = readStatement())
        return std::move(error);
    if (hasGroup)
      program.moves = std::move(group);
    else
      program.moves = hasList ? std::move(list) : named();
    return std::move(program);
  }

private:
  const GapToken &next() const { return tokens[at]; }
  const GapToken &after() const {
    return tokens[std::min(at + 1, tokens.size() - 1)];
  }
  bool take(StringRef symbol) {
    if (!next().is(symbol))
      return false;
    ++at;
    return true;
  }
  llvm::Error fail(const GapToken &token, const Twine &text) const {
    return gapError(path, token, text);
  }
  std::string nextText() const {
    return next().kind == GapToken::End
               ? "the end of the file"
               : "'" + StringRef(next().text).take_front(40).str() + "'";
  }
  llvm::Error expect(StringRef symbol) {
    if (take(symbol))
      return llvm::Error::success();
    return fail(next(),
                "got " + Twine(nextText()) + ", expected '" + symbol + "'");
  }

  std::vector<GapMove> named() {
    std::vector<GapMove> moves;
    for (const std::string &name : names)
      if (const Value &value = values[name]; value.kind == Value::Element)
        moves.push_back({name, value.element});
    return moves;
  }

  llvm::Error readStatement() {
    if (take(";"))
      return llvm::Error::success();
    const GapToken &first = next();
    std::string name;
    if (first.kind == GapToken::Name && after().is(":=")) {
      name = first.text;
      at += 2;
    }
    Expected<Value> value = readProduct();
    if (!value)
      return value.takeError();
    bool isCollection =
        value->kind == Value::List || value->kind == Value::Group;
    if (name.empty() && !isCollection)
      return fail(first, "a statement that assigns nothing");
    if (llvm::Error error = expect(";"))
      return error;
    return assign(name, first, std::move(*value));
  }

  llvm::Error assign(const std::string &name, const GapToken &place,
                     Value value) {
    for (auto [number, move] : enumerate(value.moves))
      if (move.name.empty())
        move.name =
            (name.empty() ? "" : name + ".") + std::to_string(number + 1);
    if (value.kind == Value::Group) {
      hasGroup = true;
      group = value.moves;
    } else if (value.kind == Value::List && !value.moves.empty()) {
      hasList = true;
      list = value.moves;
    }
    if (name.empty())
      return llvm::Error::success();
    if (value.kind == Value::Element) {
      keptEntries += int64_t(value.element->size());
      if (keptEntries > maxGeneratorEntries)
        return fail(place, "the file's permutations move more than " +
                               Twine(maxGeneratorEntries) + " points in all");
    }
    value.name.clear();
    auto [known, isNew] = values.try_emplace(name);
    if (isNew)
      names.push_back(name);
    known->second = std::move(value);
    return llvm::Error::success();
  }

  /// Factors with '*' and '/' between, from left to right.
  Expected<Value> readProduct() {
    if (depth == mostLevels)
      return fail(next(), "parentheses and lists nest too deeply");
    ++depth;
    auto leave = make_scope_exit([this] { --depth; });
    Expected<Value> left = readPower();
    while (left && (next().is("*") || next().is("/"))) {
      const GapToken &sign = next();
      ++at;
      Expected<Value> right = readPower();
      if (!right)
        return right;
      if (left->kind != Value::Element || right->kind != Value::Element)
        return fail(sign, "'" + sign.text + "' takes permutations only");
      left = Value::of(productOf(
          *left->element,
          sign.text == "*" ? *right->element : inverseOf(*right->element)));
    }
    return left;
  }

  Expected<Value> readPower() {
    Expected<Value> base = readOperand();
    if (!base || !next().is("^"))
      return base;
    const GapToken &sign = next();
    ++at;
    bool isNegative = take("-");
    const GapToken &place = next();
    Expected<Value> exponent = readOperand();
    if (!exponent)
      return exponent;
    if (next().is("^"))
      return fail(next(), "'^' is not associative: put parentheses");
    if (base->kind != Value::Element)
      return fail(sign, "'^' takes a permutation on its left");
    if (exponent->kind == Value::Integer)
      return Value::of(powerOf(*base->element, isNegative ? -exponent->integer
                                                          : exponent->integer));
    if (exponent->kind == Value::Element && !isNegative)
      return Value::of(conjugateOf(*base->element, *exponent->element));
    return fail(place, "an exponent is an integer or a permutation");
  }

  Expected<Value> readOperand() {
    const GapToken &token = next();
    if (token.kind == GapToken::Number || token.is("-"))
      return readInteger();
    if (token.kind == GapToken::Name)
      return token.text == "Group" && after().is("(") ? readGroup()
                                                      : readName();
    if (token.is("["))
      return readList();
    if (!token.is("("))
      return fail(token, "got " + Twine(nextText()) +
                             ", expected a permutation, a name or a list");
    bool isCycle =
        after().is(")") || (after().kind == GapToken::Number &&
                            at + 2 < tokens.size() && tokens[at + 2].is(","));
    if (isCycle)
      return readCycles();
    ++at;
    Expected<Value> value = readProduct();
    if (!value)
      return value;
    if (llvm::Error error = expect(")"))
      return std::move(error);
    value->name.clear();
    return value;
  }

  Expected<Value> readInteger() {
    const GapToken &place = next();
    bool isNegative = take("-");
    Value value;
    if (next().kind != GapToken::Number ||
        !to_integer(next().text, value.integer, 10))
      return fail(place, "got " + Twine(nextText()) +
                             ", expected an integer of at most 63 bits");
    if (isNegative)
      value.integer = -value.integer;
    ++at;
    return value;
  }

  Expected<Value> readName() {
    const GapToken &token = next();
    auto known = values.find(token.text);
    if (known == values.end())
      return fail(token, after().is("(") ? "'" + token.text +
                                               "' is called: only Group is read"
                                         : "'" + token.text + "' has no value");
    ++at;
    Value value = known->second;
    value.name = token.text;
    return value;
  }

  /// The product of cycles that follow each other.
  Expected<Value> readCycles() {
    Permutation product;
    while (next().is("(")) {
      Expected<Permutation> cycle = readCycle();
      if (!cycle)
        return cycle.takeError();
      product = productOf(product, *cycle);
    }
    return Value::of(std::move(product));
  }

  Expected<Permutation> readCycle() {
    std::vector<int64_t> points;
    std::set<int64_t> seen;
    ++at;
    while (!next().is(")")) {
      if (!points.empty())
        if (llvm::Error error = expect(","))
          return std::move(error);
      int64_t point;
      if (next().kind != GapToken::Number ||
          !to_integer(next().text, point, 10) || point < 1 ||
          point > maxPositions)
        return fail(next(), "got " + Twine(nextText()) +
                                " in a cycle, expected a point from 1 to " +
                                Twine(maxPositions));
      if (!seen.insert(point).second)
        return fail(next(), "the cycle has point " + Twine(point) + " twice");
      points.push_back(point - 1);
      ++at;
    }
    ++at;
    return cycleOf(points);
  }

  /// Entries up to `end`: of permutations, or of anything else, which has no
  /// effect.
  Expected<Value> readEntries(StringRef end, Value::Kind kind) {
    Value result;
    result.kind = kind;
    bool hasOthers = false;
    for (bool isFirst = true; !take(end); isFirst = false) {
      if (!isFirst)
        if (llvm::Error error = expect(","))
          return std::move(error);
      const GapToken &place = next();
      Expected<Value> entry = readProduct();
      if (!entry)
        return entry;
      if (entry->kind == Value::Element)
        result.moves.push_back({entry->name, entry->element});
      else if (kind == Value::Group && entry->kind == Value::List)
        append_range(result.moves, entry->moves);
      else
        hasOthers = true;
      if (hasOthers && (kind == Value::Group || !result.moves.empty()))
        return fail(place, kind == Value::Group
                               ? "a group takes permutations and lists of them"
                               : "a list of permutations and of other values");
    }
    return result;
  }
  Expected<Value> readList() {
    ++at;
    return readEntries("]", Value::List);
  }
  Expected<Value> readGroup() {
    at += 2;
    return readEntries(")", Value::Group);
  }

  static constexpr unsigned mostLevels = 64;
  StringRef path;
  std::vector<GapToken> tokens;
  size_t at = 0;
  unsigned depth = 0;
  int64_t keptEntries = 0;
  StringMap<Value> values;
  std::vector<std::string> names; ///< in the order of their first assignment
  bool hasGroup = false, hasList = false;
  std::vector<GapMove> group, list;
  GapProgram program;
};

} // namespace

Expected<GapProgram> readGapProgram(StringRef path, StringRef text) {
  return Parser(path, text).read();
}

} // namespace zenith::cayley
