// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All symmetries of a graph, as those of a cube: then one of many states stands
// for those that they take it to.

#ifndef ZENITH_PASSES_SEARCH_GROUPS_SYMMETRYGROUP_H
#define ZENITH_PASSES_SEARCH_GROUPS_SYMMETRYGROUP_H

#include "passes/search/states/GraphSymmetry.h"

namespace zenith::search {

/// Symmetries that form a group, at most `most`: all that there are, or those
/// that leave some positions in place. None, not even the identity, where a
/// search of bounded length does not find them. `permutations` are the growth's
/// generators.
std::vector<GraphSymmetry>
findSymmetryGroup(const BfsLoop &growth,
                  const std::vector<std::vector<int64_t>> &permutations,
                  size_t most);

} // namespace zenith::search

#endif // ZENITH_PASSES_SEARCH_GROUPS_SYMMETRYGROUP_H
