// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The symbol table is sorted and points at the functions.

#include "runtime/ABI.h"

#include <cstring>
#include <gtest/gtest.h>

TEST(RuntimeSymbols, AreSortedAndBound) {
  size_t count = 0;
  const zenith_symbol *symbols = zenith_runtime_symbols(&count);
  ASSERT_GT(count, 0u);
  bool found = false;
  for (size_t i = 0; i < count; ++i) {
    EXPECT_NE(symbols[i].address, nullptr) << symbols[i].name;
    EXPECT_TRUE(i == 0 || std::strcmp(symbols[i - 1].name, symbols[i].name) < 0)
        << symbols[i].name;
    if (std::strcmp(symbols[i].name, "zenith_parallel_for") == 0)
      found =
          symbols[i].address == reinterpret_cast<void *>(zenith_parallel_for);
  }
  EXPECT_TRUE(found);
}
