// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares the numbers of states, and asks the group for the permutation
// between them.

#include "tools/search/Reachability.h"

#include "llvm/ADT/STLExtras.h"
#include <numeric>

using namespace zenith;
using namespace zenith::tools;

/// The positions of a state in the order of their numbers.
static std::vector<size_t> byNumber(const cayley::State &state) {
  std::vector<size_t> positions(state.size());
  std::iota(positions.begin(), positions.end(), size_t(0));
  llvm::sort(positions,
             [&](size_t a, size_t b) { return state[a] < state[b]; });
  return positions;
}

bool Reachability::mayReach(const cayley::State &from,
                            const cayley::State &to) {
  if (graph.permutations.empty() || from == to)
    return true;
  std::vector<size_t> first = byNumber(from), second = byNumber(to);
  bool differ = true; // the numbers of a state
  for (size_t rank = 0; rank < first.size(); ++rank) {
    int64_t number = from[first[rank]];
    if (number != to[second[rank]])
      return false;
    differ &= rank == 0 || number != from[first[rank - 1]];
  }
  if (!differ)
    return true;
  if (!isGroupAsked) {
    // A tenth of a second: a group that takes longer is left to the search.
    constexpr int64_t budget = int64_t(1) << 27;
    isGroupAsked = true;
    group = search::PermutationGroup::build(graph.permutations, budget);
  }
  if (!group)
    return true;
  search::PointMap element(from.size());
  for (size_t rank = 0; rank < first.size(); ++rank)
    element[second[rank]] = uint16_t(first[rank]);
  return group->contains(std::move(element));
}
