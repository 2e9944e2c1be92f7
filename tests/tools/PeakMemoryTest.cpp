// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Peaks by the system's counter are those of its text.

#include "tools/model/PeakMemory.h"

#include "gtest/gtest.h"
#include <cstring>
#include <vector>

using namespace zenith::tools;

TEST(PeakMemory, ManyCallsTellWhatOneTells) {
  // The system counts some pages of each processor later.
  constexpr int64_t uncounted = 1 << 20;
  PeakMemory peak;
  for (size_t bytes : {size_t(1) << 20, size_t(1) << 26, size_t(1) << 27}) {
    std::vector<char> touched(bytes, 1);
    int64_t before = peakBytes(), own = peak.bytes(), after = peakBytes();
    EXPECT_LE(before, own + uncounted);
    EXPECT_LE(own, after + uncounted);
    EXPECT_GE(own, int64_t(bytes));
  }
}
