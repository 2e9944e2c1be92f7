// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A recursive-descent parser of one expression.

#include "frontends/training/OptimizerText.h"

#include <cctype>
#include <cmath>
#include <cstdlib>

namespace zenith::training {

namespace {
class ExpressionParser {
public:
  ExpressionParser(std::string_view text, std::string_view option)
      : text(text), option(option) {}

  Result<Expression> parseAll() {
    Result<Expression> result = parse(0);
    skipBlanks();
    if (result && at != text.size())
      return fail("expected the end");
    return result;
  }

private:
  Result<Expression> parse(int depth);
  Result<Expression> parseName(int depth);
  Result<Expression> parseNumber();
  Result<Expression> parseString();
  Result<Expression> parseList(int depth, char close);
  Result<Expression> parseDict(int depth);
  Status parseArguments(Expression &call, int depth);
  std::string word();

  void skipBlanks() {
    while (at < text.size() &&
           std::isspace(static_cast<unsigned char>(text[at])))
      ++at;
  }
  char peek() {
    skipBlanks();
    return at < text.size() ? text[at] : '\0';
  }
  bool accept(char c) {
    if (peek() != c)
      return false;
    ++at;
    return true;
  }
  Error fail(const std::string &what) const {
    std::string got =
        at < text.size() ? "'" + std::string(1, text[at]) + "'" : "the end";
    return {ErrorCode::Usage,
            std::string(option) + ": " + what + ", got " + got + " in column " +
                std::to_string(at + 1) + " of '" + std::string(text) + "'",
            {}};
  }

  std::string_view text, option;
  size_t at = 0;
};
} // namespace

std::string ExpressionParser::word() {
  size_t begin = at;
  while (at < text.size() &&
         (std::isalnum(static_cast<unsigned char>(text[at])) ||
          text[at] == '_' || text[at] == '.'))
    ++at;
  return std::string(text.substr(begin, at - begin));
}

Result<Expression> ExpressionParser::parse(int depth) {
  constexpr int mostLevels = 64; // each takes stack
  if (depth > mostLevels)
    return fail("expected at most 64 levels");
  char c = peek();
  if (c == '[' || c == '(')
    return parseList(depth, c == '[' ? ']' : ')');
  if (c == '{')
    return parseDict(depth);
  if (c == '"' || c == '\'')
    return parseString();
  if (std::isdigit(static_cast<unsigned char>(c)) || c == '-' || c == '+' ||
      c == '.')
    return parseNumber();
  if (std::isalpha(static_cast<unsigned char>(c)) || c == '_')
    return parseName(depth);
  return fail("expected a call, a number, a string, a list or a dict");
}

Result<Expression> ExpressionParser::parseName(int depth) {
  Expression result;
  std::string name = word();
  if (name == "None")
    return result;
  if (name == "True" || name == "False") {
    result.kind = Expression::Kind::Boolean;
    result.number = name == "True";
    return result;
  }
  // optax.adam, optax.schedules.cosine_decay_schedule
  if (name.rfind("optax.", 0) == 0)
    name = name.substr(name.rfind('.') + 1);
  result.kind = Expression::Kind::Call;
  result.text = std::move(name);
  if (accept('('))
    if (Status status = parseArguments(result, depth); !status)
      return std::move(status.error());
  return result;
}

Status ExpressionParser::parseArguments(Expression &call, int depth) {
  while (!accept(')')) {
    skipBlanks();
    size_t begin = at;
    std::string key = word();
    if (!key.empty() && !std::isdigit(static_cast<unsigned char>(key[0])) &&
        accept('=')) {
      Result<Expression> value = parse(depth + 1);
      if (!value)
        return std::move(value.error());
      call.named.emplace_back(std::move(key), std::move(*value));
    } else {
      at = begin;
      if (!call.named.empty())
        return fail("expected an argument by name after one by name");
      Result<Expression> value = parse(depth + 1);
      if (!value)
        return std::move(value.error());
      call.items.push_back(std::move(*value));
    }
    if (!accept(',') && peek() != ')')
      return fail("expected ',' or ')'");
  }
  return noError();
}

Result<Expression> ExpressionParser::parseNumber() {
  std::string digits;
  size_t end = at;
  auto isPart = [&](char c) {
    bool afterExponent =
        !digits.empty() && (digits.back() == 'e' || digits.back() == 'E');
    return std::isdigit(static_cast<unsigned char>(c)) || c == '.' ||
           c == 'e' || c == 'E' || c == '_' ||
           ((c == '-' || c == '+') && (digits.empty() || afterExponent));
  };
  for (; end < text.size() && isPart(text[end]); ++end)
    if (text[end] != '_')
      digits += text[end];
  char *rest = nullptr;
  Expression result;
  result.kind = Expression::Kind::Number;
  result.number = std::strtod(digits.c_str(), &rest);
  if (digits.empty() || *rest || !std::isfinite(result.number))
    return fail("expected a number");
  result.isInteger = digits.find_first_of(".eE") == std::string::npos;
  at = end;
  return result;
}

Result<Expression> ExpressionParser::parseString() {
  char quote = text[at++];
  size_t end = text.find(quote, at);
  if (end == std::string_view::npos) {
    at = text.size();
    return fail(std::string("expected ") + quote);
  }
  Expression result;
  result.kind = Expression::Kind::String;
  result.text = text.substr(at, end - at);
  at = end + 1;
  return result;
}

Result<Expression> ExpressionParser::parseList(int depth, char close) {
  ++at;
  Expression result;
  result.kind = Expression::Kind::List;
  while (!accept(close)) {
    Result<Expression> item = parse(depth + 1);
    if (!item)
      return item;
    result.items.push_back(std::move(*item));
    if (!accept(',') && peek() != close)
      return fail(std::string("expected ',' or '") + close + "'");
  }
  return result;
}

Result<Expression> ExpressionParser::parseDict(int depth) {
  ++at;
  Expression result;
  result.kind = Expression::Kind::Dict;
  while (!accept('}')) {
    Result<Expression> key = parse(depth + 1);
    if (!key)
      return key;
    if (!accept(':'))
      return fail("expected ':'");
    Result<Expression> value = parse(depth + 1);
    if (!value)
      return value;
    result.items.push_back(std::move(*key));
    result.items.push_back(std::move(*value));
    if (!accept(',') && peek() != '}')
      return fail("expected ',' or '}'");
  }
  return result;
}

Result<Expression> parseExpression(std::string_view text,
                                   std::string_view option) {
  return ExpressionParser(text, option).parseAll();
}

std::string describe(const Expression &expression) {
  switch (expression.kind) {
  case Expression::Kind::None:
    return "None";
  case Expression::Kind::Boolean:
    return expression.number != 0 ? "True" : "False";
  case Expression::Kind::Number:
    return "a number";
  case Expression::Kind::String:
    return "a string";
  case Expression::Kind::List:
    return "a list";
  case Expression::Kind::Dict:
    return "a dict";
  case Expression::Kind::Call:
    return "a call of " + expression.text;
  }
  return "";
}

} // namespace zenith::training
