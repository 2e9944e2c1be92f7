// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares the numbers of states, and asks the group for the permutation
// between them.

#include "tools/search/Reachability.h"

#include "llvm/ADT/STLExtras.h"
#include <map>

using namespace zenith;
using namespace zenith::tools;

bool Reachability::mayReach(const cayley::State &from,
                            const cayley::State &to) {
  if (graph.permutations.empty() || from == to)
    return true;
  cayley::State first = from, second = to;
  llvm::sort(first);
  llvm::sort(second);
  if (first != second)
    return false;
  if (std::adjacent_find(first.begin(), first.end()) != first.end())
    return true;
  if (!isGroupAsked) {
    // A tenth of a second: a group that takes longer is left to the search.
    constexpr int64_t budget = int64_t(1) << 27;
    isGroupAsked = true;
    group = search::PermutationGroup::build(graph.permutations, budget);
  }
  if (!group)
    return true;
  std::map<int64_t, uint16_t> places;
  for (auto [place, number] : llvm::enumerate(from))
    places[number] = uint16_t(place);
  search::PointMap element;
  for (int64_t number : to)
    element.push_back(places[number]);
  return group->contains(std::move(element));
}
