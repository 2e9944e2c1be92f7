// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gathers and slices at positions from data: clamping, batching, empty parts.

#include "EvaluateText.h"
#include <gtest/gtest.h>

using namespace zenith::interpreter;

static const char *const table =
    "dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi32>";

TEST(EvalIndexing, GatherRows) {
  EXPECT_EQ(
      evaluateOp(
          "graph.gather %0, %1 <offset = [1], collapsed = [0], batching = [] x "
          "[], index_map = [0], index_vector_dim = 1> sizes [1, 2] "
          ": (tensor<3x2xi32>, tensor<4xi64>) -> tensor<4x2xi32>",
          "tensor<4x2xi32>", {table, "dense<[2, 0, -5, 99]> : tensor<4xi64>"}),
      "dense<[[5, 6], [1, 2], [1, 2], [5, 6]]> : tensor<4x2xi32>");
}

TEST(EvalIndexing, GatherElementsByVectors) {
  EXPECT_EQ(
      evaluateOp(
          "graph.gather %0, %1 <offset = [], collapsed = [0, 1], batching = [] "
          "x [], index_map = [0, 1], index_vector_dim = 1> sizes [1, 1] "
          ": (tensor<3x2xi32>, tensor<2x2xi32>) -> tensor<2xi32>",
          "tensor<2xi32>",
          {table, "dense<[[0, 1], [2, 0]]> : tensor<2x2xi32>"}),
      "dense<[2, 5]> : tensor<2xi32>");
}

TEST(EvalIndexing, GatherInBatches) {
  EXPECT_EQ(
      evaluateOp(
          "graph.gather %0, %1 <offset = [], collapsed = [1], batching = [0] x "
          "[0], index_map = [1], index_vector_dim = 1> sizes [1, 1] "
          ": (tensor<3x2xi32>, tensor<3xi64>) -> tensor<3xi32>",
          "tensor<3xi32>", {table, "dense<[1, 0, 1]> : tensor<3xi64>"}),
      "dense<[2, 3, 6]> : tensor<3xi32>");
}

TEST(EvalIndexing, GatherNothing) {
  EXPECT_EQ(
      evaluateOp(
          "graph.gather %0, %1 <offset = [1], collapsed = [0], batching = [] x "
          "[], index_map = [0], index_vector_dim = 1> sizes [1, 2] "
          ": (tensor<3x2xi32>, tensor<0xi64>) -> tensor<0x2xi32>",
          "tensor<0x2xi32>", {table, "dense<> : tensor<0xi64>"}),
      "dense<> : tensor<0x2xi32>");
}

TEST(EvalIndexing, DynamicSlices) {
  std::string one = "dense<1> : tensor<i64>", many = "dense<9> : tensor<i64>";
  EXPECT_EQ(evaluateOp("graph.dynamic_slice %0, %1, %2 : (tensor<3x2xi32>, "
                       "tensor<i64>, tensor<i64>) -> tensor<2x1xi32>",
                       "tensor<2x1xi32>", {table, one, many}),
            "dense<[[4], [6]]> : tensor<2x1xi32>");
  EXPECT_EQ(evaluateOp(
                "graph.dynamic_update_slice %0, %1, %2, %3 : (tensor<3x2xi32>, "
                "tensor<1x1xi32>, tensor<i64>, tensor<i64>) -> tensor<3x2xi32>",
                "tensor<3x2xi32>",
                {table, "dense<7> : tensor<1x1xi32>", many, one}),
            "dense<[[1, 2], [3, 4], [5, 7]]> : tensor<3x2xi32>");
}
