// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One lexical walk that keeps the names of the regions around. Braces of
// attributes count as regions without names.

#include "frontends/stablehlo/bytecode/EscapingNames.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace zenith::stablehlo;
using llvm::SmallVector;
using llvm::StringRef;

namespace {
class NameWalk {
public:
  explicit NameWalk(StringRef text) : text(text) { enter(); }
  std::optional<EscapingName> run();

private:
  struct Region {
    unsigned number = 0; ///< in `parents`
    unsigned parentheses = 0;
    SmallVector<StringRef> defined;
    /// Arguments that its next statement gives to regions inside.
    SmallVector<StringRef> arguments;
  };
  struct Use {
    size_t at;
    unsigned region;
  };

  void enter();
  void leave();
  void visitName();
  void define(StringRef name);
  void use(StringRef name, size_t at);
  bool isAround(unsigned outer, unsigned inner) const;
  /// Past the name at `from`, which begins with %, and a count of results.
  size_t endOfName(size_t from) const;
  size_t skipSpace(size_t from) const;
  /// Where the names begin that commas separate, from `from` on; `end` is
  /// behind them.
  SmallVector<size_t> nameList(size_t from, size_t &end) const;
  StringRef nameAt(size_t from) const;

  StringRef text;
  size_t at = 0;
  SmallVector<unsigned> parents; ///< of regions that were entered
  SmallVector<Region> regions;   ///< from the outermost in
  SmallVector<size_t> opened;
  llvm::StringMap<unsigned> visible; ///< how many regions around define it
  llvm::StringMap<SmallVector<Use>> unknown;
  std::optional<size_t> found;
};
} // namespace

void NameWalk::enter() {
  Region region;
  region.number = unsigned(parents.size());
  SmallVector<StringRef> arguments;
  if (!regions.empty())
    arguments = regions.back().arguments;
  parents.push_back(regions.empty() ? region.number : regions.back().number);
  regions.push_back(std::move(region));
  for (StringRef argument : arguments)
    define(argument);
}

void NameWalk::leave() {
  if (regions.size() == 1)
    return;
  for (StringRef name : regions.back().defined)
    --visible[name];
  regions.pop_back();
}

bool NameWalk::isAround(unsigned outer, unsigned inner) const {
  while (inner > outer)
    inner = parents[inner];
  return inner == outer;
}

void NameWalk::define(StringRef name) {
  regions.back().defined.push_back(name);
  ++visible[name];
  auto uses = unknown.find(name);
  if (uses == unknown.end())
    return;
  for (const Use &use : uses->second)
    if (!isAround(regions.back().number, use.region) &&
        (!found || use.at < *found))
      found = use.at;
  unknown.erase(uses);
}

void NameWalk::use(StringRef name, size_t place) {
  if (visible.lookup(name) == 0)
    unknown[name].push_back({place, regions.back().number});
}

StringRef NameWalk::nameAt(size_t from) const {
  size_t end = from + 1;
  while (end < text.size() &&
         (llvm::isAlnum(text[end]) || text[end] == '_' || text[end] == '$' ||
          text[end] == '.' || text[end] == '-'))
    ++end;
  return text.slice(from, end);
}

size_t NameWalk::endOfName(size_t from) const {
  size_t end = from + nameAt(from).size();
  size_t digits = end + 1;
  if (end < text.size() && text[end] == ':')
    while (digits < text.size() && llvm::isDigit(text[digits]))
      ++digits;
  return digits > end + 1 ? digits : end;
}

size_t NameWalk::skipSpace(size_t from) const {
  while (from < text.size() && llvm::isSpace(text[from]))
    ++from;
  return from;
}

SmallVector<size_t> NameWalk::nameList(size_t from, size_t &end) const {
  SmallVector<size_t> names;
  while (from < text.size() && text[from] == '%') {
    names.push_back(from);
    end = skipSpace(endOfName(from));
    if (end >= text.size() || text[end] != ',')
      break;
    from = skipSpace(end + 1);
  }
  return names;
}

void NameWalk::visitName() {
  size_t begin = at;
  StringRef name = nameAt(begin);
  if (regions.back().parentheses == 0) {
    SmallVector<size_t> list = nameList(begin, at);
    bool isDefinition =
        at < text.size() && text[at] == '=' && text.substr(at, 2) != "==";
    if (isDefinition)
      regions.back().arguments.clear();
    for (size_t each : list)
      isDefinition ? define(nameAt(each)) : use(nameAt(each), each);
    return;
  } else {
    size_t after = skipSpace(begin + name.size());
    char before = text.take_front(begin).rtrim().back();
    bool isBound = after < text.size() && text[after] == '=';
    bool isTyped = after < text.size() && text[after] == ':' &&
                   (before == '(' || before == ',');
    if (isBound || isTyped) {
      at = after;
      size_t opening = opened.back();
      // ^block(%a: type): of this region; else of those to come.
      StringRef owner = text.take_front(opening).rtrim();
      size_t word = owner.find_last_not_of(
          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
      if (isTyped && word != StringRef::npos && owner[word] == '^')
        return define(name);
      regions.back().arguments.push_back(name);
      return;
    }
  }
  use(name, begin);
  at = begin + name.size();
}

std::optional<EscapingName> NameWalk::run() {
  while (at < text.size() && !found) {
    char c = text[at];
    if (c == '"') {
      for (++at; at < text.size() && text[at] != '"'; ++at)
        if (text[at] == '\\')
          ++at;
      ++at;
    } else if (c == '/' && text.substr(at, 2) == "//") {
      at = std::min(text.find('\n', at), text.size());
    } else if (c == '%') {
      visitName();
    } else {
      if (c == '{')
        enter();
      else if (c == '}')
        leave();
      else if (c == '(')
        ++regions.back().parentheses, opened.push_back(at);
      else if (c == ')' && regions.back().parentheses > 0)
        --regions.back().parentheses, opened.pop_back();
      ++at;
    }
  }
  if (!found)
    return std::nullopt;
  StringRef before = text.take_front(*found);
  return EscapingName{nameAt(*found), unsigned(before.count('\n')) + 1,
                      unsigned(*found - (before.rfind('\n') + 1)) + 1};
}

std::optional<EscapingName> zenith::stablehlo::escapingName(StringRef text) {
  return NameWalk(text).run();
}
