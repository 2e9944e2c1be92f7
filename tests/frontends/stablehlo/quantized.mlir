// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Quantized values: ops work on the numbers that they stand for.
//
// RUN: zenith-run %s --target=interp

func.func @main() {
  %x = stablehlo.constant dense<[0.5, -1.2, 100.0]> : tensor<3xf32>
  %q = stablehlo.uniform_quantize %x : (tensor<3xf32>) -> tensor<3x!quant.uniform<i8:f32, 0.5:-10>>
  %sum = stablehlo.add %q, %q : tensor<3x!quant.uniform<i8:f32, 0.5:-10>>
  %r = stablehlo.uniform_dequantize %sum : (tensor<3x!quant.uniform<i8:f32, 0.5:-10>>) -> tensor<3xf32>
  check.expect_eq_const %r, dense<[1.0, -2.0, 68.5]> : tensor<3xf32>
  return
}
