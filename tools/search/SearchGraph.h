// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Searches a graph of states as the command line says.

#ifndef ZENITH_TOOLS_SEARCH_SEARCHGRAPH_H
#define ZENITH_TOOLS_SEARCH_SEARCHGRAPH_H

namespace zenith::models {
class Diagnostics;
}

namespace zenith::tools {

using models::Diagnostics;
struct SearchOptions;

/// The exit code of zenith-search.
int searchGraph(const SearchOptions &options, Diagnostics &diagnostics);

} // namespace zenith::tools

#endif // ZENITH_TOOLS_SEARCH_SEARCHGRAPH_H
