// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The symmetry group of a state graph, as that of a cube: one state of each
// orbit then stands for all of them.

#ifndef ZENITH_PASSES_SEARCH_GROUPS_SYMMETRYGROUP_H
#define ZENITH_PASSES_SEARCH_GROUPS_SYMMETRYGROUP_H

#include "passes/search/groups/GraphSymmetry.h"

namespace zenith::search {

/// Symmetries that form a group, at most `most`: all that there are, or the
/// pointwise stabiliser of some positions. None, not even the identity, where a
/// search of bounded length does not find them. There is at least one start.
std::vector<GraphSymmetry>
findSymmetryGroup(const std::vector<StateRow> &starts,
                  const Permutations &generators, size_t most);

} // namespace zenith::search

#endif // ZENITH_PASSES_SEARCH_GROUPS_SYMMETRYGROUP_H
