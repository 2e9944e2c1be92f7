// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The words in which CompileOptions.def describes options: tools, conditions,
// units, what a cache does about an option, and the spellings of enumerations.

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

/// Words<Enum>::all are the enumerators that a command line can give, with
/// their spellings.
template <typename Enum> struct Words;
template <typename Enum> using Word = std::pair<const char *, Enum>;

/// Without it an option would change nothing in a call, and is refused: the
/// words end "OPTION has no effect ...".
enum class Condition {
  Compiles,
  CompilesForProcessor,
  DecidesTopics,
  Explains,
  Reports,
  WritesResults,
  Compares,
  ComparesOps,
  HasBench,
  HasNoServer,
  WritesGraphIR,
  WritesCode,
  SchedulesKernels,
  WritesObjects,
  CachesObjects,
  ChoosesDevice,
  WritesONNX,
  ChoosesEntry,
  ReadsParameters,
  BoundsMemory,
  Offloads,
  RunsProgram,
  ExplainsModel,
  PrintsProgram,
  WritesFiles,
  KeepsCheckpoints,
  StoresLayers
};
template <> struct Words<Condition> {
  static constexpr Word<Condition> all[] = {
      {"with --target=interp", Condition::Compiles},
      {"without --target=cpu or cpu:ARCH", Condition::CompilesForProcessor},
      {"with --target=interp, but on precision", Condition::DecidesTopics},
      {"without --explain", Condition::Explains},
      {"without --report", Condition::Reports},
      {"without --out-dir", Condition::WritesResults},
      {"without --expect or --compare", Condition::Compares},
      {"without --compare", Condition::ComparesOps},
      {"without --bench", Condition::HasBench},
      {"with --bench-server", Condition::HasNoServer},
      {"without --emit=graphir", Condition::WritesGraphIR},
      {"without --emit=llvm, asm or obj", Condition::WritesCode},
      {"on output before the phase schedule", Condition::SchedulesKernels},
      {"without --emit=obj", Condition::WritesObjects},
      {"without --emit=obj for a processor", Condition::CachesObjects},
      {"on --emit=opencl unless it is a device", Condition::ChoosesDevice},
      {"on output that is no ONNX", Condition::WritesONNX},
      {"on output that is no ONNX, without --check", Condition::ChoosesEntry},
      {"on output that is GraphIR, without --check",
       Condition::ReadsParameters},
      {"without --max-memory", Condition::BoundsMemory},
      {"without --offload", Condition::Offloads},
      {"with --emit", Condition::RunsProgram},
      {"on the name of an entry", Condition::ExplainsModel},
      {"without --emit", Condition::PrintsProgram},
      {"with --report or --memory-timeline, unless -o names a file",
       Condition::WritesFiles},
      {"without --checkpoint-dir", Condition::KeepsCheckpoints},
      {"without --store-layers or --store-adjacency", Condition::StoresLayers}};
};

/// The tools, or commands of tools, that take an option, those among them that
/// don't run without it, and what it takes in each for the option to have an
/// effect.
struct ToolSet {
  static constexpr unsigned count = 18;

  unsigned taking = 0, requiring = 0;
  unsigned conditions[count] = {}; ///< bits of Conditions, by tool

  constexpr ToolSet operator|(ToolSet other) const {
    ToolSet both = *this;
    both.taking |= other.taking;
    both.requiring |= other.requiring;
    for (unsigned i = 0; i < count; ++i)
      both.conditions[i] |= other.conditions[i];
    return both;
  }
  constexpr bool takes(ToolSet tool) const { return taking & tool.taking; }
  constexpr bool needs(ToolSet tool) const { return requiring & tool.taking; }
  /// True where the option has an effect in `tool` only under `condition`.
  constexpr bool depends(ToolSet tool, Condition condition) const {
    for (unsigned i = 0; i < count; ++i)
      if (tool.taking >> i & conditions[i] >> unsigned(condition) & 1)
        return true;
    return false;
  }
};
constexpr ToolSet required(ToolSet tools) {
  tools.requiring = tools.taking;
  return tools;
}
/// `tools`, in which the option has an effect under all of `conditions` only.
template <typename... Conditions>
constexpr ToolSet when(ToolSet tools, Conditions... conditions) {
  for (unsigned i = 0; i < ToolSet::count; ++i)
    if (tools.taking >> i & 1)
      tools.conditions[i] |= (... | (1u << unsigned(conditions)));
  return tools;
}

inline constexpr ToolSet Run{1 << 0}, Compile{1 << 1}, Translate{1 << 2},
    Opt{1 << 3}, Bfs{1 << 4}, Beam{1 << 5}, Path{1 << 6}, Walks{1 << 7},
    CacheList{1 << 8}, CacheVerify{1 << 9}, CacheCollect{1 << 10},
    CacheExplain{1 << 11}, Train{1 << 12};
inline constexpr ToolSet Info{1 << 13}, Distance{1 << 14}, Hash{1 << 15};
inline constexpr ToolSet PlanGraph{1 << 16}, PlanArena{1 << 17};
inline constexpr ToolSet Plan = PlanGraph | PlanArena;
/// Commands of zenith-search that run programs, and those of them that search.
inline constexpr ToolSet Searching = Bfs | Beam | Path | Walks | Distance,
                         Search = Searching | Hash;
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
