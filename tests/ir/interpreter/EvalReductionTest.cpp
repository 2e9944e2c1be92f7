// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions: every kind, neutral elements of empty reductions, NaN, windows.

#include "EvaluateText.h"
#include <gtest/gtest.h>

using namespace zenith::interpreter;

static std::string reduce(const std::string &kind, const std::string &element,
                          const std::string &x) {
  std::string from = "tensor<2x3x" + element + ">",
              to = "tensor<2x" + element + ">";
  return evaluateOp("graph.reduce " + kind + ", %0 [1] : " + from + " -> " + to,
                    to, {"dense<" + x + "> : " + from});
}
static std::string reduceNothing(const std::string &kind,
                                 const std::string &element) {
  std::string from = "tensor<0x" + element + ">",
              to = "tensor<" + element + ">";
  return evaluateOp("graph.reduce " + kind + ", %0 [0] : " + from + " -> " + to,
                    to, {"dense<> : " + from});
}

TEST(EvalReduction, Kinds) {
  EXPECT_EQ(reduce("sum", "i8", "[[100, 27, 1], [1, 2, 3]]"),
            "dense<[-128, 6]> : tensor<2xi8>");
  EXPECT_EQ(reduce("prod", "ui4", "[[3, 3, 2], [1, 2, 3]]"),
            "dense<[2, 6]> : tensor<2xui4>");
  EXPECT_EQ(reduce("max", "ui8", "[[200, 3, 4], [1, 1, 1]]"),
            "dense<[200, 1]> : tensor<2xui8>");
  EXPECT_EQ(reduce("min", "i64", "[[2, 3, -4], [1, 1, 1]]"),
            "dense<[-4, 1]> : tensor<2xi64>");
  EXPECT_EQ(reduce("all", "i1", "[[true, true, true], [true, false, true]]"),
            "dense<[true, false]> : tensor<2xi1>");
  EXPECT_EQ(reduce("any", "i32", "[[1, 2, 4], [0, 0, 0]]"),
            "dense<[7, 0]> : tensor<2xi32>");
  EXPECT_EQ(reduce("parity", "i1", "[[true, true, true], [true, false, true]]"),
            "dense<[true, false]> : tensor<2xi1>");
  EXPECT_EQ(reduce("sum", "f32", "[[1.0e8, 1.0, -1.0e8], [1.0, 2.0, 3.0]]"),
            "dense<[0.000000e+00, 6.000000e+00]> : tensor<2xf32>");
  EXPECT_EQ(reduce("max", "f16", "[[1.0, 0x7E00, 2.0], [-1.0, -2.0, -3.0]]"),
            "dense<[0x7E00, -1.000000e+00]> : tensor<2xf16>");
  EXPECT_EQ(reduce("sum", "complex<f64>", "(1.0, -1.0)"),
            "dense<(3.000000e+00,-3.000000e+00)> : tensor<2xcomplex<f64>>");
}

// Blocks of 16 terms are rounded term by term, and summed wider.
TEST(EvalReduction, LongSumsAreRoundedByBlocks) {
  std::string ones = "1.0e8";
  for (int i = 1; i < 32; ++i)
    ones += ", 1.0";
  EXPECT_EQ(
      evaluateOp("graph.reduce sum, %0 [0] : tensor<32xf32> -> tensor<f32>",
                 "tensor<f32>", {"dense<[" + ones + "]> : tensor<32xf32>"}),
      "dense<0x4CBEBC22> : tensor<f32>");
}

TEST(EvalReduction, EmptyFoldsAreNeutral) {
  EXPECT_EQ(reduceNothing("sum", "f32"), "dense<0.000000e+00> : tensor<f32>");
  EXPECT_EQ(reduceNothing("prod", "i32"), "dense<1> : tensor<i32>");
  EXPECT_EQ(reduceNothing("max", "f32"), "dense<0xFF800000> : tensor<f32>");
  EXPECT_EQ(reduceNothing("max", "i4"), "dense<-8> : tensor<i4>");
  EXPECT_EQ(reduceNothing("min", "i8"), "dense<127> : tensor<i8>");
  EXPECT_EQ(reduceNothing("min", "ui64"),
            "dense<18446744073709551615> : tensor<ui64>");
  EXPECT_EQ(reduceNothing("max", "i64"),
            "dense<-9223372036854775808> : tensor<i64>");
  EXPECT_EQ(reduceNothing("all", "i1"), "dense<true> : tensor<i1>");
  EXPECT_EQ(reduceNothing("any", "i1"), "dense<false> : tensor<i1>");
}

TEST(EvalReduction, OverOtherDimensions) {
  EXPECT_EQ(
      evaluateOp(
          "graph.reduce sum, %0 [0, 2] : tensor<2x2x2xi32> -> tensor<2xi32>",
          "tensor<2xi32>",
          {"dense<[[[1, 2], [3, 4]], [[5, 6], [7, 8]]]> : tensor<2x2x2xi32>"}),
      "dense<[14, 22]> : tensor<2xi32>");
}

