// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Orders of groups that are known, or counted by listing their elements.

#include "passes/search/groups/GroupOrder.h"
#include "passes/search/groups/PermutationGroup.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringExtras.h"
#include <gtest/gtest.h>
#include <random>

using namespace zenith::search;

namespace {

using Permutation = std::vector<int64_t>;

/// By a search from the identity, on permutations as digits of base 16.
int64_t countedOrder(const std::vector<Permutation> &generators) {
  uint64_t identity = 0;
  for (size_t i = 0; i < generators.front().size(); ++i)
    identity |= uint64_t(i) << 4 * i;
  llvm::DenseSet<uint64_t> seen{identity};
  std::vector<uint64_t> open{identity};
  while (!open.empty()) {
    uint64_t at = open.back();
    open.pop_back();
    for (const Permutation &generator : generators) {
      uint64_t next = 0;
      for (size_t i = 0; i < generator.size(); ++i)
        next |= (at >> 4 * generator[i] & 15) << 4 * i;
      if (seen.insert(next).second)
        open.push_back(next);
    }
  }
  return int64_t(seen.size());
}

Permutation rotation(int64_t n, int64_t by = 1) {
  Permutation result;
  for (int64_t i = 0; i < n; ++i)
    result.push_back((i + by) % n);
  return result;
}

Permutation swapped(int64_t n, int64_t a, int64_t b) {
  Permutation result = rotation(n, 0);
  std::swap(result[size_t(a)], result[size_t(b)]);
  return result;
}

TEST(GroupOrder, TrivialGroupsHaveOneElement) {
  EXPECT_EQ(groupOrder({}), 1);
  EXPECT_EQ(groupOrder({rotation(1, 0)}), 1);
  EXPECT_EQ(groupOrder({rotation(5, 0), rotation(5, 0)}), 1);
}

TEST(GroupOrder, KnownFamilies) {
  double factorial = 1;
  for (int64_t n = 2; n <= 12; ++n) {
    factorial *= double(n);
    EXPECT_EQ(groupOrder({rotation(n)}), double(n));
    EXPECT_EQ(groupOrder({rotation(n), swapped(n, 0, 1)}), factorial);
    // Three-cycles give the even permutations.
    std::vector<Permutation> cycles;
    for (int64_t i = 2; i < n; ++i) {
      Permutation cycle = rotation(n, 0);
      cycle[0] = 1, cycle[1] = i, cycle[size_t(i)] = 0;
      cycles.push_back(cycle);
    }
    if (n > 2) {
      EXPECT_EQ(groupOrder(cycles), factorial / 2) << n;
    }
  }
}

TEST(GroupOrder, OrbitsNeedNotContainAllPoints) {
  // Two swaps, and a rotation of three other points: 2 * 2 * 3.
  EXPECT_EQ(groupOrder({swapped(7, 0, 1), swapped(7, 2, 3),
                        Permutation{0, 1, 2, 3, 5, 6, 4}}),
            12);
}

/// As numbers of positions.
std::vector<std::vector<uint32_t>>
asImages(const std::vector<Permutation> &generators) {
  std::vector<std::vector<uint32_t>> images;
  for (const Permutation &generator : generators)
    images.emplace_back(generator.begin(), generator.end());
  return images;
}

std::string exactOrder(const std::vector<Permutation> &generators) {
  auto group = PermutationGroup::build(asImages(generators));
  return group ? llvm::toString(group->order(), 10, /*Signed=*/false) : "?";
}

TEST(PermutationGroup, OrdersAreExact) {
  EXPECT_EQ(exactOrder({}), "1");
  EXPECT_EQ(exactOrder({rotation(1, 0)}), "1");
  EXPECT_EQ(exactOrder({rotation(40), swapped(40, 0, 1)}),
            "815915283247897734345611269596115894272000000000");
}

TEST(PermutationGroup, OrdersAreThoseOfCountedClosures) {
  std::mt19937 random(11);
  for (int test = 0; test < 500; ++test) {
    auto points = int64_t(1 + random() % 9);
    std::vector<Permutation> generators(1 + random() % 3, rotation(points, 0));
    for (Permutation &generator : generators)
      for (size_t i = generator.size() - 1; i > 0; --i)
        // Few exchanges make small groups too.
        if (random() % 2)
          std::swap(generator[i], generator[random() % (i + 1)]);
    int64_t counted = countedOrder(generators);
    EXPECT_EQ(exactOrder(generators), std::to_string(counted)) << test;
    EXPECT_EQ(groupOrder(generators), double(counted)) << test;
  }
}

TEST(PermutationGroup, ContainsItsElementsOnly) {
  // Even permutations of six points.
  std::vector<Permutation> cycles;
  for (int64_t last = 2; last < 6; ++last) {
    Permutation cycle = rotation(6, 0);
    cycle[0] = 1;
    cycle[1] = last;
    cycle[size_t(last)] = 0;
    cycles.push_back(cycle);
  }
  auto group = PermutationGroup::build(asImages(cycles));
  ASSERT_TRUE(group);
  EXPECT_TRUE(group->contains({1, 0, 3, 2, 4, 5}));
  EXPECT_FALSE(group->contains({1, 0, 2, 3, 4, 5}));
  EXPECT_FALSE(group->contains({1, 0, 2}));
}

TEST(PermutationGroup, EndsWithItsBudget) {
  EXPECT_FALSE(PermutationGroup::build(
      asImages({rotation(200), swapped(200, 0, 1)}), /*budget=*/1000));
}

} // namespace
