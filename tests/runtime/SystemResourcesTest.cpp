// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Quota texts, cores and memory of this machine.

#include "runtime/SystemResources.h"

#include <gtest/gtest.h>

using namespace zenith::runtime;

TEST(SystemResources, RoundsQuotasUp) {
  EXPECT_EQ(coresOfQuota("200000 100000"), 2);
  EXPECT_EQ(coresOfQuota("150000 100000"), 2);
  EXPECT_EQ(coresOfQuota("50000 100000"), 1);
}

TEST(SystemResources, KnowsThatThereIsNoQuota) {
  for (const char *text : {"max 100000", "", "-1 100000", "5", "3 0", "x y"})
    EXPECT_EQ(coresOfQuota(text), 0) << text;
}

TEST(SystemResources, HasNoMoreThreadsThanCores) {
  int cores = grantedCores();
  EXPECT_EQ(usefulThreads(0), cores);
  EXPECT_EQ(usefulThreads(1), 1);
  EXPECT_EQ(usefulThreads(cores), cores);
  EXPECT_EQ(usefulThreads(cores + 1), cores);
}

TEST(SystemResources, GrantsAtLeastOne) { EXPECT_GE(grantedCores(), 1); }

TEST(SystemResources, ReadsNumbersByName) {
  std::string text = "MemTotal: 100 kB\nMemAvailable:     3 kB\n"
                     "inactive_file 4096\nbad x\n";
  EXPECT_EQ(fieldOf(text, "MemAvailable"), 3072);
  EXPECT_EQ(fieldOf(text, "inactive_file"), 4096);
  EXPECT_EQ(fieldOf(text, "bad"), -1);
  EXPECT_EQ(fieldOf(text, "Mem"), -1);
}

TEST(SystemResources, HasSomeMemory) {
  EXPECT_GT(availableMemory(), 0);
  EXPECT_LT(residentMemory(), availableMemory());
}
