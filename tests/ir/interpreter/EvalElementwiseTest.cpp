// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elementwise ops: special values, wrapping integers, every element type.

#include "EvaluateText.h"
#include <gtest/gtest.h>

using namespace zenith::interpreter;

// One op with operands and result of one type; values as in dense<...>.
static std::string unary(const std::string &op, const std::string &type,
                         const std::string &x) {
  return evaluateOp("graph." + op + " %0 : " + type, type,
                    {"dense<" + x + "> : " + type});
}
static std::string binary(const std::string &op, const std::string &type,
                          const std::string &x, const std::string &y) {
  return evaluateOp(
      "graph." + op + " %0, %1 : " + type, type,
      {"dense<" + x + "> : " + type, "dense<" + y + "> : " + type});
}
static std::string convert(const std::string &from, const std::string &x,
                           const std::string &to,
                           const std::string &flag = "") {
  return evaluateOp("graph.convert %0 " + flag + " : " + from + " -> " + to, to,
                    {"dense<" + x + "> : " + from});
}

TEST(EvalElementwise, FloatArithmetic) {
  EXPECT_EQ(binary("add", "tensor<2xf32>", "[1.0, 2.0]", "[0.5, -2.0]"),
            "dense<[1.500000e+00, 0.000000e+00]> : tensor<2xf32>");
  EXPECT_EQ(binary("sub", "tensor<1xf64>", "[1.0]", "[0.75]"),
            "dense<2.500000e-01> : tensor<1xf64>");
  EXPECT_EQ(binary("mul", "tensor<2xf16>", "[3.0, -0.0]", "[0.5, 4.0]"),
            "dense<[1.500000e+00, -0.000000e+00]> : tensor<2xf16>");
  EXPECT_EQ(binary("div", "tensor<2xbf16>", "[1.0, 1.0]", "[3.0, 0.0]"),
            "dense<[3.339840e-01, 0x7F80]> : tensor<2xbf16>");
  EXPECT_EQ(binary("rem", "tensor<2xf32>", "[-5.5, 5.5]", "[2.0, -2.0]"),
            "dense<[-1.500000e+00, 1.500000e+00]> : tensor<2xf32>");
  EXPECT_EQ(
      binary("floor_mod", "tensor<3xf32>", "[-5.5, 5.5, 4.0]",
             "[2.0, -2.0, -2.0]"),
      "dense<[5.000000e-01, -5.000000e-01, -0.000000e+00]> : tensor<3xf32>");
  EXPECT_EQ(binary("pow", "tensor<2xf32>", "[2.0, -8.0]", "[0.5, 3.0]"),
            "dense<[1.41421354, -5.120000e+02]> : tensor<2xf32>");
  EXPECT_EQ(binary("atan2", "tensor<2xf32>", "[1.0, -0.0]", "[1.0, -1.0]"),
            "dense<[0.785398185, -3.14159274]> : tensor<2xf32>");
}

TEST(EvalElementwise, MaxAndMinOrderZerosAndKeepNaN) {
  EXPECT_EQ(binary("max", "tensor<3xf32>", "[-0.0, 0x7FC00000, 1.0]",
                   "[0.0, 1.0, 2.0]"),
            "dense<[0.000000e+00, 0x7FC00000, 2.000000e+00]> : tensor<3xf32>");
  EXPECT_EQ(binary("min", "tensor<3xf32>", "[0.0, 1.0, 1.0]",
                   "[-0.0, 0x7FC00000, 2.0]"),
            "dense<[-0.000000e+00, 0x7FC00000, 1.000000e+00]> : tensor<3xf32>");
  EXPECT_EQ(binary("max", "tensor<2xui8>", "[200, 3]", "[100, 4]"),
            "dense<[200, 4]> : tensor<2xui8>");
  EXPECT_EQ(binary("min", "tensor<2xi4>", "[-8, 7]", "[0, -1]"),
            "dense<[-8, -1]> : tensor<2xi4>");
  EXPECT_EQ(binary("max", "tensor<2xi1>", "[true, false]", "[false, false]"),
            "dense<[true, false]> : tensor<2xi1>");
}

