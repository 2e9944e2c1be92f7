// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What command lines set up for the process, and rows of options as CLI11 reads
// them.

#include "tools/model/CommandLine.h"

#include "tools/model/Diagnostics.h"
#include "llvm/Support/MemAlloc.h"
#include <CLI/CLI.hpp>
#include <gtest/gtest.h>
#include <new>

using namespace zenith;
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
      testing::ExitedWithCode(int(ExitCode::Memory)), "no more memory");
  EXPECT_EXIT(
      {
        parseNothing();
        keep(llvm::safe_malloc(tooMuch));
      },
      testing::ExitedWithCode(int(ExitCode::Memory)), "no more memory");
}

namespace {
struct Small {
  std::vector<Report> words;
  std::optional<int64_t> size;
};
} // namespace

/// A command line of two options that only zenith-run takes.
static llvm::Expected<std::optional<Small>>
parseSmall(std::vector<std::string> words, options::ToolSet tool) {
  CLI::App app("small", "tool");
  Small given;
  CommonOptions common;
  addRowFor(app, tool,
            {"--words", options::noUnit, options::Run,
             options::CacheUse::NoPart, "words"},
            given.words);
  addRowFor(app, tool,
            {"--size", options::bytes, options::Run, options::CacheUse::NoPart,
             "bytes"},
            given.size);
  std::vector<char *> arguments;
  for (std::string &word : words)
    arguments.push_back(word.data());
  return finishCommandLine(app, tool, int(arguments.size()), arguments.data(),
                           common, given,
                           [](Small &) { return llvm::Error::success(); });
}

TEST(CommandLine, ReadsRowsByTheirTypes) {
  auto given =
      parseSmall({"tool", "--words=time,memory", "--size=3K"}, options::Run);
  ASSERT_TRUE(bool(given)) << llvm::toString(given.takeError());
  EXPECT_EQ((**given).words, (std::vector{Report::Time, Report::Memory}));
  EXPECT_EQ((**given).size, 3072);
}

TEST(CommandLine, RefusesRowsOfOtherTools) {
  auto given = parseSmall({"tool", "--size=3K"}, options::Translate);
  ASSERT_FALSE(bool(given));
  EXPECT_EQ(llvm::toString(given.takeError()), "unknown option '--size'");
}
