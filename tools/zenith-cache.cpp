// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Looks after a cache of compiled programs.

#include "tools/CacheCommands.h"
#include "tools/model/Diagnostics.h"
#include "llvm/Support/raw_ostream.h"

using namespace zenith::tools;

int main(int argc, char **argv) {
  Diagnostics diagnostics("zenith-cache", llvm::errs());
  bool json = false;
  auto options = parseCacheOptions(argc, argv, json);
  diagnostics.useJSON(json);
  if (!options)
    return diagnostics.report(options.takeError());
  return *options ? runCacheCommand(**options, diagnostics) : 0;
}
