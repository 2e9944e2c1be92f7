// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Generators from GAP and JSON files, well-formed and not.

#include "frontends/cayley/files/StateGraphFiles.h"
#include "frontends/cayley/LoadStateGraph.h"
#include "frontends/cayley/files/GraphText.h"
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
  // Comments anywhere, products of cycles that share points, the identity; the
  // group counts, not the list.
  auto graph = readText("# a; b:=(1,9);\r\na := ( 1 , 2 ) # (7,8);\n"
                        "  *(2,3) ( ) ;; b:=();;\r\n"
                        "G := Group( a, b, (1,3), (2,3)(1,4) );\n"
                        "gens:=[a,b];ip:=[[1],[2,3]];",
                        "gap");
  ASSERT_TRUE(bool(graph)) << llvm::toString(graph.takeError());
  EXPECT_EQ(graph->generatorNames,
            (std::vector<std::string>{"a", "a'", "b", "G.3", "G.4"}));
  EXPECT_EQ(graph->permutations[0], (Permutation{2, 0, 1, 3}));
  EXPECT_EQ(graph->permutations[2], (Permutation{0, 1, 2, 3}));
  EXPECT_EQ(graph->permutations[4], (Permutation{3, 2, 1, 0}));
  auto list = readText("[(1,2), (1,2,3)];", "gap");
  ASSERT_TRUE(bool(list)) << llvm::toString(list.takeError());
  EXPECT_EQ(list->generators(), 3u);
}

/// The images of 1, 2, ... under generator `index`, from 0 on.
Permutation gapGenerator(llvm::StringRef text, size_t index) {
  auto graph = readText(text, "gap");
  EXPECT_TRUE(bool(graph)) << llvm::toString(graph.takeError());
  return graph && index < graph->permutations.size()
             ? graph->permutations[index]
             : Permutation();
}

TEST(StateGraphFilesTest, ComputesAsGapDoes) {
  std::string names = "a:=(1,2,3);b:=(3,4);";
  // The left factor acts first; 1^(a*b) = 2, 2^(a*b) = (3)^b = 4.
  EXPECT_EQ(gapGenerator(names + "G:=Group(a*b);", 0),
            (Permutation{1, 3, 0, 2}));
  EXPECT_EQ(gapGenerator(names + "G:=Group(b/a);", 0),
            (Permutation{2, 0, 3, 1}));
  // b^a renames the points of b by a: (3,4) becomes (1,4).
  EXPECT_EQ(gapGenerator(names + "G:=Group(b^a);", 0),
            (Permutation{3, 1, 2, 0}));
  EXPECT_EQ(gapGenerator(names + "G:=Group([a^-1]);", 0),
            (Permutation{2, 0, 1}));
  EXPECT_EQ(gapGenerator(names + "G:=Group((b*a)^2*b^0);", 0),
            gapGenerator(names + "G:=Group(b*a*b*a);", 0));
}

TEST(StateGraphFilesTest, TakesGapValuesAtTheirStatement) {
  auto graph = readText("a:=(1,2);b:=(2,3);c:=a*b;a:=(3,4);", "gap");
  ASSERT_TRUE(bool(graph)) << llvm::toString(graph.takeError());
  EXPECT_EQ(graph->generatorNames,
            (std::vector<std::string>{"a", "b", "c", "c'"}));
  EXPECT_EQ(graph->permutations[0], (Permutation{0, 1, 3, 2}));
  EXPECT_EQ(graph->permutations[2], (Permutation{2, 0, 1, 3}));
  auto listed = readText("a:=(1,2);l:=[a,(1,3)];G:=Group(l);", "gap");
  ASSERT_TRUE(bool(listed)) << llvm::toString(listed.takeError());
  EXPECT_EQ(listed->generatorNames, (std::vector<std::string>{"a", "l.2"}));
}

TEST(StateGraphFilesTest, FollowsGapHints) {
  auto graph = readText("#@ inverses no\n#@ central [0,0,1,1]\n"
                        "f0\\':=(1,2,3);",
                        "gap");
  ASSERT_TRUE(bool(graph)) << llvm::toString(graph.takeError());
  EXPECT_EQ(graph->generatorNames, (std::vector<std::string>{"f0'"}));
  EXPECT_EQ(graph->permutations[0], (Permutation{1, 2, 0, 3}));
  EXPECT_EQ(graph->central, (State{0, 0, 1, 1}));
}

TEST(StateGraphFilesTest, WritesNamesThatReadBack) {
  StateGraph graph;
  // Names that a reader might change: a prefix of exporters, keywords, digits
  // at the beginning, a name that comes again.
  graph.generatorNames = {"M_if", "end", "M_10", "end", "end.2"};
  graph.permutations.assign(graph.generatorNames.size(), Permutation{0, 1, 2});
  graph.central = {0, 1, 2};
  makeNamesDistinct(graph);
  EXPECT_EQ(
      graph.generatorNames,
      (std::vector<std::string>{"M_if", "end", "M_10", "end.3", "end.2"}));
  // Nothing moves: the central state tells how many positions there are.
  for (const Permutation &first :
       {Permutation{0, 1, 2}, Permutation{1, 2, 0}, Permutation{1, 0, 2}}) {
    graph.permutations.front() = first;
    auto text = gapText(graph);
    ASSERT_TRUE(bool(text)) << llvm::toString(text.takeError());
    auto read = readText(*text, "gap");
    ASSERT_TRUE(bool(read)) << llvm::toString(read.takeError());
    EXPECT_EQ(read->generatorNames, graph.generatorNames);
    EXPECT_EQ(read->permutations, graph.permutations);
    EXPECT_EQ(read->central, graph.central);
    auto json = readText(jsonText(graph, {}), "json");
    ASSERT_TRUE(bool(json)) << llvm::toString(json.takeError());
    EXPECT_EQ(json->generatorNames, graph.generatorNames);
  }
  graph.generatorNames = {"M_a", "M_b", "M_c", "M_d", "M_e"};
  auto read = readText(llvm::cantFail(gapText(graph)), "gap");
  ASSERT_TRUE(bool(read)) << llvm::toString(read.takeError());
  EXPECT_EQ(read->generatorNames, graph.generatorNames);
  graph.generatorNames.front() = "";
  auto nameless = gapText(graph);
  EXPECT_FALSE(bool(nameless));
  llvm::consumeError(nameless.takeError());
}

