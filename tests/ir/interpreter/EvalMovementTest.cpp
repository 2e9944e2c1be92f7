// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Movement ops: odd parts, empty ones, sizes known at run time only.

#include "EvaluateText.h"
#include <gtest/gtest.h>

using namespace zenith::interpreter;

static const char *const six =
    "dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>";

TEST(EvalMovement, ConstantsOfEveryWidth) {
  EXPECT_EQ(evaluateOp("graph.constant dense<[true, false]> : tensor<2xi1>",
                       "tensor<2xi1>"),
            "dense<[true, false]> : tensor<2xi1>");
  EXPECT_EQ(
      evaluateOp("graph.constant dense<true> : tensor<9xi1>", "tensor<9xi1>"),
      "dense<true> : tensor<9xi1>");
  EXPECT_EQ(evaluateOp("graph.constant dense<[-8, 7]> : tensor<2xi4>",
                       "tensor<2xi4>"),
            "dense<[-8, 7]> : tensor<2xi4>");
  EXPECT_EQ(evaluateOp("graph.constant dense<-1> : tensor<i64>", "tensor<i64>"),
            "dense<-1> : tensor<i64>");
}

TEST(EvalMovement, Dim) {
  EXPECT_EQ(
      evaluateModule("func.func @main(%x: tensor<?x4xf32>) -> tensor<i64> {\n  "
                     "%n = graph.dim %x, 0 : tensor<?x4xf32>\n"
                     "  return %n : tensor<i64>\n}",
                     {"dense<0.0> : tensor<7x4xf32>"}),
      "dense<7> : tensor<i64>");
}

TEST(EvalMovement, Iota) {
  EXPECT_EQ(evaluateOp("graph.iota 1 : tensor<2x3xi64>", "tensor<2x3xi64>"),
            "dense<[[0, 1, 2], [0, 1, 2]]> : tensor<2x3xi64>");
  EXPECT_EQ(evaluateOp("graph.iota 0 : tensor<2x2xf16>", "tensor<2x2xf16>"),
            "dense<[[0.000000e+00, 0.000000e+00], [1.000000e+00, "
            "1.000000e+00]]> : tensor<2x2xf16>");
  std::string text = "func.func @main(%n: tensor<i64>) -> tensor<?xi32> {\n  "
                     "%r = graph.iota 0 [%n] : tensor<?xi32>\n"
                     "  return %r : tensor<?xi32>\n}";
  EXPECT_EQ(evaluateModule(text, {"dense<3> : tensor<i64>"}),
            "dense<[0, 1, 2]> : tensor<3xi32>");
  EXPECT_EQ(evaluateModule(text, {"dense<0> : tensor<i64>"}),
            "dense<> : tensor<0xi32>");
  EXPECT_NE(evaluateModule(text, {"dense<-1> : tensor<i64>"})
                .find("negative dimension -1"),
            std::string::npos);
  Options options;
  options.maxTensorBytes = 1000;
  EXPECT_NE(evaluateModule(text, {"dense<1000> : tensor<i64>"}, options)
                .find("the limit is 1000"),
            std::string::npos);
  EXPECT_NE(evaluateModule(text, {"dense<9223372036854775807> : tensor<i64>"})
                .find("more than 2^63"),
            std::string::npos);
}

TEST(EvalMovement, Broadcast) {
  EXPECT_EQ(
      evaluateOp("graph.broadcast %0 [1] : tensor<2xi32> -> tensor<2x2xi32>",
                 "tensor<2x2xi32>", {"dense<[1, 2]> : tensor<2xi32>"}),
      "dense<[[1, 2], [1, 2]]> : tensor<2x2xi32>");
  EXPECT_EQ(
      evaluateOp(
          "graph.broadcast %0 [0, 1] : tensor<2x1xi32> -> tensor<2x3xi32>",
          "tensor<2x3xi32>", {"dense<[[1], [2]]> : tensor<2x1xi32>"}),
      "dense<[[1, 1, 1], [2, 2, 2]]> : tensor<2x3xi32>");
  EXPECT_EQ(evaluateOp("graph.broadcast %0 [] : tensor<f32> -> tensor<0x2xf32>",
                       "tensor<0x2xf32>", {"dense<1.0> : tensor<f32>"}),
            "dense<> : tensor<0x2xf32>");
  std::string text =
      "func.func @main(%x: tensor<?xi32>, %n: tensor<i64>) -> tensor<?xi32> {\n"
      "  %r = graph.broadcast %x [0] [%n] : tensor<?xi32> -> tensor<?xi32>\n  "
      "return %r : tensor<?xi32>\n}";
  EXPECT_EQ(evaluateModule(text, {"dense<[5, 6]> : tensor<2xi32>",
                                  "dense<2> : tensor<i64>"}),
            "dense<[5, 6]> : tensor<2xi32>");
  EXPECT_NE(evaluateModule(
                text, {"dense<5> : tensor<1xi32>", "dense<2> : tensor<i64>"})
                .find("operand dimension 0 is 1 at run time"),
            std::string::npos);
}

