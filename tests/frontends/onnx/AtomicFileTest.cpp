// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is no ordinary file is written into, and stays what it is.
#include "frontends/onnx/ONNXBytes.h"

#include <fcntl.h>
#include <gtest/gtest.h>
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
