// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether a state can be reached from another one, as far as that is known
// without a search.

#ifndef ZENITH_TOOLS_SEARCH_REACHABILITY_H
#define ZENITH_TOOLS_SEARCH_REACHABILITY_H

#include "frontends/cayley/StateGraph.h"
#include "passes/search/groups/PermutationGroup.h"
#include <optional>

namespace zenith::tools {

class Reachability {
public:
  explicit Reachability(const cayley::StateGraph &graph) : graph(graph) {}

  /// False where permutations cannot lead from one state to the other: another
  /// multiset of numbers or, where the numbers differ, a permutation outside of
  /// the group. The inverse of a permutation is a power of it, so sets that
  /// lack inverses reach the same states.
  bool mayReach(const cayley::State &from, const cayley::State &to);

private:
  /// The positions of a state in the order of their numbers.
  struct Order {
    cayley::State state;
    std::vector<uint32_t> positions;
    bool differ = true; ///< the numbers of the state

    int64_t at(size_t rank) const { return state[positions[rank]]; }
  };
  void sort(const cayley::State &state, Order &order);
  bool hasNumbersOfFirst(const cayley::State &state);

  const cayley::StateGraph &graph;
  /// Of the latest call: many states are asked about one.
  Order first, second;
  std::vector<uint32_t> starts; ///< of numbers among the positions
  /// How often the first state has each number, where they are small, and how
  /// often another one may still have it.
  std::vector<uint32_t> counts, left;
  bool isGroupAsked = false;
  std::optional<search::PermutationGroup> group;
};

} // namespace zenith::tools

#endif // ZENITH_TOOLS_SEARCH_REACHABILITY_H
