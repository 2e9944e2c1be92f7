// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranges of mapped files, and what is no such range.

#include "runtime/MappedFile.h"

#include "tests/runtime/TemporaryFolder.h"

#include <cstring>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace zenith::runtime;

TEST(MappedFile, GivesTheBytes) {
  TemporaryFolder folder;
  auto file = MappedFile::open(folder.write("a", "0123456789"));
  ASSERT_TRUE(file.ok());
  EXPECT_EQ((*file)->bytes(), 10);
  auto range = (*file)->range(3, 7);
  ASSERT_TRUE(range.ok());
  EXPECT_EQ(std::memcmp(*range, "3456789", 7), 0);
}

TEST(MappedFile, ChecksRanges) {
  TemporaryFolder folder;
  auto file = MappedFile::open(folder.write("a", "0123456789"));
  ASSERT_TRUE(file.ok());
  EXPECT_TRUE((*file)->range(10, 0).ok());
  for (auto [offset, length] : {std::pair<int64_t, int64_t>{0, 11},
                                {11, 0},
                                {-1, 2},
                                {5, -1},
                                {5, INT64_MAX},
                                {INT64_MAX, INT64_MAX}}) {
    auto range = (*file)->range(offset, length);
    ASSERT_FALSE(range.ok()) << offset << " " << length;
    EXPECT_EQ(range.status().code(), ZENITH_INVALID_INPUT);
    EXPECT_NE(range.status().text().find("/a: bytes"), std::string::npos);
  }
}

TEST(MappedFile, NoticesThatTheFileShrank) {
  TemporaryFolder folder;
  std::string path = folder.write("a", std::string(10000, 'x'));
  auto file = MappedFile::open(path);
  ASSERT_TRUE(file.ok());
  ASSERT_EQ(truncate(path.c_str(), 100), 0);
  EXPECT_FALSE((*file)->range(0, 10000).ok());
  EXPECT_TRUE((*file)->range(0, 100).ok());
}

TEST(MappedFile, ReleasedPagesComeBack) {
  TemporaryFolder folder;
  std::string bytes(20000, 'a');
  bytes[9000] = 'b';
  auto file = MappedFile::open(folder.write("a", bytes));
  ASSERT_TRUE(file.ok());
  auto *data = static_cast<const char *>(*(*file)->range(0, 20000));
  EXPECT_EQ(data[9000], 'b');
  (*file)->release(1, 19999);
  (*file)->release(0, 20000);
  (*file)->release(-5, 100);
  (*file)->release(0, 1 << 30);
  EXPECT_EQ(std::memcmp(data, bytes.data(), bytes.size()), 0);
}

TEST(MappedFile, PagesOfARangeAreDroppedAndNoOthers) {
  TemporaryFolder folder;
  size_t page = size_t(sysconf(_SC_PAGESIZE));
  std::string path = folder.write("a", std::string(4 * page, 'a'));
  int descriptor = ::open(path.c_str(), O_RDONLY);
  ASSERT_GE(descriptor, 0);
  // Pages of the process's own tell dropped ones from others.
  auto *data = static_cast<char *>(mmap(
      nullptr, 4 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE, descriptor, 0));
  close(descriptor);
  ASSERT_NE(data, MAP_FAILED);
  std::memset(data, 'b', 4 * page);
  dropFilePages(data + 1, int64_t(2 * page));
  dropFilePages(data, int64_t(page - 1));
  dropFilePages(data, 0);
  dropFilePages(data, -1);
  std::string seen{data[0], data[page], data[2 * page], data[3 * page]};
  EXPECT_EQ(seen, "babb");
  munmap(data, 4 * page);
}

TEST(MappedFile, EmptyFilesAreFine) {
  TemporaryFolder folder;
  auto file = MappedFile::open(folder.write("a", ""));
  ASSERT_TRUE(file.ok());
  EXPECT_TRUE((*file)->range(0, 0).ok());
  EXPECT_FALSE((*file)->range(0, 1).ok());
}

TEST(MappedFile, RefusesWhatIsNoFile) {
  TemporaryFolder folder;
  std::string pipe = folder.path() + "/pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  for (const std::string &path :
       {folder.path() + "/none", folder.path(), pipe}) {
    auto file = MappedFile::open(path);
    ASSERT_FALSE(file.ok()) << path;
    EXPECT_EQ(file.status().code(), ZENITH_INVALID_INPUT);
    EXPECT_EQ(file.status().place(), path);
  }
}

TEST(MappedFile, ResolvesPaths) {
  EXPECT_EQ(resolvePath("", "w.bin"), "w.bin");
  EXPECT_EQ(resolvePath("models", "w.bin"), "models/w.bin");
  EXPECT_EQ(resolvePath("models/", "w.bin"), "models/w.bin");
  EXPECT_EQ(resolvePath("models", "/w.bin"), "/w.bin");
}
