// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Folds whose step is a region: order, several operands, padding, every class
// of element, large operands.

#include "EvaluateText.h"
#include <gtest/gtest.h>

using namespace zenith::interpreter;

TEST(EvalFoldWithRegion, RunsInRowMajorOrder) {
  // a * 10 + b spells the digits in the order in which they come.
  EXPECT_EQ(evaluateOp(R"(graph.reduce_with (%0), (%1) [0, 2] {
      ^bb0(%a: tensor<i64>, %b: tensor<i64>):
        %ten = graph.constant dense<10> : tensor<i64>
        %p = graph.mul %a, %ten : tensor<i64>
        %s = graph.add %p, %b : tensor<i64>
        graph.yield %s : tensor<i64>
      } : (tensor<2x2x2xi64>, tensor<i64>) -> tensor<2xi64>)",
                       "tensor<2xi64>",
                       {"dense<[[[1, 2], [3, 4]], [[5, 6], [7, 8]]]> : "
                        "tensor<2x2x2xi64>",
                        "dense<9> : tensor<i64>"}),
            "dense<[91256, 93478]> : tensor<2xi64>");
}

TEST(EvalFoldWithRegion, ArgMaxOfTwoOperands) {
  const char *body = R"(  %m, %k = graph.reduce_with (%0, %1), (%2, %3) [1] {
      ^bb0(%a: tensor<f16>, %i: tensor<i32>, %b: tensor<f16>, %j: tensor<i32>):
        %c = graph.compare ge, %a, %b : tensor<f16> -> tensor<i1>
        %v = graph.select %c, %a, %b : tensor<i1>, tensor<f16>
        %n = graph.select %c, %i, %j : tensor<i1>, tensor<i32>
        graph.yield %v, %n : tensor<f16>, tensor<i32>
      } : (tensor<2x3xf16>, tensor<2x3xi32>, tensor<f16>, tensor<i32>) -> (tensor<2xf16>, tensor<2xi32>)
  return %m, %k)";
  EXPECT_EQ(
      evaluateBody(body, "tensor<2xf16>, tensor<2xi32>",
                   {"dense<[[1.0, 3.0, 3.0], [-1.0, -2.0, -3.0]]> : "
                    "tensor<2x3xf16>",
                    "dense<[[0, 1, 2], [0, 1, 2]]> : tensor<2x3xi32>",
                    "dense<0xFC00> : tensor<f16>", "dense<-1> : tensor<i32>"}),
      "dense<[3.000000e+00, -1.000000e+00]> : tensor<2xf16>\n"
      "dense<[1, 0]> : tensor<2xi32>");
}

TEST(EvalFoldWithRegion, EmptyFoldsGiveTheStart) {
  EXPECT_EQ(
      evaluateOp(R"(graph.reduce_with (%0), (%1) [0] {
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %s = graph.add %a, %b : tensor<f32>
        graph.yield %s : tensor<f32>
      } : (tensor<0x2xf32>, tensor<f32>) -> tensor<2xf32>)",
                 "tensor<2xf32>",
                 {"dense<> : tensor<0x2xf32>", "dense<7.0> : tensor<f32>"}),
      "dense<7.000000e+00> : tensor<2xf32>");
}

// One op on every class of element; stays within the type.
static std::string reduceOf(const std::string &op, const std::string &type,
                            const std::string &values,
                            const std::string &start) {
  return evaluateOp("graph.reduce_with (%0), (%1) [0] {\n^bb0(%a: tensor<" +
                        type + ">, %b: tensor<" + type + ">):\n  %s = graph." +
                        op + " %a, %b : tensor<" + type +
                        ">\n  graph.yield %s : tensor<" + type +
                        ">\n} : (tensor<3x" + type + ">, tensor<" + type +
                        ">) -> tensor<" + type + ">",
                    "tensor<" + type + ">",
                    {"dense<" + values + "> : tensor<3x" + type + ">",
                     "dense<" + start + "> : tensor<" + type + ">"});
}

