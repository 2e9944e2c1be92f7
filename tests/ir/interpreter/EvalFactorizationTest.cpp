// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Triangular factors and solutions, and Fourier transforms, on values whose
// results are exact.

#include "EvaluateText.h"
#include <gtest/gtest.h>

using namespace zenith::interpreter;

TEST(EvalFactorization, Cholesky) {
  std::string a = "dense<[[4.0, 9.0], [2.0, 10.0]]> : tensor<2x2xf32>";
  EXPECT_EQ(evaluateOp("graph.cholesky %0 lower : (tensor<2x2xf32>) -> "
                       "tensor<2x2xf32>",
                       "tensor<2x2xf32>", {a}),
            "dense<[[2.000000e+00, 0.000000e+00], [1.000000e+00, "
            "3.000000e+00]]> : tensor<2x2xf32>");
  EXPECT_EQ(evaluateOp("graph.cholesky %0 : (tensor<2x2xcomplex<f64>>) -> "
                       "tensor<2x2xcomplex<f64>>",
                       "tensor<2x2xcomplex<f64>>",
                       {"dense<[[(4.0, 0.0), (2.0, 2.0)], [(0.0, 0.0), (3.0, "
                        "0.0)]]> : tensor<2x2xcomplex<f64>>"}),
            "dense<[[(2.000000e+00,0.000000e+00), (1.000000e+00,1.000000e+00)]"
            ", [(0.000000e+00,0.000000e+00), (1.000000e+00,0.000000e+00)]]> : "
            "tensor<2x2xcomplex<f64>>");
}

TEST(EvalFactorization, CholeskyOfWhatIsNotDefinite) {
  EXPECT_EQ(evaluateOp("graph.cholesky %0 lower : (tensor<2x2x2xf64>) -> "
                       "tensor<2x2x2xf64>",
                       "tensor<2x2x2xf64>",
                       {"dense<[[[1.0, 0.0], [2.0, 1.0]], [[1.0, 0.0], [0.0, "
                        "1.0]]]> : tensor<2x2x2xf64>"}),
            "dense<[[[0x7FF8000000000000, 0.000000e+00], [0x7FF8000000000000, "
            "0x7FF8000000000000]], [[1.000000e+00, 0.000000e+00], "
            "[0.000000e+00, 1.000000e+00]]]> : tensor<2x2x2xf64>");
  EXPECT_EQ(evaluateOp("graph.cholesky %0 lower : (tensor<0x0xf32>) -> "
                       "tensor<0x0xf32>",
                       "tensor<0x0xf32>", {"dense<> : tensor<0x0xf32>"}),
            "dense<> : tensor<0x0xf32>");
}

static std::string solve(const std::string &form, const std::string &options,
                         const std::string &a, const std::string &b) {
  return evaluateOp("graph.triangular_solve " + form + ", %0, %1 " + options +
                        " : (tensor<2x2xf32>, tensor<2x2xf32>) -> "
                        "tensor<2x2xf32>",
                    "tensor<2x2xf32>",
                    {"dense<" + a + "> : tensor<2x2xf32>",
                     "dense<" + b + "> : tensor<2x2xf32>"});
}

TEST(EvalFactorization, TriangularSolve) {
  // The other triangle (9) is never read.
  std::string lower = "[[2.0, 9.0], [4.0, 8.0]]", b = "[[2.0, 4.0], [12.0, "
                                                      "0.0]]";
  EXPECT_EQ(solve("plain", "left lower", lower, b),
            "dense<[[1.000000e+00, 2.000000e+00], [1.000000e+00, "
            "-1.000000e+00]]> : tensor<2x2xf32>");
  EXPECT_EQ(solve("transposed", "left lower", lower,
                  "[[10.0, 2.0], [8.0, "
                  "0.0]]"),
            "dense<[[3.000000e+00, 1.000000e+00], [1.000000e+00, "
            "0.000000e+00]]> : tensor<2x2xf32>");
  EXPECT_EQ(solve("plain", "lower", lower, "[[10.0, 8.0], [2.0, 0.0]]"),
            "dense<[[3.000000e+00, 1.000000e+00], [1.000000e+00, "
            "0.000000e+00]]> : tensor<2x2xf32>");
  EXPECT_EQ(solve("plain", "left unit_diagonal", "[[9.0, 2.0], [9.0, 9.0]]",
                  "[[5.0, 1.0], [1.0, 0.0]]"),
            "dense<[[3.000000e+00, 1.000000e+00], [1.000000e+00, "
            "0.000000e+00]]> : tensor<2x2xf32>");
  EXPECT_EQ(solve("transposed", "", "[[2.0, 4.0], [9.0, 8.0]]",
                  "[[6.0, 8.0], [2.0, 0.0]]"),
            "dense<[[1.000000e+00, 1.000000e+00], [1.000000e+00, "
            "0.000000e+00]]> : tensor<2x2xf32>");
}

