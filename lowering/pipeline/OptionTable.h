// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The words in which CompileOptions.def describes options: tools, units, what a
// cache does about an option, and the spellings of enumerations.

#ifndef ZENITH_LOWERING_PIPELINE_OPTIONTABLE_H
#define ZENITH_LOWERING_PIPELINE_OPTIONTABLE_H

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace zenith::options {

/// The tools, or commands of tools, that take an option, and those among them
/// that don't run without it.
struct ToolSet {
  unsigned taking = 0, requiring = 0;

  constexpr ToolSet operator|(ToolSet other) const {
    return {taking | other.taking, requiring | other.requiring};
  }
  constexpr bool takes(ToolSet tool) const { return taking & tool.taking; }
  constexpr bool needs(ToolSet tool) const { return requiring & tool.taking; }
};
constexpr ToolSet required(ToolSet tools) {
  return {tools.taking, tools.taking};
}

inline constexpr ToolSet Run{1 << 0}, Compile{1 << 1}, Translate{1 << 2},
    Opt{1 << 3}, Bfs{1 << 4}, Beam{1 << 5}, Path{1 << 6}, Walks{1 << 7},
    CacheList{1 << 8}, CacheVerify{1 << 9}, CacheCollect{1 << 10},
    CacheExplain{1 << 11};
inline constexpr ToolSet Search = Bfs | Beam | Path | Walks;
inline constexpr ToolSet Cache =
    CacheList | CacheVerify | CacheCollect | CacheExplain;

/// What a number counts, and its bounds. Bytes are written with or without K,
/// M or G, powers of 1024.
struct Unit {
  const char *word = "";
  int64_t least = INT64_MIN, most = INT64_MAX;

  constexpr bool isBounded() const { return most != INT64_MAX; }
};
inline constexpr Unit noUnit, bytes{"bytes", 0};
constexpr Unit count(const char *word) { return {word, 0}; }
constexpr Unit between(const char *word, int64_t least, int64_t most) {
  return {word, least, most};
}

/// What an option means to a cache of compiled programs.
enum class CacheUse {
  InKey,      ///< another value is another entry
  InTarget,   ///< the processor that it names is a part of the key
  SkipsCache, ///< where it is given, the cache is not asked
  NoPart      ///< no entry depends on it
};

/// A row without its field.
struct OptionRow {
  const char *spelling;
  Unit unit;
  ToolSet tools;
  CacheUse cache;
  const char *help;

  /// "target" of "--target"; the last name of several.
  constexpr llvm::StringRef name() const {
    llvm::StringRef text = llvm::StringRef(spelling).rsplit(',').second;
    if (text.empty())
      text = spelling;
    return text.take_until([](char c) { return c == '[' || c == '='; })
        .ltrim('-');
  }
};

/// Words<Enum>::all are the enumerators that a command line can give, with
/// their spellings.
template <typename Enum> struct Words;
template <typename Enum> using Word = std::pair<const char *, Enum>;

template <typename Enum> llvm::StringRef wordOf(Enum value) {
  for (const auto &[word, enumerator] : Words<Enum>::all)
    if (enumerator == value)
      return word;
  return "";
}

template <typename Enum> std::optional<Enum> valueOf(llvm::StringRef text) {
  for (const auto &[word, enumerator] : Words<Enum>::all)
    if (text == word)
      return enumerator;
  return std::nullopt;
}

template <typename Enum> std::vector<std::string> wordsOf() {
  std::vector<std::string> words;
  for (const auto &[word, enumerator] : Words<Enum>::all)
    words.push_back(word);
  return words;
}

/// How something is printed.
enum class TextFormat { Text, JSON };
template <> struct Words<TextFormat> {
  static constexpr Word<TextFormat> all[] = {{"text", TextFormat::Text},
                                             {"json", TextFormat::JSON}};
};

} // namespace zenith::options

#endif // ZENITH_LOWERING_PIPELINE_OPTIONTABLE_H
