// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts levels of JSON before it is parsed; finds its members.

#include "frontends/files/JSONText.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Regex.h"

using namespace llvm;
using namespace zenith;

static bool nestsTooDeeply(StringRef text) {
  constexpr int64_t mostLevels = 64;
  int64_t levels = 0;
  bool inString = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '"')
      inString = !inString;
    else if (inString)
      i += c == '\\';
    else if (c == '[' || c == '{')
      ++levels;
    else if (c == ']' || c == '}')
      --levels;
    if (levels > mostLevels)
      return true;
  }
  return false;
}

/// The first number that the parser below reads although JSON has no such
/// number (01, 1.); npos: there is none.
static size_t findOtherNumber(StringRef text) {
  static const Regex number(
      "^-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)?$");
  constexpr StringLiteral characters = "0123456789+-.eE";
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') {
      for (++i; text[i] != '"'; ++i)
        i += text[i] == '\\';
    } else if (isDigit(text[i]) || text[i] == '-') {
      StringRef token = text.substr(i).take_while(
          [&](char c) { return characters.contains(c); });
      if (!number.match(token))
        return i;
      i += token.size() - 1;
    }
  }
  return StringRef::npos;
}

Expected<json::Value> zenith::files::parseJSON(StringRef text) {
  if (nestsTooDeeply(text))
    return createStringError("lists and objects nest too deeply");
  Expected<json::Value> value = json::parse(text);
  if (size_t at = value ? findOtherNumber(text) : StringRef::npos;
      at != StringRef::npos)
    return createStringError("[" + lineAndColumn(text, at) +
                             ", byte=" + std::to_string(at) +
                             "]: Invalid JSON value (number?)");
  return value;
}

std::pair<std::string, std::string>
zenith::files::splitPlace(StringRef message) {
  auto [place, text] = message.trim().split("]: ");
  StringRef numbers = place.split(',').first;
  if (text.empty() || !numbers.consume_front("["))
    return {"", message.trim().str()};
  return {numbers.str(), text.str()};
}

namespace {

/// Walks through valid JSON and remembers which key each level is in.
class MemberScan {
public:
  explicit MemberScan(StringRef text) : text(text) {}

  std::vector<files::JSONMember> run() {
    for (at = 0; at < text.size(); ++at) {
      char c = text[at];
      if (c == '"')
        readString();
      else if (c == '{' || c == '[')
        keys.emplace_back();
      else if (c == '}' || c == ']')
        keys.pop_back();
    }
    return std::move(members);
  }

private:
  void readString() {
    size_t begin = at;
    for (++at; text[at] != '"'; ++at)
      at += text[at] == '\\';
    StringRef rest = text.substr(at + 1).ltrim();
    if (!rest.starts_with(":"))
      return;
    // Valid text: a string that parses alone.
    Expected<json::Value> key = json::parse(text.slice(begin, at + 1));
    if (!key)
      return consumeError(key.takeError());
    keys.back() = key->getAsString()->str();
    members.push_back({keys, begin});
  }

  StringRef text;
  size_t at = 0;
  std::vector<std::string> keys;
  std::vector<files::JSONMember> members;
};

} // namespace

std::vector<files::JSONMember> files::membersOf(StringRef text) {
  return MemberScan(text).run();
}

std::string files::lineAndColumn(StringRef text, size_t offset) {
  StringRef before = text.take_front(offset);
  size_t lineStart = before.rfind('\n') + 1; // npos + 1 is 0
  return std::to_string(before.count('\n') + 1) + ":" +
         std::to_string(offset - lineStart + 1);
}
