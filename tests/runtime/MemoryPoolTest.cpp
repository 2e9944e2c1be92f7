// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arena and pool: alignment, reuse, budget and what they count.

#include "runtime/MemoryPool.h"

#include <cstring>
#include <gtest/gtest.h>

using namespace zenith::runtime;

static bool aligned(const void *data, int64_t bytes) {
  return reinterpret_cast<uintptr_t>(data) % bytes == 0;
}

TEST(MemoryPool, ArenaIsAlignedAndKept) {
  MemoryPool pool;
  for (int64_t bytes : {int64_t{0}, int64_t{1}, int64_t{100} << 10,
                        int64_t{1} << 20, int64_t{5} << 20}) {
    auto arena = pool.arena(bytes);
    ASSERT_TRUE(arena.ok());
    EXPECT_TRUE(aligned(*arena, ZENITH_ARENA_ALIGNMENT));
    std::memset(*arena, 7, bytes);
  }
  void *large = *pool.arena(5 << 20);
  EXPECT_EQ(*pool.arena(5 << 20), large);
  EXPECT_EQ(*pool.arena(1000), large);
  EXPECT_EQ(pool.use().arenaBytes, 5 << 20);
}

TEST(MemoryPool, ArenaMeetsTheBudgetOrIsRefused) {
  MemoryPool pool(1000000);
  ASSERT_TRUE(pool.arena(1000000).ok());
  auto refused = pool.arena(1000001);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.status().code(), ZENITH_OUT_OF_MEMORY);
  EXPECT_NE(refused.status().message().find("1000001"), std::string::npos);
  EXPECT_NE(refused.status().message().find("budget of 1000000"),
            std::string::npos);
  EXPECT_TRUE(pool.arena(10).ok());
}

TEST(MemoryPool, BlocksAreAlignedAndReused) {
  MemoryPool pool;
  for (int64_t bytes : {0, 1, 63, 64, 1000, 300000, 5000000}) {
    void *first = *pool.allocate(bytes, ZENITH_ALLOC_POOL);
    ASSERT_TRUE(first);
    EXPECT_TRUE(aligned(first, ZENITH_BUFFER_ALIGNMENT));
    std::memset(first, 1, bytes);
    EXPECT_TRUE(pool.free(first));
    EXPECT_EQ(*pool.allocate(bytes, ZENITH_ALLOC_POOL), first) << bytes;
    EXPECT_TRUE(pool.free(first));
  }
  EXPECT_EQ(pool.use().liveBytes, 0);
}

TEST(MemoryPool, RefusesForeignPointersAndSizes) {
  MemoryPool pool;
  int local = 0;
  EXPECT_TRUE(pool.free(nullptr));
  EXPECT_FALSE(pool.free(&local));
  EXPECT_FALSE(pool.allocate(-1, ZENITH_ALLOC_POOL).ok());
  EXPECT_FALSE(pool.allocate(INT64_MAX, ZENITH_ALLOC_POOL).ok());
  EXPECT_FALSE(pool.arena(INT64_MAX).ok());
}

TEST(MemoryPool, BudgetCoversArenaAndBlocks) {
  MemoryPool pool(4096);
  ASSERT_TRUE(pool.arena(2048).ok());
  auto first = pool.allocate(2048, ZENITH_ALLOC_POOL);
  ASSERT_TRUE(first.ok());
  auto second = pool.allocate(1, ZENITH_ALLOC_POOL);
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.status().code(), ZENITH_OUT_OF_MEMORY);
  pool.free(*first);
  EXPECT_TRUE(pool.allocate(1, ZENITH_ALLOC_POOL).ok());
}

TEST(MemoryPool, FreedBlocksYieldToTheBudget) {
  MemoryPool pool(1 << 20);
  for (int64_t bytes = 1 << 19; bytes > 1000; bytes /= 3) {
    auto block = pool.allocate(bytes, ZENITH_ALLOC_POOL);
    ASSERT_TRUE(block.ok());
    pool.free(*block);
    EXPECT_LE(pool.use().heldBytes, 1 << 20);
  }
  EXPECT_TRUE(pool.allocate(1 << 20, ZENITH_ALLOC_POOL).ok());
  EXPECT_EQ(pool.use().heldBytes, 1 << 20);
}

TEST(MemoryPool, GrowthByHalfLeavesNoFreedBlocks) {
  // Each size is there before the one before it is freed.
  MemoryPool pool;
  int64_t bytes = int64_t(1) << 22, before = 0;
  void *last = nullptr;
  for (int step = 0; step < 6; ++step, bytes += bytes / 2) {
    void *next = *pool.allocate(bytes, ZENITH_ALLOC_POOL);
    std::memset(next, step, bytes);
    EXPECT_LE(pool.use().heldBytes, (bytes + before) * 5 / 4) << step;
    EXPECT_TRUE(pool.free(last));
    last = next;
    before = bytes;
  }
}