TEST(EvalReduction, ArgReduce) {
  auto best = [](const std::string &kind, const std::string &flags) {
    return evaluateOp(
        "graph.arg_reduce " + kind + ", %0 1 " + flags +
            " : tensor<3x4xf32> -> tensor<3xi64>",
        "tensor<3xi64>",
        {"dense<[[1.0, 3.0, 3.0, 0.0], [1.0, 0x7FC00000, 0x7FC00000, 9.0], "
         "[2.0, 2.0, 2.0, 2.0]]> : tensor<3x4xf32>"});
  };
  EXPECT_EQ(best("max", ""), "dense<[1, 1, 0]> : tensor<3xi64>");
  EXPECT_EQ(best("max", "last"), "dense<[2, 2, 3]> : tensor<3xi64>");
  EXPECT_EQ(best("min", ""), "dense<[3, 1, 0]> : tensor<3xi64>");
  EXPECT_EQ(
      evaluateOp("graph.arg_reduce min, %0 0 : tensor<3xui8> -> tensor<i32>",
                 "tensor<i32>", {"dense<[200, 7, 7]> : tensor<3xui8>"}),
      "dense<1> : tensor<i32>");
}

TEST(EvalReduction, Cumulative) {
  auto run = [](const std::string &flags) {
    return evaluateOp("graph.cumulative sum, %0 0 " + flags +
                          " : tensor<4xi32>",
                      "tensor<4xi32>", {"dense<[1, 2, 3, 4]> : tensor<4xi32>"});
  };
  EXPECT_EQ(run(""), "dense<[1, 3, 6, 10]> : tensor<4xi32>");
  EXPECT_EQ(run("exclusive"), "dense<[0, 1, 3, 6]> : tensor<4xi32>");
  EXPECT_EQ(run("reverse"), "dense<[10, 9, 7, 4]> : tensor<4xi32>");
  EXPECT_EQ(run("exclusive reverse"), "dense<[9, 7, 4, 0]> : tensor<4xi32>");
  EXPECT_EQ(evaluateOp("graph.cumulative max, %0 0 : tensor<2x2xf32>",
                       "tensor<2x2xf32>",
                       {"dense<[[1.0, 5.0], [2.0, 4.0]]> : tensor<2x2xf32>"}),
            "dense<[[1.000000e+00, 5.000000e+00], [2.000000e+00, "
            "5.000000e+00]]> : tensor<2x2xf32>");
}

// 256 + 1 is 256 in bf16, however often.
TEST(EvalReduction, CumulativeSmallFloatsAreRoundedAtEveryElement) {
  EXPECT_EQ(evaluateOp("graph.cumulative sum, %0 0 : tensor<4xbf16>",
                       "tensor<4xbf16>",
                       {"dense<[256.0, 1.0, 1.0, 2.0]> : tensor<4xbf16>"}),
            "dense<[2.560000e+02, 2.560000e+02, 2.560000e+02, 2.580000e+02]> : "
            "tensor<4xbf16>");
}

TEST(EvalReduction, Windows) {
  auto pool = [](const std::string &kind, const std::string &attributes,
                 int size) {
    std::string type = "tensor<" + std::to_string(size) + "xf32>";
    return evaluateOp("graph.reduce_window " + kind + ", %0 " + attributes +
                          " : tensor<5xf32> -> " + type,
                      type,
                      {"dense<[1.0, 2.0, 3.0, 4.0, 5.0]> : tensor<5xf32>"});
  };
  EXPECT_EQ(pool("max",
                 "window [2] strides [2] low [0] high [0] base_dilation [1] "
                 "dilation [1]",
                 2),
            "dense<[2.000000e+00, 4.000000e+00]> : tensor<2xf32>");
  EXPECT_EQ(
      pool("sum",
           "window [3] strides [2] low [1] high [1] base_dilation [1] dilation "
           "[1]",
           3),
      "dense<[3.000000e+00, 9.000000e+00, 9.000000e+00]> : tensor<3xf32>");
  EXPECT_EQ(pool("sum",
                 "window [2] strides [1] low [0] high [0] base_dilation [1] "
                 "dilation [3]",
                 2),
            "dense<[5.000000e+00, 7.000000e+00]> : tensor<2xf32>");
  EXPECT_EQ(pool("sum",
                 "window [2] strides [4] low [0] high [0] base_dilation [2] "
                 "dilation [1]",
                 2),
            "dense<[1.000000e+00, 3.000000e+00]> : tensor<2xf32>");
  EXPECT_EQ(pool("max",
                 "window [2] strides [1] low [-2] high [-1] base_dilation [1] "
                 "dilation [1]",
                 1),
            "dense<4.000000e+00> : tensor<1xf32>");
  EXPECT_EQ(pool("min",
                 "window [1] strides [6] low [3] high [4] base_dilation [1] "
                 "dilation [1]",
                 2),
            "dense<[0x7F800000, 4.000000e+00]> : tensor<2xf32>");
}
