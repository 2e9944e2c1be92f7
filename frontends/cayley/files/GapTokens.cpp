// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Splits GAP texts into words.

#include "frontends/cayley/files/GapTokens.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace zenith::cayley {

bool isGapKeyword(StringRef word) {
  static constexpr StringLiteral keywords[] = {
      "Assert", "Info",     "IsBound",   "QUIT",  "TryNextMethod",
      "Unbind", "and",      "atomic",    "break", "continue",
      "do",     "elif",     "else",      "end",   "false",
      "fi",     "for",      "function",  "if",    "in",
      "local",  "mod",      "not",       "od",    "or",
      "quit",   "readonly", "readwrite", "rec",   "rep",
      "repeat", "return",   "then",      "true",  "until",
      "while"};
  return is_contained(keywords, word);
}

namespace {

class Lexer {
public:
  explicit Lexer(StringRef text) : text(text) {}

  std::vector<GapToken> run() {
    while (at < text.size()) {
      char c = text[at];
      if (c == '#')
        skipComment();
      else if (isSpace(c))
        advance();
      else if (isNamePart(c))
        addName();
      else
        addSymbol();
    }
    add(GapToken::End);
    return std::move(tokens);
  }

private:
  static bool isNamePart(char c) {
    return isAlnum(c) || c == '_' || c == '@' || c == '\\';
  }
  GapToken &add(GapToken::Kind kind) {
    GapToken &token = tokens.emplace_back();
    token.kind = kind;
    token.line = line;
    token.column = int64_t(at - lineStart) + 1;
    return token;
  }
  void advance() {
    if (text[at++] == '\n') {
      ++line;
      lineStart = at;
    }
  }
  void skipComment() {
    StringRef comment =
        text.substr(at).take_until([](char c) { return c == '\n'; });
    if (comment.starts_with("#@"))
      add(GapToken::Hint).text = comment.drop_front(2).trim().str();
    at += comment.size();
  }
  void addName() {
    GapToken &token = add(GapToken::Number);
    bool isEscaped = false;
    for (; at < text.size() && isNamePart(text[at]); advance()) {
      if (text[at] == '\\') {
        if (at + 1 == text.size())
          continue;
        advance();
        token.kind = GapToken::Name;
        isEscaped = true;
      }
      if (!isDigit(text[at]))
        token.kind = GapToken::Name;
      token.text += text[at];
    }
    if (!isEscaped && isGapKeyword(token.text))
      token.kind = GapToken::Symbol;
  }
  void addSymbol() {
    bool isAssignment = text.substr(at).starts_with(":=");
    add(GapToken::Symbol).text = text.substr(at, isAssignment ? 2 : 1).str();
    at += isAssignment ? 2 : 1;
  }

  StringRef text;
  size_t at = 0, lineStart = 0;
  int64_t line = 1;
  std::vector<GapToken> tokens;
};

} // namespace

std::vector<GapToken> gapTokens(StringRef text) { return Lexer(text).run(); }

} // namespace zenith::cayley
