// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What zenith-cache does: lists, checks and bounds a cache, and says why a
// model is not in it.

#ifndef ZENITH_TOOLS_CACHECOMMANDS_H
#define ZENITH_TOOLS_CACHECOMMANDS_H

#include "tools/model/RunOptions.h"

namespace zenith::models {
class Diagnostics;
}

namespace zenith::tools {

using models::Diagnostics;

struct CacheOptions {
  enum Command { List, Verify, Collect, Explain } command = List;
#define ZENITH_CACHE_OPTION(field, type, initial, ...) type field = initial;
#include "lowering/pipeline/CompileOptions.def"

  RunOptions run; ///< of Explain: what the model is compiled for
};

/// nullopt where help or the version was asked for and printed.
llvm::Expected<std::optional<CacheOptions>>
parseCacheOptions(int argc, char **argv, CommonOptions &common);

/// The exit code: 2 where verify finds damaged entries.
int runCacheCommand(const CacheOptions &options, Diagnostics &diagnostics);

} // namespace zenith::tools

#endif // ZENITH_TOOLS_CACHECOMMANDS_H
