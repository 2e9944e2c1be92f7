// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphs by name: families with sizes, puzzles, and files.

#ifndef ZENITH_FRONTENDS_CAYLEY_LOADSTATEGRAPH_H
#define ZENITH_FRONTENDS_CAYLEY_LOADSTATEGRAPH_H

#include "frontends/cayley/StateGraph.h"

namespace zenith::cayley {

/// The graph of a name, or of the path of a .gap or .json file.
/// Names are those of the families with a size after a colon ("lrx:11",
/// "heisenberg:3,10"), or of a puzzle; a size that begins with 0 is a central
/// state ("lrx:0011").
llvm::Expected<StateGraph> loadStateGraph(llvm::StringRef name);

/// Names of all families and puzzles, for messages and help.
std::vector<std::string> stateGraphNames();

} // namespace zenith::cayley

#endif // ZENITH_FRONTENDS_CAYLEY_LOADSTATEGRAPH_H
