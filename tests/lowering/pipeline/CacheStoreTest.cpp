// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cache's folder: damage, several writers at once, bounds, and folders that
// must not be trusted.

#include "lowering/pipeline/CacheStore.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

using namespace zenith::pipeline;

namespace {

class CacheStoreTest : public testing::Test {
protected:
  void SetUp() override {
    llvm::SmallString<128> path;
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("zenith-cache", path));
    root = path.str().str();
    folder = root + "/cache";
  }
  void TearDown() override { llvm::sys::fs::remove_directories(root); }

  CacheStore open(int64_t maxBytes = CacheStore::defaultMaxBytes) {
    return llvm::cantFail(CacheStore::open(folder, maxBytes));
  }
  std::string fileOf(const CacheKey &key) {
    return folder + "/" + key.id() + ".zce";
  }

  std::string root, folder;
};

CacheKey keyWith(const std::string &program) {
  return {{{"compiler", "1"}, {"target", "cpu"}, {"function @main", program}}};
}

using Outcome = CacheStore::Outcome;

TEST_F(CacheStoreTest, GivesBackWhatWasWritten) {
  CacheStore store = open();
  std::string bytes;
  EXPECT_EQ(store.read(keyWith("a").id(), bytes), Outcome::Missing);
  std::string payload("with\0zeros\nand lines", 20);
  ASSERT_FALSE(store.write(keyWith("a"), payload));
  EXPECT_EQ(store.read(keyWith("a").id(), bytes), Outcome::Found);
  EXPECT_EQ(bytes, payload);
  EXPECT_EQ(store.read(keyWith("b").id(), bytes), Outcome::Missing);
  ASSERT_EQ(store.list().size(), 1u);
  EXPECT_EQ(store.list()[0].key.parts, keyWith("a").parts);
  EXPECT_TRUE(store.verify().empty());
}

