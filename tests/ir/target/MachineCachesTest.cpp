// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cache sizes as Linux writes them, and how they are rounded.

#include "ir/target/MachineCaches.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <gtest/gtest.h>

using namespace zenith;
using target::MachineCaches;

namespace {

class MachineCachesTest : public ::testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("zenith-caches", root));
  }
  void TearDown() override { llvm::sys::fs::remove_directories(root); }

  void add(const std::string &level, const std::string &type,
           const std::string &size, const std::string &shared = "0") {
    llvm::SmallString<128> folder(root);
    llvm::sys::path::append(folder, "index" + std::to_string(count++));
    ASSERT_FALSE(llvm::sys::fs::create_directory(folder));
    auto write = [&](const char *name, const std::string &text) {
      llvm::SmallString<128> path(folder);
      llvm::sys::path::append(path, name);
      std::error_code error;
      llvm::raw_fd_ostream(path, error) << text << "\n";
      ASSERT_FALSE(error);
    };
    write("level", level);
    write("type", type);
    write("size", size);
    write("shared_cpu_list", shared);
  }

  llvm::SmallString<128> root;
  int count = 0;
};

TEST_F(MachineCachesTest, LargeSecondLevelsCountHalf) {
  add("1", "Data", "48K");
  add("1", "Instruction", "32K");
  add("2", "Unified", "2048K");
  add("3", "Unified", "96M", "0-15");
  auto caches = target::readCaches(root);
  ASSERT_TRUE(caches);
  EXPECT_EQ(caches->l1Bytes, 48 << 10);
  EXPECT_EQ(caches->l2Bytes, 1 << 20);
  EXPECT_EQ(caches->l3Bytes, 4 << 20);
}

/// What a virtual machine reports of 1.25 MiB is a class with 1 MiB.
TEST_F(MachineCachesTest, SizesAreRoundedToClasses) {
  add("1", "Data", "32K");
  add("2", "Unified", "1280K");
  auto caches = target::readCaches(root);
  ASSERT_TRUE(caches);
  EXPECT_EQ(caches->l2Bytes, 512 << 10);
  EXPECT_EQ(caches->l3Bytes, 1 << 20);
}

TEST_F(MachineCachesTest, SmallSecondLevelsCountWhole) {
  add("1", "Data", "32K");
  add("2", "Unified", "256K");
  add("3", "Unified", "8M", "0,2,4-5");
  auto caches = target::readCaches(root);
  ASSERT_TRUE(caches);
  EXPECT_EQ(caches->l2Bytes, 256 << 10);
  EXPECT_EQ(caches->l3Bytes, 2 << 20);
}

TEST_F(MachineCachesTest, NonsenseSaysNothing) {
  EXPECT_FALSE(target::readCaches(root));
  add("1", "Data", "many");
  add("2", "Unified", "-5K");
  add("9", "Unified", "1M");
  EXPECT_FALSE(target::readCaches(root));
}

} // namespace
