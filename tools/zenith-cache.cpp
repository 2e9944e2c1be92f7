// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Looks after a cache of compiled programs.

#include "tools/CacheCommands.h"
#include "tools/model/ToolMain.h"

using namespace zenith::tools;

int main(int argc, char **argv) {
  return toolMain("zenith-cache", argc, argv, parseCacheOptions,
                  runCacheCommand);
}
