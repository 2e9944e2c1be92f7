// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cubies that are found, what generators do to their codes, and positions that
// are none.

#include "passes/search/states/Cubies.h"
#include <gtest/gtest.h>
#include <set>

using namespace zenith::search;

namespace {

using Row = BfsLoop::Row;
using Permutations = std::vector<std::vector<int64_t>>;

Row neighbour(const Row &row, const std::vector<int64_t> &permutation) {
  Row next;
  for (int64_t from : permutation)
    next.push_back(row[size_t(from)]);
  return next;
}

std::set<Row> reachable(const std::vector<Row> &starts,
                        const Permutations &permutations) {
  std::set<Row> seen(starts.begin(), starts.end());
  std::vector<Row> stack = starts;
  while (!stack.empty()) {
    Row row = stack.back();
    stack.pop_back();
    for (const auto &permutation : permutations) {
      Row next = neighbour(row, permutation);
      if (seen.insert(next).second)
        stack.push_back(next);
    }
  }
  return seen;
}

std::optional<Cubies> cubiesOf(const std::vector<Row> &starts,
                               const Permutations &permutations) {
  BfsLoop bfs;
  bfs.positions = int64_t(starts.front().size());
  bfs.generators = int64_t(permutations.size());
  bfs.starts = starts;
  return Cubies::find(bfs, permutations);
}

Row codesOf(const Cubies &cubies, const Row &row) {
  Row codes;
  for (int64_t head : cubies.heads())
    codes.push_back(*cubies.codeOf(row, head));
  return codes;
}

/// Codes tell all states apart, and those of a neighbour are those of the
/// state, turned.
void expectCodes(const Cubies &cubies, const std::vector<Row> &starts,
                 const Permutations &permutations) {
  std::set<Row> states = reachable(starts, permutations), codes;
  for (const Row &row : states) {
    codes.insert(codesOf(cubies, row));
    Row again = row;
    for (int64_t head : cubies.heads())
      EXPECT_TRUE(cubies.store(again, head, *cubies.codeOf(row, head)));
    EXPECT_EQ(again, row);
    for (const auto &permutation : permutations)
      for (int64_t head : cubies.heads()) {
        int64_t from = permutation[size_t(head)];
        uint64_t old = *cubies.codeOf(row, cubies.headOf(from));
        unsigned size = cubies.sizeOf(head), bits = Cubies::turnBits(size);
        uint64_t turn =
            ((old & ((1u << bits) - 1)) + cubies.turnOf(from)) % size;
        EXPECT_EQ(cubies.codeOf(neighbour(row, permutation), head),
                  (old >> bits << bits) | turn);
        EXPECT_LT(old >> cubies.bits(), 1u);
      }
  }
  EXPECT_EQ(codes.size(), states.size());
}

TEST(Cubies, SignedNumbers) {
  // Prefixes are reversed and their signs change: 2i and 2i+1 are one number.
  Permutations permutations = {
      {1, 0, 2, 3, 4, 5, 6}, {3, 2, 1, 0, 4, 5, 6}, {5, 4, 3, 2, 1, 0, 6}};
  std::vector<Row> starts = {{0, 1, 2, 3, 4, 5, 9}};
  auto cubies = cubiesOf(starts, permutations);
  ASSERT_TRUE(cubies);
  EXPECT_EQ(cubies->heads().size(), 3u);
  EXPECT_EQ(cubies->largest(), 2u);
  EXPECT_EQ(cubies->bits(), 3u);
  expectCodes(*cubies, starts, permutations);
}

/// Four corners of three stickers and two edges of two; one generator turns
/// corners as it moves them.
Permutations corners() {
  return {{3, 4, 5, 7, 8, 6, 1, 2, 0, 9, 10, 11, 14, 15, 13, 12},
          {0, 1, 2, 6, 7, 8, 9, 10, 11, 3, 4, 5, 12, 13, 14, 15}};
}

TEST(Cubies, Corners) {
  std::vector<Row> starts = {{0, 1, 2, 0, 3, 1, 4, 3, 0, 4, 0, 5, 1, 2, 3, 4}};
  auto cubies = cubiesOf(starts, corners());
  ASSERT_TRUE(cubies);
  EXPECT_EQ(cubies->heads().size(), 6u);
  EXPECT_EQ(cubies->sizeOf(cubies->heads().front()), 3u);
  EXPECT_EQ(cubies->sizeOf(cubies->heads().back()), 2u);
  expectCodes(*cubies, starts, corners());
  // Equal cubies differ in their positions only.
  starts = {{0, 1, 2, 1, 2, 0, 4, 3, 0, 4, 3, 0, 1, 2, 1, 2},
            {2, 0, 1, 4, 3, 0, 4, 3, 0, 0, 4, 3, 1, 2, 2, 1}};
  cubies = cubiesOf(starts, corners());
  ASSERT_TRUE(cubies);
  expectCodes(*cubies, starts, corners());
}

TEST(Cubies, TurnsThatChangeNothing) {
  EXPECT_FALSE(
      cubiesOf({{0, 1, 2, 0, 3, 1, 4, 3, 0, 4, 4, 4, 1, 2, 3, 4}}, corners()));
}

TEST(Cubies, SinglePositions) {
  // A cycle and a swap: whatever commutes with both leaves all in place.
  EXPECT_FALSE(cubiesOf({{0, 1, 2, 3, 4}}, {{1, 2, 3, 4, 0}, {1, 0, 2, 3, 4}}));
  EXPECT_FALSE(cubiesOf({{0, 1, 2}}, {}));
  // A rotation by five commutes with itself, but no cubie has five positions.
  EXPECT_FALSE(cubiesOf({{0, 1, 2, 3, 4}}, {{1, 2, 3, 4, 0}}));
}

} // namespace
