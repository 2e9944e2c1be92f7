// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command line of zenith-search.

#ifndef ZENITH_TOOLS_SEARCHOPTIONS_H
#define ZENITH_TOOLS_SEARCHOPTIONS_H

#include "tools/RunOptions.h"

namespace zenith::tools {

struct SearchOptions {
  std::string graph; ///< a name or a file
  std::vector<std::string> starts;
  int64_t maxLayers = -1; ///< -1: all
  std::string jsonFile;   ///< "-" is standard output
  bool emitGraphIR = false;
  RunOptions run; ///< target, threads, memory, remarks
};

/// nullopt where help or the version was asked for and printed.
llvm::Expected<std::optional<SearchOptions>>
parseSearchOptions(int argc, char **argv, bool &jsonDiagnostics);

} // namespace zenith::tools

#endif // ZENITH_TOOLS_SEARCHOPTIONS_H
