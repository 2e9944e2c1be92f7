// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sorting, selecting and sets of rows: stability, NaN and -0, empty operands,
// comparators, counts that data decides.

#include "EvaluateText.h"
#include <gtest/gtest.h>

using namespace zenith::interpreter;

static bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

TEST(EvalOrdering, SortIsStableAndKnowsNaN) {
  EXPECT_EQ(evaluateBody("  %k, %v = graph.sort %0, %1 0 keys 1 : "
                         "(tensor<6xf32>, tensor<6xi8>) -> (tensor<6xf32>, "
                         "tensor<6xi8>)\n  return %k, %v",
                         "tensor<6xf32>, tensor<6xi8>",
                         {"dense<[0x7FC00000, 0.0, 2.0, -0.0, -1.0, "
                          "0xFF800000]> : tensor<6xf32>",
                          "dense<[0, 1, 2, 3, 4, 5]> : tensor<6xi8>"}),
            "dense<[0xFF800000, -1.000000e+00, 0.000000e+00, -0.000000e+00, "
            "2.000000e+00, 0x7FC00000]> : tensor<6xf32>\n"
            "dense<[5, 4, 1, 3, 2, 0]> : tensor<6xi8>");
}

TEST(EvalOrdering, SortDescendingKeepsEquals) {
  EXPECT_EQ(
      evaluateBody(
          "  %k, %v = graph.sort %0, %1 0 keys 1 descending : (tensor<5xui8>, "
          "tensor<5xi64>) -> (tensor<5xui8>, tensor<5xi64>)\n  return %k, %v",
          "tensor<5xui8>, tensor<5xi64>",
          {"dense<[200, 7, 200, 255, 7]> : tensor<5xui8>",
           "dense<[0, 1, 2, 3, 4]> : tensor<5xi64>"}),
      "dense<[255, 200, 200, 7, 7]> : tensor<5xui8>\n"
      "dense<[3, 0, 2, 1, 4]> : tensor<5xi64>");
}

TEST(EvalOrdering, SortByTwoKeysAlongTheFirstDimension) {
  EXPECT_EQ(
      evaluateBody(
          "  %a, %b = graph.sort %0, %1 0 keys 2 : (tensor<3x2xi1>, "
          "tensor<3x2xbf16>) -> (tensor<3x2xi1>, tensor<3x2xbf16>)\n"
          "  return %a, %b",
          "tensor<3x2xi1>, tensor<3x2xbf16>",
          {"dense<[[true, false], [false, false], [true, true]]> : "
           "tensor<3x2xi1>",
           "dense<[[2.0, 3.0], [9.0, -1.0], [1.0, 0.0]]> : tensor<3x2xbf16>"}),
      "dense<[[false, false], [true, false], [true, true]]> : tensor<3x2xi1>\n"
      "dense<[[9.000000e+00, -1.000000e+00], [1.000000e+00, 3.000000e+00], "
      "[2.000000e+00, 0.000000e+00]]> : tensor<3x2xbf16>");
}

TEST(EvalOrdering, SortNothing) {
  EXPECT_EQ(evaluateOp("graph.sort %0 1 keys 1 : (tensor<2x0xf32>) -> "
                       "tensor<2x0xf32>",
                       "tensor<2x0xf32>", {"dense<> : tensor<2x0xf32>"}),
            "dense<> : tensor<2x0xf32>");
  EXPECT_EQ(evaluateOp("graph.sort %0 1 keys 1 : (tensor<0x3xi4>) -> "
                       "tensor<0x3xi4>",
                       "tensor<0x3xi4>", {"dense<> : tensor<0x3xi4>"}),
            "dense<> : tensor<0x3xi4>");
}

TEST(EvalOrdering, SortWithComparator) {
  // By absolute value; equal ones keep their order.
  EXPECT_EQ(evaluateBody(R"(  %a, %b = graph.sort_with %0, %1 0 {
      ^bb0(%l: tensor<f32>, %r: tensor<f32>, %li: tensor<i32>, %ri: tensor<i32>):
        %x = graph.abs %l : tensor<f32>
        %y = graph.abs %r : tensor<f32>
        %c = graph.compare lt, %x, %y : tensor<f32> -> tensor<i1>
        graph.yield %c : tensor<i1>
      } : (tensor<5xf32>, tensor<5xi32>) -> (tensor<5xf32>, tensor<5xi32>)
  return %a, %b)",
                         "tensor<5xf32>, tensor<5xi32>",
                         {"dense<[3.0, -1.0, 1.0, -3.0, 0.5]> : tensor<5xf32>",
                          "dense<[0, 1, 2, 3, 4]> : tensor<5xi32>"}),
            "dense<[5.000000e-01, -1.000000e+00, 1.000000e+00, 3.000000e+00, "
            "-3.000000e+00]> : tensor<5xf32>\n"
            "dense<[4, 1, 2, 0, 3]> : tensor<5xi32>");
}

