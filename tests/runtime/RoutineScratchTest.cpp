// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays of scratch layouts follow each other without overlap, and the total
// that the compiler allocates holds all of them.

#include "runtime/RoutineScratch.h"
#include <gtest/gtest.h>
#include <memory>
#include <vector>

using namespace zenith::runtime;

namespace {

template <size_t Count>
void expectDisjoint(const ScratchLayout<int64_t, Count> &layout) {
  constexpr int64_t line = 64;
  std::vector<char> memory(size_t(layout.total() + line));
  void *begin = memory.data();
  size_t size = memory.size();
  ASSERT_TRUE(std::align(size_t(line), 1, begin, size));
  ScratchReader reader(begin, layout);
  auto *end = static_cast<char *>(begin);
  for (int64_t bytes : layout.bytes) {
    char *array = reader.template take<char>();
    EXPECT_GE(array, end);
    if (layout.alignsToLines)
      EXPECT_EQ(reinterpret_cast<uintptr_t>(array) % line, 0u);
    end = array + bytes;
  }
  EXPECT_LE(end, static_cast<char *>(begin) + layout.total());
}

TEST(RoutineScratch, TotalsHoldAllArrays) {
  for (int64_t n : {0, 1, 7, 1000}) {
    expectDisjoint(countedTopKScratch<int64_t>(3, 256));
    expectDisjoint(
        uniqueScratch<int64_t>({n, 3, 5, n % 2 ? 24 : 0, n == 7, true, n > 0}));
    expectDisjoint(isInScratch<int64_t>(n, 12));
    expectDisjoint(
        dedupScratch<int64_t>({3, 2, 1, 16, 256, 2 * n, 3, 4, n / 16 + 9, 72}));
    expectDisjoint(
        bitsetDifferenceScratch<int64_t>(3, 2, n, 4, 256, n % 2 == 0));
    expectDisjoint(testAndSetScratch<int64_t>(3, 2 * n, n, 4, 256, n > 1));
    expectDisjoint(cosetBitRowsScratch<int64_t>(n, 3, 5, 2 * n + 1));
    expectDisjoint(indexBitsScratch<int64_t>(n));
    expectDisjoint(noteBitsScratch<int64_t>(n));
  }
}

TEST(RoutineScratch, BitsThatAreResultsTakeNoScratch) {
  auto own = bitsetDifferenceScratch<int64_t>(1, 1, 100, 1, 256, true),
       result = bitsetDifferenceScratch<int64_t>(1, 1, 100, 1, 256, false);
  EXPECT_EQ(own.total() - result.total(), 100 * 8);
}

} // namespace
