// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One lexical walk over the text: strings and comments are passed over, so
// that only real tokens are rewritten.

#include "frontends/stablehlo/bytecode/NewerText.h"

#include "llvm/ADT/StringExtras.h"

using namespace zenith;
using llvm::StringRef;

namespace {
class TextRewriter {
public:
  explicit TextRewriter(StringRef text) : text(text) {}
  std::optional<std::string> run();

private:
  void skipString();
  void rewriteRange();
  void rewriteData();
  /// Appends the text between the last change and `end`, then `other`.
  void replace(size_t begin, size_t end, const std::string &other);

  StringRef text;
  size_t at = 0, copied = 0;
  bool changed = false;
  std::string result;
};
} // namespace

void TextRewriter::replace(size_t begin, size_t end, const std::string &other) {
  result += text.substr(copied, begin - copied);
  result += other;
  copied = at = end;
  changed = true;
}

// From the opening quote past the closing one.
void TextRewriter::skipString() {
  for (++at; at < text.size() && text[at] != '"'; ++at)
    if (text[at] == '\\')
      ++at;
  at = std::min(at + 1, text.size());
}

// After `"file":LINE:COL`: ` to :COL` or ` to LINE:COL`.
void TextRewriter::rewriteRange() {
  StringRef rest = text.drop_front(at);
  auto takeNumber = [&] {
    StringRef digits = rest.take_while(llvm::isDigit);
    rest = rest.drop_front(digits.size());
    return !digits.empty();
  };
  if (!rest.consume_front(":") || !takeNumber() || !rest.consume_front(":") ||
      !takeNumber())
    return;
  size_t end = text.size() - rest.size();
  if (!rest.consume_front(" to "))
    return;
  takeNumber();
  if (rest.consume_front(":") && takeNumber())
    replace(end, text.size() - rest.size(), "");
}

// The element count of `tensor<2x3xi1>`, if its elements are booleans.
static std::optional<uint64_t> booleanCount(StringRef type) {
  uint64_t count = 1;
  while (!type.empty() && llvm::isDigit(type.front())) {
    uint64_t size = 0;
    if (type.consumeInteger(10, size) || !type.consume_front("x"))
      return std::nullopt;
    if (size != 0 && count > (uint64_t(1) << 40) / size)
      return std::nullopt;
    count *= size;
  }
  return type.starts_with("i1>") ? std::optional(count) : std::nullopt;
}

// At `dense<"0x...">`: a byte per boolean becomes a bit per boolean.
void TextRewriter::rewriteData() {
  size_t begin = at + StringRef("dense<\"0x").size();
  size_t end = text.find('"', begin);
  if (end == StringRef::npos) {
    at = text.size();
    return;
  }
  StringRef digits = text.slice(begin, end), rest = text.drop_front(end);
  at = end + 1;
  if (!rest.consume_front("\">"))
    return;
  rest = rest.ltrim();
  if (!rest.consume_front(":"))
    return;
  rest = rest.ltrim();
  if (!rest.consume_front("tensor<"))
    return;
  std::optional<uint64_t> count = booleanCount(rest);
  // As many bytes as packed bits would need, or one byte for all: packed.
  if (!count || digits.size() != 2 * *count || *count < 2)
    return;
  std::string bits((*count + 7) / 8, '\0');
  for (uint64_t i = 0; i < *count; ++i)
    if (digits.substr(2 * i, 2) != "00")
      bits[i / 8] |= char(1 << (i % 8));
  replace(begin, end, llvm::toHex(bits));
  ++at;
}

std::optional<std::string> TextRewriter::run() {
  while (at < text.size()) {
    char c = text[at];
    if (c == '"') {
      skipString();
      rewriteRange();
    } else if (c == '/' && text.substr(at, 2) == "//") {
      at = std::min(text.find('\n', at), text.size());
    } else if (c == 'd' && text.substr(at).starts_with("dense<\"0x")) {
      rewriteData();
    } else {
      ++at;
    }
  }
  if (!changed)
    return std::nullopt;
  result += text.drop_front(copied);
  return std::move(result);
}

std::optional<std::string> stablehlo::rewriteNewerText(StringRef text) {
  return TextRewriter(text).run();
}

std::optional<uint64_t> stablehlo::hugeResultNumber(StringRef text) {
  constexpr uint64_t maxSum = 1 << 26;
  uint64_t sum = 0;
  for (size_t at = text.find('#'); at != StringRef::npos;
       at = text.find('#', at + 1)) {
    StringRef digits = text.drop_front(at + 1).take_while(llvm::isDigit);
    uint64_t index = 0;
    if (digits.empty())
      continue;
    if (digits.getAsInteger(10, index) || index > maxSum)
      return index ? index : UINT64_MAX;
    sum += index;
    if (sum > maxSum)
      return index;
  }
  return std::nullopt;
}

static bool inComment(StringRef text, size_t at) {
  StringRef line = text.take_front(at);
  return line.substr(line.rfind('\n') + 1).contains("//");
}

// An op name is a word of its own, perhaps in quotes; types and attributes
// count too.
StringRef stablehlo::stableHLODialectIn(StringRef text) {
  for (StringRef dialect :
       {"stablehlo.", "chlo.", "check.", "mhlo.", "vhlo.", "sdy."})
    for (size_t at = text.find(dialect); at != StringRef::npos;
         at = text.find(dialect, at + 1))
      if ((at == 0 || StringRef(" \t\n\"=@!#").contains(text[at - 1])) &&
          !inComment(text, at))
        return dialect.drop_back();
  return "";
}