TEST(EvalOrdering, ComparatorWithControlAndCapture) {
  // A nested choice, and a flag from outside: what has no scalar step.
  const char *body = R"(  %a = graph.sort_with %0 0 {
      ^bb0(%l: tensor<i64>, %r: tensor<i64>):
        %c = graph.if %1 then {
          %u = graph.compare lt, %l, %r : tensor<i64> -> tensor<i1>
          graph.yield %u : tensor<i1>
        } else {
          %d = graph.compare gt, %l, %r : tensor<i64> -> tensor<i1>
          graph.yield %d : tensor<i1>
        } : (tensor<i1>) -> tensor<i1>
        graph.yield %c : tensor<i1>
      } : (tensor<4xi64>) -> tensor<4xi64>
  return %a)";
  std::string list = "dense<[3, 1, 4, 1]> : tensor<4xi64>";
  EXPECT_EQ(
      evaluateBody(body, "tensor<4xi64>", {list, "dense<true> : tensor<i1>"}),
      "dense<[1, 1, 3, 4]> : tensor<4xi64>");
  EXPECT_EQ(
      evaluateBody(body, "tensor<4xi64>", {list, "dense<false> : tensor<i1>"}),
      "dense<[4, 3, 1, 1]> : tensor<4xi64>");
}

TEST(EvalOrdering, TopK) {
  std::string x = "dense<[[1.0, 0x7FC00000, 1.0, 0.0], [5.0, -2.0, 5.0, "
                  "7.0]]> : tensor<2x4xf32>";
  EXPECT_EQ(evaluateBody("  %v, %i = graph.top_k %0 1 : (tensor<2x4xf32>) -> "
                         "(tensor<2x3xf32>, tensor<2x3xi64>)\n  return %v, %i",
                         "tensor<2x3xf32>, tensor<2x3xi64>", {x}),
            "dense<[[0x7FC00000, 1.000000e+00, 1.000000e+00], [7.000000e+00, "
            "5.000000e+00, 5.000000e+00]]> : tensor<2x3xf32>\n"
            "dense<[[1, 0, 2], [3, 0, 2]]> : tensor<2x3xi64>");
  EXPECT_EQ(
      evaluateBody("  %v, %i = graph.top_k %0 0 smallest : (tensor<2x4xf32>) "
                   "-> (tensor<1x4xf32>, tensor<1x4xi64>)\n  return %v, %i",
                   "tensor<1x4xf32>, tensor<1x4xi64>", {x}),
      "dense<[[1.000000e+00, -2.000000e+00, 1.000000e+00, 0.000000e+00]]> : "
      "tensor<1x4xf32>\ndense<[[0, 1, 0, 0]]> : tensor<1x4xi64>");
}

TEST(EvalOrdering, TopKOfRuntimeSize) {
  auto run = [](const std::string &k) {
    return evaluateBody(
        "  %v, %i = graph.top_k %0, %1 0 : (tensor<3xi32>, tensor<i64>) -> "
        "(tensor<?xi32>, tensor<?xi64>)\n  return %v, %i",
        "tensor<?xi32>, tensor<?xi64>",
        {"dense<[4, -9, 6]> : tensor<3xi32>",
         "dense<" + k + "> : tensor<i64>"});
  };
  EXPECT_EQ(run("2"),
            "dense<[6, 4]> : tensor<2xi32>\ndense<[2, 0]> : tensor<2xi64>");
  EXPECT_EQ(run("0"), "dense<> : tensor<0xi32>\ndense<> : tensor<0xi64>");
  EXPECT_TRUE(contains(run("4"), "'graph.top_k' op takes 4 elements of "
                                 "dimension 0, which has 3 at run time"));
  EXPECT_TRUE(contains(run("-1"), "takes -1 elements"));
}

