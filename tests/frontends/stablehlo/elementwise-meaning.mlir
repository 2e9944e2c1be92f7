// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elementwise ops: wrapping and unsigned integers, total order, bits, rounding to fewer bits.
//
// RUN: zenith-run %s --target=interp

func.func @main() {
  %a = stablehlo.constant dense<[250, 7, 0]> : tensor<3xui8>
  %b = stablehlo.constant dense<[10, 9, 255]> : tensor<3xui8>
  %sum = stablehlo.add %a, %b : tensor<3xui8>
  check.expect_eq_const %sum, dense<[4, 16, 255]> : tensor<3xui8>
  %less = stablehlo.compare LT, %a, %b, UNSIGNED : (tensor<3xui8>, tensor<3xui8>) -> tensor<3xi1>
  check.expect_eq_const %less, dense<[false, true, true]> : tensor<3xi1>
  %shift = stablehlo.shift_right_logical %a, %b : tensor<3xui8>
  check.expect_eq_const %shift, dense<0> : tensor<3xui8>
  %bits = stablehlo.popcnt %b : tensor<3xui8>
  check.expect_eq_const %bits, dense<[2, 2, 8]> : tensor<3xui8>

  %x = stablehlo.constant dense<[0.0, -0.0, 0x7FC00000, 1.0]> : tensor<4xf32>
  %y = stablehlo.constant dense<[-0.0, 0.0, 1.0, 0x7FC00000]> : tensor<4xf32>
  %plain = stablehlo.compare LT, %x, %y, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  check.expect_eq_const %plain, dense<false> : tensor<4xi1>
  %total = stablehlo.compare LT, %x, %y, TOTALORDER : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  check.expect_eq_const %total, dense<[false, true, false, true]> : tensor<4xi1>

  %p = stablehlo.constant dense<[true, true, false, false]> : tensor<4xi1>
  %q = stablehlo.constant dense<[true, false, true, false]> : tensor<4xi1>
  %or = stablehlo.add %p, %q : tensor<4xi1>
  check.expect_eq_const %or, dense<[true, true, true, false]> : tensor<4xi1>
  %and = stablehlo.minimum %p, %q : tensor<4xi1>
  check.expect_eq_const %and, dense<[true, false, false, false]> : tensor<4xi1>

  %wide = stablehlo.constant dense<[1.0, 1.0009765625, 65520.0, 1.0e-8, 0x7F800000, 2.1]> : tensor<6xf32>
  %half = stablehlo.reduce_precision %wide, format = e5m10 : tensor<6xf32>
  check.expect_eq_const %half, dense<[1.0, 1.0009765625, 0x7F800000, 0.0, 0x7F800000, 2.099609375]> : tensor<6xf32>
  // Ties go to the even exponent where no bit of the mantissa is left.
  %double = stablehlo.constant dense<[1.0, 1.4999999999999998, 1.5, 3.0, 1.7976931348623157e308]> : tensor<5xf64>
  %powers = stablehlo.reduce_precision %double, format = e11m0 : tensor<5xf64>
  check.expect_eq_const %powers, dense<[1.0, 1.0, 2.0, 2.0, 0x7FF0000000000000]> : tensor<5xf64>

  %words = stablehlo.constant dense<[[1, 2, 3, 4]]> : tensor<1x4xui8>
  %joined = stablehlo.bitcast_convert %words : (tensor<1x4xui8>) -> tensor<1xi32>
  check.expect_eq_const %joined, dense<67305985> : tensor<1xi32>
  %split = stablehlo.bitcast_convert %joined : (tensor<1xi32>) -> tensor<1x2xi16>
  check.expect_eq_const %split, dense<[[513, 1027]]> : tensor<1x2xi16>
  return
}