TEST(EvalFactorization, TriangularSolveAdjoint) {
  EXPECT_EQ(
      evaluateOp("graph.triangular_solve adjoint, %0, %1 left lower : "
                 "(tensor<1x1xcomplex<f32>>, tensor<1x1xcomplex<f32>>) -> "
                 "tensor<1x1xcomplex<f32>>",
                 "tensor<1x1xcomplex<f32>>",
                 {"dense<(0.0, 2.0)> : tensor<1x1xcomplex<f32>>",
                  "dense<(4.0, 0.0)> : tensor<1x1xcomplex<f32>>"}),
      "dense<(-0.000000e+00,2.000000e+00)> : tensor<1x1xcomplex<f32>>");
}

TEST(EvalFactorization, FourierOfReals) {
  EXPECT_EQ(evaluateOp("graph.fourier r2c, %0 [4] : (tensor<2x4xf32>) -> "
                       "tensor<2x3xcomplex<f32>>",
                       "tensor<2x3xcomplex<f32>>",
                       {"dense<[[1.0, 2.0, 3.0, 4.0], [1.0, 0.0, 0.0, 0.0]]> "
                        ": tensor<2x4xf32>"}),
            "dense<[[(1.000000e+01,0.000000e+00), (-2.000000e+00,2.000000e+00)"
            ", (-2.000000e+00,0.000000e+00)], [(1.000000e+00,0.000000e+00), "
            "(1.000000e+00,0.000000e+00), (1.000000e+00,0.000000e+00)]]> : "
            "tensor<2x3xcomplex<f32>>");
  EXPECT_EQ(evaluateOp("graph.fourier c2r, %0 [4] : (tensor<3xcomplex<f32>>) "
                       "-> tensor<4xf32>",
                       "tensor<4xf32>",
                       {"dense<[(10.0, 5.0), (-2.0, 2.0), (-2.0, 0.0)]> : "
                        "tensor<3xcomplex<f32>>"}),
            "dense<[1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00]> "
            ": tensor<4xf32>");
}

// There and back gives small integers again, for lengths of every method.
TEST(EvalFactorization, FourierThereAndBack) {
  for (std::string n : {"1", "2", "3", "7", "16", "17", "30", "64", "97"}) {
    std::string type = "tensor<2x3x" + n + "x";
    std::string body = "  %i = graph.iota 2 : " + type + "f64>\n" +
                       "  %z = graph.complex %i, %i : " + type + "f64> -> " +
                       type + "complex<f64>>\n";
    std::string complex = type + "complex<f64>>";
    body += "  %f = graph.fourier c2c, %z [3, " + n + "] : (" + complex +
            ") -> " + complex + "\n  %b = graph.fourier c2c_inverse, %f [3, " +
            n + "] : (" + complex + ") -> " + complex +
            "\n  %d = graph.sub %b, %z : " + complex +
            "\n  %a = graph.complex_abs %d : " + complex + " -> " + type +
            "f64>\n  %m = graph.reduce max, %a [0, 1, 2] : " + type +
            "f64> -> tensor<f64>\n" +
            "  %e = graph.constant dense<1.0e-12> : tensor<f64>\n" +
            "  %c = graph.compare lt, %m, %e : tensor<f64> -> tensor<i1>\n  "
            "return %c";
    EXPECT_EQ(evaluateBody(body, "tensor<i1>"), "dense<true> : tensor<i1>")
        << n;
  }
}

TEST(EvalFactorization, FourierOfNothing) {
  EXPECT_EQ(evaluateOp("graph.fourier c2c, %0 [4] : (tensor<0x4xcomplex<f32>>)"
                       " -> tensor<0x4xcomplex<f32>>",
                       "tensor<0x4xcomplex<f32>>",
                       {"dense<> : tensor<0x4xcomplex<f32>>"}),
            "dense<> : tensor<0x4xcomplex<f32>>");
}
