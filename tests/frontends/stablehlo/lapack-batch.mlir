// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A LAPACK routine over a batch of any size: the shapes of its results, which JAX passes along, are no operands of the call.
//
// RUN: zenith-translate %s --to-format=graphir -o - | FileCheck %s
// RUN: zenith-run %s --random-inputs --dim arg0_d0=3 --compare=interp --rtol=1e-5 --atol=1e-5

// CHECK: graph.custom_call "lapack_getrf"(%arg0) {{.*}}(tensor<?x4x4xf32>) -> (tensor<?x4x4xf32>, tensor<?x4xi32>, tensor<?xi32>)
func.func public @main(%x: tensor<?x4x4xf32>, %s: tensor<3xi64>, %p: tensor<2xi64>, %i: tensor<1xi64>) -> tensor<?x4x4xf32> {
  %lu:3 = stablehlo.custom_call @lapack_sgetrf_ffi(%x, %s, %p, %i) {indices_of_shape_operands = dense<[1, 2, 3]> : tensor<3xi64>, mhlo.backend_config = {}} : (tensor<?x4x4xf32>, tensor<3xi64>, tensor<2xi64>, tensor<1xi64>) -> (tensor<?x4x4xf32>, tensor<?x4xi32>, tensor<?xi32>)
  return %lu#0 : tensor<?x4x4xf32>
}
