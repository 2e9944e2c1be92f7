// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory in files: contents, what is left behind, limits, full disks.

#include "runtime/SpillSpace.h"
#include "runtime/MemoryPool.h"
#include "tests/runtime/TemporaryFolder.h"

#include <chrono>
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/resource.h>

using namespace zenith::runtime;

static constexpr int64_t mebibyte = 1 << 20;

/// Resident bytes of files and shared memory.
static int64_t residentFileBytes() {
  std::ifstream statm("/proc/self/statm");
  int64_t total, resident, shared;
  statm >> total >> resident >> shared;
  return shared * 4096;
}

TEST(SpillSpace, KeepsWhatIsWrittenWithoutAName) {
  TemporaryFolder folder;
  SpillSpace space({folder.path(), 0});
  auto pages = space.map(5 * mebibyte);
  ASSERT_TRUE(pages.ok()) << pages.status().text();
  EXPECT_GE(pages->bytes(), 5 * mebibyte);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(pages->data()) % ZENITH_ARENA_ALIGNMENT,
            0u);
  EXPECT_EQ(folder.entries(), 0);
  auto *bytes = static_cast<unsigned char *>(pages->data());
  for (int64_t i = 0; i < 5 * mebibyte; ++i)
    bytes[i] = uint8_t(i * 7);
  int64_t different = 0;
  for (int64_t i = 0; i < 5 * mebibyte; ++i)
    different += bytes[i] != uint8_t(i * 7);
  EXPECT_EQ(different, 0);
  space.unmap(std::move(*pages));
  EXPECT_EQ(space.bytes(), 0);
  // The next block of about the size has the same memory.
  auto again = space.map(4 * mebibyte);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->data(), bytes);
  space.unmap(std::move(*again));
}

TEST(SpillSpace, HoldsResidentPagesToTheBound) {
  TemporaryFolder folder;
  SpillSpace space({folder.path(), 0});
  int64_t before = residentFileBytes();
  space.keepResident(16 * mebibyte);
  auto pages = space.map(256 * mebibyte);
  ASSERT_TRUE(pages.ok()) << pages.status().text();
  auto *bytes = static_cast<char *>(pages->data());
  std::memset(bytes, 3, 256 * mebibyte);
  // The thread looks every half of a millisecond when it gets a core.
  auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (residentFileBytes() - before > 16 * mebibyte &&
         std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_LE(residentFileBytes() - before, 16 * mebibyte);
  for (int64_t i = 0; i < 256 * mebibyte; i += 4096)
    ASSERT_EQ(bytes[i], 3) << i;
  space.unmap(std::move(*pages));
}

TEST(SpillSpace, RefusesMoreThanItsLimit) {
  TemporaryFolder folder;
  SpillSpace space({folder.path(), 4 * mebibyte});
  auto pages = space.map(2 * mebibyte);
  ASSERT_TRUE(pages.ok());
  auto refused = space.map(3 * mebibyte);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.status().code(), ZENITH_OUT_OF_MEMORY);
  EXPECT_NE(refused.status().text().find("4194304"), std::string::npos);
  space.unmap(std::move(*pages));
  EXPECT_TRUE(space.map(3 * mebibyte).ok());
}

TEST(SpillSpace, FullDisksAndMissingFoldersAreErrors) {
  TemporaryFolder folder;
  SpillSpace missing({folder.path() + "/none", 0});
  EXPECT_FALSE(missing.map(mebibyte).ok());
  // No disk has room for this.
  SpillSpace space({folder.path(), 0});
  EXPECT_FALSE(space.map(int64_t(1) << 46).ok());
  // A limit for files that would be met with a signal.
  rlimit old;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &old), 0);
  rlimit limit = old;
  limit.rlim_cur = 3 * mebibyte;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
  auto refused = space.map(8 * mebibyte);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &old), 0);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.status().text().find(folder.path()), std::string::npos);
  EXPECT_EQ(space.bytes(), 0);
  EXPECT_TRUE(space.map(8 * mebibyte).ok());
}

/// A small budget is soon made up of blocks that a large one keeps in memory.
TEST(SpillSpace, SmallBudgetsSpillSmallBlocks) {
  TemporaryFolder folder;
  constexpr int64_t budget = 1 << 20, block = 100 << 10, blocks = 64;
  MemoryPool pool(budget, {folder.path(), 2 * block * blocks});
  for (int64_t i = 0; i < blocks; ++i) {
    auto data = pool.allocate(block, ZENITH_ALLOC_POOL);
    ASSERT_TRUE(data.ok()) << data.status().text();
    std::memset(*data, int(i), block);
  }
  EXPECT_LE(pool.use().peakBytes, budget);
  EXPECT_GE(pool.use().spilledPeakBytes, block * blocks - budget);
}

TEST(SpillSpace, PoolsSpillWhatTheBudgetHasNoRoomFor) {
  TemporaryFolder folder;
  MemoryPool pool(8 * mebibyte, {folder.path(), 16 * mebibyte});
  void *first = *pool.allocate(6 * mebibyte, ZENITH_ALLOC_POOL);
  EXPECT_EQ(pool.use().spilledPeakBytes, 0);
  auto second = pool.allocate(6 * mebibyte, ZENITH_ALLOC_POOL);
  ASSERT_TRUE(second.ok());
  std::memset(*second, 1, 6 * mebibyte);
  EXPECT_EQ(pool.use().liveBytes, 6 * mebibyte);
  EXPECT_EQ(pool.use().spilledPeakBytes, 6 * mebibyte);
  // Small blocks stay in memory.
  EXPECT_TRUE(pool.allocate(1000, ZENITH_ALLOC_POOL).ok());
  // Neither has room.
  auto third = pool.allocate(12 * mebibyte, ZENITH_ALLOC_POOL);
  ASSERT_FALSE(third.ok());
  EXPECT_EQ(third.status().code(), ZENITH_OUT_OF_MEMORY);
  EXPECT_NE(third.status().message().find("16777216"), std::string::npos);
  // What is free again is used first.
  EXPECT_TRUE(pool.free(first));
  EXPECT_TRUE(pool.free(*second));
  pool.resetPeak();
  ASSERT_TRUE(pool.allocate(6 * mebibyte, ZENITH_ALLOC_POOL).ok());
  EXPECT_EQ(pool.use().spilledPeakBytes, 0);
  // So do arenas.
  auto arena = pool.arena(10 * mebibyte);
  ASSERT_TRUE(arena.ok());
  std::memset(*arena, 1, 10 * mebibyte);
  EXPECT_EQ(pool.use().arenaBytes, 0);
  EXPECT_GE(pool.use().spilledPeakBytes, 10 * mebibyte);
}
