// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files appear as a whole; what is no ordinary file is written into, and stays
// what it is.
#include "frontends/onnx/ONNXBytes.h"

#include <fcntl.h>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <sys/stat.h>
#include <unistd.h>

using namespace zenith::onnx;

/// A rename would put a file in the place of a device.
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

/// A file that is there already stays as it is until the new one is complete,
/// and goes on being the only one in the folder.
TEST(AtomicFile, ReplacesFilesOnceTheyAreComplete) {
  std::string folder = testing::TempDir() + "atomic-file.XXXXXX";
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  std::string path = folder + "/file";
  auto content = [&] {
    std::ifstream in(path);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
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
