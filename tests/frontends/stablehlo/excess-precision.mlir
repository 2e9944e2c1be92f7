// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions of bf16 results to f32 read them before they are rounded; short sums of bf16 are rounded at every step.
//
// RUN: zenith-run %s --target=interp
// RUN: zenith-run %s --target=cpu

func.func @main() {
  %one = stablehlo.constant dense<[1.0, 1.0]> : tensor<2xbf16>
  %small = stablehlo.constant dense<[0.001953125, 0.0]> : tensor<2xbf16>

  // The conversion sees all bits, other readers the rounded sum.
  %sum = stablehlo.add %one, %small : tensor<2xbf16>
  %wide = stablehlo.convert %sum : (tensor<2xbf16>) -> tensor<2xf32>
  check.expect_eq_const %wide, dense<[1.001953125, 1.0]> : tensor<2xf32>
  check.expect_eq_const %sum, dense<1.0> : tensor<2xbf16>
  // One op further the sum is rounded.
  %twice = stablehlo.add %sum, %sum : tensor<2xbf16>
  %wide_twice = stablehlo.convert %twice : (tensor<2xbf16>) -> tensor<2xf32>
  check.expect_eq_const %wide_twice, dense<2.0> : tensor<2xf32>

  %steps = stablehlo.constant dense<[1.0, 0.001953125]> : tensor<2xbf16>
  %dot = stablehlo.dot_general %one, %steps, contracting_dims = [0] x [0] : (tensor<2xbf16>, tensor<2xbf16>) -> tensor<bf16>
  %wide_dot = stablehlo.convert %dot : (tensor<bf16>) -> tensor<f32>
  check.expect_eq_const %wide_dot, dense<1.001953125> : tensor<f32>
  check.expect_eq_const %dot, dense<1.0> : tensor<bf16>

  // A rounding that the program asks for stays.
  %exact = stablehlo.constant dense<1.001953125> : tensor<f32>
  %narrow = stablehlo.convert %exact : (tensor<f32>) -> tensor<bf16>
  %back = stablehlo.convert %narrow : (tensor<bf16>) -> tensor<f32>
  check.expect_eq_const %back, dense<1.0> : tensor<f32>
  // So do those of f16.
  %h0 = stablehlo.constant dense<1.0> : tensor<f16>
  %h1 = stablehlo.constant dense<2.44140625E-4> : tensor<f16>
  %h2 = stablehlo.add %h0, %h1 : tensor<f16>
  %h3 = stablehlo.convert %h2 : (tensor<f16>) -> tensor<f32>
  check.expect_eq_const %h3, dense<1.0> : tensor<f32>

  %zero = stablehlo.constant dense<0.0> : tensor<bf16>
  %three = stablehlo.constant dense<[1.0, 0.00390625, 0.00390625]> : tensor<3xbf16>
  %stepwise = stablehlo.reduce(%three init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<3xbf16>, tensor<bf16>) -> tensor<bf16>
  check.expect_eq_const %stepwise, dense<1.0> : tensor<bf16>
  // So are the 64 of a square, row by row.
  %square = stablehlo.constant dense<0.00390625> : tensor<8x8xbf16>
  %one_more = stablehlo.constant dense<1.0> : tensor<bf16>
  %square_sum = stablehlo.reduce(%square init: %one_more) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x8xbf16>, tensor<bf16>) -> tensor<bf16>
  check.expect_eq_const %square_sum, dense<1.0> : tensor<bf16>
  // Those of a larger one are rounded once, as long ones are.
  %plane = stablehlo.constant dense<0.00390625> : tensor<20x20xbf16>
  %plane_sum = stablehlo.reduce(%plane init: %one_more) applies stablehlo.add across dimensions = [0, 1] : (tensor<20x20xbf16>, tensor<bf16>) -> tensor<bf16>
  check.expect_eq_const %plane_sum, dense<2.5625> : tensor<bf16>
  %half = stablehlo.constant dense<0.00390625> : tensor<32xbf16>
  %first = stablehlo.constant dense<1.0> : tensor<1xbf16>
  %many = stablehlo.concatenate %first, %half, dim = 0 : (tensor<1xbf16>, tensor<32xbf16>) -> tensor<33xbf16>
  %once = stablehlo.reduce(%many init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<33xbf16>, tensor<bf16>) -> tensor<bf16>
  check.expect_eq_const %once, dense<1.125> : tensor<bf16>
  return
}