TEST(EvalElementwise, IntegersWrap) {
  EXPECT_EQ(binary("add", "tensor<2xi8>", "[127, -128]", "[1, -1]"),
            "dense<[-128, 127]> : tensor<2xi8>");
  EXPECT_EQ(binary("mul", "tensor<2xui16>", "[65535, 2]", "[65535, 3]"),
            "dense<[1, 6]> : tensor<2xui16>");
  EXPECT_EQ(binary("add", "tensor<2xi4>", "[7, -8]", "[1, -1]"),
            "dense<[-8, 7]> : tensor<2xi4>");
  EXPECT_EQ(binary("sub", "tensor<2xui4>", "[0, 9]", "[1, 3]"),
            "dense<[15, 6]> : tensor<2xui4>");
  EXPECT_EQ(binary("mul", "tensor<1xi64>", "[4611686018427387904]", "[4]"),
            "dense<0> : tensor<1xi64>");
  EXPECT_EQ(unary("neg", "tensor<2xi32>", "[-2147483648, 5]"),
            "dense<[-2147483648, -5]> : tensor<2xi32>");
  EXPECT_EQ(unary("abs", "tensor<2xi4>", "[-8, -3]"),
            "dense<[-8, 3]> : tensor<2xi4>");
}

TEST(EvalElementwise, IntegerDivision) {
  EXPECT_EQ(binary("div", "tensor<4xi32>", "[-7, 7, 1, -2147483648]",
                   "[2, -2, 0, -1]"),
            "dense<[-3, -3, -1, -2147483648]> : tensor<4xi32>");
  EXPECT_EQ(
      binary("div", "tensor<2xi64>", "[-9223372036854775808, 4]", "[-1, 0]"),
      "dense<[-9223372036854775808, -1]> : tensor<2xi64>");
  EXPECT_EQ(binary("div", "tensor<2xui8>", "[255, 7]", "[2, 0]"),
            "dense<[127, 255]> : tensor<2xui8>");
  EXPECT_EQ(binary("div", "tensor<2xui4>", "[15, 7]", "[2, 0]"),
            "dense<[7, 15]> : tensor<2xui4>");
  EXPECT_EQ(binary("rem", "tensor<4xi32>", "[-7, 7, 5, -2147483648]",
                   "[2, -2, 0, -1]"),
            "dense<[-1, 1, 5, 0]> : tensor<4xi32>");
  EXPECT_EQ(binary("floor_mod", "tensor<3xi32>", "[-7, 7, 5]", "[3, -3, 0]"),
            "dense<[2, -2, 5]> : tensor<3xi32>");
  EXPECT_EQ(
      binary("pow", "tensor<5xi32>", "[2, -1, 1, 3, 0]", "[10, -3, -5, -1, 0]"),
      "dense<[1024, -1, 1, 0, 1]> : tensor<5xi32>");
}

TEST(EvalElementwise, Bits) {
  EXPECT_EQ(binary("and", "tensor<2xi8>", "[6, -1]", "[3, 5]"),
            "dense<[2, 5]> : tensor<2xi8>");
  EXPECT_EQ(binary("xor", "tensor<4xi1>", "[true, true, false, false]",
                   "[true, false, true, false]"),
            "dense<[false, true, true, false]> : tensor<4xi1>");
  EXPECT_EQ(unary("not", "tensor<2xi1>", "[true, false]"),
            "dense<[false, true]> : tensor<2xi1>");
  EXPECT_EQ(unary("not", "tensor<2xui4>", "[5, 0]"),
            "dense<[10, 15]> : tensor<2xui4>");
  EXPECT_EQ(unary("popcount", "tensor<2xi8>", "[-1, 5]"),
            "dense<[8, 2]> : tensor<2xi8>");
  EXPECT_EQ(unary("count_leading_zeros", "tensor<3xi4>", "[0, 1, -1]"),
            "dense<[4, 3, 0]> : tensor<3xi4>");
  EXPECT_EQ(binary("shift_left", "tensor<3xi8>", "[1, 1, 1]", "[7, 8, -1]"),
            "dense<[-128, 0, 0]> : tensor<3xi8>");
  EXPECT_EQ(binary("shift_right_arithmetic", "tensor<3xi8>", "[-128, -128, 64]",
                   "[3, 9, 9]"),
            "dense<[-16, -1, 0]> : tensor<3xi8>");
  EXPECT_EQ(binary("shift_right_arithmetic", "tensor<1xui8>", "[128]", "[1]"),
            "dense<192> : tensor<1xui8>");
  EXPECT_EQ(binary("shift_right_logical", "tensor<3xi8>", "[-128, -128, -1]",
                   "[3, 9, 7]"),
            "dense<[16, 0, 1]> : tensor<3xi8>");
  EXPECT_EQ(binary("shift_right_logical", "tensor<1xi64>", "[-1]", "[63]"),
            "dense<1> : tensor<1xi64>");
}

