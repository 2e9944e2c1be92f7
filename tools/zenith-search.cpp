// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Searches graphs of states: reads the graph, compiles the search, runs it.

#include "tools/model/ToolMain.h"
#include "tools/search/SearchGraph.h"
#include "tools/search/SearchOptions.h"

using namespace zenith::tools;

int main(int argc, char **argv) {
  return toolMain("zenith-search", argc, argv, parseSearchOptions, searchGraph);
}
