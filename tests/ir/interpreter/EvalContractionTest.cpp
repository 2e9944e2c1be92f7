// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products and convolutions: batching, odd sizes, empty sums, groups,
// dilations, every kind of element.

#include "EvaluateText.h"
#include <gtest/gtest.h>

using namespace zenith::interpreter;

static std::string matmul(const std::string &element, const std::string &result,
                          const std::string &x, const std::string &y) {
  std::string l = "tensor<2x3x" + element + ">",
              r = "tensor<3x1x" + element + ">",
              o = "tensor<2x1x" + result + ">";
  return evaluateOp("graph.dot_general %0, %1 <batching = [] x [], contracting "
                    "= [1] x [0]> : (" +
                        l + ", " + r + ") -> " + o,
                    o, {"dense<" + x + "> : " + l, "dense<" + y + "> : " + r});
}

TEST(EvalContraction, DotOfEveryKindOfElement) {
  const char *x = "[[1, 2, 3], [4, 5, 6]]", *y = "[[1], [-1], [2]]";
  const char *fx = "[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]",
             *fy = "[[1.0], [-1.0], [2.0]]";
  EXPECT_EQ(matmul("i32", "i32", x, y), "dense<[[5], [11]]> : tensor<2x1xi32>");
  EXPECT_EQ(matmul("i8", "i32", x, y), "dense<[[5], [11]]> : tensor<2x1xi32>");
  EXPECT_EQ(matmul("i4", "i4", x, y), "dense<[[5], [-5]]> : tensor<2x1xi4>");
  EXPECT_EQ(matmul("f32", "f32", fx, fy),
            "dense<[[5.000000e+00], [1.100000e+01]]> : tensor<2x1xf32>");
  EXPECT_EQ(matmul("f64", "f64", fx, fy),
            "dense<[[5.000000e+00], [1.100000e+01]]> : tensor<2x1xf64>");
  EXPECT_EQ(matmul("f16", "f32", fx, fy),
            "dense<[[5.000000e+00], [1.100000e+01]]> : tensor<2x1xf32>");
  EXPECT_EQ(matmul("bf16", "bf16", fx, fy),
            "dense<[[5.000000e+00], [1.100000e+01]]> : tensor<2x1xbf16>");
  EXPECT_EQ(matmul("complex<f32>", "complex<f32>", "(0.0, 1.0)", "(0.0, 1.0)"),
            "dense<(-3.000000e+00,0.000000e+00)> : tensor<2x1xcomplex<f32>>");
}

TEST(EvalContraction, DotBatchesAndReorders) {
  // lhs [k, b, m], rhs [b, n, k]
  EXPECT_EQ(
      evaluateOp(
          "graph.dot_general %0, %1 <batching = [1] x [0], contracting = [0] x "
          "[2]> : (tensor<2x2x1xi64>, tensor<2x2x2xi64>) -> tensor<2x1x2xi64>",
          "tensor<2x1x2xi64>",
          {"dense<[[[1], [2]], [[3], [4]]]> : tensor<2x2x1xi64>",
           "dense<[[[1, 0], [0, 1]], [[1, 1], [2, 0]]]> : tensor<2x2x2xi64>"}),
      "dense<[[[1, 3]], [[6, 4]]]> : tensor<2x1x2xi64>");
  EXPECT_EQ(
      evaluateOp(
          "graph.dot_general %0, %1 <batching = [] x [], contracting = [] x "
          "[]> : (tensor<2xi64>, tensor<2xi64>) -> tensor<2x2xi64>",
          "tensor<2x2xi64>",
          {"dense<[1, 2]> : tensor<2xi64>", "dense<[3, 4]> : tensor<2xi64>"}),
      "dense<[[3, 4], [6, 8]]> : tensor<2x2xi64>");
}

TEST(EvalContraction, DotOfNothingIsZero) {
  EXPECT_EQ(
      evaluateOp(
          "graph.dot_general %0, %1 <batching = [] x [], contracting = [1] x "
          "[0]> : (tensor<2x0xf32>, tensor<0x2xf32>) -> tensor<2x2xf32>",
          "tensor<2x2xf32>",
          {"dense<> : tensor<2x0xf32>", "dense<> : tensor<0x2xf32>"}),
      "dense<0.000000e+00> : tensor<2x2xf32>");
  EXPECT_EQ(
      evaluateOp(
          "graph.dot_general %0, %1 <batching = [] x [], contracting = [1] x "
          "[0]> : (tensor<0x3xf32>, tensor<3x2xf32>) -> tensor<0x2xf32>",
          "tensor<0x2xf32>",
          {"dense<> : tensor<0x3xf32>", "dense<1.0> : tensor<3x2xf32>"}),
      "dense<> : tensor<0x2xf32>");
}

