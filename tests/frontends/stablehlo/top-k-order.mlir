// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The largest elements in total order: 0 above -0, NaN above all and -NaN below.
//
// RUN: zenith-run %s --target=interp

func.func @main() {
  %x = stablehlo.constant dense<[-0.0, 0xFFC00000, 0.0, 0x7F800000, 0x7FC00000, -0.0]> : tensor<6xf32>
  %best, %places = chlo.top_k(%x, k = 6) : tensor<6xf32> -> (tensor<6xf32>, tensor<6xi32>)
  check.expect_eq_const %places, dense<[4, 3, 2, 0, 5, 1]> : tensor<6xi32>
  %bits = stablehlo.bitcast_convert %best : (tensor<6xf32>) -> tensor<6xui32>
  check.expect_eq_const %bits, dense<[0x7FC00000, 0x7F800000, 0, 0x80000000, 0x80000000, 0xFFC00000]> : tensor<6xui32>

  %h = stablehlo.constant dense<[[-0.0, 0.0, 1.0], [2.0, -3.0, 0xFE00]]> : tensor<2x3xf16>
  %halves, %at = chlo.top_k(%h, k = 2) : tensor<2x3xf16> -> (tensor<2x2xf16>, tensor<2x2xi32>)
  check.expect_eq_const %at, dense<[[2, 1], [0, 1]]> : tensor<2x2xi32>
  check.expect_eq_const %halves, dense<[[1.0, 0.0], [2.0, -3.0]]> : tensor<2x2xf16>
  return
}
