// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scatters of every kind: windows outside, equal positions, batches, regions,
// small types.

#include "EvaluateText.h"
#include <gtest/gtest.h>

using namespace zenith::interpreter;

static std::string scatterRows(const std::string &kind,
                               const std::string &element,
                               const std::string &operand,
                               const std::string &indices,
                               const std::string &updates) {
  std::string x = "tensor<4x" + element + ">", u = "tensor<3x" + element + ">";
  return evaluateOp("graph.scatter " + kind +
                        ", %0, %1, %2 <window = [], inserted = [0], batching = "
                        "[] x [], index_map = [0], index_vector_dim = 1> : (" +
                        x + ", tensor<3x1xi32>, " + u + ") -> " + x,
                    x,
                    {"dense<" + operand + "> : " + x,
                     "dense<" + indices + "> : tensor<3x1xi32>",
                     "dense<" + updates + "> : " + u});
}

TEST(EvalScatter, Kinds) {
  std::string x = "[1, 2, 3, 4]", i = "[[2], [0], [2]]", u = "[10, 20, -30]";
  EXPECT_EQ(scatterRows("set", "i32", x, i, u),
            "dense<[20, 2, -30, 4]> : tensor<4xi32>");
  EXPECT_EQ(scatterRows("sum", "i32", x, i, u),
            "dense<[21, 2, -17, 4]> : tensor<4xi32>");
  EXPECT_EQ(scatterRows("prod", "i64", x, i, u),
            "dense<[20, 2, -900, 4]> : tensor<4xi64>");
  EXPECT_EQ(scatterRows("max", "i8", x, i, u),
            "dense<[20, 2, 10, 4]> : tensor<4xi8>");
  EXPECT_EQ(scatterRows("min", "i16", x, i, u),
            "dense<[1, 2, -30, 4]> : tensor<4xi16>");
}

TEST(EvalScatter, WindowsOutsideAreSkipped) {
  EXPECT_EQ(
      scatterRows("sum", "f32", "0.0", "[[-1], [4], [3]]", "[1.0, 2.0, 3.0]"),
      "dense<[0.000000e+00, 0.000000e+00, 0.000000e+00, 3.000000e+00]> "
      ": tensor<4xf32>");
  // A window that is partly outside is skipped as a whole.
  EXPECT_EQ(
      evaluateOp("graph.scatter set, %0, %1, %2 <window = [1], inserted = [], "
                 "batching = [] x [], index_map = [0], index_vector_dim = 1> : "
                 "(tensor<4xi8>, tensor<2x1xi64>, tensor<2x2xi8>) -> "
                 "tensor<4xi8>",
                 "tensor<4xi8>",
                 {"dense<0> : tensor<4xi8>",
                  "dense<[[3], [0]]> : "
                  "tensor<2x1xi64>",
                  "dense<[[1, 2], [3, 4]]> : tensor<2x2xi8>"}),
      "dense<[3, 4, 0, 0]> : tensor<4xi8>");
}

TEST(EvalScatter, SmallAndComplexTypes) {
  EXPECT_EQ(scatterRows("sum", "bf16", "1.0", "[[0], [0], [1]]",
                        "[1.0, 256.0, -1.0]"),
            "dense<[2.580000e+02, 0.000000e+00, 1.000000e+00, 1.000000e+00]> "
            ": tensor<4xbf16>");
  EXPECT_EQ(scatterRows("sum", "ui8", "250", "[[0], [0], [1]]", "[5, 5, 1]"),
            "dense<[4, 251, 250, 250]> : tensor<4xui8>");
  EXPECT_EQ(scatterRows("sum", "i4", "7", "[[0], [1], [1]]", "[1, -1, -1]"),
            "dense<[-8, 5, 7, 7]> : tensor<4xi4>");
  EXPECT_EQ(scatterRows("max", "i1", "false", "[[3], [3], [1]]",
                        "[true, false, true]"),
            "dense<[false, true, false, true]> : tensor<4xi1>");
  EXPECT_EQ(scatterRows("max", "f32", "0.0", "[[0], [1], [1]]",
                        "[0x7FC00000, -1.0, 2.0]"),
            "dense<[0x7FC00000, 2.000000e+00, 0.000000e+00, 0.000000e+00]> : "
            "tensor<4xf32>");
  EXPECT_EQ(scatterRows("prod", "complex<f32>", "(0.0, 1.0)", "[[0], [0], [1]]",
                        "[(0.0, 1.0), (2.0, 0.0), (1.0, 1.0)]"),
            "dense<[(-2.000000e+00,0.000000e+00), (-1.000000e+00,1.000000e+00)"
            ", (0.000000e+00,1.000000e+00), (0.000000e+00,1.000000e+00)]> : "
            "tensor<4xcomplex<f32>>");
}

