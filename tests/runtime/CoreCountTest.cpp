// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Quota texts and the cores of this machine.

#include "runtime/CoreCount.h"

#include <gtest/gtest.h>

using namespace zenith::runtime;

TEST(CoreCount, RoundsQuotasUp) {
  EXPECT_EQ(coresOfQuota("200000 100000"), 2);
  EXPECT_EQ(coresOfQuota("150000 100000"), 2);
  EXPECT_EQ(coresOfQuota("50000 100000"), 1);
}

TEST(CoreCount, KnowsThatThereIsNoQuota) {
  for (const char *text : {"max 100000", "", "-1 100000", "5", "3 0", "x y"})
    EXPECT_EQ(coresOfQuota(text), 0) << text;
}

TEST(CoreCount, HasNoMoreThreadsThanCores) {
  int cores = grantedCores();
  EXPECT_EQ(usefulThreads(0), cores);
  EXPECT_EQ(usefulThreads(1), 1);
  EXPECT_EQ(usefulThreads(cores), cores);
  EXPECT_EQ(usefulThreads(cores + 1), cores);
}

TEST(CoreCount, GrantsAtLeastOne) { EXPECT_GE(grantedCores(), 1); }
