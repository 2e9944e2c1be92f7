// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cheaper ops with the same bits, and sizes in terms of the signature.
//
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-simplify-algebra))' | FileCheck %s -enable-var-scope

// CHECK-LABEL: @square
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>)
// CHECK: graph.mul %[[X]], %[[X]] : tensor<4xf32>
func.func @square(%x: tensor<4xf32>) -> tensor<4xf32> {
  %two = graph.constant dense<2.0> : tensor<4xf32>
  %r = graph.pow %x, %two : tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: @division_by_power_of_two
// CHECK: %[[C:.*]] = graph.constant dense<1.250000e-01> : tensor<f32>
// CHECK: graph.broadcast %[[C]]
// CHECK: graph.mul
func.func @division_by_power_of_two(%x: tensor<?xf32> {graph.dims = ["n"]}) -> tensor<?xf32> {
  %n = graph.dim %x, 0 : tensor<?xf32>
  %c = graph.constant dense<8.0> : tensor<f32>
  %b = graph.broadcast %c [] [%n] : tensor<f32> -> tensor<?xf32>
  %r = graph.div %x, %b : tensor<?xf32>
  return %r : tensor<?xf32>
}

// CHECK-LABEL: @division_by_three_stays
// CHECK: graph.div
func.func @division_by_three_stays(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = graph.constant dense<3.0> : tensor<4xf32>
  %r = graph.div %x, %c : tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: @positive_zero_stays
// CHECK: graph.add
func.func @positive_zero_stays(%x: tensor<?xf32> {graph.dims = ["n"]}) -> tensor<?xf32> {
  %n = graph.dim %x, 0 : tensor<?xf32>
  %c = graph.constant dense<0.0> : tensor<f32>
  %b = graph.broadcast %c [] [%n] : tensor<f32> -> tensor<?xf32>
  %r = graph.add %x, %b : tensor<?xf32>
  return %r : tensor<?xf32>
}

// CHECK-LABEL: @negative_zero_goes
// CHECK-SAME: (%[[X:.*]]: tensor<?xf32>
// CHECK-NEXT: return %[[X]]
func.func @negative_zero_goes(%x: tensor<?xf32> {graph.dims = ["n"]}) -> tensor<?xf32> {
  %n = graph.dim %x, 0 : tensor<?xf32>
  %c = graph.constant dense<-0.0> : tensor<f32>
  %b = graph.broadcast %c [] [%n] : tensor<f32> -> tensor<?xf32>
  %r = graph.add %x, %b : tensor<?xf32>
  return %r : tensor<?xf32>
}

// CHECK-LABEL: @same_shape_by_another_name
// CHECK-SAME: (%[[X:.*]]: tensor<?x4xf32>
// CHECK-NEXT: return %[[X]]
func.func @same_shape_by_another_name(%x: tensor<?x4xf32> {graph.dims = ["n", "4"]}) -> tensor<?x4xf32> {
  %n = graph.dim %x, 0 : tensor<?x4xf32>
  %four = graph.constant dense<4> : tensor<i64>
  %all = graph.mul %n, %four : tensor<i64>
  %flat = graph.reshape %x [%all] : tensor<?x4xf32> -> tensor<?xf32>
  %rows = graph.div %all, %four : tensor<i64>
  %r = graph.reshape %flat [%rows] : tensor<?xf32> -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}

// CHECK-LABEL: @transpose_of_units
// CHECK: graph.reshape
// CHECK-NOT: graph.transpose
// CHECK: return
func.func @transpose_of_units(%x: tensor<2x1x3xf32>) -> tensor<1x2x3xf32> {
  %r = graph.transpose %x [1, 0, 2] : tensor<2x1x3xf32> -> tensor<1x2x3xf32>
  return %r : tensor<1x2x3xf32>
}

// CHECK-LABEL: @transpose_of_broadcast
// CHECK: graph.broadcast %{{.*}} [0] : tensor<3xf32> -> tensor<3x2xf32>
// CHECK-NOT: graph.transpose
// CHECK: return
func.func @transpose_of_broadcast(%x: tensor<3xf32>) -> tensor<3x2xf32> {
  %b = graph.broadcast %x [1] : tensor<3xf32> -> tensor<2x3xf32>
  %r = graph.transpose %b [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>
  return %r : tensor<3x2xf32>
}

// CHECK-LABEL: @heads_split_before_transpose
// CHECK: graph.reshape %{{.*}} : tensor<5x2x12xf32> -> tensor<5x2x3x4xf32>
// CHECK: graph.transpose %{{.*}} [1, 2, 0, 3]
// CHECK-NOT: graph.reshape
// CHECK: return
func.func @heads_split_before_transpose(%x: tensor<5x2x12xf32>) -> tensor<2x3x5x4xf32> {
  %m = graph.reshape %x : tensor<5x2x12xf32> -> tensor<5x6x4xf32>
  %t = graph.transpose %m [1, 0, 2] : tensor<5x6x4xf32> -> tensor<6x5x4xf32>
  %r = graph.reshape %t : tensor<6x5x4xf32> -> tensor<2x3x5x4xf32>
  return %r : tensor<2x3x5x4xf32>
}