TEST(EvalElementwise, FloatFunctions) {
  EXPECT_EQ(unary("sign", "tensor<4xf32>", "[-2.0, -0.0, 0x7FC00000, 3.0]"),
            "dense<[-1.000000e+00, -0.000000e+00, 0x7FC00000, 1.000000e+00]> : "
            "tensor<4xf32>");
  EXPECT_EQ(unary("exp", "tensor<3xf32>", "[1.0, 100.0, 0xFF800000]"),
            "dense<[2.71828175, 0x7F800000, 0.000000e+00]> : tensor<3xf32>");
  EXPECT_EQ(unary("log", "tensor<2xf32>", "[0.0, -1.0]").substr(0, 17),
            "dense<[0xFF800000");
  EXPECT_EQ(unary("rsqrt", "tensor<2xf32>", "[4.0, 0.0]"),
            "dense<[5.000000e-01, 0x7F800000]> : tensor<2xf32>");
  EXPECT_EQ(unary("round_even", "tensor<4xf32>", "[0.5, 1.5, -0.5, 2.5]"),
            "dense<[0.000000e+00, 2.000000e+00, -0.000000e+00, 2.000000e+00]> "
            ": tensor<4xf32>");
  EXPECT_EQ(unary("round_away", "tensor<2xf32>", "[0.5, -2.5]"),
            "dense<[1.000000e+00, -3.000000e+00]> : tensor<2xf32>");
  EXPECT_EQ(
      unary("logistic", "tensor<3xf32>", "[0.0, -200.0, 0x7F800000]"),
      "dense<[5.000000e-01, 0.000000e+00, 1.000000e+00]> : tensor<3xf32>");
  EXPECT_EQ(unary("erf", "tensor<1xf64>", "[0.5]"),
            "dense<0.52049987781304652> : tensor<1xf64>");
  EXPECT_EQ(unary("tanh", "tensor<1xf16>", "[0.5]"),
            "dense<4.621580e-01> : tensor<1xf16>");
}

TEST(EvalElementwise, CompareIsFalseWithNaNButForNe) {
  std::string type = "tensor<2xf32>", x = "dense<[0x7FC00000, 1.0]> : " + type,
              y = "dense<[0x7FC00000, 2.0]> : " + type;
  auto compare = [&](const std::string &direction) {
    return evaluateOp("graph.compare " + direction + ", %0, %1 : " + type +
                          " -> tensor<2xi1>",
                      "tensor<2xi1>", {x, y});
  };
  EXPECT_EQ(compare("eq"), "dense<false> : tensor<2xi1>");
  EXPECT_EQ(compare("ne"), "dense<true> : tensor<2xi1>");
  EXPECT_EQ(compare("lt"), "dense<[false, true]> : tensor<2xi1>");
  EXPECT_EQ(compare("ge"), "dense<false> : tensor<2xi1>");
  EXPECT_EQ(
      evaluateOp("graph.compare gt, %0, %1 : tensor<1xui8> -> tensor<1xi1>",
                 "tensor<1xi1>",
                 {"dense<200> : tensor<1xui8>", "dense<100> : tensor<1xui8>"}),
      "dense<true> : tensor<1xi1>");
}

