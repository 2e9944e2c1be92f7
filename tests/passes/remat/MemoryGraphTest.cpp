// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory graphs as text, their mistakes, and the memory of an order.

#include "passes/remat/MemoryTimeline.h"
#include "passes/remat/ReadMemoryGraph.h"
#include "tests/passes/remat/RandomGraphs.h"

#include <gtest/gtest.h>

using namespace zenith;
using namespace zenith::remat;

namespace {

Result<MemoryGraph> parse(const std::string &text) {
  return parseMemoryGraph(llvm::cantFail(llvm::json::parse(text)));
}

/// A graph of two steps with one part replaced.
Result<MemoryGraph> parseWith(const std::string &part,
                              const std::string &other) {
  std::string text =
      R"({"format": "memory-graph", "version": 1, "name": "two",)"
      R"( "values": [64, 128], "steps": [)"
      R"({"cost": 1, "reads": [], "writes": [0]},)"
      R"( {"cost": 2.5, "reads": [0], "writes": [1], "shares": [[0, 1]],)"
      R"( "scratch": 16}], "keep": [1]})";
  size_t at = text.find(part);
  EXPECT_NE(at, std::string::npos);
  return parse(text.replace(at, part.size(), other));
}

void expectMistake(const std::string &part, const std::string &other,
                   const std::string &location, const std::string &words) {
  Result<MemoryGraph> graph = parseWith(part, other);
  ASSERT_FALSE(bool(graph)) << other;
  EXPECT_EQ(graph.error().code, ErrorCode::Invalid);
  EXPECT_EQ(graph.error().location, location);
  EXPECT_NE(graph.error().text.find(words), std::string::npos)
      << graph.error().text;
}

} // namespace

TEST(MemoryGraph, IsReadAsItWasWritten) {
  tests::Random random(1);
  for (unsigned steps : {1u, 8u, 40u}) {
    std::string text = toJSON(tests::randomGraph(random, steps));
    Result<MemoryGraph> graph = parse(text);
    ASSERT_TRUE(bool(graph)) << graph.error().message();
    EXPECT_EQ(toJSON(*graph), text);
  }
}

TEST(MemoryGraph, NamesTheKeyOfAMistake) {
  expectMistake("\"version\": 1", "\"version\": 9", "version", "version");
  expectMistake("memory-graph", "graph", "format", "memory-graph");
  expectMistake("64, 128", "64, -1", "values[1]", "-1 bytes");
  expectMistake("64, 128", "64, 1e300", "values[1]", "whole number");
  expectMistake("64, 128", "9007199254740992, 1", "values[1]", "exceed");
  expectMistake("\"cost\": 1", "\"cost\": -3", "steps[0].cost", "cost");
  expectMistake("\"cost\": 1", "\"cost\": \"x\"", "steps[0].cost", "cost");
  expectMistake("\"reads\": [0]", "\"reads\": [7]", "steps[1].reads[0]", "7");
  expectMistake("\"reads\": [0]", "\"reads\": [0, 0]", "steps[1].reads[1]",
                "twice");
  expectMistake("\"writes\": [1]", "\"writes\": [1, 0]", "steps[1].writes[1]",
                "made twice");
  expectMistake("[[0, 1]]", "[[1, 1]]", "steps[1].shares[0]", "not read");
  expectMistake("[[0, 1]]", "[[0, 0]]", "steps[1].shares[0]", "not written");
  expectMistake("16", "-16", "steps[1].scratch", "bytes");
  expectMistake("\"reads\": []", "\"reads\": [1]", "steps[0]", "cycle");
  expectMistake("\"keep\": [1]", "\"keep\": [2]", "keep[0]", "2");
  expectMistake("\"keep\": [1]", "\"kept\": [1]", "keep", "list");
}

TEST(MemoryTimeline, CountsWhatLives) {
  Result<MemoryGraph> graph = parseWith("two", "two");
  ASSERT_TRUE(bool(graph));
  // Value 0 dies at step 1, which writes over it.
  Result<MemoryTimeline> once = timelineOf(*graph, {0, 1});
  ASSERT_TRUE(bool(once));
  EXPECT_EQ(once->bytes, (std::vector<int64_t>{64, 128 + 16}));
  EXPECT_EQ(once->peak, 144);
  EXPECT_EQ(once->fullest, 1u);
  EXPECT_EQ(once->cost, 3.5);
  // The first instance of value 0 is read by nobody.
  Result<MemoryTimeline> twice = timelineOf(*graph, {0, 0, 1});
  ASSERT_TRUE(bool(twice));
  EXPECT_EQ(twice->bytes, (std::vector<int64_t>{64, 64, 144}));
  EXPECT_EQ(twice->reads(2).front(), 1);
}

TEST(MemoryTimeline, RefusesWhatIsNoOrder) {
  Result<MemoryGraph> graph = parseWith("two", "two");
  ASSERT_TRUE(bool(graph));
  EXPECT_EQ(timelineOf(*graph, {1, 0}).error().location, "order[0]");
  EXPECT_EQ(timelineOf(*graph, {0, 2}).error().location, "order[1]");
  EXPECT_FALSE(bool(timelineOf(*graph, {0})));
  graph->steps[0].repeatable = false;
  EXPECT_EQ(timelineOf(*graph, {0, 0, 1}).error().location, "order[1]");
}
