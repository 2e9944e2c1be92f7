// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program that checks itself says what it compared.
//
// RUN: zenith-run %s | FileCheck %s
// CHECK: compared with the program's expectations: 2 results, 5 elements: the largest difference is 1e-05, at [1] of expectation 1
// RUN: zenith-run %s --report=memory 2>&1 >/dev/null | FileCheck --check-prefix=BESIDE %s
// BESIDE: compared with the program's expectations: 2 results
func.func @main() {
  %a = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %b = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf64>
  %c = stablehlo.constant dense<[1.0, 2.00001]> : tensor<2xf64>
  check.expect_eq %a, %a : tensor<3xi32>
  check.expect_almost_eq %b, %c, tolerance = 0.001 : tensor<2xf64>
  return
}
