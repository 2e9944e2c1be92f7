// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transfers to and from a file: order, contents, what is left behind, folders
// that take no file.

#include "runtime/files/OffloadFile.h"
#include "tests/runtime/TemporaryFolder.h"

#include <cstring>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace zenith::runtime;

TEST(OffloadFile, BringsBackWhatWasWritten) {
  TemporaryFolder folder;
  OffloadFile file({folder.path(), 0});
  constexpr int64_t count = 16, bytes = 100'000;
  std::vector<char> out(count * bytes), in(count * bytes);
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = char(i * 31 + i / 977);
  // The second run finds the file of the first.
  for (int run = 0; run < 2; ++run) {
    ASSERT_TRUE(file.begin(count * bytes, 2 * count).ok());
    std::fill(in.begin(), in.end(), 0);
    for (int64_t i = 0; i < count; ++i)
      file.write(out.data() + i * bytes, i * bytes, bytes);
    // A read waits for the writes before it, which nothing else does.
    for (int64_t i = count; i-- > 0;)
      file.read(in.data() + i * bytes, i * bytes, bytes);
    EXPECT_TRUE(file.await(2 * count).ok());
    EXPECT_EQ(std::memcmp(in.data(), out.data(), in.size()), 0);
    file.end();
  }
  EXPECT_EQ(folder.entries(), 0);
}

TEST(OffloadFile, WaitsForTheTransfersItIsAskedFor) {
  TemporaryFolder folder;
  OffloadFile file({folder.path(), 0});
  std::vector<char> data(1 << 20, 5), back(1 << 20);
  ASSERT_TRUE(file.begin(1 << 20, 2).ok());
  file.write(data.data(), 0, 1 << 20);
  ASSERT_TRUE(file.await(1).ok());
  std::fill(data.begin(), data.end(), 9);
  file.read(back.data(), 0, 1 << 20);
  ASSERT_TRUE(file.await(2).ok());
  EXPECT_EQ(back.front(), 5);
  EXPECT_EQ(back.back(), 5);
}

TEST(OffloadFile, StartsMoreTransfersThanWait) {
  TemporaryFolder folder;
  OffloadFile file({folder.path(), 0});
  constexpr int64_t rows = 200, bytes = 3000;
  std::vector<char> row(bytes), back(rows * bytes);
  ASSERT_TRUE(file.begin(rows * bytes, 2).ok());
  for (int64_t i = 0; i < rows; ++i) {
    std::fill(row.begin(), row.end(), char(i));
    file.write(row.data(), i * bytes, bytes);
    ASSERT_TRUE(file.await(i + 1).ok());
  }
  // Nobody waits: a read starts when one before it is done.
  for (int64_t i = 0; i < rows; ++i)
    file.read(back.data() + i * bytes, i * bytes, bytes);
  ASSERT_TRUE(file.await(2 * rows).ok());
  for (int64_t i = 0; i < rows; ++i)
    EXPECT_EQ(back[size_t(i * bytes + i)], char(i));
}

TEST(OffloadFile, RefusesWhatHasNoRoom) {
  TemporaryFolder folder;
  Status capped = OffloadFile({folder.path(), 1000}).begin(1001, 1);
  EXPECT_EQ(capped.code(), ZENITH_OUT_OF_MEMORY);
  EXPECT_NE(capped.message().find("it may take 1000"), std::string::npos);
  Status absent = OffloadFile({folder.path() + "/none", 0}).begin(10, 1);
  EXPECT_EQ(absent.code(), ZENITH_OUT_OF_MEMORY);
  EXPECT_EQ(absent.place(), folder.path() + "/none");
  // A file that the system does not let grow, as on a full disk.
  rlimit before;
  getrlimit(RLIMIT_FSIZE, &before);
  rlimit small = {4096, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  OffloadFile file({folder.path(), 0});
  Status full = file.begin(1 << 20, 1);
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_EQ(full.code(), ZENITH_OUT_OF_MEMORY);
  // Later there is room.
  EXPECT_TRUE(file.begin(1 << 20, 1).ok());
}

TEST(OffloadFile, LeavesNothingOfAKilledProcess) {
  TemporaryFolder folder;
  pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    OffloadFile file({folder.path(), 0});
    std::vector<char> data(1 << 16, 1);
    bool isWritten = file.begin(1 << 20, 1).ok();
    file.write(data.data(), 0, int64_t(data.size()));
    isWritten &= file.await(1).ok();
    kill(getpid(), isWritten ? SIGKILL : SIGTERM);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  EXPECT_EQ(folder.entries(), 0);
}

TEST(OffloadFile, MeasuresTheFolder) {
  TemporaryFolder folder;
  StatusOr<int64_t> rate = measureFileRate(folder.path());
  ASSERT_TRUE(rate.ok());
  EXPECT_EQ(*rate & (*rate - 1), 0) << "not a power of two";
  EXPECT_EQ(folder.entries(), 0);
  StatusOr<int64_t> none = measureFileRate(folder.path() + "/none");
  EXPECT_EQ(none.status().code(), ZENITH_USAGE);
}
