// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What zenith-cache does: lists, checks and bounds a cache, and says why a
// model is not in it.

#ifndef ZENITH_TOOLS_CACHECOMMANDS_H
#define ZENITH_TOOLS_CACHECOMMANDS_H

#include "tools/model/RunOptions.h"

namespace zenith::tools {

class Diagnostics;

struct CacheOptions {
  enum Command { List, Verify, Collect, Explain } command = List;
  std::string folder;              ///< as RunOptions::cache
  std::optional<int64_t> maxBytes; ///< Collect: what may stay; default: what
                                   ///< compilations keep to
  /// Explain: a model (run.model) with what is compiled of it, or the beginning
  /// of an entry's name.
  std::string subject;
  RunOptions run;
  bool json = false;
};

/// nullopt where help or the version was asked for and printed.
llvm::Expected<std::optional<CacheOptions>>
parseCacheOptions(int argc, char **argv, bool &jsonDiagnostics);

/// The exit code: 2 where verify finds damaged entries.
int runCacheCommand(const CacheOptions &options, Diagnostics &diagnostics);

} // namespace zenith::tools

#endif // ZENITH_TOOLS_CACHECOMMANDS_H
