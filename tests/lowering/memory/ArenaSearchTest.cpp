// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Searched offsets: no two buffers of one time share a byte, rectangles that
// are cut into buffers are put together again.

#include "lowering/memory/arena/ArenaSearch.h"
#include "lowering/memory/arena/ArenaPacking.h"

#include <gtest/gtest.h>
#include <random>

using namespace zenith::memory;

namespace {

using Random = std::mt19937_64;

int64_t pick(Random &random, int64_t low, int64_t high) {
  return std::uniform_int_distribution<int64_t>(low, high)(random);
}

void expectApart(const std::vector<PackedBuffer> &buffers, int64_t capacity) {
  for (size_t i = 0; i < buffers.size(); ++i) {
    const PackedBuffer &x = buffers[i];
    EXPECT_GE(x.offset, 0);
    EXPECT_LE(x.offset + x.size, capacity);
    EXPECT_EQ(x.offset % x.alignment, 0);
    for (size_t k = i + 1; k < buffers.size(); ++k) {
      const PackedBuffer &y = buffers[k];
      bool together = x.begin <= y.end && y.begin <= x.end;
      EXPECT_FALSE(together && x.offset < y.offset + y.size &&
                   y.offset < x.offset + x.size)
          << i << " and " << k;
    }
  }
}

/// Cuts [begin, end] x [0, size) into buffers.
void cut(Random &random, int64_t begin, int64_t end, int64_t size, int depth,
         std::vector<PackedBuffer> &buffers) {
  if (depth == 0 || (end == begin && size < 2)) {
    buffers.push_back({size, begin, end});
    return;
  }
  if (end > begin && (size < 2 || pick(random, 0, 1))) {
    int64_t at = pick(random, begin, end - 1);
    cut(random, begin, at, size, depth - 1, buffers);
    cut(random, at + 1, end, size, depth - 1, buffers);
    return;
  }
  int64_t part = pick(random, 1, size - 1);
  cut(random, begin, end, part, depth - 1, buffers);
  cut(random, begin, end, size - part, depth - 1, buffers);
}

} // namespace

TEST(ArenaSearch, PutsCutRectanglesTogether) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    Random random(seed);
    std::vector<PackedBuffer> buffers;
    cut(random, 0, 40, 1 << 16, 4, buffers);
    ASSERT_EQ(mostLive(buffers), 1 << 16);
    EXPECT_EQ(packBuffers(buffers, nullptr, 100'000), 1 << 16) << seed;
    expectApart(buffers, 1 << 16);
  }
}

TEST(ArenaSearch, KnowsWhatMustLieHigher) {
  // A buffer that was passed over lies on one that is to come. Without this
  // bound the same search needs 335 and 9,383 backtracks.
  struct Case {
    unsigned seed;
    int depth;
    uint64_t backtracks;
  };
  for (Case hard : {Case{3, 6, 100}, Case{1, 7, 1000}}) {
    Random random(hard.seed);
    std::vector<PackedBuffer> buffers;
    cut(random, 0, 400, 1 << 16, hard.depth, buffers);
    EXPECT_TRUE(searchOffsets(buffers, 1 << 16, hard.backtracks)) << hard.seed;
    expectApart(buffers, 1 << 16);
  }
}

TEST(ArenaSearch, KeepsRandomBuffersApart) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    Random random(seed);
    std::vector<PackedBuffer> buffers;
    for (int64_t count = pick(random, 0, 60); count > 0; --count) {
      int64_t begin = pick(random, -20, 50);
      buffers.push_back({pick(random, 0, 100), begin,
                         begin + pick(random, 0, 20),
                         int64_t(1) << pick(random, 0, 4)});
    }
    int64_t total = packBuffers(buffers, nullptr, 2000);
    EXPECT_GE(total, mostLive(buffers));
    expectApart(buffers, total);
  }
}

TEST(ArenaSearch, ProvesThatNothingFits) {
  // Two pairs of neighbours in time leave no room for a third over both.
  std::vector<PackedBuffer> buffers = {
      {2, 0, 0}, {1, 0, 1}, {2, 1, 2}, {1, 2, 2}};
  uint64_t backtracks = 1000;
  EXPECT_TRUE(searchOffsets(buffers, 3, backtracks));
  expectApart(buffers, 3);
  std::vector<PackedBuffer> before = buffers;
  EXPECT_FALSE(searchOffsets(buffers, 2, backtracks));
  EXPECT_GT(backtracks, 0u);
  for (size_t i = 0; i < buffers.size(); ++i)
    EXPECT_EQ(buffers[i].offset, before[i].offset);
}

TEST(ArenaSearch, SkewTakesLittle) {
  CacheSkew skew{64, 4096, 32768};
  for (unsigned seed = 0; seed < 20; ++seed) {
    Random random(seed);
    std::vector<PackedBuffer> buffers;
    for (int i = 0; i < 30; ++i) {
      int64_t begin = pick(random, 0, 30);
      buffers.push_back(
          {pick(random, 1, 40) * 4096, begin, begin + pick(random, 0, 10)});
    }
    std::vector<PackedBuffer> plain = buffers;
    int64_t skewed = packBuffers(buffers, &skew, 0);
    EXPECT_LE(skewed, std::max(packBySize(plain, nullptr),
                               mostLive(plain) + mostLive(plain) / 64));
    expectApart(buffers, skewed);
  }
}