TEST(MemoryPool, LargeBlocksGrowWhereTheyAre) {
  MemoryPool pool;
  constexpr int64_t step = int64_t(1) << 22;
  int small = 0;
  // What is no block of the pool stays where it is.
  auto *data = static_cast<char *>(*pool.extend(&small, step));
  EXPECT_NE(static_cast<void *>(data), static_cast<void *>(&small));
  EXPECT_TRUE(aligned(data, ZENITH_ARENA_ALIGNMENT));
  std::memset(data, 7, step);
  // Others take addresses around it.
  void *other = *pool.allocate(step, ZENITH_ALLOC_POOL);
  for (int64_t times = 2; times <= 16; ++times) {
    ASSERT_EQ(*pool.extend(data, times * step), data) << times;
    EXPECT_EQ(data[step - 1], 7);
    std::memset(data + (times - 1) * step, int(times), step);
    EXPECT_EQ(pool.use().liveBytes, (times + 1) * step);
    EXPECT_EQ(pool.use().heldBytes, pool.use().liveBytes);
  }
  // Addresses end somewhere; what is there stays.
  void *moved = *pool.extend(data, 300 * step);
  EXPECT_NE(moved, data);
  EXPECT_EQ(data[16 * step - 1], 16);
  for (void *block : {static_cast<void *>(data), moved, other})
    EXPECT_TRUE(pool.free(block));
  EXPECT_EQ(pool.use().liveBytes, 0);
  // A freed block is as long as it has become.
  EXPECT_EQ(*pool.allocate(16 * step, ZENITH_ALLOC_POOL), data);
}

TEST(MemoryPool, BlocksGrowWithinTheBudget) {
  constexpr int64_t step = int64_t(1) << 22;
  MemoryPool pool(3 * step);
  void *data = *pool.extend(nullptr, step);
  EXPECT_TRUE(pool.free(*pool.allocate(step, ZENITH_ALLOC_POOL)));
  // Freed blocks go first.
  ASSERT_EQ(*pool.extend(data, 3 * step), data);
  EXPECT_EQ(pool.use().heldBytes, 3 * step);
  auto refused = pool.extend(data, 4 * step);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.status().code(), ZENITH_OUT_OF_MEMORY);
  EXPECT_EQ(pool.use().liveBytes, 3 * step);
  EXPECT_TRUE(pool.free(data));
}

TEST(MemoryPool, ReclaimKeepsResults) {
  MemoryPool pool;
  void *result = *pool.allocate(100, ZENITH_ALLOC_RESULT);
  void *temporary = *pool.allocate(100, ZENITH_ALLOC_POOL);
  pool.reclaim();
  EXPECT_FALSE(pool.free(temporary));
  EXPECT_EQ(pool.use().liveBytes, 128);
  EXPECT_TRUE(pool.free(result));
}

TEST(MemoryPool, BlocksBecomeResults) {
  constexpr int64_t bytes = 10000;
  MemoryPool pool;
  void *kept = *pool.allocate(bytes, ZENITH_ALLOC_POOL);
  EXPECT_FALSE(pool.keep(kept, bytes / 2)); // too long for it
  EXPECT_TRUE(pool.keep(kept, bytes));
  EXPECT_FALSE(pool.keep(static_cast<char *>(kept) + 1, bytes));
  pool.reclaim();
  EXPECT_GE(pool.use().liveBytes, bytes);
  EXPECT_TRUE(pool.free(kept));
  EXPECT_EQ(pool.use().liveBytes, 0);
  // Results are promised to a budget as they are.
  MemoryPool bound(4 * bytes);
  EXPECT_FALSE(bound.keep(*bound.allocate(bytes, ZENITH_ALLOC_POOL), bytes));
}

TEST(MemoryPool, PeakStartsAnew) {
  MemoryPool pool;
  void *large = *pool.allocate(1 << 20, ZENITH_ALLOC_POOL);
  pool.free(large);
  EXPECT_EQ(pool.use().peakBytes, 1 << 20);
  pool.resetPeak();
  EXPECT_EQ(pool.use().peakBytes, 0);
  pool.trim();
  EXPECT_EQ(pool.use().heldBytes, 0);
}

/// A system of so many bytes, of which blocks take none until they are touched.
static SystemMemory systemOf(int64_t bytes) {
  return {[bytes] { return bytes; }, [] { return int64_t(0); }};
}

TEST(MemoryPool, RefusesWhatTheSystemLacks) {
  MemoryPool pool(0, {}, systemOf(int64_t(1) << 30));
  for (auto refused : {pool.arena(int64_t(5) << 30),
                       pool.allocate(int64_t(5) << 30, ZENITH_ALLOC_RESULT)}) {
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.status().code(), ZENITH_OUT_OF_MEMORY);
    EXPECT_NE(refused.status().message().find(
                  "of 5368709120 bytes does not fit: 1073741824 bytes of "
                  "memory are available"),
              std::string::npos)
        << refused.status().message();
  }
  EXPECT_TRUE(pool.arena(int64_t(1) << 29).ok());
}

TEST(MemoryPool, CountsBlocksThatNobodyHasTouched) {
  MemoryPool pool(0, {}, systemOf(int64_t(1) << 30));
  int blocks = 0;
  std::vector<void *> taken;
  for (; blocks < 100; ++blocks) {
    auto block = pool.allocate(50 << 20, ZENITH_ALLOC_POOL);
    if (!block)
      break;
    taken.push_back(*block);
  }
  EXPECT_GE(blocks, 18);
  EXPECT_LE(blocks, 22);
  for (void *block : taken)
    pool.free(block);
  EXPECT_TRUE(pool.allocate(int64_t(1) << 29, ZENITH_ALLOC_POOL).ok());
}

TEST(MemoryPool, TakesABudgetAtItsWord) {
  MemoryPool pool(int64_t(1) << 31, {}, systemOf(1 << 20));
  EXPECT_TRUE(pool.arena(int64_t(1) << 30).ok());
}
