// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Searches graphs of states: reads the graph, compiles the search, runs it.

#include "tools/model/Diagnostics.h"
#include "tools/search/SearchGraph.h"
#include "tools/search/SearchOptions.h"
#include "llvm/Support/raw_ostream.h"

using namespace zenith::tools;

int main(int argc, char **argv) {
  Diagnostics diagnostics("zenith-search", llvm::errs());
  bool json = false;
  auto options = parseSearchOptions(argc, argv, json);
  diagnostics.useJSON(json);
  if (!options)
    return diagnostics.report(options.takeError());
  return *options ? searchGraph(**options, diagnostics) : 0;
}