TEST(EvalElementwise, SelectClampFinite) {
  EXPECT_EQ(evaluateOp("graph.select %0, %1, %2 : tensor<2xi1>, tensor<2xi16>",
                       "tensor<2xi16>",
                       {"dense<[true, false]> : tensor<2xi1>",
                        "dense<[1, 2]> : tensor<2xi16>",
                        "dense<[3, 4]> : tensor<2xi16>"}),
            "dense<[1, 4]> : tensor<2xi16>");
  std::string f = "tensor<3xf32>";
  EXPECT_EQ(
      evaluateOp("graph.clamp %0, %1, %2 : " + f, f,
                 {"dense<0.0> : " + f, "dense<[-1.0, 0x7FC00000, 9.0]> : " + f,
                  "dense<6.0> : " + f}),
      "dense<[0.000000e+00, 0x7FC00000, 6.000000e+00]> : tensor<3xf32>");
  EXPECT_EQ(evaluateOp("graph.is_finite %0 : tensor<3xf16> -> tensor<3xi1>",
                       "tensor<3xi1>",
                       {"dense<[1.0, 0x7C00, 0x7E00]> : tensor<3xf16>"}),
            "dense<[true, false, false]> : tensor<3xi1>");
}

TEST(EvalElementwise, ConvertToIntegersTruncatesSaturatesAndWraps) {
  EXPECT_EQ(convert("tensor<5xf32>", "[1.9, -1.9, 0x7FC00000, 1.0e10, -1.0e10]",
                    "tensor<5xi8>"),
            "dense<[1, -1, 0, 127, -128]> : tensor<5xi8>");
  EXPECT_EQ(convert("tensor<3xf32>", "[-3.0, 300.0, 17.5]", "tensor<3xui8>"),
            "dense<[0, 255, 17]> : tensor<3xui8>");
  EXPECT_EQ(
      convert("tensor<2xf64>", "[1.0e30, -1.0e30]", "tensor<2xi64>"),
      "dense<[9223372036854775807, -9223372036854775808]> : tensor<2xi64>");
  EXPECT_EQ(convert("tensor<1xf64>", "[1.0e30]", "tensor<1xui64>"),
            "dense<18446744073709551615> : tensor<1xui64>");
  EXPECT_EQ(convert("tensor<2xf32>", "[100.0, -100.0]", "tensor<2xi4>"),
            "dense<[7, -8]> : tensor<2xi4>");
  EXPECT_EQ(convert("tensor<2xi32>", "[300, -1]", "tensor<2xui8>"),
            "dense<[44, 255]> : tensor<2xui8>");
  EXPECT_EQ(convert("tensor<3xf32>", "[0.0, -0.0, 0x7FC00000]", "tensor<3xi1>"),
            "dense<[false, false, true]> : tensor<3xi1>");
  EXPECT_EQ(convert("tensor<2xi1>", "[true, false]", "tensor<2xi64>"),
            "dense<[1, 0]> : tensor<2xi64>");
}

TEST(EvalElementwise, ConvertToFloatsRoundsOnce) {
  EXPECT_EQ(convert("tensor<2xi64>", "[16777217, -16777219]", "tensor<2xf32>"),
            convert("tensor<2xi64>", "[16777216, -16777220]", "tensor<2xf32>"));
  // 2^60 + 2^52 + 1 lies just above the middle of two bf16 values.
  EXPECT_EQ(
      convert("tensor<1xi64>", "[1157425104234217473]", "tensor<1xbf16>"),
      convert("tensor<1xi64>", "[1161928703861587968]", "tensor<1xbf16>"));
  EXPECT_EQ(convert("tensor<3xf32>", "[65519.0, 65520.0, 5.9604645e-08]",
                    "tensor<3xf16>"),
            "dense<[6.550400e+04, 0x7C00, 5.960460e-08]> : tensor<3xf16>");
  EXPECT_EQ(
      convert("tensor<1xui64>", "[18446744073709551615]", "tensor<1xf64>"),
      "dense<1.8446744073709552E+19> : tensor<1xf64>");
}

