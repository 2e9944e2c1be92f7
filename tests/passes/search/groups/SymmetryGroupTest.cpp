// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Symmetries that are found form a group and take neighbours to neighbours.

#include "passes/search/groups/SymmetryGroup.h"
#include <gtest/gtest.h>
#include <set>

using namespace zenith::search;

namespace {

using Row = StateRow;

/// Position 0 trades places with one of the others.
Permutations stars(int64_t positions) {
  Permutations result;
  for (int64_t i = 1; i < positions; ++i) {
    std::vector<int64_t> &swap = result.emplace_back();
    for (int64_t j = 0; j < positions; ++j)
      swap.push_back(j == 0 ? i : j == i ? 0 : j);
  }
  return result;
}

Row neighbour(const Row &row, const std::vector<int64_t> &permutation) {
  Row next;
  for (int64_t from : permutation)
    next.push_back(row[size_t(from)]);
  return next;
}

/// The number of symmetries.
size_t orderOf(const std::vector<Row> &starts, const Permutations &permutations,
               size_t most) {
  auto group = findSymmetryGroup(starts, permutations, most);
  std::set<std::vector<size_t>> members;
  for (const GraphSymmetry &symmetry : group)
    members.insert(symmetry.generators);
  for (const GraphSymmetry &x : group) {
    for (const GraphSymmetry &y : group) {
      std::vector<size_t> both;
      for (size_t image : x.generators)
        both.push_back(y.generators[image]);
      EXPECT_TRUE(members.count(both));
    }
    for (const Row &start : starts)
      for (size_t g = 0; g < permutations.size(); ++g)
        EXPECT_EQ(x.imageOf(neighbour(start, permutations[g])),
                  neighbour(x.imageOf(start), permutations[x.generators[g]]));
  }
  return group.size();
}

TEST(SymmetryGroup, OfStars) {
  EXPECT_EQ(orderOf({{0, 1, 2, 3, 4}}, stars(5), 100), 24u);
  EXPECT_EQ(orderOf({{0, 1, 1, 1, 1}}, stars(5), 100), 24u);
  // Values may trade names where they are as often.
  EXPECT_EQ(orderOf({{0, 1, 1, 2, 2}}, stars(5), 100), 8u);
  EXPECT_EQ(orderOf({{0, 1, 1, 1, 2}}, stars(5), 100), 6u);
  EXPECT_EQ(orderOf({{0, 1, 2, 3, 4}, {0, 2, 1, 3, 4}}, stars(5), 100), 4u);
}

TEST(SymmetryGroup, FixesPositionsWhereThereAreMore) {
  EXPECT_EQ(orderOf({{0, 1, 2, 3, 4}}, stars(5), 23), 6u);
  EXPECT_EQ(orderOf({{0, 1, 2, 3, 4}}, stars(5), 1), 1u);
}

TEST(SymmetryGroup, IgnoresWhatNoGeneratorMoves) {
  // Position 4 holds a value that gets another name elsewhere. Rotations take
  // each generator to itself.
  Permutations cycle = {{1, 2, 3, 0, 4}, {3, 0, 1, 2, 4}};
  EXPECT_EQ(orderOf({{0, 1, 2, 3, 1}}, cycle, 100), 2u);
  EXPECT_EQ(orderOf({{0, 1, 2, 3, 1}}, {}, 100), 0u);
}

} // namespace
