// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command line of zenith-search.

#ifndef ZENITH_TOOLS_SEARCH_SEARCHOPTIONS_H
#define ZENITH_TOOLS_SEARCH_SEARCHOPTIONS_H

#include "frontends/cayley/BuildHashes.h"
#include "frontends/cayley/BuildWalks.h"
#include "tools/model/RunOptions.h"

namespace zenith::tools {

using cayley::HashKind;
using cayley::WalkKind;

enum class SearchCommand { Bfs, Beam, Path, Walks, Distance, Hash, Info };
enum class PrintedForm { None, GraphIR };

/// Steps of a beam where --max-steps is not given.
inline constexpr int64_t defaultBeamSteps = 1000;

/// States are texts: digits, numbers with commas, or @FILE.npy.
struct SearchOptions {
  SearchCommand command = SearchCommand::Bfs;
#define ZENITH_SEARCH_OPTION(field, type, initial, ...) type field = initial;
#include "lowering/pipeline/CompileOptions.def"

  RunOptions run; ///< target, threads, memory, remarks
};

/// nullopt where help or the version was asked for and printed.
llvm::Expected<std::optional<SearchOptions>>
parseSearchOptions(int argc, char **argv, CommonOptions &common);

} // namespace zenith::tools

namespace zenith::options {

template <> struct Words<cayley::WalkKind> {
  using Kind = cayley::WalkKind;
  static constexpr Word<Kind> all[] = {{"classic", Kind::Classic},
                                       {"nbt", Kind::NonBacktracking},
                                       {"bfs", Kind::Layers}};
};

template <> struct Words<cayley::HashKind> {
  static constexpr Word<cayley::HashKind> all[] = {
      {"matrix", cayley::HashKind::Matrix},
      {"poly32", cayley::HashKind::Poly32}};
};

template <> struct Words<tools::PrintedForm> {
  static constexpr Word<tools::PrintedForm> all[] = {
      {"graphir", tools::PrintedForm::GraphIR}};
};

} // namespace zenith::options

#endif // ZENITH_TOOLS_SEARCH_SEARCHOPTIONS_H
