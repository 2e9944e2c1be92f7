// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files appear as a whole; what is no ordinary file is written into, and stays
// what it is.
#include "frontends/files/AtomicFile.h"

#include <fcntl.h>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <sys/stat.h>
#include <unistd.h>

using namespace zenith;
using namespace zenith::files;

/// A rename would replace a device by a file.
TEST(AtomicFile, WritesIntoPipesAndDevices) {
  std::string folder = testing::TempDir() + "atomic-file.XXXXXX";
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  std::string path = folder + "/pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  int reader = ::open(path.c_str(), O_RDWR | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  AtomicFile file(path);
  ASSERT_TRUE(bool(file.open()));
  ASSERT_TRUE(bool(file.write("bytes")));
  ASSERT_TRUE(bool(file.commit()));
  char read[8] = {};
  EXPECT_EQ(::read(reader, read, sizeof(read)), 5);
  EXPECT_STREQ(read, "bytes");
  struct stat now;
  ASSERT_EQ(::stat(path.c_str(), &now), 0);
  EXPECT_TRUE(S_ISFIFO(now.st_mode));
  ::close(reader);
  ::unlink(path.c_str());
  ::rmdir(folder.c_str());
}

static std::string contentOf(const std::string &path) {
  std::ifstream in(path);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

static void writeAtomically(const std::string &path, const char *text) {
  AtomicFile file(path);
  ASSERT_TRUE(bool(file.open()));
  ASSERT_TRUE(bool(file.write(text)));
  ASSERT_TRUE(bool(file.commit()));
}

/// What a link leads to is replaced, or made; links in a circle lead nowhere.
TEST(AtomicFile, FollowsLinks) {
  std::string folder = testing::TempDir() + "atomic-file.XXXXXX";
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  std::string path = folder + "/file", link = folder + "/link",
              circle = folder + "/circle";
  ASSERT_EQ(::symlink("file", link.c_str()), 0);
  for (const char *text : {"first", "second"}) {
    writeAtomically(link, text);
    EXPECT_EQ(contentOf(path), text);
    struct stat now;
    ASSERT_EQ(::lstat(link.c_str(), &now), 0);
    EXPECT_TRUE(S_ISLNK(now.st_mode));
  }
  ASSERT_EQ(::symlink("circle", circle.c_str()), 0);
  EXPECT_FALSE(bool(AtomicFile(circle).open()));
  for (const std::string &name : {path, link, circle})
    ::unlink(name.c_str());
  ::rmdir(folder.c_str());
}

/// Standard output goes on after what was written, file or not, and is not
/// replaced.
TEST(AtomicFile, WritesIntoOpenFiles) {
  std::string path = testing::TempDir() + "atomic-file.XXXXXX";
  int file = ::mkstemp(path.data());
  ASSERT_GE(file, 0);
  ASSERT_EQ(::write(file, "one ", 4), 4);
  writeAtomically("/proc/self/fd/" + std::to_string(file), "two ");
  writeAtomically("/dev/fd/" + std::to_string(file), "three ");
  ASSERT_EQ(::write(file, "four", 4), 4);
  EXPECT_EQ(contentOf(path), "one two three four");
  ::close(file);
  ::unlink(path.c_str());
}

/// A file that is there already stays as it is until the new one is complete,
/// and goes on being the only one in the folder.
TEST(AtomicFile, ReplacesFilesOnceTheyAreComplete) {
  std::string folder = testing::TempDir() + "atomic-file.XXXXXX";
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  std::string path = folder + "/file";
  auto content = [&] { return contentOf(path); };
  for (const char *text : {"first", "second", "third"}) {
    std::string before = content();
    AtomicFile file(path);
    ASSERT_TRUE(bool(file.open()));
    ASSERT_TRUE(bool(file.write(text)));
    EXPECT_EQ(content(), before);
    ASSERT_TRUE(bool(file.commit()));
    EXPECT_EQ(content(), text);
  }
  {
    AtomicFile file(path);
    ASSERT_TRUE(bool(file.open()));
    ASSERT_TRUE(bool(file.write("given up")));
  }
  EXPECT_EQ(content(), "third");
  struct stat now;
  ASSERT_EQ(::stat(path.c_str(), &now), 0);
  mode_t mask = ::umask(0);
  ::umask(mask);
  EXPECT_EQ(now.st_mode & 0777, 0666 & ~mask);
  ::unlink(path.c_str());
  EXPECT_EQ(::rmdir(folder.c_str()), 0) << "something else is in the folder";
}