TEST_F(CacheStoreTest, FolderIsPrivate) {
  open();
  struct stat status;
  ASSERT_EQ(stat(folder.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
}

TEST_F(CacheStoreTest, RefusesAFolderThatOthersMayWrite) {
  open();
  ASSERT_EQ(chmod(folder.c_str(), 0777), 0);
  auto store = CacheStore::open(folder);
  ASSERT_FALSE(bool(store));
  EXPECT_NE(llvm::toString(store.takeError()).find("others may write"),
            std::string::npos);
}

TEST_F(CacheStoreTest, RefusesAFile) {
  std::ofstream(folder) << "no folder";
  EXPECT_TRUE(bool(CacheStore::open(folder).takeError()));
}

TEST_F(CacheStoreTest, DropsADamagedEntry) {
  CacheStore store = open();
  // Every byte of an entry counts: header, payload, and their ends.
  ASSERT_FALSE(store.write(keyWith("a"), "payload"));
  std::ifstream in(fileOf(keyWith("a")), std::ios::binary);
  std::string whole((std::istreambuf_iterator<char>(in)), {});
  std::string bytes;
  for (size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] ^= 1;
    std::ofstream(fileOf(keyWith("a")), std::ios::binary) << damaged;
    EXPECT_EQ(store.verify().size(), 1u) << "byte " << at;
    EXPECT_EQ(store.read(keyWith("a").id(), bytes), Outcome::Damaged)
        << "byte " << at;
    EXPECT_EQ(store.read(keyWith("a").id(), bytes), Outcome::Missing);
  }
  for (size_t length = 0; length < whole.size(); ++length) {
    std::ofstream(fileOf(keyWith("a")), std::ios::binary)
        << whole.substr(0, length);
    EXPECT_EQ(store.read(keyWith("a").id(), bytes), Outcome::Damaged)
        << length << " bytes";
  }
}

TEST_F(CacheStoreTest, WhatIsNoFileOfThisUserAloneIsDamaged) {
  CacheStore store = open();
  std::string file = fileOf(keyWith("a")), aside = root + "/aside", bytes;
  ASSERT_FALSE(store.write(keyWith("a"), "payload"));
  ASSERT_FALSE(llvm::sys::fs::rename(file, aside));
  auto isReplaced = [&] {
    EXPECT_EQ(store.read(keyWith("a").id(), bytes), Outcome::Damaged);
    ASSERT_FALSE(store.write(keyWith("a"), "payload"));
    EXPECT_EQ(store.read(keyWith("a").id(), bytes), Outcome::Found);
  };
  ASSERT_FALSE(llvm::sys::fs::remove(file));
  ASSERT_EQ(symlink(aside.c_str(), file.c_str()), 0);
  EXPECT_EQ(store.verify().size(), 1u);
  isReplaced();
  ASSERT_FALSE(llvm::sys::fs::remove(file));
  ASSERT_EQ(mkfifo(file.c_str(), 0600), 0);
  isReplaced();
  ASSERT_EQ(chmod(file.c_str(), 0666), 0);
  isReplaced();
  EXPECT_TRUE(llvm::sys::fs::exists(aside));
}

TEST_F(CacheStoreTest, AnEntryUnderAnotherNameIsDamaged) {
  CacheStore store = open();
  ASSERT_FALSE(store.write(keyWith("a"), "payload"));
  ASSERT_FALSE(
      llvm::sys::fs::rename(fileOf(keyWith("a")), fileOf(keyWith("b"))));
  std::string bytes;
  EXPECT_EQ(store.read(keyWith("b").id(), bytes), Outcome::Damaged);
}

TEST_F(CacheStoreTest, WritersAndReadersAtOnceSeeWholeEntries) {
  open();
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0}, found{0};
  for (int writer = 0; writer < 4; ++writer)
    threads.emplace_back([&, writer] {
      CacheStore own = open();
      for (int turn = 0; turn < 50; ++turn) {
        std::string name = std::to_string(turn % 5), bytes;
        std::string payload(10000 + turn % 5, char('a' + turn % 5));
        if (writer % 2) {
          if (llvm::Error error = own.write(keyWith(name), payload)) {
            llvm::consumeError(std::move(error));
            ++wrong;
          }
          continue;
        }
        Outcome outcome = own.read(keyWith(name).id(), bytes);
        wrong += outcome == Outcome::Damaged;
        wrong += outcome == Outcome::Found && bytes != payload;
        found += outcome == Outcome::Found;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(open().list().size(), 5u);
}

TEST_F(CacheStoreTest, KeepsToItsBound) {
  CacheStore store = open(30000);
  for (int i = 0; i < 10; ++i)
    ASSERT_FALSE(store.write(keyWith(std::to_string(i)),
                             std::string(8000, char('a' + i))));
  int64_t total = 0;
  for (const CacheEntry &entry : store.list())
    total += entry.bytes;
  EXPECT_LE(total, 30000);
  EXPECT_GE(total, 16000);
}

TEST_F(CacheStoreTest, CollectDropsTheOldestAndWhatIsBroken) {
  CacheStore store = open();
  for (int i = 0; i < 3; ++i) {
    ASSERT_FALSE(store.write(keyWith(std::to_string(i)),
                             std::string(8000, char('a' + i))));
    timespec times[2] = {{1000 + i, 0}, {1000 + i, 0}};
    ASSERT_EQ(
        utimensat(-100, fileOf(keyWith(std::to_string(i))).c_str(), times, 0),
        0);
  }
  std::ofstream(folder + "/0123.zce") << "no entry";
  EXPECT_EQ(store.verify().size(), 1u);
  EXPECT_GT(store.collect(10000), 16000);
  ASSERT_EQ(store.list().size(), 1u);
  EXPECT_EQ(store.list()[0].id, keyWith("2").id());
  EXPECT_TRUE(store.verify().empty());
}

TEST_F(CacheStoreTest, AFolderThatTakesNoFilesIsAnError) {
  CacheStore store = open();
  llvm::sys::fs::remove_directories(folder);
  EXPECT_TRUE(bool(store.write(keyWith("a"), "payload")));
  std::string bytes;
  EXPECT_EQ(store.read(keyWith("a").id(), bytes), Outcome::Missing);
  EXPECT_TRUE(store.list().empty());
}

TEST_F(CacheStoreTest, KeysNameTheirDifferences) {
  CacheKey a = keyWith("a"), b = keyWith("b");
  EXPECT_EQ(a.differences(b), std::vector<std::string>{"function @main"});
  b.parts.push_back({"function @other", "c"});
  EXPECT_EQ(a.differences(b),
            (std::vector<std::string>{"function @main", "function @other"}));
  EXPECT_TRUE(a.differences(a).empty());
  EXPECT_NE(a.id(), b.id());
}

} // namespace
