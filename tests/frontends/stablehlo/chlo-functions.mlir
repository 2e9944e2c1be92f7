// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CHLO: functions of complex numbers and their limits, upper halves of
// products, products of groups of rows.
//
// RUN: zenith-run %s --target=interp
// RUN: zenith-run %s --target=cpu

func.func @main() {
  %z = stablehlo.constant dense<[(0.5, 0.25), (0x7F800000, 0xFF800000), (2.0, 0.0), (1.0000000150474662e+30, 1.0000000031710769e-30)]> : tensor<4xcomplex<f32>>
  %asin = chlo.asin %z : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
  %asin_is = stablehlo.constant dense<[(0.5016088485717773, 0.2813960611820221), (0.7853981852531433, 0xFF800000), (1.5707963705062866, 1.316957950592041), (1.5707963705062866, 69.77069854736328)]> : tensor<4xcomplex<f32>>
  check.expect_close %asin, %asin_is, max_ulp_difference = 3 : tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>
  %acos = chlo.acos %z : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
  %acos_is = stablehlo.constant dense<[(1.0691875219345093, -0.2813960611820221), (0.7853981852531433, 0x7F800000), (0.0, -1.316957950592041), (0.0, -69.77069854736328)]> : tensor<4xcomplex<f32>>
  check.expect_close %acos, %acos_is, max_ulp_difference = 3 : tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>
  %atan = chlo.atan %z : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
  %atan_is = stablehlo.constant dense<[(0.48425447940826416, 0.20058661699295044), (1.5707963705062866, -0.0), (1.1071487665176392, 0.0), (1.5707963705062866, 0.0)]> : tensor<4xcomplex<f32>>
  check.expect_close %atan, %atan_is, max_ulp_difference = 3 : tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>
  %asinh = chlo.asinh %z : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
  %asinh_is = stablehlo.constant dense<[(0.49267569184303284, 0.22432845830917358), (0x7F800000, -0.7853981852531433), (1.4436354637145996, 0.0), (69.77069854736328, 0.0)]> : tensor<4xcomplex<f32>>
  check.expect_close %asinh, %asinh_is, max_ulp_difference = 3 : tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>
  %acosh = chlo.acosh %z : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
  %acosh_is = stablehlo.constant dense<[(0.2813960611820221, 1.0691875219345093), (0x7F800000, -0.7853981852531433), (1.316957950592041, 0.0), (69.77069854736328, 0.0)]> : tensor<4xcomplex<f32>>
  check.expect_close %acosh, %acosh_is, max_ulp_difference = 3 : tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>
  %atanh = chlo.atanh %z : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
  %atanh_is = stablehlo.constant dense<[(0.5003700256347656, 0.3143981397151947), (0.0, -1.5707963705062866), (0.5493061542510986, 1.5707963705062866), (1.0000000031710769e-30, 1.5707963705062866)]> : tensor<4xcomplex<f32>>
  check.expect_close %atanh, %atanh_is, max_ulp_difference = 3 : tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>

  %a = stablehlo.constant dense<[18446744073709551615, 9223372036854775808, 123456789012345678]> : tensor<3xui64>
  %b = stablehlo.constant dense<[18446744073709551615, 3, 987654321987654321]> : tensor<3xui64>
  %high = chlo.mulhi %a, %b : tensor<3xui64>, tensor<3xui64> -> tensor<3xui64>
  check.expect_eq_const %high, dense<[18446744073709551614, 1, 6609981184730617]> : tensor<3xui64>
  %c = stablehlo.constant dense<[-1, -9223372036854775808, 123456789012345678]> : tensor<3xi64>
  %d = stablehlo.constant dense<[-1, 3, 987654321987654321]> : tensor<3xi64>
  %signed = chlo.mulhi %c, %d : tensor<3xi64>, tensor<3xi64> -> tensor<3xi64>
  check.expect_eq_const %signed, dense<[0, -2, 6609981184730617]> : tensor<3xi64>

  // Rows 0 and 1 times the first matrix, row 2 times the second, row 3 in no group.
  %lhs = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]> : tensor<4x2xf32>
  %rhs = stablehlo.constant dense<[[[1.0], [10.0]], [[100.0], [0x7F800000]]]> : tensor<2x2x1xf32>
  %sizes = stablehlo.constant dense<[2, 1]> : tensor<2xi32>
  %rows = "chlo.ragged_dot"(%lhs, %rhs, %sizes) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>} : (tensor<4x2xf32>, tensor<2x2x1xf32>, tensor<2xi32>) -> tensor<4x1xf32>
  check.expect_eq_const %rows, dense<[[21.0], [43.0], [0x7F800000], [0.0]]> : tensor<4x1xf32>

  // Terms 0 and 1 of each sum, then term 2.
  %left = stablehlo.constant dense<[[1.0, 2.0, 3.0]]> : tensor<1x3xf32>
  %right = stablehlo.constant dense<[[1.0], [10.0], [100.0]]> : tensor<3x1xf32>
  %terms = "chlo.ragged_dot"(%left, %right, %sizes) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0], lhs_ragged_dimensions = [1], rhs_group_dimensions = []>} : (tensor<1x3xf32>, tensor<3x1xf32>, tensor<2xi32>) -> tensor<2x1x1xf32>
  check.expect_eq_const %terms, dense<[[[21.0]], [[300.0]]]> : tensor<2x1x1xf32>
  return
}
