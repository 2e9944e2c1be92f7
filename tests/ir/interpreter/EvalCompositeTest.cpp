// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Composites: formulas on small numbers, special values, half precision.

#include "EvaluateText.h"
#include <gtest/gtest.h>

using namespace zenith::interpreter;

TEST(EvalComposite, Softmax) {
  EXPECT_EQ(
      evaluateOp("graph.softmax %0 [1] : tensor<2x2xf32>", "tensor<2x2xf32>",
                 {"dense<[[0.0, 0.0], [1000.0, 1000.0]]> : tensor<2x2xf32>"}),
      "dense<5.000000e-01> : tensor<2x2xf32>");
  EXPECT_EQ(evaluateOp("graph.softmax %0 [0] : tensor<2x1xf16>",
                       "tensor<2x1xf16>",
                       {"dense<[[0.0], [0xFC00]]> : tensor<2x1xf16>"}),
            "dense<[[1.000000e+00], [0.000000e+00]]> : tensor<2x1xf16>");
  EXPECT_EQ(evaluateOp("graph.softmax %0 [1] : tensor<2x0xf32>",
                       "tensor<2x0xf32>", {"dense<> : tensor<2x0xf32>"}),
            "dense<> : tensor<2x0xf32>");
  EXPECT_EQ(evaluateOp("graph.log_softmax %0 [0] : tensor<2xf32>",
                       "tensor<2xf32>", {"dense<3.0> : tensor<2xf32>"}),
            "dense<-0.693147182> : tensor<2xf32>");
}

TEST(EvalComposite, Norms) {
  std::string x = "dense<[[1.0, 3.0], [2.0, 2.0]]> : tensor<2x2xf32>",
              s = "dense<[2.0, 4.0]> : tensor<2xf32>",
              b = "dense<[0.0, 1.0]> : tensor<2xf32>";
  EXPECT_EQ(
      evaluateOp(
          "graph.layer_norm %0, %1, %2 {axis = 1 : i64, epsilon = 0.0 : f64} : "
          "(tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2x2xf32>",
          "tensor<2x2xf32>",
          {"dense<[[1.0, 3.0], [4.0, 2.0]]> : tensor<2x2xf32>", s, b}),
      "dense<[[-2.000000e+00, 5.000000e+00], [2.000000e+00, -3.000000e+00]]> : "
      "tensor<2x2xf32>");
  EXPECT_EQ(evaluateOp("graph.layer_norm %0 {axis = 0 : i64, epsilon = 0.0 : "
                       "f64} : (tensor<2xf64>) -> tensor<2xf64>",
                       "tensor<2xf64>", {"dense<[1.0, 3.0]> : tensor<2xf64>"}),
            "dense<[-1.000000e+00, 1.000000e+00]> : tensor<2xf64>");
  EXPECT_EQ(
      evaluateOp("graph.rms_norm %0, %1 {axis = 1 : i64, epsilon = 0.0 : f64} "
                 ": (tensor<1x2xf32>, tensor<2xf32>) -> tensor<1x2xf32>",
                 "tensor<1x2xf32>",
                 {"dense<[[2.0, -2.0]]> : tensor<1x2xf32>", s}),
      "dense<[[2.000000e+00, -4.000000e+00]]> : tensor<1x2xf32>");
  EXPECT_EQ(evaluateOp(
                "graph.batch_norm %0, %1, %2, %3, %4 {dim = 1 : i64, epsilon = "
                "0.0 : f64} : (tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>, "
                "tensor<2xf32>, tensor<2xf32>) -> tensor<2x2xf32>",
                "tensor<2x2xf32>",
                {x, s, b, "dense<[1.0, 2.0]> : tensor<2xf32>",
                 "dense<[4.0, 1.0]> : tensor<2xf32>"}),
            "dense<[[0.000000e+00, 5.000000e+00], [1.000000e+00, "
            "1.000000e+00]]> : tensor<2x2xf32>");
}

TEST(EvalComposite, Gelu) {
  EXPECT_EQ(evaluateOp("graph.gelu erf, %0 : tensor<2xf32>", "tensor<2xf32>",
                       {"dense<[0.0, 1.0]> : tensor<2xf32>"}),
            "dense<[0.000000e+00, 0.841344773]> : tensor<2xf32>");
  EXPECT_EQ(evaluateOp("graph.gelu tanh, %0 : tensor<1xf32>", "tensor<1xf32>",
                       {"dense<1.0> : tensor<1xf32>"}),
            "dense<8.411920e-01> : tensor<1xf32>");
}

TEST(EvalComposite, Attention) {
  std::string q = "dense<0.0> : tensor<2x1xf32>",
              k = "dense<1.0> : tensor<3x1xf32>",
              v = "dense<[[3.0], [6.0], [9.0]]> : tensor<3x1xf32>";
  std::string types =
      "(tensor<2x1xf32>, tensor<3x1xf32>, tensor<3x1xf32>) -> tensor<2x1xf32>";
  EXPECT_EQ(
      evaluateOp("graph.attention %0, %1, %2 {scale = 1.0 : f64} : " + types,
                 "tensor<2x1xf32>", {q, k, v}),
      "dense<6.000000e+00> : tensor<2x1xf32>");
  EXPECT_EQ(
      evaluateOp("graph.attention %0, %1, %2 {scale = 1.0 : f64, causal} : " +
                     types,
                 "tensor<2x1xf32>", {q, k, v}),
      "dense<[[4.500000e+00], [6.000000e+00]]> : tensor<2x1xf32>");
  EXPECT_EQ(evaluateOp("graph.attention %0, %1, %2, %3 {scale = 1.0 : f64} : "
                       "(tensor<2x1xf32>, tensor<3x1xf32>, tensor<3x1xf32>, "
                       "tensor<2x3xf32>) -> tensor<2x1xf32>",
                       "tensor<2x1xf32>",
                       {q, k, v,
                        "dense<[[0.0, 0xFF800000, 0xFF800000], [0xFF800000, "
                        "0xFF800000, 0.0]]> : tensor<2x3xf32>"}),
            "dense<[[3.000000e+00], [9.000000e+00]]> : tensor<2x1xf32>");
  // A row without keys: uniform weights where scores become a number, NaN where
  // they become -inf, zeros behind a guard.
  auto masked = [&](const std::string &attributes) {
    return evaluateOp(
        "graph.attention %0, %1, %2, %3 {scale = 1.0 : f64" + attributes +
            "} : (tensor<2x1xf32>, tensor<3x1xf32>, tensor<3x1xf32>, "
            "tensor<2x3xi1>) -> tensor<2x1xf32>",
        "tensor<2x1xf32>",
        {q, k, v,
         "dense<[[true, false, true], [false, false, false]]> : "
         "tensor<2x3xi1>"});
  };
  EXPECT_EQ(masked(", removed = -1.0e9 : f64"),
            "dense<6.000000e+00> : tensor<2x1xf32>");
  // A NaN of either sign.
  EXPECT_NE(masked("").find("[6.000000e+00], [0x"), std::string::npos);
  EXPECT_EQ(masked(", guarded"),
            "dense<[[6.000000e+00], [0.000000e+00]]> : tensor<2x1xf32>");
}
