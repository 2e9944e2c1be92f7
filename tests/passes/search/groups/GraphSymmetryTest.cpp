// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Symmetries that are found, and graphs that have none of use.

#include "passes/search/groups/GraphSymmetry.h"
#include <gtest/gtest.h>

using namespace zenith::search;

namespace {

StateRow neighbour(const StateRow &row,
                   const std::vector<int64_t> &permutation) {
  StateRow next;
  for (int64_t from : permutation)
    next.push_back(row[size_t(from)]);
  return next;
}

/// Images of states some steps away, and of their neighbours, are what they
/// should be.
void expectSymmetry(const GraphSymmetry &symmetry, StateRow state,
                    const Permutations &permutations) {
  EXPECT_EQ(symmetry.imageOf(state), state);
  bool changes = false;
  for (size_t step = 0; step < 40; ++step) {
    StateRow image = symmetry.imageOf(state);
    changes |= image != state;
    EXPECT_EQ(symmetry.imageOf(image), state);
    for (size_t g = 0; g < permutations.size(); ++g)
      EXPECT_EQ(symmetry.imageOf(neighbour(state, permutations[g])),
                neighbour(image, permutations[symmetry.generators[g]]));
    state = neighbour(state, permutations[step * step % permutations.size()]);
  }
  EXPECT_TRUE(changes);
}

/// A cycle, its inverse and a swap of the first two of `count` positions.
Permutations cycleAndSwap(int64_t count) {
  Permutations permutations(3);
  for (int64_t i = 0; i < count; ++i) {
    permutations[0].push_back((i + 1) % count);
    permutations[1].push_back((i + count - 1) % count);
    permutations[2].push_back(i < 2 ? 1 - i : i);
  }
  return permutations;
}

TEST(GraphSymmetry, MirrorsCycles) {
  for (int64_t count : {5, 6, 12}) {
    Permutations permutations = cycleAndSwap(count);
    StateRow start;
    for (int64_t i = 0; i < count; ++i)
      start.push_back(uint64_t(i * 3));
    auto symmetry = findSymmetry({start}, permutations);
    ASSERT_TRUE(symmetry);
    EXPECT_EQ(symmetry->generators, (std::vector<size_t>{1, 0, 2}));
    EXPECT_EQ(symmetry->positions[0], 1);
    expectSymmetry(*symmetry, start, permutations);
  }
}

TEST(GraphSymmetry, FindsOrbitsThatAreApart) {
  // Two cycles of three positions, one between them that nothing moves.
  Permutations permutations = {{1, 2, 0, 3, 4, 5, 6}, {0, 1, 2, 3, 5, 6, 4}};
  StateRow start = {0, 1, 2, 9, 4, 5, 6};
  auto symmetry = findSymmetry({start}, permutations);
  ASSERT_TRUE(symmetry);
  expectSymmetry(*symmetry, start, permutations);
}

TEST(GraphSymmetry, NeedsValuesThatCanBeRenamed) {
  Permutations permutations = cycleAndSwap(6);
  EXPECT_TRUE(findSymmetry({{1, 1, 2, 3, 3, 2}}, permutations));
  EXPECT_FALSE(findSymmetry({{1, 1, 1, 2, 2, 2}}, permutations));
}

TEST(GraphSymmetry, LeavesOutWhatKeepsAllStates) {
  // Whatever takes the one generator to itself takes each state to itself.
  Permutations permutations = {{1, 0, 3, 2}};
  EXPECT_FALSE(findSymmetry({{0, 1, 2, 3}}, permutations));
  EXPECT_FALSE(findSymmetry({{0, 1}}, {}));
}

TEST(GraphSymmetry, TakesStartsToStarts) {
  Permutations permutations = cycleAndSwap(6);
  StateRow start = {0, 1, 2, 3, 4, 5}, left = neighbour(start, permutations[0]),
           right = neighbour(start, permutations[1]);
  EXPECT_TRUE(findSymmetry({start, left, right}, permutations));
  EXPECT_FALSE(findSymmetry({start, left}, permutations));
}

} // namespace
