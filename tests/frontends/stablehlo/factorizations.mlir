// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LAPACK calls that become loops: LU, QR, the orthogonal factor; a batch, and a singular matrix.
//
// RUN: zenith-run %s --target=interp

func.func @main() {
  %a = stablehlo.constant dense<[[[1.0, 2.0], [3.0, 4.0]], [[0.0, 1.0], [0.0, 2.0]]]> : tensor<2x2x2xf64>
  %lu:3 = stablehlo.custom_call @lapack_dgetrf_ffi(%a) {mhlo.backend_config = {}} : (tensor<2x2x2xf64>) -> (tensor<2x2x2xf64>, tensor<2x2xi32>, tensor<2xi32>)
  check.expect_almost_eq_const %lu#0, dense<[[[3.0, 4.0], [0.33333333333333333, 0.66666666666666667]], [[0.0, 1.0], [0.0, 2.0]]]> : tensor<2x2x2xf64> {tolerance = 1.0e-15 : f64}
  check.expect_eq_const %lu#1, dense<[[2, 2], [1, 2]]> : tensor<2x2xi32>
  check.expect_eq_const %lu#2, dense<[0, 1]> : tensor<2xi32>

  %b = stablehlo.constant dense<[[3.0, 1.0], [4.0, 2.0]]> : tensor<2x2xf64>
  %qr:2 = stablehlo.custom_call @lapack_dgeqrf_ffi(%b) {mhlo.backend_config = {}} : (tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<2xf64>)
  check.expect_almost_eq_const %qr#0, dense<[[-5.0, -2.2], [0.5, 0.4]]> : tensor<2x2xf64> {tolerance = 1.0e-14 : f64}
  check.expect_almost_eq_const %qr#1, dense<[1.6, 0.0]> : tensor<2xf64> {tolerance = 1.0e-14 : f64}
  %q = stablehlo.custom_call @lapack_dorgqr_ffi(%qr#0, %qr#1) {mhlo.backend_config = {}} : (tensor<2x2xf64>, tensor<2xf64>) -> tensor<2x2xf64>
  check.expect_almost_eq_const %q, dense<[[-0.6, -0.8], [-0.8, 0.6]]> : tensor<2x2xf64> {tolerance = 1.0e-14 : f64}
  return
}
