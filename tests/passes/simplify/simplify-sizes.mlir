// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes are written once, in terms of the dimensions that the signature names; movement to the same shape goes.
//
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-simplify-sizes))' | FileCheck %s -enable-var-scope
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-simplify-sizes,zenith-simplify-algebra,zenith-simplify-sizes))' | FileCheck %s -enable-var-scope --check-prefix=ALL

// The quotient is the dimension again; once the reshapes are merged, the rest keeps the shape and goes.
// CHECK-LABEL: @same_shape_by_another_name
// CHECK: %[[N:.*]] = graph.dim %arg0, 0
// CHECK: %[[F:.*]] = graph.reshape %arg0
// CHECK-NEXT: graph.reshape %[[F]] [%[[N]]]
// ALL-LABEL: @same_shape_by_another_name
// ALL-SAME: (%[[X:.*]]: tensor<?x4xf32>
// ALL-NEXT: return %[[X]]
func.func @same_shape_by_another_name(%x: tensor<?x4xf32> {graph.dims = ["n", "4"]}) -> tensor<?x4xf32> {
  %n = graph.dim %x, 0 : tensor<?x4xf32>
  %four = graph.constant dense<4> : tensor<i64>
  %all = graph.mul %n, %four : tensor<i64>
  %flat = graph.reshape %x [%all] : tensor<?x4xf32> -> tensor<?xf32>
  %rows = graph.div %all, %four : tensor<i64>
  %r = graph.reshape %flat [%rows] : tensor<?xf32> -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}

// A size that depends on data stays.
// CHECK-LABEL: @size_from_data_stays
// CHECK: graph.reduce sum
// CHECK: graph.broadcast
func.func @size_from_data_stays(%x: tensor<4xi64>, %y: tensor<f32>) -> tensor<?xf32> {
  %n = graph.reduce sum, %x [0] : tensor<4xi64> -> tensor<i64>
  %r = graph.broadcast %y [] [%n] : tensor<f32> -> tensor<?xf32>
  return %r : tensor<?xf32>
}
