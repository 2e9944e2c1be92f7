// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// chlo.scan: running sums, also from the end.
//
// RUN: zenith-run %s --target=interp

func.func @main() {
  %x = stablehlo.constant dense<[3, 1, 4]> : tensor<3xi32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %f:2 = chlo.scan(%x) inits(%zero) dimension=0 {
  ^bb0(%v: tensor<i32>, %c: tensor<i32>):
    %s = stablehlo.add %v, %c : tensor<i32>
    stablehlo.return %s, %s : tensor<i32>, tensor<i32>
  } : (tensor<3xi32>, tensor<i32>) -> (tensor<3xi32>, tensor<i32>)
  check.expect_eq_const %f#0, dense<[3, 4, 8]> : tensor<3xi32>
  %b:2 = chlo.scan(%x) inits(%zero) dimension=0 attributes {is_reverse = true} {
  ^bb0(%v: tensor<i32>, %c: tensor<i32>):
    %s = stablehlo.add %v, %c : tensor<i32>
    stablehlo.return %s, %s : tensor<i32>, tensor<i32>
  } : (tensor<3xi32>, tensor<i32>) -> (tensor<3xi32>, tensor<i32>)
  check.expect_eq_const %b#0, dense<[8, 5, 4]> : tensor<3xi32>
  check.expect_eq_const %b#1, dense<8> : tensor<i32>
  return
}