static std::string unique(const std::string &type, const std::string &rows,
                          const std::string &n, const std::string &value,
                          const std::string &order = "") {
  return evaluateBody("  %r, %f, %i, %c = graph.unique %0 " + order + " : " +
                          type + " -> " + rows + ", tensor<?xi64>, tensor<" +
                          n + "xi64>, tensor<?xi64>\n  return %r, %f, %i, %c",
                      rows + ", tensor<?xi64>, tensor<" + n +
                          "xi64>, tensor<?xi64>",
                      {value + " : " + type});
}

TEST(EvalOrdering, UniqueRows) {
  std::string rows = "dense<[[2, 1], [0, 3], [2, 1], [0, 2]]>";
  EXPECT_EQ(unique("tensor<4x2xui8>", "tensor<?x2xui8>", "4", rows),
            "dense<[[2, 1], [0, 3], [0, 2]]> : tensor<3x2xui8>\n"
            "dense<[0, 1, 3]> : tensor<3xi64>\n"
            "dense<[0, 1, 0, 2]> : tensor<4xi64>\n"
            "dense<[2, 1, 1]> : tensor<3xi64>");
  EXPECT_EQ(unique("tensor<4x2xui8>", "tensor<?x2xui8>", "4", rows, "sorted"),
            "dense<[[0, 2], [0, 3], [2, 1]]> : tensor<3x2xui8>\n"
            "dense<[3, 1, 0]> : tensor<3xi64>\n"
            "dense<[2, 1, 2, 0]> : tensor<4xi64>\n"
            "dense<[1, 1, 2]> : tensor<3xi64>");
}

TEST(EvalOrdering, UniqueJoinsZerosAndNaN) {
  EXPECT_EQ(unique("tensor<5xf16>", "tensor<?xf16>", "5",
                   "dense<[0x7E00, -0.0, 1.0, 0x7E01, 0.0]>", "sorted"),
            "dense<[-0.000000e+00, 1.000000e+00, 0x7E00]> : "
            "tensor<3xf16>\ndense<[1, 2, 0]> : tensor<3xi64>\n"
            "dense<[2, 0, 1, 2, 0]> : tensor<5xi64>\n"
            "dense<[2, 1, 2]> : tensor<3xi64>");
}

TEST(EvalOrdering, UniqueOfNothing) {
  EXPECT_EQ(unique("tensor<0x3xf32>", "tensor<?x3xf32>", "0", "dense<>"),
            "dense<> : tensor<0x3xf32>\ndense<> : tensor<0xi64>\n"
            "dense<> : tensor<0xi64>\ndense<> : tensor<0xi64>");
  // Rows without elements are all equal.
  EXPECT_EQ(unique("tensor<3x0xf32>", "tensor<?x0xf32>", "3", "dense<>"),
            "dense<> : tensor<1x0xf32>\ndense<0> : tensor<1xi64>\n"
            "dense<0> : tensor<3xi64>\ndense<3> : tensor<1xi64>");
}

TEST(EvalOrdering, Compact) {
  EXPECT_EQ(
      evaluateBody("  %a, %b = graph.compact %0, %1, %2 : (tensor<3xi1>, "
                   "tensor<3x2xi16>, tensor<3xcomplex<f32>>) -> "
                   "(tensor<?x2xi16>, tensor<?xcomplex<f32>>)\n"
                   "  return %a, %b",
                   "tensor<?x2xi16>, tensor<?xcomplex<f32>>",
                   {"dense<[true, false, true]> : tensor<3xi1>",
                    "dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi16>",
                    "dense<[(1.0, 2.0), (3.0, 4.0), (5.0, 6.0)]> : "
                    "tensor<3xcomplex<f32>>"}),
      "dense<[[1, 2], [5, 6]]> : tensor<2x2xi16>\n"
      "dense<[(1.000000e+00,2.000000e+00), (5.000000e+00,6.000000e+00)]> : "
      "tensor<2xcomplex<f32>>");
  EXPECT_EQ(evaluateOp("graph.compact %0, %1 : (tensor<2xi1>, "
                       "tensor<2x2xf64>) -> tensor<?x2xf64>",
                       "tensor<?x2xf64>",
                       {"dense<false> : tensor<2xi1>",
                        "dense<1.0> : tensor<2x2xf64>"}),
            "dense<> : tensor<0x2xf64>");
}

