// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One lexical walk over the text: strings and comments are passed over, so
// that only real tokens are rewritten.

#include "frontends/stablehlo/bytecode/NewerText.h"

#include "frontends/stablehlo/dialect/NarrowFormat.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"

using namespace zenith;
using llvm::StringRef;
using stablehlo::NarrowFormat;

namespace {
class TextRewriter {
public:
  explicit TextRewriter(StringRef text) : text(text) {}
  std::optional<std::string> run();

private:
  void skipString();
  void rewriteRange();
  void rewriteType();
  void rewriteData();
  void rewriteBooleans(size_t begin, StringRef digits, StringRef type);
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

// A byte per boolean becomes a bit per boolean.
void TextRewriter::rewriteBooleans(size_t begin, StringRef digits,
                                   StringRef type) {
  std::optional<uint64_t> count = booleanCount(type);
  // As many bytes as packed bits would need, or one byte for all: packed.
  if (!count || digits.size() != 2 * *count || *count < 2)
    return;
  std::string bits((*count + 7) / 8, '\0');
  for (uint64_t i = 0; i < *count; ++i)
    if (digits.substr(2 * i, 2) != "00")
      bits[i / 8] |= char(1 << (i % 8));
  size_t after = at;
  replace(begin, begin + digits.size(), llvm::toHex(bits));
  at = after;
}

// The sizes of a type that begin a text, up to its element type.
static StringRef sizesIn(StringRef type) {
  StringRef rest = type;
  while (!rest.empty()) {
    StringRef next = rest;
    if (!next.consume_front("?"))
      next = next.drop_while(llvm::isDigit);
    if (next.size() == rest.size() || !next.consume_front("x"))
      break;
    rest = next;
  }
  return type.drop_back(rest.size());
}

// The narrow float that the elements of a tensor are; `type` begins after
// `tensor<`.
static const NarrowFormat *narrowElement(StringRef type) {
  StringRef element = type.drop_front(sizesIn(type).size());
  return NarrowFormat::named(element.take_while(llvm::isAlnum));
}

static std::string dialectType(StringRef name) {
  return ("!stablehlo.narrow<\"" + name + "\">").str();
}

// At `tensor<`: a dialect's type stands for a narrow float.
void TextRewriter::rewriteType() {
  at += StringRef("tensor<").size();
  StringRef type = text.drop_front(at);
  const NarrowFormat *format = narrowElement(type);
  if (!format)
    return;
  size_t begin = at + sizesIn(type).size();
  replace(begin, begin + format->name.size(), dialectType(format->name));
}

// The bits of a code's value as an f64, in hexadecimal.
static std::string wideDigits(StringRef digits, const NarrowFormat &format,
                              bool isLittleEndian) {
  unsigned code = 0;
  if (digits.getAsInteger(16, code) || code > 255)
    return digits.str();
  uint64_t bits = llvm::bit_cast<uint64_t>(format.decode(code));
  if (isLittleEndian)
    bits = llvm::byteswap(bits);
  return llvm::utohexstr(bits, /*LowerCase=*/false, /*Width=*/16);
}

// Elements of a narrow float as those of f64: hexadecimal ones are codes.
static std::string wideElements(StringRef elements,
                                const NarrowFormat &format) {
  std::string wide;
  if (elements.consume_front("\"0x")) {
    wide = "\"0x";
    for (StringRef digits = elements; digits.size() > 1;
         digits = digits.drop_front(2))
      wide += wideDigits(digits.take_front(2), format, true);
    return wide + '"';
  }
  while (!elements.empty()) {
    auto [before, rest] = elements.split("0x");
    wide += before;
    if (before.size() == elements.size())
      break;
    StringRef digits = rest.take_while(llvm::isHexDigit);
    wide += "0x" + wideDigits(digits, format, false);
    elements = rest.drop_front(digits.size());
  }
  return wide;
}

// At `dense<`: elements that the parser cannot read as they are. The value of a
// constant becomes one of f64, and where the value says the result's type too,
// that is said after it.
void TextRewriter::rewriteData() {
  size_t start = at, begin = at + StringRef("dense<").size();
  at = begin;
  if (at < text.size() && text[at] == '"')
    skipString();
  size_t end = text.find('>', at);
  if (end == StringRef::npos) {
    at = text.size();
    return;
  }
  at = end + 1;
  StringRef elements = text.slice(begin, end), rest = text.drop_front(at);
  rest = rest.ltrim();
  if (!rest.consume_front(":"))
    return;
  rest = rest.ltrim();
  if (!rest.consume_front("tensor<"))
    return;
  if (elements.consume_front("\"0x") && elements.consume_back("\""))
    rewriteBooleans(begin + 3, elements, rest);
  const NarrowFormat *format = narrowElement(rest);
  if (!format)
    return;
  StringRef sizes = sizesIn(rest);
  size_t type = text.size() - rest.size(),
         typeEnd = type + sizes.size() + format->name.size();
  StringRef before = text.take_front(start).rtrim();
  bool isGeneric = before.ends_with("=");
  if (!isGeneric && !before.ends_with("stablehlo.constant") &&
      !before.ends_with("}")) {
    // Which op says what is known of constants only: the type stays.
    at = typeEnd;
    return;
  }
  std::string wide = wideElements(text.slice(begin, end), *format) +
                     "> : tensor<" + sizes.str() + "f64";
  if (!isGeneric)
    wide += "> -> tensor<" + sizes.str() + dialectType(format->name);
  replace(begin, typeEnd, wide);
}

std::optional<std::string> TextRewriter::run() {
  while (at < text.size()) {
    char c = text[at];
    if (c == '"') {
      skipString();
      rewriteRange();
    } else if (c == '/' && text.substr(at, 2) == "//") {
      at = std::min(text.find('\n', at), text.size());
    } else if (c == 'd' && text.substr(at).starts_with("dense<")) {
      rewriteData();
    } else if (c == 't' && text.substr(at).starts_with("tensor<")) {
      rewriteType();
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