TEST(EvalElementwise, ConvertToEightBitFloats) {
  EXPECT_EQ(
      convert("tensor<3xf32>", "[448.0, 465.0, 1.0e6]", "tensor<3xf8E4M3FN>"),
      "dense<[4.480000e+02, 0x7F, 0x7F]> : tensor<3xf8E4M3FN>");
  EXPECT_EQ(convert("tensor<2xf32>", "[1.0e6, 0xFF800000]",
                    "tensor<2xf8E4M3FN>", "saturate"),
            "dense<[4.480000e+02, -4.480000e+02]> : tensor<2xf8E4M3FN>");
  EXPECT_EQ(convert("tensor<2xf32>", "[1.0e6, 57344.0]", "tensor<2xf8E5M2>"),
            "dense<[0x7C, 5.734400e+04]> : tensor<2xf8E5M2>");
  EXPECT_EQ(
      convert("tensor<3xf32>", "[-0.0, 240.0, 1.0e6]", "tensor<3xf8E4M3FNUZ>"),
      "dense<[0.000000e+00, 2.400000e+02, 0x80]> : tensor<3xf8E4M3FNUZ>");
  EXPECT_EQ(convert("tensor<2xf8E5M2FNUZ>", "[1.5, 0x80]", "tensor<2xf32>"),
            "dense<[1.500000e+00, 0x7FC00000]> : tensor<2xf32>");
  EXPECT_EQ(convert("tensor<1xf8E4M3B11FNUZ>", "[1.5]", "tensor<1xf64>"),
            "dense<1.500000e+00> : tensor<1xf64>");
}

TEST(EvalElementwise, Bitcast) {
  EXPECT_EQ(evaluateOp("graph.bitcast %0 : tensor<1xf32> -> tensor<1xi32>",
                       "tensor<1xi32>", {"dense<1.0> : tensor<1xf32>"}),
            "dense<1065353216> : tensor<1xi32>");
  EXPECT_EQ(evaluateOp("graph.bitcast %0 : tensor<1xi4> -> tensor<1xui4>",
                       "tensor<1xui4>", {"dense<-1> : tensor<1xi4>"}),
            "dense<15> : tensor<1xui4>");
}

TEST(EvalElementwise, ComplexNumbers) {
  EXPECT_EQ(
      binary("mul", "tensor<1xcomplex<f32>>", "(1.0, 2.0)", "(3.0, -1.0)"),
      "dense<(5.000000e+00,5.000000e+00)> : tensor<1xcomplex<f32>>");
  EXPECT_EQ(
      binary("div", "tensor<1xcomplex<f64>>", "(5.0, 5.0)", "(3.0, -1.0)"),
      "dense<(1.000000e+00,2.000000e+00)> : tensor<1xcomplex<f64>>");
  EXPECT_EQ(
      evaluateOp(
          "graph.complex_abs %0 : tensor<1xcomplex<f32>> -> tensor<1xf32>",
          "tensor<1xf32>", {"dense<(3.0, 4.0)> : tensor<1xcomplex<f32>>"}),
      "dense<5.000000e+00> : tensor<1xf32>");
  EXPECT_EQ(
      evaluateOp(
          "graph.complex %0, %1 : tensor<1xf32> -> tensor<1xcomplex<f32>>",
          "tensor<1xcomplex<f32>>",
          {"dense<1.0> : tensor<1xf32>", "dense<2.0> : tensor<1xf32>"}),
      "dense<(1.000000e+00,2.000000e+00)> : tensor<1xcomplex<f32>>");
}

TEST(EvalElementwise, EmptyAndDynamic) {
  EXPECT_EQ(binary("add", "tensor<0x3xf32>", "", ""),
            "dense<> : tensor<0x3xf32>");
  std::string text =
      "func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> "
      "{\n"
      "  %r = graph.add %x, %y : tensor<?xf32>\n  return %r : tensor<?xf32>\n}";
  EXPECT_EQ(evaluateModule(text, {"dense<1.0> : tensor<2xf32>",
                                  "dense<2.0> : tensor<2xf32>"}),
            "dense<3.000000e+00> : tensor<2xf32>");
  EXPECT_NE(evaluateModule(text, {"dense<1.0> : tensor<2xf32>",
                                  "dense<2.0> : tensor<3xf32>"})
                .find("'graph.add' op operands have different shapes"),
            std::string::npos);
}