TEST(StateGraphFilesTest, SuggestsNamesThatExist) {
  for (auto [wrong, right] : {std::pair("cube_33_qtm", "'cube_333_qtm'"),
                              {"cube_223_htm", "'cube_222_htm'"},
                              {"lrxx:5", "'lrx:5'"}})
    EXPECT_NE(llvm::toString(loadStateGraph(wrong).takeError()).find(right),
              std::string::npos)
        << wrong;
}

/// The message behind the file's name.
std::string placedError(llvm::StringRef text, llvm::StringRef ending) {
  std::string message = llvm::toString(readText(text, ending).takeError());
  size_t at = message.find("." + ending.str() + ":");
  return at == std::string::npos ? message
                                 : message.substr(at + ending.size() + 2);
}

TEST(StateGraphFilesTest, RefusesGapWithItsPlace) {
  EXPECT_EQ(placedError("a:=(1,2);\nc := a*d;", "gap"),
            "2:8: 'd' has no value");
  EXPECT_EQ(placedError("S := SymmetricGroup(5);", "gap"),
            "1:6: 'SymmetricGroup' is called: only Group is read");
  EXPECT_EQ(placedError("a:=(1,2);\nif true then a:=(); fi;", "gap"),
            "2:1: got 'if', expected a permutation, a name or a list");
  EXPECT_EQ(placedError("end:=(1,2);", "gap").substr(0, 4), "1:1:");
  EXPECT_EQ(placedError("a:=(1,2);\nb := a*a", "gap"),
            "2:9: got the end of the file, expected ';'");
  EXPECT_EQ(placedError("a:=(1,2);\na^a;", "gap"),
            "2:1: a statement that assigns nothing");
  EXPECT_EQ(placedError("a:=(1,2);b:=a^(1/2);", "gap").substr(0, 5), "1:17:");
  EXPECT_EQ(placedError("b:=(0,1);", "gap").substr(0, 4), "1:5:");
  EXPECT_EQ(placedError("#@ inverse no\na:=(1,2);", "gap").substr(0, 4),
            "1:1:");
  EXPECT_EQ(placedError("a:=();", "gap"),
            "1:1: has no permutation that moves a point");
  EXPECT_EQ(placedError("a:=(1,2,3);\n#@ central [0,1]\n", "gap"),
            "2:1: the central state has 2 numbers, the moves' points need 3 to "
            "65536");
  std::string deep(100000, '(');
  EXPECT_NE(placedError("a:=" + deep, "gap").find("nest too deeply"),
            std::string::npos);
}

TEST(StateGraphFilesTest, RefusesJsonKeysWithTheirPlace) {
  EXPECT_EQ(
      placedError("{\"generators\":\n{\"L\": [1,0],\n \"L\": [0,1]}}", "json"),
      "3:2: generator 'L' is given twice");
  EXPECT_EQ(placedError("{\"generators\": {\"L\": [1,0]}, \"cental\": [0,0]}",
                        "json"),
            "1:30: unknown key \"cental\", did you mean \"central\"?");
  EXPECT_NE(
      placedError("{\"generators\": {\"L\": [1,0]}, \"comment\": 1}", "json")
          .find("known are \"generators\", \"central\""),
      std::string::npos);
  EXPECT_EQ(
      placedError("{\"generators\": {\"L\": [1,0],\n\"M\": [1,1]}}", "json"),
      "2:1: generator 'M' is not a permutation of 0 to 1");
}

TEST(StateGraphFilesTest, RefusesWhatIsNoJsonWithItsPlace) {
  EXPECT_EQ(placedError("{\"generators\":\n{\"L\" [1,0]}}", "json"),
            "2:6: is not JSON: Expected : after object key");
  // The parser reads numbers that JSON does not have.
  for (const char *number : {"01", "-01", "1.", "1.e1"})
    EXPECT_EQ(placedError("{\"generators\":\n {\"L\": [" + std::string(number) +
                              ",0]}}",
                          "json"),
              "2:9: is not JSON: Invalid JSON value (number?)")
        << number;
}

TEST(StateGraphFilesTest, ReadsJson) {
  auto graph = readText(R"({"generators": {"X": [1,0,2], "L": [1,2,0]},
                           "central": [0,0,1]})",
                        "json");
  ASSERT_TRUE(bool(graph)) << llvm::toString(graph.takeError());
  EXPECT_EQ(graph->generatorNames, (std::vector<std::string>{"X", "L"}));
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
