// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tables and the sources agree: every remark of RemarkCodes.def is made
// somewhere, and nothing else is; spellings of options are unique for a tool.

#include "ir/remarks/Remark.h"
#include "lowering/pipeline/OptionTable.h"
#include "llvm/ADT/StringSet.h"
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <regex>
#include <set>
#include <sstream>

using namespace zenith;

/// Codes that sources name as remarks::Code::X, and texts that look like codes.
static void readCodes(const std::filesystem::path &file,
                      std::set<std::string> &named,
                      std::set<std::string> &quoted) {
  std::ifstream stream(file);
  std::stringstream text;
  text << stream.rdbuf();
  std::string source = text.str();
  static const std::regex code(R"(Code::([A-Z]{3}\d{3})\b)"),
      quote(R"("(?:[a-z]+: )?([A-Z]{3}\d{3})[":])");
  for (auto [pattern, codes] :
       {std::pair(&code, &named), std::pair(&quote, &quoted)})
    for (std::sregex_iterator match(source.begin(), source.end(), *pattern),
         end;
         match != end; ++match)
      codes->insert((*match)[1].str());
}

TEST(RemarkTable, HasTheCodesThatSourcesEmit) {
  std::set<std::string> table, named, quoted;
  for (const remarks::Entry &entry : remarks::entries())
    EXPECT_TRUE(table.insert(entry.name.str()).second) << entry.name.str();
  for (const char *folder : {"ir", "passes", "lowering", "frontends", "tools"})
    for (const auto &file : std::filesystem::recursive_directory_iterator(
             std::filesystem::path(ZENITH_SOURCE_DIR) / folder))
      // The header for C explains what a code is by one.
      if ((file.path().extension() == ".cpp" ||
           file.path().extension() == ".h") &&
          file.path().filename() != "zenith.h")
        readCodes(file.path(), named, quoted);
  EXPECT_EQ(named, table);
  // A code in a text would be a remark beside the table.
  EXPECT_EQ(quoted, std::set<std::string>());
}

TEST(RemarkTable, SentencesNameEachValueOnce) {
  for (const remarks::Entry &entry : remarks::entries()) {
    std::set<std::string> names;
    for (llvm::StringRef name : entry.fields())
      EXPECT_TRUE(names.insert(name.str()).second)
          << entry.name.str() << ": {" << name.str() << "}";
    EXPECT_EQ(entry.sentence.count('{'), names.size()) << entry.name.str();
    EXPECT_EQ(entry.sentence.count('}'), names.size()) << entry.name.str();
  }
}

static std::vector<options::OptionRow> optionRows() {
  using namespace zenith::options;
  return {
#define ZENITH_OPTION(owner, field, type, initial, spelling, unit, tools,      \
                      cache, help)                                             \
  {spelling, unit, tools, CacheUse::cache, help},
#include "lowering/pipeline/CompileOptions.def"
  };
}

TEST(OptionTable, EachConditionIsNamedByARow) {
  using namespace zenith::options;
  constexpr ToolSet all =
      options::Run | Compile | Translate | Opt | Search | Cache | Train;
  for (const auto &[word, condition] : Words<Condition>::all)
    EXPECT_TRUE(llvm::any_of(optionRows(), [&, condition = condition](
                                               const OptionRow &row) {
      return row.tools.depends(all, condition);
    })) << word;
}

TEST(OptionTable, SpellingsAreUniqueForEachTool) {
  std::map<std::string, unsigned> takenBy;
  for (const options::OptionRow &row : optionRows()) {
    unsigned &taken = takenBy[row.name().str()];
    EXPECT_EQ(taken & row.tools.taking, 0u) << row.spelling;
    taken |= row.tools.taking;
    EXPECT_NE(row.tools.taking, 0u) << row.spelling;
    EXPECT_NE(std::string(row.help), "") << row.spelling;
  }
}
