// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Generators from GAP and JSON files, well-formed and not.

#include "frontends/cayley/StateGraphFiles.h"
#include "frontends/cayley/LoadStateGraph.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include <gtest/gtest.h>

using namespace zenith::cayley;

namespace {

/// Reads `text` through a file with this ending.
llvm::Expected<StateGraph> readText(llvm::StringRef text,
                                    llvm::StringRef ending) {
  llvm::SmallString<64> path;
  EXPECT_FALSE(llvm::sys::fs::createTemporaryFile("zenith", ending, path));
  {
    std::error_code error;
    llvm::raw_fd_ostream out(path, error);
    out << text;
  }
  auto graph = loadStateGraph(path);
  llvm::sys::fs::remove(path);
  return graph;
}

TEST(StateGraphFilesTest, ReadsGapPermutations) {
  auto graph = readText("# puzzle\nM_A:=(1,3,2)\n  (4,5);\nM_B:=(1,2);\n"
                        "Gen:=[\nM_A,M_B\n];\n# Size(Group(Gen));\n",
                        "gap");
  ASSERT_TRUE(bool(graph)) << llvm::toString(graph.takeError());
  EXPECT_EQ(graph->generatorNames, (std::vector<std::string>{"A", "A'", "B"}));
  EXPECT_EQ(graph->permutations[0], (Permutation{2, 0, 1, 4, 3}));
  EXPECT_EQ(graph->central, (State{0, 1, 2, 3, 4}));
  EXPECT_TRUE(graph->isInverseClosed());
}

TEST(StateGraphFilesTest, ReadsGapAsItIsWritten) {
  // Comments anywhere, "#" and ";" in texts, products of cycles that share
  // points, and the identity.
  auto graph =
      readText("Print(\"# a; b:=(1,9);\");\r\na := ( 1 , 2 ) # (7,8);\n"
               "  *(2,3) ( ) ;; b:=();;\r\n"
               "G := Group( a, (1,3), (2,3)(1,4) );\n"
               "gens:=[a,b];ip:=[[1],[2,3]];",
               "gap");
  ASSERT_TRUE(bool(graph)) << llvm::toString(graph.takeError());
  EXPECT_EQ(graph->generatorNames,
            (std::vector<std::string>{"a", "a'", "b", "G.2", "G.3"}));
  EXPECT_EQ(graph->permutations[0], (Permutation{2, 0, 1, 3}));
  EXPECT_EQ(graph->permutations[2], (Permutation{0, 1, 2, 3}));
  EXPECT_EQ(graph->permutations[4], (Permutation{3, 2, 1, 0}));
  auto list = readText("[(1,2), (1,2,3)];", "gap");
  ASSERT_TRUE(bool(list)) << llvm::toString(list.takeError());
  EXPECT_EQ(list->generators(), 3u);
}

TEST(StateGraphFilesTest, ReadsJson) {
  auto graph = readText(R"({"generators": {"X": [1,0,2], "L": [1,2,0]},
                           "central": [0,0,1]})",
                        "json");
  ASSERT_TRUE(bool(graph)) << llvm::toString(graph.takeError());
  EXPECT_EQ(graph->generatorNames, (std::vector<std::string>{"L", "X"}));
  EXPECT_EQ(graph->central, (State{0, 0, 1}));
  EXPECT_FALSE(graph->isInverseClosed());
  auto matrices = readText(
      R"({"generators": {"a": [[1,-1],[0,1]]}, "modulus": 5})", "json");
  ASSERT_TRUE(bool(matrices)) << llvm::toString(matrices.takeError());
  EXPECT_EQ(matrices->matrices[0].entries, (std::vector<int64_t>{1, 4, 0, 1}));
}

TEST(StateGraphFilesTest, RefusesDamage) {
  for (const char *text :
       {"", "A:=(1,2", "A:=(1,2,1);", "A:=();", "A:=(0,1);", "A:=(1,99999999);",
        "A:=(1,x);", "A:=(1,2)x;", "A:=(1,,2);"})
    EXPECT_TRUE(llvm::errorToBool(readText(text, "gap").takeError())) << text;
  for (const char *text :
       {"", "[]", "{}", R"({"generators": {}})",
        R"({"generators": {"a": [0,0]}})", R"({"generators": {"a": [1,2]}})",
        R"({"generators": {"a": [1,0], "b": [0,1,2]}})",
        R"({"generators": {"a": [1,0]}, "central": [1]})",
        R"({"generators": {"a": [1,0]}, "central": [-1,0]})",
        R"({"generators": {"a": [[1,0]]}, "modulus": 3})",
        R"({"generators": {"a": [[1]]}, "modulus": 1})",
        R"({"generators": {"a": [1,0]}, "modulus": "2"})"})
    EXPECT_TRUE(llvm::errorToBool(readText(text, "json").takeError())) << text;
  // Text that would take the parser more stack than there is.
  EXPECT_NE(
      llvm::toString(readText(std::string(1000000, '['), "json").takeError())
          .find("nest too deeply"),
      std::string::npos);
  auto named = readText(R"({"generators": {"[[[{\"[": [1,0]}})", "json");
  EXPECT_TRUE(bool(named)) << llvm::toString(named.takeError());
}

} // namespace
