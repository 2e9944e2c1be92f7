// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the words of --quantize.

#include "passes/quantize/QuantizationScheme.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"

using llvm::StringRef;

namespace zenith::quantize {

using Kind = QuantizationScheme::Kind;
using Range = QuantizationScheme::Range;

static constexpr std::pair<StringRef, Kind> kinds[] = {
    {"int8", Kind::Int8},
    {"int8-dynamic", Kind::Int8Dynamic},
    {"int8-weights", Kind::Int8Weights},
    {"int4-weights", Kind::Int4Weights},
    {"f8-weights", Kind::F8Weights}};

static constexpr std::pair<StringRef, Range> ranges[] = {
    {"minmax", Range::MinMax},
    {"percentile", Range::Percentile},
    {"entropy", Range::Entropy},
    {"mse", Range::MeanSquare}};

/// The keys, and the schemes that have a use for each.
struct KeyUse {
  StringRef key;
  std::initializer_list<Kind> kinds;
};
static constexpr std::initializer_list<Kind>
    allKinds = {Kind::Int8, Kind::Int8Dynamic, Kind::Int8Weights,
                Kind::Int4Weights, Kind::F8Weights},
    staticKinds = {Kind::Int8}, integerKinds = {Kind::Int8, Kind::Int8Dynamic},
    blockKinds = {Kind::Int8Weights, Kind::Int4Weights};
static constexpr KeyUse keys[] = {
    {"activations", staticKinds},   {"block", blockKinds},
    {"calibration", staticKinds},   {"equalize", allKinds},
    {"form", blockKinds},           {"ops", allKinds},
    {"per-channel", integerKinds},  {"percentile", staticKinds},
    {"reduce-range", integerKinds}, {"symmetric", staticKinds},
    {"zero-points", blockKinds}};

static constexpr int64_t leastBlock = 16, mostBlock = 256;

static Error usage(const llvm::Twine &text) {
  return {ErrorCode::Usage, ("--quantize: " + text).str(), ""};
}

template <typename Words> static std::string wordsOf(const Words &words) {
  return llvm::join(
      llvm::map_range(words, [](const auto &entry) { return entry.first; }),
      ", ");
}

static Error wrongValue(StringRef key, StringRef value,
                        const llvm::Twine &expected) {
  return usage(key + ": got '" + value + "', expected " + expected);
}

namespace {

/// Sets one field from the text of its value.
class SchemeReader {
public:
  explicit SchemeReader(QuantizationScheme &scheme) : scheme(scheme) {}

  std::optional<Error> read(StringRef key, StringRef value);

private:
  static std::optional<Error> readFlag(StringRef key, StringRef value,
                                       bool &flag) {
    if (value != "true" && value != "false")
      return wrongValue(key, value, "true or false");
    flag = value == "true";
    return std::nullopt;
  }
  /// The flag is set by the second of two words.
  static std::optional<Error> readChoice(StringRef key, StringRef value,
                                         StringRef without, StringRef with,
                                         bool &flag) {
    if (value != without && value != with)
      return wrongValue(key, value, without + " or " + with);
    flag = value == with;
    return std::nullopt;
  }
  std::optional<Error> readRange(StringRef value);
  std::optional<Error> readPercentile(StringRef value);
  std::optional<Error> readBlock(StringRef value);

  QuantizationScheme &scheme;
};

} // namespace

std::optional<Error> SchemeReader::readRange(StringRef value) {
  for (const auto &[word, range] : ranges)
    if (word == value) {
      scheme.range = range;
      return std::nullopt;
    }
  return wrongValue("calibration", value, "one of " + wordsOf(ranges));
}

std::optional<Error> SchemeReader::readPercentile(StringRef value) {
  double share;
  if (value.getAsDouble(share) || !(share > 50) || share > 100)
    return wrongValue("percentile", value, "a number above 50 and up to 100");
  scheme.percentile = share;
  return std::nullopt;
}

std::optional<Error> SchemeReader::readBlock(StringRef value) {
  int64_t block;
  if (value.getAsInteger(10, block) || block < leastBlock ||
      block > mostBlock || !llvm::isPowerOf2_64(uint64_t(block)))
    return wrongValue("block", value,
                      "a power of two from " + llvm::Twine(leastBlock) +
                          " to " + llvm::Twine(mostBlock));
  scheme.block = block;
  return std::nullopt;
}

std::optional<Error> SchemeReader::read(StringRef key, StringRef value) {
  if (key == "activations")
    return readChoice(key, value, "u8", "s8", scheme.signedActivations);
  if (key == "symmetric")
    return readFlag(key, value, scheme.symmetric);
  if (key == "per-channel")
    return readFlag(key, value, scheme.perChannel);
  if (key == "reduce-range")
    return readFlag(key, value, scheme.reduceRange);
  if (key == "calibration")
    return readRange(value);
  if (key == "percentile")
    return readPercentile(value);
  if (key == "block")
    return readBlock(value);
  if (key == "zero-points")
    return readFlag(key, value, scheme.zeroPoints);
  if (key == "equalize")
    return readFlag(key, value, scheme.equalize);
  if (key == "form")
    return readChoice(key, value, "nbits", "qdq", scheme.asQDQ);
  if (key == "ops" && value == "all")
    return Error{ErrorCode::Unsupported,
                 "--quantize: ops=all: only products are quantized", ""};
  if (key == "ops")
    return value == "products"
               ? std::nullopt
               : std::optional(wrongValue(key, value, "products or all"));
  return usage("'" + key + "' is no key; known are " +
               llvm::join(llvm::map_range(
                              keys, [](const KeyUse &use) { return use.key; }),
                          ", "));
}

/// What a scheme does not do may be said, but not asked for.
static std::optional<Error> checkUse(StringRef key, StringRef value,
                                     const QuantizationScheme &scheme,
                                     const QuantizationScheme &changed) {
  const auto *known =
      llvm::find_if(keys, [&](const KeyUse &use) { return use.key == key; });
  if (known == std::end(keys) ||
      llvm::is_contained(known->kinds, scheme.kind) ||
      changed.choices() == scheme.choices())
    return std::nullopt;
  auto words = llvm::make_filter_range(kinds, [&](const auto &entry) {
    return llvm::is_contained(known->kinds, entry.second);
  });
  return usage(key + "=" + value + " says nothing for " + scheme.name +
               ", only for " + wordsOf(words));
}

Result<QuantizationScheme> parseScheme(StringRef text) {
  StringRef name = text.split(':').first, items = text.split(':').second;
  QuantizationScheme scheme;
  scheme.name = name.str();
  const auto *kind = llvm::find_if(
      kinds, [&](const auto &entry) { return entry.first == name; });
  if (kind == std::end(kinds))
    return usage("'" + name + "' is no scheme; known are " + wordsOf(kinds));
  scheme.kind = kind->second;
  llvm::StringSet<> given;
  for (StringRef item : llvm::split(items, ',')) {
    if (item.empty() && items.empty())
      continue;
    auto [key, value] = item.split('=');
    if (!given.insert(key).second)
      return usage("'" + key + "' is given twice");
    QuantizationScheme changed = scheme;
    if (auto error = SchemeReader(changed).read(key, value))
      return std::move(*error);
    if (auto error = checkUse(key, value, scheme, changed))
      return std::move(*error);
    scheme = changed;
  }
  return scheme;
}

} // namespace zenith::quantize
