// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of complex numbers at places where they are exact or known:
// branches, zeros, infinities.

#include "EvaluateText.h"
#include <gtest/gtest.h>

using namespace zenith::interpreter;

static std::string at(const std::string &op, const std::string &x) {
  return evaluateOp("graph." + op + " %0 : tensor<complex<f32>>",
                    "tensor<complex<f32>>",
                    {"dense<" + x + "> : tensor<complex<f32>>"});
}
static std::string number(const std::string &x) {
  return "dense<" + x + "> : tensor<complex<f32>>";
}

TEST(EvalComplexFunctions, ExactPlaces) {
  EXPECT_EQ(at("exp", "(0.0, 0.0)"), number("(1.000000e+00,0.000000e+00)"));
  EXPECT_EQ(at("log", "(1.0, 0.0)"), number("(0.000000e+00,0.000000e+00)"));
  EXPECT_EQ(at("sqrt", "(-4.0, 0.0)"), number("(0.000000e+00,2.000000e+00)"));
  EXPECT_EQ(at("sqrt", "(3.0, -4.0)"), number("(2.000000e+00,-1.000000e+00)"));
  EXPECT_EQ(at("rsqrt", "(4.0, 0.0)"), number("(5.000000e-01,0.000000e+00)"));
  EXPECT_EQ(at("cbrt", "(8.0, 0.0)"), number("(2.000000e+00,0.000000e+00)"));
  EXPECT_EQ(at("sign", "(3.0, -4.0)"), number("(6.000000e-01,-8.000000e-01)"));
  EXPECT_EQ(at("sign", "(0.0, 0.0)"), number("(0.000000e+00,0.000000e+00)"));
  EXPECT_EQ(at("logistic", "(0.0, 0.0)"),
            number("(5.000000e-01,0.000000e+00)"));
  EXPECT_EQ(at("tanh", "(100.0, 1.0)"), number("(1.000000e+00,0.000000e+00)"));
  EXPECT_EQ(at("tan", "(0.0, 100.0)"), number("(0.000000e+00,1.000000e+00)"));
}

TEST(EvalComplexFunctions, SmallNumbersKeepTheirDigits) {
  EXPECT_EQ(at("expm1", "(1.0e-10, 0.0)"),
            number("(1.000000e-10,0.000000e+00)"));
  EXPECT_EQ(at("expm1", "(0.0, 1.0e-10)"),
            number("(-5.00000025E-21,1.000000e-10)"));
  EXPECT_EQ(at("log1p", "(1.0e-10, 0.0)"),
            number("(1.000000e-10,0.000000e+00)"));
}

TEST(EvalComplexFunctions, LargeNumbersDoNotOverflow) {
  EXPECT_EQ(at("logistic", "(-200.0, 0.0)"),
            number("(0.000000e+00,0.000000e+00)"));
  EXPECT_EQ(at("logistic", "(200.0, 0.0)"),
            number("(1.000000e+00,0.000000e+00)"));
  EXPECT_EQ(at("exp", "(0xFF800000, 0.0)"),
            number("(0.000000e+00,0.000000e+00)"));
}

TEST(EvalComplexFunctions, Power) {
  auto power = [](const std::string &x, const std::string &y) {
    return evaluateOp("graph.pow %0, %1 : tensor<complex<f32>>",
                      "tensor<complex<f32>>",
                      {"dense<" + x + "> : tensor<complex<f32>>",
                       "dense<" + y + "> : tensor<complex<f32>>"});
  };
  EXPECT_EQ(power("(0.0, 0.0)", "(0.0, 0.0)"),
            number("(1.000000e+00,0.000000e+00)"));
  EXPECT_EQ(power("(0.0, 0.0)", "(2.0, 0.0)"),
            number("(0.000000e+00,0.000000e+00)"));
  EXPECT_EQ(power("(1.5, -2.0)", "(1.0, 0.0)"),
            number("(1.500000e+00,-2.000000e+00)"));
  EXPECT_EQ(power("(4.0, 0.0)", "(0.5, 0.0)"),
            number("(2.000000e+00,0.000000e+00)"));
}
