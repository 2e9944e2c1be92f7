// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every element of a group has a bit of its own, and tables lead from each to
// the ones that generators make of it.

#include "passes/search/groups/CosetRows.h"
#include <gtest/gtest.h>
#include <map>
#include <numeric>

using namespace zenith::search;

namespace {

using Generators = std::vector<std::vector<int64_t>>;

/// Every map that generators lead to from the identity.
std::vector<PointMap> reached(const Generators &generators) {
  PointMap identity(generators.front().size());
  std::iota(identity.begin(), identity.end(), 0);
  std::vector<PointMap> maps{identity};
  std::map<PointMap, size_t> seen{{identity, 0}};
  for (size_t at = 0; at < maps.size(); ++at)
    for (const std::vector<int64_t> &generator : generators) {
      PointMap back = inverse(PointMap(generator.begin(), generator.end()));
      PointMap next = compose(back, maps[at]);
      if (seen.emplace(next, maps.size()).second)
        maps.push_back(next);
    }
  return maps;
}

void check(const Generators &generators, double bytes = 1e9) {
  std::string why;
  std::optional<CosetRows> rows = CosetRows::build(generators, bytes, why);
  ASSERT_TRUE(rows) << why;
  std::vector<PointMap> maps = reached(generators);
  EXPECT_EQ(rows->rows() * rows->columns(), int64_t(maps.size()));
  const uint64_t rowBits = uint64_t(rows->words()) * 64;
  std::map<uint64_t, size_t> bits;
  for (const PointMap &map : maps) {
    std::optional<uint64_t> bit = rows->bitOf(map);
    ASSERT_TRUE(bit);
    EXPECT_LT(*bit % rowBits, uint64_t(rows->columns()));
    EXPECT_TRUE(bits.emplace(*bit, bits.size()).second);
    for (size_t g = 0; g < generators.size(); ++g) {
      PointMap back =
          inverse(PointMap(generators[g].begin(), generators[g].end()));
      uint64_t next = rows->bitOf(compose(back, map)).value();
      size_t entry = next / rowBits * generators.size() + g;
      EXPECT_EQ(rows->sources()[entry], *bit / rowBits);
      size_t place =
          rows->sourceMoves()[entry] * size_t(rows->columns()) + *bit % rowBits;
      EXPECT_EQ(rows->moveColumns()[place], next % rowBits);
    }
  }
}

} // namespace

TEST(CosetRows, LeadToEachNeighbour) {
  check({{1, 0}});
  check({{0, 1, 2}});
  check({{1, 2, 0, 3}, {0, 2, 3, 1}});
  check({{1, 2, 3, 4, 5, 6, 0}, {1, 0, 2, 3, 4, 5, 6}});
  // Rows besides columns; and a group whose points fall into blocks.
  check({{1, 2, 3, 4, 5, 6, 7, 0}, {1, 0, 2, 3, 4, 5, 6, 7}});
  check({{2, 3, 4, 5, 6, 7, 8, 9, 0, 1},
         {2, 3, 0, 1, 4, 5, 6, 7, 8, 9},
         {1, 0, 3, 2, 4, 5, 6, 7, 8, 9}});
}

TEST(CosetRows, RefuseWhatOutgrowsTheBudget) {
  std::string why;
  EXPECT_FALSE(CosetRows::build(
      {{1, 2, 3, 4, 5, 6, 7, 0}, {1, 0, 2, 3, 4, 5, 6, 7}}, 1000, why));
  EXPECT_EQ(why, "bits of the group's elements take more than 1000 bytes");
  std::optional<CosetRows> even =
      CosetRows::build({{1, 2, 0, 3}, {0, 2, 3, 1}}, 1e6, why);
  ASSERT_TRUE(even);
  EXPECT_FALSE(even->bitOf({1, 0, 2, 3}));
}
