// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What command lines set up for the process.

#include "tools/model/CommandLine.h"

#include "tools/model/Diagnostics.h"
#include "llvm/Support/MemAlloc.h"
#include <CLI/CLI.hpp>
#include <gtest/gtest.h>
#include <new>

using namespace zenith::tools;

static void parseNothing() {
  CLI::App app("does nothing", "tool");
  char name[] = "tool", *argv[] = {name};
  llvm::consumeError(parseCommandLine(app, 1, argv).takeError());
}

/// Memory that nobody reads would not be asked for.
static void keep(void *memory) {
  void *volatile kept = memory;
  static_cast<void>(kept);
}

/// Libraries that get no memory end the process with the code for that.
TEST(CommandLineDeathTest, EndsWithoutMemory) {
  constexpr size_t tooMuch = size_t(1) << 62;
  EXPECT_EXIT(
      {
        parseNothing();
        keep(::operator new(tooMuch));
      },
      testing::ExitedWithCode(int(zenith::ErrorCode::Memory)),
      "no more memory");
  EXPECT_EXIT(
      {
        parseNothing();
        keep(llvm::safe_malloc(tooMuch));
      },
      testing::ExitedWithCode(int(zenith::ErrorCode::Memory)),
      "no more memory");
}
