// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What command lines set up for the process, and rows of options as CLI11 reads
// them.

#include "tools/model/CommandLine.h"

#include "frontends/models/Diagnostics.h"
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

/// A table in miniature: a row is the field and the option of zenith-run.
#define SMALL_OPTIONS(ROW)                                                     \
  ROW(words, std::vector<Report>, {}, "--words", noUnit, Run, "some words")    \
  ROW(size, std::optional<int64_t>, {}, "--size", bytes, Run, "a size")        \
  ROW(count, int64_t, 2, "--count", between("things", 1, 3), required(Run),    \
      "a count")

namespace {
struct Small {
#define FIELD(field, type, initial, ...) type field = initial;
  SMALL_OPTIONS(FIELD)
#undef FIELD
};
} // namespace

static void addSmall(CLI::App &app, ToolSet tool, Small &given) {
  SMALL_OPTIONS(ZENITH_ADD_OPTION)
}

static llvm::Expected<std::optional<Small>>
parseSmall(std::vector<std::string> words, ToolSet tool) {
  CLI::App app("small", "tool");
  Small given;
  CommonOptions common;
  addSmall(app, tool, given);
  std::vector<char *> arguments;
  for (std::string &word : words)
    arguments.push_back(word.data());
  return finishCommandLine(app, tool, int(arguments.size()), arguments.data(),
                           common, given,
                           [](Small &) { return llvm::Error::success(); });
}

TEST(CommandLine, ReadsRowsByTheirTypes) {
  auto given = parseSmall(
      {"tool", "--words=time,memory", "--size=3K", "--count=3"}, options::Run);
  ASSERT_TRUE(bool(given)) << llvm::toString(given.takeError());
  EXPECT_EQ((**given).words, (std::vector{Report::Time, Report::Memory}));
  EXPECT_EQ((**given).size, 3072);
  EXPECT_EQ((**given).count, 3);
}

TEST(CommandLine, ChecksUnitsAndWhatIsRequired) {
  auto above = parseSmall({"tool", "--count=4"}, options::Run);
  EXPECT_EQ(llvm::toString(above.takeError()),
            "--count: Value 4 not in range 1 to 3");
  auto missing = parseSmall({"tool"}, options::Run);
  EXPECT_EQ(llvm::toString(missing.takeError()), "--count is required");
}

TEST(CommandLine, RefusesRowsOfOtherTools) {
  auto given = parseSmall({"tool", "--size=3K"}, options::Translate);
  EXPECT_EQ(llvm::toString(given.takeError()), "unknown option '--size'");
}
