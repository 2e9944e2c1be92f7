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

// The run checks that the common size is n: x does not repeat, y may.
// CHECK-LABEL: @common_size_that_is_checked
// CHECK: %[[N:.*]] = graph.dim %arg0, 0
// CHECK: %[[C:.*]] = graph.select
// CHECK: %[[OK:.*]] = graph.compare eq, %[[C]], %[[N]]
// CHECK: graph.assert %[[OK]]
// CHECK-NEXT: %[[Y:.*]] = graph.expand %arg1 [%[[N]]]
// CHECK-NEXT: graph.add %arg0, %[[Y]]
func.func @common_size_that_is_checked(%x: tensor<?xf32> {graph.dims = ["n"]}, %y: tensor<?xf32> {graph.dims = ["m"]}) -> tensor<?xf32> {
  %one = graph.constant dense<1> : tensor<i64>
  %n = graph.dim %x, 0 : tensor<?xf32>
  %m = graph.dim %y, 0 : tensor<?xf32>
  %is_one = graph.compare eq, %n, %one : tensor<i64> -> tensor<i1>
  %common = graph.select %is_one, %m, %n : tensor<i1>, tensor<i64>
  %ok = graph.compare eq, %common, %n : tensor<i64> -> tensor<i1>
  graph.assert %ok "sizes {0} and {1} differ" (%common, %n) {graph.size_check} : tensor<i1>, tensor<i64>, tensor<i64>
  %a = graph.expand %x [%common] : tensor<?xf32> -> tensor<?xf32>
  %b = graph.expand %y [%common] : tensor<?xf32> -> tensor<?xf32>
  %r = graph.add %a, %b : tensor<?xf32>
  return %r : tensor<?xf32>
}
