// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A matrix that is not positive definite from its second row on: LAPACK's
// factorisation says so, though its first column is finite. It leaves the
// triangle that it does not write as it was.
//
// RUN: zenith-run %s --target=interp
// RUN: zenith-run %s --target=cpu

func.func public @main() {
  %a = stablehlo.constant dense<[[[4.0, 2.0], [2.0, -1.0]], [[4.0, 2.0], [2.0, 5.0]]]> : tensor<2x2x2xf64>
  %l:2 = stablehlo.custom_call @lapack_dpotrf_ffi(%a) {mhlo.backend_config = {uplo = 76 : ui8}} : (tensor<2x2x2xf64>) -> (tensor<2x2x2xf64>, tensor<2xi32>)
  %zero = stablehlo.constant dense<0> : tensor<2xi32>
  %good = stablehlo.compare EQ, %l#1, %zero : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
  check.expect_eq_const %good, dense<[false, true]> : tensor<2xi1>
  %at = stablehlo.slice %l#0 [1:2, 0:2, 0:2] : (tensor<2x2x2xf64>) -> tensor<1x2x2xf64>
  check.expect_almost_eq_const %at, dense<[[[2.0, 2.0], [1.0, 2.0]]]> : tensor<1x2x2xf64>
  return
}
