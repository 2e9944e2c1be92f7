// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of integers narrower than a byte keep their low bits; a convolution
// may have no spatial dimension.
//
// RUN: zenith-run %s --target=interp
// RUN: zenith-run %s --target=cpu

func.func @main() {
  %a = stablehlo.constant dense<[[7, -8, 3]]> : tensor<1x3xi4>
  %b = stablehlo.constant dense<[[5], [-3], [2]]> : tensor<3x1xi4>
  %p = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<1x3xi4>, tensor<3x1xi4>) -> tensor<1x1xi4>
  %wide = stablehlo.convert %p : (tensor<1x1xi4>) -> tensor<1x1xi32>
  check.expect_eq_const %wide, dense<1> : tensor<1x1xi32>

  %c = stablehlo.constant dense<[[15, 8, 3]]> : tensor<1x3xui4>
  %d = stablehlo.constant dense<[[5], [13], [2]]> : tensor<3x1xui4>
  %q = stablehlo.dot_general %c, %d, contracting_dims = [1] x [0] : (tensor<1x3xui4>, tensor<3x1xui4>) -> tensor<1x1xui4>
  %wideQ = stablehlo.convert %q : (tensor<1x1xui4>) -> tensor<1x1xi32>
  check.expect_eq_const %wideQ, dense<9> : tensor<1x1xi32>

  %x = stablehlo.constant dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]> : tensor<2x4xf32>
  %k = stablehlo.constant dense<[[1.0, 1.0], [0.0, 2.0]]> : tensor<2x2xf32>
  %y = stablehlo.convolution(%x, %k) dim_numbers = [b, f]x[o, i]->[b, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<2x4xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  check.expect_eq_const %y, dense<[[3.0, 8.0], [11.0, 16.0]]> : tensor<2x2xf32>
  return
}
