// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where checkpoints are, and which searches can go on from one.

#ifndef ZENITH_TOOLS_SEARCH_CHECKPOINTKEY_H
#define ZENITH_TOOLS_SEARCH_CHECKPOINTKEY_H

#include "frontends/cayley/BuildBeam.h"
#include "frontends/cayley/StateGraph.h"
#include "tools/search/SearchOptions.h"
#include "llvm/ADT/ArrayRef.h"

namespace zenith::tools {

/// What options say of a beam's links, for at least `steps` steps.
cayley::BeamOptions linkOptions(const SearchOptions &options,
                                int64_t steps = 0);

/// What two searches share where one can go on from the other's checkpoint:
/// the graph, the starts, and each option that the form of the state depends
/// on. Limits may differ. One line of JSON.
std::string checkpointKey(const SearchOptions &options,
                          const cayley::StateGraph &graph,
                          llvm::ArrayRef<cayley::State> states);

/// The file of a folder of checkpoints.
std::string checkpointFile(llvm::StringRef folder);

} // namespace zenith::tools

#endif // ZENITH_TOOLS_SEARCH_CHECKPOINTKEY_H
