// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of integers narrower than a byte keep their low bits; a convolution
// may have no spatial dimension; einsum names dimensions by letters.
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

  %m = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %n = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
  %e = stablehlo.einsum %m, %n, config = "ij,jk->ki" : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
  check.expect_eq_const %e, dense<[[22.0, 49.0], [28.0, 64.0]]> : tensor<2x2xf32>
  // A dimension of both operands that stays, and one of the left that does not.
  %rows = stablehlo.einsum %m, %n, config = "ij,jk->kj" : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x3xf32>
  check.expect_eq_const %rows, dense<[[5.0, 21.0, 45.0], [10.0, 28.0, 54.0]]> : tensor<2x3xf32>
  %columns = "stablehlo.unary_einsum"(%m) {einsum_config = "ij->j"} : (tensor<2x3xf32>) -> tensor<3xf32>
  check.expect_eq_const %columns, dense<[5.0, 7.0, 9.0]> : tensor<3xf32>

  %f = stablehlo.constant dense<[0.0, 1.0, 2.0, 3.0]> : tensor<4xf8E4M3>
  %g = stablehlo.dot_general %f, %f, contracting_dims = [0] x [0] : (tensor<4xf8E4M3>, tensor<4xf8E4M3>) -> tensor<f8E4M3>
  check.expect_eq_const %g, dense<14.0> : tensor<f8E4M3>
  %big = stablehlo.constant dense<[250.0, 0.001, -1.1, 240.0]> : tensor<4xf32>
  %narrow = stablehlo.convert %big : (tensor<4xf32>) -> tensor<4xf8E4M3>
  %again = stablehlo.convert %narrow : (tensor<4xf8E4M3>) -> tensor<4xf32>
  check.expect_eq_const %again, dense<[0x7F800000, 0.001953125, -1.125, 240.0]> : tensor<4xf32>
  return
}
