// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Singular values alone of a matrix with more columns than rows: the results
// for vectors are there all the same, of the smaller size.
//
// RUN: zenith-run %s --target=interp
// RUN: zenith-run %s --target=cpu

func.func public @main() {
  %a = stablehlo.constant dense<[[3.0, 0.0, 0.0], [0.0, 0.0, 4.0]]> : tensor<2x3xf32>
  %s:5 = stablehlo.custom_call @lapack_sgesdd_ffi(%a) {mhlo.backend_config = {mode = 78 : ui8}} : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2xf32>, tensor<2x2xf32>, tensor<2x3xf32>, tensor<i32>)
  check.expect_almost_eq_const %s#1, dense<[4.0, 3.0]> : tensor<2xf32>
  return
}