TEST(EvalScatter, BatchesAndColumns) {
  // Row b of the operand takes updates at column index[b].
  EXPECT_EQ(
      evaluateOp("graph.scatter sum, %0, %1, %2 <window = [], inserted = [1], "
                 "batching = [0] x [0], index_map = [1], index_vector_dim = 2> "
                 ": (tensor<2x3xi32>, tensor<2x2x1xi64>, tensor<2x2xi32>) -> "
                 "tensor<2x3xi32>",
                 "tensor<2x3xi32>",
                 {"dense<0> : tensor<2x3xi32>",
                  "dense<[[[0], [2]], [[1], [1]]]> : tensor<2x2x1xi64>",
                  "dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>"}),
      "dense<[[1, 0, 2], [0, 7, 0]]> : tensor<2x3xi32>");
  // Windows are columns; index vectors lie along dimension 0.
  EXPECT_EQ(
      evaluateOp("graph.scatter set, %0, %1, %2 <window = [0], inserted = [1], "
                 "batching = [] x [], index_map = [1], index_vector_dim = 0> "
                 ": (tensor<2x3xi32>, tensor<1x2xui8>, tensor<2x2xi32>) -> "
                 "tensor<2x3xi32>",
                 "tensor<2x3xi32>",
                 {"dense<0> : tensor<2x3xi32>",
                  "dense<[[2, 0]]> : tensor<1x2xui8>",
                  "dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>"}),
      "dense<[[2, 0, 1], [4, 0, 3]]> : tensor<2x3xi32>");
}

TEST(EvalScatter, Nothing) {
  EXPECT_EQ(
      evaluateOp("graph.scatter sum, %0, %1, %2 <window = [1], inserted = [0], "
                 "batching = [] x [], index_map = [0], index_vector_dim = 1> : "
                 "(tensor<2x2xf32>, tensor<0x1xi64>, tensor<0x2xf32>) -> "
                 "tensor<2x2xf32>",
                 "tensor<2x2xf32>",
                 {"dense<1.0> : tensor<2x2xf32>", "dense<> : tensor<0x1xi64>",
                  "dense<> : tensor<0x2xf32>"}),
      "dense<1.000000e+00> : tensor<2x2xf32>");
}

TEST(EvalScatter, OperandKeepsItsValue) {
  EXPECT_EQ(
      evaluateBody("  %r = graph.scatter sum, %0, %1, %0 <window = [], "
                   "inserted = [0], batching = [] x [], index_map = [0], "
                   "index_vector_dim = 1> : (tensor<2xi32>, tensor<2x1xi64>, "
                   "tensor<2xi32>) -> tensor<2xi32>\n  return %r",
                   "tensor<2xi32>",
                   {"dense<[1, 10]> : tensor<2xi32>",
                    "dense<[[1], [0]]> : tensor<2x1xi64>"}),
      "dense<11> : tensor<2xi32>");
}

TEST(EvalScatter, WithRegion) {
  EXPECT_EQ(
      evaluateBody(
          R"(  %a, %b = graph.scatter_with (%0, %1), %2, (%3, %4) <window = [], inserted = [0], batching = [] x [], index_map = [0], index_vector_dim = 1> {
      ^bb0(%x: tensor<f32>, %i: tensor<i64>, %u: tensor<f32>, %j: tensor<i64>):
        %c = graph.compare gt, %u, %x : tensor<f32> -> tensor<i1>
        %v = graph.select %c, %u, %x : tensor<i1>, tensor<f32>
        %k = graph.select %c, %j, %i : tensor<i1>, tensor<i64>
        graph.yield %v, %k : tensor<f32>, tensor<i64>
      } : (tensor<3xf32>, tensor<3xi64>, tensor<4x1xi64>, tensor<4xf32>, tensor<4xi64>) -> (tensor<3xf32>, tensor<3xi64>)
  return %a, %b)",
          "tensor<3xf32>, tensor<3xi64>",
          {"dense<0.0> : tensor<3xf32>", "dense<-1> : tensor<3xi64>",
           "dense<[[1], [1], [0], [7]]> : tensor<4x1xi64>",
           "dense<[2.0, 1.0, -1.0, 9.0]> : tensor<4xf32>",
           "dense<[0, 1, 2, 3]> : tensor<4xi64>"}),
      "dense<[0.000000e+00, 2.000000e+00, 0.000000e+00]> : tensor<3xf32>\n"
      "dense<[-1, 0, -1]> : tensor<3xi64>");
}

TEST(EvalScatter, RuntimeShapesMustFit) {
  std::string text = evaluateModule(R"(
func.func @main(%x: tensor<4xf32>, %i: tensor<?x1xi64>, %u: tensor<?xf32>) -> tensor<4xf32> {
  %r = graph.scatter sum, %x, %i, %u <window = [], inserted = [0], batching = [] x [], index_map = [0], index_vector_dim = 1>
    : (tensor<4xf32>, tensor<?x1xi64>, tensor<?xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
})",
                                    {"dense<0.0> : tensor<4xf32>",
                                     "dense<0> : tensor<3x1xi64>",
                                     "dense<0.0> : tensor<2xf32>"});
  EXPECT_NE(text.find("'graph.scatter' op dimension 0 of the indices is 3"),
            std::string::npos)
      << text;
}
