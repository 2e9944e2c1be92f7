// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares the numbers of states, and asks the group for the permutation
// between them.

#include "tools/search/Reachability.h"

#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <numeric>

using namespace zenith;
using namespace zenith::tools;

/// Numbers are counted where they are hardly larger than their number.
static bool areSmall(const cayley::State &state) {
  auto [least, most] = std::minmax_element(state.begin(), state.end());
  return *least >= 0 && size_t(*most) < 8 * state.size() + 64;
}

static size_t behindLargest(const cayley::State &state) {
  return size_t(*std::max_element(state.begin(), state.end())) + 1;
}

void Reachability::sort(const cayley::State &state, Order &order) {
  order.state = state;
  order.positions.resize(state.size());
  if (areSmall(state)) {
    starts.assign(behindLargest(state) + 1, 0);
    for (int64_t number : state)
      ++starts[size_t(number) + 1];
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    for (size_t position = 0; position < state.size(); ++position)
      order.positions[starts[size_t(state[position])]++] = uint32_t(position);
  } else {
    std::iota(order.positions.begin(), order.positions.end(), uint32_t(0));
    llvm::sort(order.positions,
               [&](uint32_t a, uint32_t b) { return state[a] < state[b]; });
  }
  order.differ = true;
  for (size_t rank = 1; rank < state.size(); ++rank)
    order.differ &= order.at(rank) != order.at(rank - 1);
}

bool Reachability::hasNumbersOfFirst(const cayley::State &state) {
  if (counts.empty()) {
    sort(state, second);
    for (size_t rank = 0; rank < state.size(); ++rank)
      if (first.at(rank) != second.at(rank))
        return false;
    return true;
  }
  left = counts;
  return llvm::all_of(state, [&](int64_t number) {
    return number >= 0 && size_t(number) < left.size() &&
           left[size_t(number)]-- > 0;
  });
}

/// Whether a number is n!.
static bool isFactorial(llvm::APInt number, size_t n) {
  for (uint64_t factor = 2; factor <= n; ++factor) {
    llvm::APInt quotient;
    uint64_t rest = 0;
    llvm::APInt::udivrem(number, factor, quotient, rest);
    if (rest != 0)
      return false;
    number = std::move(quotient);
  }
  return number.isOne();
}

bool Reachability::mayReach(const cayley::State &from,
                            const cayley::State &to) {
  if (graph.permutations.empty() || from == to)
    return true;
  if (first.state != from) {
    sort(from, first);
    counts.clear();
    if (areSmall(from)) {
      counts.assign(behindLargest(from), 0);
      for (int64_t number : from)
        ++counts[size_t(number)];
    }
  }
  if (!hasNumbersOfFirst(to))
    return false;
  if (!first.differ)
    return true;
  if (!isGroupAsked) {
    // A tenth of a second: a group that takes longer is left to the search.
    constexpr int64_t budget = int64_t(1) << 27;
    isGroupAsked = true;
    group = search::PermutationGroup::build(graph.permutations, budget);
    // The symmetric group has every permutation.
    if (group && isFactorial(group->order(), from.size()))
      group.reset();
  }
  if (!group)
    return true;
  sort(to, second);
  search::PointMap element(from.size());
  for (size_t rank = 0; rank < from.size(); ++rank)
    element[second.positions[rank]] = uint16_t(first.positions[rank]);
  return group->contains(std::move(element));
}
