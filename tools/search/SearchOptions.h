// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command line of zenith-search.

#ifndef ZENITH_TOOLS_SEARCH_SEARCHOPTIONS_H
#define ZENITH_TOOLS_SEARCH_SEARCHOPTIONS_H

#include "tools/model/RunOptions.h"

namespace zenith::tools {

enum class SearchCommand { Growth, Beam, Path, Walks };

struct SearchOptions {
  SearchCommand command = SearchCommand::Growth;
  std::string graph; ///< a name or a file
  // States as texts: digits, numbers with commas, or @FILE.npy.
  std::vector<std::string> starts;
  std::string from, to;   ///< `to` empty: the central state
  int64_t maxLayers = -1; ///< -1: all
  int64_t maxSteps = -1;  ///< -1: any; beams have a number
  int64_t width = 0, length = 0, history = 0;
  std::string score = "hamming"; ///< or zero, or a model's file
  std::string walkKind = "classic";
  uint64_t seed = 0;
  std::string layersFile, adjacencyFile; ///< of growth; empty: not stored
  std::string walksFile, stepsFile;
  std::string jsonFile; ///< "-" is standard output
  bool emitGraphIR = false;
  RunOptions run; ///< target, threads, memory, remarks
};

/// nullopt where help or the version was asked for and printed.
llvm::Expected<std::optional<SearchOptions>>
parseSearchOptions(int argc, char **argv, bool &jsonDiagnostics);

} // namespace zenith::tools

#endif // ZENITH_TOOLS_SEARCH_SEARCHOPTIONS_H