TEST(EvalMovement, Reshape) {
  EXPECT_EQ(evaluateOp("graph.reshape %0 : tensor<2x3xi32> -> tensor<3x2xi32>",
                       "tensor<3x2xi32>", {six}),
            "dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi32>");
  std::string text = "func.func @main(%x: tensor<2x3xi32>, %n: tensor<i64>) -> "
                     "tensor<?x2xi32> {\n"
                     "  %r = graph.reshape %x [%n] : tensor<2x3xi32> -> "
                     "tensor<?x2xi32>\n  return %r : tensor<?x2xi32>\n}";
  EXPECT_EQ(evaluateModule(text, {six, "dense<3> : tensor<i64>"}),
            "dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi32>");
  EXPECT_NE(evaluateModule(text, {six, "dense<4> : tensor<i64>"})
                .find("cannot give 6 elements the shape [4x2]"),
            std::string::npos);
}

TEST(EvalMovement, TransposeOfEveryWidth) {
  EXPECT_EQ(
      evaluateOp(
          "graph.transpose %0 [1, 0] : tensor<2x3xi32> -> tensor<3x2xi32>",
          "tensor<3x2xi32>", {six}),
      "dense<[[1, 4], [2, 5], [3, 6]]> : tensor<3x2xi32>");
  EXPECT_EQ(
      evaluateOp("graph.transpose %0 [1, 0] : tensor<2x2xi1> -> tensor<2x2xi1>",
                 "tensor<2x2xi1>",
                 {"dense<[[true, true], [false, false]]> : tensor<2x2xi1>"}),
      "dense<[[true, false], [true, false]]> : tensor<2x2xi1>");
  EXPECT_EQ(
      evaluateOp(
          "graph.transpose %0 [1, 0] : tensor<1x2xcomplex<f64>> -> "
          "tensor<2x1xcomplex<f64>>",
          "tensor<2x1xcomplex<f64>>",
          {"dense<[[(1.0, 2.0), (3.0, 4.0)]]> : tensor<1x2xcomplex<f64>>"}),
      "dense<[[(1.000000e+00,2.000000e+00)], [(3.000000e+00,4.000000e+00)]]> : "
      "tensor<2x1xcomplex<f64>>");
  EXPECT_EQ(evaluateOp("graph.transpose %0 [2, 0, 1] : tensor<1x2x2xi16> -> "
                       "tensor<2x1x2xi16>",
                       "tensor<2x1x2xi16>",
                       {"dense<[[[1, 2], [3, 4]]]> : tensor<1x2x2xi16>"}),
            "dense<[[[1, 3]], [[2, 4]]]> : tensor<2x1x2xi16>");
}

