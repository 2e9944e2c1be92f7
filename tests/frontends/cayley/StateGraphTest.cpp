// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphs by name against known groups, and against the ground truth where it is
// present.

#include "frontends/cayley/LoadStateGraph.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include <gtest/gtest.h>
#include <set>

using namespace zenith::cayley;

namespace {

StateGraph load(llvm::StringRef name) {
  auto graph = loadStateGraph(name);
  EXPECT_TRUE(bool(graph)) << name.str() << ": "
                           << llvm::toString(graph.takeError());
  return graph ? *graph : StateGraph();
}

std::string errorOf(llvm::StringRef name) {
  auto graph = loadStateGraph(name);
  return graph ? "" : llvm::toString(graph.takeError());
}

/// Sizes of the first `count` layers around the central state, by plain search.
std::vector<size_t> growth(const StateGraph &graph, size_t count = SIZE_MAX) {
  std::set<State> seen{graph.central};
  std::vector<State> frontier{graph.central};
  std::vector<size_t> sizes;
  while (!frontier.empty() && sizes.size() < count) {
    sizes.push_back(frontier.size());
    std::vector<State> next;
    for (const State &state : frontier)
      for (size_t i = 0; i < graph.generators(); ++i)
        if (State moved = graph.apply(i, state); seen.insert(moved).second)
          next.push_back(moved);
    frontier = next;
  }
  return sizes;
}

size_t order(const StateGraph &graph) {
  size_t total = 0;
  for (size_t size : growth(graph))
    total += size;
  return total;
}

TEST(StateGraphTest, FamiliesGenerateTheirGroups) {
  EXPECT_EQ(order(load("lrx:6")), 720u);
  EXPECT_EQ(order(load("pancake:5")), 120u);
  EXPECT_EQ(order(load("burnt_pancake:3")), 48u);
  EXPECT_EQ(order(load("coxeter:5")), 120u);
  EXPECT_EQ(order(load("heisenberg:3,4")), 64u);
  EXPECT_EQ(order(load("sl_2_fund_roots:5")), 120u);
  EXPECT_EQ(order(load("sl_2_root_weyl:7")), 336u);
  EXPECT_EQ(order(load("lrx:00011")), 10u);
}

TEST(StateGraphTest, CoxeterLayersAreMahonianNumbers) {
  EXPECT_EQ(growth(load("coxeter:4")),
            (std::vector<size_t>{1, 3, 5, 6, 5, 3, 1}));
}

TEST(StateGraphTest, DirectedFamiliesLackInverses) {
  EXPECT_FALSE(load("lx:4").isInverseClosed());
  EXPECT_TRUE(load("lrx:4").isInverseClosed());
  EXPECT_TRUE(load("heisenberg:3,5").isInverseClosed());
  StateGraph cube = load("cube_333_htm");
  ASSERT_TRUE(cube.isInverseClosed());
  EXPECT_EQ(cube.inverses()[0], 1u);
  EXPECT_EQ(cube.inverses()[2], 2u);
}

TEST(StateGraphTest, InnerSlicesOfLargeCubesTurn) {
  // A layer more: 24 moves, then what two of them make.
  auto layers = [](llvm::StringRef name, size_t count) {
    return growth(load(name), count);
  };
  EXPECT_EQ(layers("cube_444_qtm", 4), (std::vector<size_t>{1, 24, 468, 9000}));
  EXPECT_EQ(layers("cube_444_htm", 3), (std::vector<size_t>{1, 36, 1026}));
  EXPECT_EQ(layers("cube_555_qtm", 3), (std::vector<size_t>{1, 24, 468}));
  EXPECT_EQ(layers("cube_333_qtm", 3), (std::vector<size_t>{1, 12, 114}));
}

TEST(StateGraphTest, FourTurnsOfACubeAreNone) {
  for (const char *name : {"cube_222_qtm", "cube_333_qstm", "cube_444_htm"}) {
    StateGraph cube = load(name);
    for (size_t i = 0; i < cube.generators(); ++i) {
      State state = cube.central;
      for (int turn = 0; turn < 4; ++turn)
        state = cube.apply(i, state);
      EXPECT_EQ(state, cube.central) << name << " " << cube.generatorNames[i];
      EXPECT_NE(cube.apply(i, cube.central), cube.central);
    }
  }
}

TEST(StateGraphTest, RefusesNamesAndSizesThatMeanNothing) {
  for (const char *name : {"",
                           ":",
                           "lrx",
                           "lrx:",
                           "lrx:x",
                           "lrx:1",
                           "lrx:-3",
                           "lrx:5,9",
                           "lrx:99999999999",
                           "heisenberg:3",
                           "heisenberg:2,5",
                           "cube_334_htm",
                           "cube_111_htm",
                           "cube_333_fixed_htm",
                           "hungarian_rings:2,1,3,0",
                           "globe:0,1",
                           "pancake:100000000",
                           "all_cycles:60",
                           "block_interchange:60000",
                           "lrx:0",
                           "no_such:3",
                           "sl_x_fund_roots:3",
                           "missing.gap",
                           "missing.json"})
    EXPECT_NE(errorOf(name), "") << name;
}

TEST(StateGraphTest, StatesAsText) {
  auto digits = parseState("0213");
  ASSERT_TRUE(bool(digits));
  EXPECT_EQ(*digits, (State{0, 2, 1, 3}));
  auto numbers = parseState("10, 0,3");
  ASSERT_TRUE(bool(numbers));
  EXPECT_EQ(stateText(*numbers), "10,0,3");
  for (const char *text : {"", "1a", "1,,2", "1,-2", "99999999999,1"})
    EXPECT_TRUE(llvm::errorToBool(parseState(text).takeError())) << text;
}

/// The same generators, names and central states as published.
TEST(StateGraphTest, AgreesWithTheGroundTruth) {
  auto file = llvm::MemoryBuffer::getFile(ZENITH_SHARED_DATA
                                          "/search/generators.jsonl");
  if (!file)
    GTEST_SKIP() << "the ground truth is not on this machine";
  llvm::SmallVector<llvm::StringRef> lines;
  (*file)->getBuffer().split(lines, '\n', -1, false);
  for (llvm::StringRef line : lines) {
    auto value = llvm::json::parse(line);
    ASSERT_TRUE(bool(value));
    const llvm::json::Object &expected = *value->getAsObject();
    std::string name = expected.getString("graph")->str();
    StateGraph graph = load(name);
    llvm::json::Array names(graph.generatorNames), central(graph.central),
        generators;
    for (const Permutation &permutation : graph.permutations)
      generators.push_back(llvm::json::Array(
          std::vector<int64_t>(permutation.begin(), permutation.end())));
    for (const Matrix &matrix : graph.matrices) {
      llvm::json::Array rows;
      for (uint32_t row = 0; row < matrix.rows; ++row)
        rows.push_back(llvm::json::Array(std::vector<int64_t>(
            matrix.entries.begin() + row * matrix.rows,
            matrix.entries.begin() + (row + 1) * matrix.rows)));
      generators.push_back(std::move(rows));
    }
    EXPECT_EQ(names, *expected.getArray("generator_names")) << name;
    EXPECT_EQ(central, *expected.getArray("central_state")) << name;
    EXPECT_EQ(generators,
              *expected.getArray(graph.modulus ? "matrices" : "generators"))
        << name;
  }
}

} // namespace