TEST(EvalContraction, DotOfManyColumnsAndRows) {
  // 5 rows and 19 columns leave remainders in both directions; all sums are 7.
  EXPECT_EQ(
      evaluateOp(
          "graph.dot_general %0, %1 <batching = [] x [], contracting = [1] x "
          "[0]> : (tensor<5x7xf32>, tensor<7x19xf32>) -> tensor<5x19xf32>",
          "tensor<5x19xf32>",
          {"dense<1.0> : tensor<5x7xf32>", "dense<1.0> : tensor<7x19xf32>"}),
      "dense<7.000000e+00> : tensor<5x19xf32>");
}

// Of few terms as written, of many by blocks of 16.
TEST(EvalContraction, DotIsRoundedByBlocks) {
  auto dot = [](int64_t terms, const std::string &lhs) {
    std::string type = "tensor<" + std::to_string(terms) + "xf32>";
    return evaluateOp(
        "graph.dot_general %0, %1 <batching = [] x [], contracting = "
        "[0] x [0]> : (" +
            type + ", " + type + ") -> tensor<f32>",
        "tensor<f32>",
        {"dense<[" + lhs + "]> : " + type, "dense<1.0> : " + type});
  };
  EXPECT_EQ(dot(3, "1.0e8, 1.0, -1.0e8"), "dense<0.000000e+00> : tensor<f32>");
  std::string ones = "1.0e8";
  for (int i = 1; i < 32; ++i)
    ones += ", 1.0";
  EXPECT_EQ(dot(32, ones), "dense<0x4CBEBC22> : tensor<f32>");
}

static std::string convolve(const std::string &attributes,
                            const std::string &input, const std::string &kernel,
                            const std::string &result) {
  auto typeOf = [](const std::string &value) {
    return value.substr(value.rfind(" : ") + 3);
  };
  return evaluateOp("graph.convolution %0, %1 <input = (0, 1, [2]), kernel = "
                    "(1, 0, [2]), output = (0, 1, [2])> " +
                        attributes + " : (" + typeOf(input) + ", " +
                        typeOf(kernel) + ") -> " + result,
                    result, {input, kernel});
}

TEST(EvalContraction, Convolution) {
  std::string x = "dense<[[[1, 2, 3, 4]]]> : tensor<1x1x4xi32>",
              k = "dense<[[[1, 0, -1]]]> : tensor<1x1x3xi32>";
  EXPECT_EQ(convolve("strides [1] low [0] high [0] input_dilation [1] "
                     "kernel_dilation [1] groups 1",
                     x, k, "tensor<1x1x2xi32>"),
            "dense<-2> : tensor<1x1x2xi32>");
  EXPECT_EQ(convolve("strides [2] low [1] high [1] input_dilation [1] "
                     "kernel_dilation [1] groups 1",
                     x, k, "tensor<1x1x2xi32>"),
            "dense<-2> : tensor<1x1x2xi32>");
  EXPECT_EQ(convolve("strides [1] low [0] high [0] input_dilation [2] "
                     "kernel_dilation [1] groups 1",
                     x, k, "tensor<1x1x5xi32>"),
            "dense<[[[-1, 0, -1, 0, -1]]]> : tensor<1x1x5xi32>");
  EXPECT_EQ(convolve("strides [1] low [1] high [1] input_dilation [1] "
                     "kernel_dilation [2] groups 1",
                     x, k, "tensor<1x1x2xi32>"),
            "dense<[[[-4, 1]]]> : tensor<1x1x2xi32>");
}

TEST(EvalContraction, ConvolutionInGroupsAndChannelsLast) {
  EXPECT_EQ(convolve("strides [1] low [0] high [0] input_dilation [1] "
                     "kernel_dilation [1] groups 2",
                     "dense<[[[1.0, 2.0], [3.0, 4.0]]]> : tensor<1x2x2xf32>",
                     "dense<[[[10.0]], [[100.0]]]> : tensor<2x1x1xf32>",
                     "tensor<1x2x2xf32>"),
            "dense<[[[1.000000e+01, 2.000000e+01], [3.000000e+02, "
            "4.000000e+02]]]> : tensor<1x2x2xf32>");
  // NWC input, WIO kernel.
  EXPECT_EQ(
      evaluateOp("graph.convolution %0, %1 <input = (0, 2, [1]), kernel = (1, "
                 "2, [0]), output = (0, 2, [1])> strides [1] low [0] high [0] "
                 "input_dilation [1] kernel_dilation [1] groups 1 : "
                 "(tensor<1x2x2xi32>, tensor<1x2x1xi32>) -> tensor<1x2x1xi32>",
                 "tensor<1x2x1xi32>",
                 {"dense<[[[1, 2], [3, 4]]]> : tensor<1x2x2xi32>",
                  "dense<[[[10], [1]]]> : tensor<1x2x1xi32>"}),
      "dense<[[[12], [34]]]> : tensor<1x2x1xi32>");
}