TEST(EvalOrdering, SearchSorted) {
  std::string list = "dense<[-1.0, 0.0, 0.0, 2.0, 0x7FC00000]> : "
                     "tensor<5xf32>",
              queries = "dense<[[-0.0, 0x7FC00000, 5.0]]> : tensor<1x3xf32>";
  std::string types = " : (tensor<5xf32>, tensor<1x3xf32>) -> tensor<1x3xi64>";
  EXPECT_EQ(evaluateOp("graph.searchsorted %0, %1" + types, "tensor<1x3xi64>",
                       {list, queries}),
            "dense<[[1, 4, 4]]> : tensor<1x3xi64>");
  EXPECT_EQ(evaluateOp("graph.searchsorted %0, %1 right" + types,
                       "tensor<1x3xi64>", {list, queries}),
            "dense<[[3, 5, 4]]> : tensor<1x3xi64>");
}

TEST(EvalOrdering, IsIn) {
  EXPECT_EQ(
      evaluateOp("graph.is_in %0, %1 : (tensor<3x2xi8>, tensor<2x2xi8>) -> "
                 "tensor<3xi1>",
                 "tensor<3xi1>",
                 {"dense<[[1, 2], [3, 4], [2, 1]]> : tensor<3x2xi8>",
                  "dense<[[2, 1], [3, 4]]> : tensor<2x2xi8>"}),
      "dense<[false, true, true]> : tensor<3xi1>");
  EXPECT_EQ(
      evaluateOp("graph.is_in %0, %1 : (tensor<2xf32>, tensor<0xf32>) "
                 "-> tensor<2xi1>",
                 "tensor<2xi1>",
                 {"dense<1.0> : tensor<2xf32>", "dense<> : tensor<0xf32>"}),
      "dense<false> : tensor<2xi1>");
}

TEST(EvalOrdering, NonMaxSuppression) {
  std::string boxes = "dense<[[[0.0, 0.0, 1.0, 1.0], [1.0, 1.1, 0.0, 0.1], "
                      "[0.0, 10.0, 1.0, 11.0], [0.0, 10.0, 1.0, 11.0]]]> : "
                      "tensor<1x4x4xf32>",
              scores = "dense<[[[0.9, 0.8, 0.1, 0.95]]]> : tensor<1x1x4xf32>";
  auto run = [&](const std::string &max, const std::string &threshold) {
    return evaluateOp(
        "graph.non_max_suppression %0, %1, %2, %3, %4 : (tensor<1x4x4xf32>, "
        "tensor<1x1x4xf32>, tensor<i64>, tensor<f32>, tensor<f32>) -> "
        "tensor<?x3xi64>",
        "tensor<?x3xi64>",
        {boxes, scores, "dense<" + max + "> : tensor<i64>",
         "dense<0.5> : tensor<f32>", "dense<" + threshold + "> : tensor<f32>"});
  };
  EXPECT_EQ(run("3", "0.0"), "dense<[[0, 0, 3], [0, 0, 0]]> : tensor<2x3xi64>");
  EXPECT_EQ(run("1", "0.0"), "dense<[[0, 0, 3]]> : tensor<1x3xi64>");
  EXPECT_EQ(run("0", "0.0"), "dense<> : tensor<0x3xi64>");
  EXPECT_EQ(run("3", "0.92"), "dense<[[0, 0, 3]]> : tensor<1x3xi64>");
}

TEST(EvalOrdering, HashOfUnits) {
  // Rows of one 1 give the matrix: jax.random.bits(PRNGKey(7), (2, 1), uint32)
  // modulo 2^31 - 1, whose sums wrap around at the prime.
  std::string units =
      "dense<[[1, 0], [0, 1], [2147483647, 1]]> : tensor<3x2xi64>";
  std::string hashes =
      evaluateOp("graph.hash matrix, %0 seed 7 : tensor<3x2xi64> -> "
                 "tensor<3x1xi64>",
                 "tensor<3x1xi64>", {units});
  EXPECT_EQ(
      hashes,
      "dense<[[747710732], [2038464001], [2038464001]]> : tensor<3x1xi64>");
  EXPECT_EQ(evaluateOp("graph.hash poly32, %0 : tensor<2x2xi8> -> "
                       "tensor<2x1xui32>",
                       "tensor<2x1xui32>",
                       {"dense<[[0, 0], [-1, 2]]> : tensor<2x2xi8>"}),
            "dense<[[16777620], [3]]> : tensor<2x1xui32>");
}
