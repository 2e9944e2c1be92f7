// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dimensions of intermediate values become dimensions of arguments.
//
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-resolve-dims))' | FileCheck %s -enable-var-scope

// CHECK-LABEL: @intermediate
// CHECK: %[[N:.*]] = graph.dim %arg0, 0
// CHECK-NOT: graph.dim
// CHECK: graph.broadcast %arg1 [] [%[[N]]]
func.func @intermediate(%x: tensor<?xf32> {graph.dims = ["n"]}, %y: tensor<f32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %e = graph.exp %x : tensor<?xf32>
  %n = graph.dim %e, 0 : tensor<?xf32>
  %b = graph.broadcast %y [] [%n] : tensor<f32> -> tensor<?xf32>
  return %e, %b : tensor<?xf32>, tensor<?xf32>
}

// A dimension that depends on data is nobody's.
// CHECK-LABEL: @from_data
// CHECK: graph.unique
// CHECK: graph.dim %rows, 0
func.func @from_data(%x: tensor<8xi64>) -> tensor<i64> {
  %u:4 = graph.unique %x : tensor<8xi64> -> tensor<?xi64>, tensor<?xi64>, tensor<8xi64>, tensor<?xi64>
  %n = graph.dim %u#0, 0 : tensor<?xi64>
  return %n : tensor<i64>
}