TEST(EvalMovement, Slice) {
  EXPECT_EQ(evaluateOp("graph.slice %0 [0, 1] [2, 1] [1, 1] : tensor<2x3xi32> "
                       "-> tensor<2x1xi32>",
                       "tensor<2x1xi32>", {six}),
            "dense<[[2], [5]]> : tensor<2x1xi32>");
  EXPECT_EQ(evaluateOp("graph.slice %0 [1, 0] [1, 2] [1, 2] : tensor<2x3xi32> "
                       "-> tensor<1x2xi32>",
                       "tensor<1x2xi32>", {six}),
            "dense<[[4, 6]]> : tensor<1x2xi32>");
  EXPECT_EQ(evaluateOp("graph.slice %0 [2, 0] [0, 3] [1, 1] : tensor<2x3xi32> "
                       "-> tensor<0x3xi32>",
                       "tensor<0x3xi32>", {six}),
            "dense<> : tensor<0x3xi32>");
  std::string text = "func.func @main(%x: tensor<?xi32>, %s: tensor<i64>, %n: "
                     "tensor<i64>) -> tensor<?xi32> {\n"
                     "  %r = graph.slice %x [%s] [%n] [2] : tensor<?xi32> -> "
                     "tensor<?xi32>\n  return %r : tensor<?xi32>\n}";
  std::string five = "dense<[1, 2, 3, 4, 5]> : tensor<5xi32>";
  EXPECT_EQ(evaluateModule(text, {five, "dense<1> : tensor<i64>",
                                  "dense<2> : tensor<i64>"}),
            "dense<[2, 4]> : tensor<2xi32>");
  EXPECT_NE(evaluateModule(text, {five, "dense<1> : tensor<i64>",
                                  "dense<3> : tensor<i64>"})
                .find("leaves dimension 0 of size 5"),
            std::string::npos);
  EXPECT_NE(evaluateModule(text, {five, "dense<-1> : tensor<i64>",
                                  "dense<1> : tensor<i64>"})
                .find("leaves dimension 0"),
            std::string::npos);
}

TEST(EvalMovement, Pad) {
  std::string zero = "dense<0> : tensor<i32>",
              three = "dense<[1, 2, 3]> : tensor<3xi32>";
  auto pad = [&](const std::string &attributes, int size) {
    std::string type = "tensor<" + std::to_string(size) + "xi32>";
    return evaluateOp("graph.pad %0, %1 " + attributes +
                          " : tensor<3xi32>, tensor<i32> -> " + type,
                      type, {three, zero});
  };
  EXPECT_EQ(pad("[1] [2] [0]", 6), "dense<[0, 1, 2, 3, 0, 0]> : tensor<6xi32>");
  EXPECT_EQ(pad("[0] [0] [1]", 5), "dense<[1, 0, 2, 0, 3]> : tensor<5xi32>");
  EXPECT_EQ(pad("[-1] [0] [0]", 2), "dense<[2, 3]> : tensor<2xi32>");
  EXPECT_EQ(pad("[-1] [-1] [1]", 3), "dense<[0, 2, 0]> : tensor<3xi32>");
  EXPECT_EQ(pad("[-2] [-2] [0]", 0).substr(0, 5),
            "parse"); // c5: no negative sizes
  EXPECT_EQ(evaluateOp("graph.pad %0, %1 [1] [1] [3] : tensor<0xi32>, "
                       "tensor<i32> -> tensor<2xi32>",
                       "tensor<2xi32>",
                       {"dense<> : tensor<0xi32>", "dense<7> : tensor<i32>"}),
            "dense<7> : tensor<2xi32>");
}

TEST(EvalMovement, ConcatAndReverse) {
  EXPECT_EQ(evaluateOp("graph.concat 1, %0, %1 : (tensor<2x3xi32>, "
                       "tensor<2x1xi32>) -> tensor<2x4xi32>",
                       "tensor<2x4xi32>",
                       {six, "dense<[[7], [8]]> : tensor<2x1xi32>"}),
            "dense<[[1, 2, 3, 7], [4, 5, 6, 8]]> : tensor<2x4xi32>");
  EXPECT_EQ(evaluateOp("graph.concat 0, %0, %1 : (tensor<2x3xi32>, "
                       "tensor<0x3xi32>) -> tensor<2x3xi32>",
                       "tensor<2x3xi32>", {six, "dense<> : tensor<0x3xi32>"}),
            "dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>");
  EXPECT_EQ(evaluateOp("graph.reverse %0 [0, 1] : tensor<2x3xi32>",
                       "tensor<2x3xi32>", {six}),
            "dense<[[6, 5, 4], [3, 2, 1]]> : tensor<2x3xi32>");
  EXPECT_EQ(evaluateOp("graph.reverse %0 [0] : tensor<0xf32>", "tensor<0xf32>",
                       {"dense<> : tensor<0xf32>"}),
            "dense<> : tensor<0xf32>");
}