TEST(EvalFoldWithRegion, EveryClassOfElement) {
  EXPECT_EQ(reduceOf("add", "ui8", "[200, 100, 1]", "0"),
            "dense<45> : tensor<ui8>");
  EXPECT_EQ(reduceOf("add", "i4", "[7, 1, 0]", "0"), "dense<-8> : tensor<i4>");
  EXPECT_EQ(reduceOf("xor", "i1", "[true, true, true]", "false"),
            "dense<true> : tensor<i1>");
  EXPECT_EQ(reduceOf("max", "ui64", "[18446744073709551615, 1, 2]", "0"),
            "dense<18446744073709551615> : tensor<ui64>");
  EXPECT_EQ(reduceOf("add", "f32", "[16777216.0, 1.0, 1.0]", "0.0"),
            "dense<0x4B800000> : tensor<f32>"); // each step rounds
  EXPECT_EQ(reduceOf("add", "f64", "[16777216.0, 1.0, 1.0]", "0.0"),
            "dense<0x4170000020000000> : tensor<f64>");
  EXPECT_EQ(reduceOf("add", "bf16", "[256.0, 1.0, 1.0]", "0.0"),
            "dense<2.560000e+02> : tensor<bf16>");
  EXPECT_EQ(reduceOf("mul", "complex<f64>",
                     "[(0.0, 1.0), (0.0, 1.0), (2.0, "
                     "0.0)]",
                     "(1.0, 0.0)"),
            "dense<(-2.000000e+00,0.000000e+00)> : tensor<complex<f64>>");
  EXPECT_EQ(reduceOf("min", "f32", "[1.0, 0x7FC00000, 2.0]", "0x7F800000"),
            "dense<0x7FC00000> : tensor<f32>");
}

TEST(EvalFoldWithRegion, Window) {
  // Padding takes part with the start value.
  EXPECT_EQ(
      evaluateOp(
          R"(graph.reduce_window_with (%0), (%1) window [2] strides [2] low [1] high [0] base_dilation [1] dilation [1] {
      ^bb0(%a: tensor<i32>, %b: tensor<i32>):
        %s = graph.add %a, %b : tensor<i32>
        graph.yield %s : tensor<i32>
      } : (tensor<5xi32>, tensor<i32>) -> tensor<3xi32>)",
          "tensor<3xi32>",
          {"dense<[1, 2, 3, 4, 5]> : tensor<5xi32>",
           "dense<100> : tensor<i32>"}),
      "dense<[201, 105, 109]> : tensor<3xi32>");
}

TEST(EvalFoldWithRegion, WindowPicksPlaces) {
  const char *body =
      R"(  %v, %i = graph.reduce_window_with (%0, %1), (%2, %3) window [1, 2] strides [1, 2] low [0, 0] high [0, 1] base_dilation [1, 1] dilation [1, 1] {
      ^bb0(%a: tensor<f32>, %i: tensor<i64>, %b: tensor<f32>, %j: tensor<i64>):
        %c = graph.compare ge, %a, %b : tensor<f32> -> tensor<i1>
        %v = graph.select %c, %a, %b : tensor<i1>, tensor<f32>
        %k = graph.select %c, %i, %j : tensor<i1>, tensor<i64>
        graph.yield %v, %k : tensor<f32>, tensor<i64>
      } : (tensor<2x3xf32>, tensor<2x3xi64>, tensor<f32>, tensor<i64>) -> (tensor<2x2xf32>, tensor<2x2xi64>)
  return %v, %i)";
  EXPECT_EQ(evaluateBody(body, "tensor<2x2xf32>, tensor<2x2xi64>",
                         {"dense<[[1.0, 4.0, 2.0], [5.0, 3.0, -1.0]]> : "
                          "tensor<2x3xf32>",
                          "dense<[[0, 1, 2], [3, 4, 5]]> : tensor<2x3xi64>",
                          "dense<0xFF800000> : tensor<f32>",
                          "dense<-1> : tensor<i64>"}),
            "dense<[[4.000000e+00, 2.000000e+00], [5.000000e+00, "
            "-1.000000e+00]]> : tensor<2x2xf32>\n"
            "dense<[[1, 2], [3, 5]]> : tensor<2x2xi64>");
}

TEST(EvalFoldWithRegion, ConvertsComparesAndClamps) {
  EXPECT_EQ(
      evaluateOp(R"(graph.reduce_with (%0), (%1) [0] {
      ^bb0(%a: tensor<i8>, %b: tensor<i8>):
        %x = graph.convert %a : tensor<i8> -> tensor<f32>
        %y = graph.convert %b : tensor<i8> -> tensor<f32>
        %d = graph.div %y, %2 : tensor<f32>
        %s = graph.add %x, %d : tensor<f32>
        %f = graph.is_finite %s : tensor<f32> -> tensor<i1>
        %t = graph.select %f, %s, %x : tensor<i1>, tensor<f32>
        %k = graph.clamp %3, %t, %4 : tensor<f32>
        %u = graph.bitcast %k : tensor<f32> -> tensor<i32>
        %v = graph.bitcast %u : tensor<i32> -> tensor<f32>
        %r = graph.convert %v : tensor<f32> -> tensor<i8>
        graph.yield %r : tensor<i8>
      } : (tensor<4xi8>, tensor<i8>) -> tensor<i8>)",
                 "tensor<i8>",
                 {"dense<[5, 9, -100, 127]> : tensor<4xi8>",
                  "dense<1> : tensor<i8>", "dense<2.0> : tensor<f32>",
                  "dense<-4.0> : tensor<f32>", "dense<50.0> : tensor<f32>"}),
      "dense<50> : tensor<i8>");
}
