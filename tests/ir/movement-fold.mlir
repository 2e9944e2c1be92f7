// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Folds and canonical forms of the movement family.
//
// RUN: zenith-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @static_dim
// CHECK: graph.constant dense<4> : tensor<i64>
func.func @static_dim(%x: tensor<?x4xf32>) -> tensor<i64> {
  %n = graph.dim %x, 1 : tensor<?x4xf32>
  return %n : tensor<i64>
}

// CHECK-LABEL: func.func @dims_that_operands_give
// CHECK-SAME: (%{{.*}}: tensor<f32>, %[[N:.*]]: tensor<i64>, %[[M:.*]]: tensor<i64>)
// CHECK-NEXT: return %[[M]], %[[N]], %[[N]], %[[M]]
func.func @dims_that_operands_give(%v: tensor<f32>, %n: tensor<i64>, %m: tensor<i64>) -> (tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>) {
  %b = graph.broadcast %v [] [%n, %m] : tensor<f32> -> tensor<?x3x?xf32>
  %e = graph.exp %b : tensor<?x3x?xf32>
  %t = graph.transpose %e [2, 1, 0] : tensor<?x3x?xf32> -> tensor<?x3x?xf32>
  %i = graph.iota 0 [%n] : tensor<?xi64>
  %s = graph.slice %i [0] [%m] [1] : tensor<?xi64> -> tensor<?xi64>
  %0 = graph.dim %t, 0 : tensor<?x3x?xf32>
  %1 = graph.dim %t, 2 : tensor<?x3x?xf32>
  %2 = graph.dim %i, 0 : tensor<?xi64>
  %3 = graph.dim %s, 0 : tensor<?xi64>
  return %0, %1, %2, %3 : tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>
}

// CHECK-LABEL: func.func @identities
// CHECK-SAME: (%[[X:.*]]: tensor<2x3xf32>, %[[Y:.*]]: tensor<?x3xf32>, %[[N:.*]]: tensor<i64>)
// CHECK-NEXT: return %[[X]], %[[X]], %[[X]], %[[X]], %[[X]], %[[Y]], %[[Y]]
func.func @identities(%x: tensor<2x3xf32>, %y: tensor<?x3xf32>, %n: tensor<i64>)
    -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>) {
  %b = graph.broadcast %x [0, 1] : tensor<2x3xf32> -> tensor<2x3xf32>
  %r = graph.reshape %x : tensor<2x3xf32> -> tensor<2x3xf32>
  %t = graph.transpose %x [0, 1] : tensor<2x3xf32> -> tensor<2x3xf32>
  %s = graph.slice %x [0, 0] [2, 3] [1, 1] : tensor<2x3xf32> -> tensor<2x3xf32>
  %c = graph.concat 1, %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %q = graph.reshape %y [%n] : tensor<?x3xf32> -> tensor<?x3xf32>
  %u = graph.transpose %y [0, 1] : tensor<?x3xf32> -> tensor<?x3xf32>
  return %b, %r, %t, %s, %c, %q, %u : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>
}

// One shape, but other elements or a size that the element count doesn't fix.
// CHECK-LABEL: func.func @no_identities
// CHECK: graph.broadcast
// CHECK: graph.reshape
// CHECK: graph.reshape
// CHECK: graph.slice
func.func @no_identities(%x: tensor<3x3xf32>, %y: tensor<?x?xf32>, %z: tensor<?x0xf32>, %n: tensor<i64>, %w: tensor<?xf32>)
    -> (tensor<3x3xf32>, tensor<?x?xf32>, tensor<?x0xf32>, tensor<?xf32>) {
  %b = graph.broadcast %x [1, 0] : tensor<3x3xf32> -> tensor<3x3xf32>
  %r = graph.reshape %y [%n, %n] : tensor<?x?xf32> -> tensor<?x?xf32>
  %s = graph.reshape %z [%n] : tensor<?x0xf32> -> tensor<?x0xf32>
  %t = graph.slice %w [0] [%n] [1] : tensor<?xf32> -> tensor<?xf32>
  return %b, %r, %s, %t : tensor<3x3xf32>, tensor<?x?xf32>, tensor<?x0xf32>, tensor<?xf32>
}

// CHECK-LABEL: func.func @compositions
// CHECK-SAME: (%[[X:.*]]: tensor<2x3x4xf32>, %[[Y:.*]]: tensor<?x6xf32>, %[[N:.*]]: tensor<i64>, %[[M:.*]]: tensor<i64>)
// CHECK-DAG: graph.transpose %[[X]] [1, 0, 2]
// CHECK-DAG: graph.reshape %[[Y]] [%[[M]]] : tensor<?x6xf32> -> tensor<?xf32>
func.func @compositions(%x: tensor<2x3x4xf32>, %y: tensor<?x6xf32>, %n: tensor<i64>, %m: tensor<i64>) -> (tensor<3x2x4xf32>, tensor<2x3x4xf32>, tensor<?xf32>) {
  %t = graph.transpose %x [2, 0, 1] : tensor<2x3x4xf32> -> tensor<4x2x3xf32>
  %u = graph.transpose %t [2, 1, 0] : tensor<4x2x3xf32> -> tensor<3x2x4xf32>
  %v = graph.transpose %t [1, 2, 0] : tensor<4x2x3xf32> -> tensor<2x3x4xf32>
  %r = graph.reshape %y [%n] : tensor<?x6xf32> -> tensor<?x3x2xf32>
  %s = graph.reshape %r [%m] : tensor<?x3x2xf32> -> tensor<?xf32>
  return %u, %v, %s : tensor<3x2x4xf32>, tensor<2x3x4xf32>, tensor<?xf32>
}

// CHECK-LABEL: func.func @transpose_of_units
// CHECK: graph.reshape %{{.*}} : tensor<2x1x3xf32> -> tensor<1x2x3xf32>
// CHECK: graph.transpose %{{.*}} [1, 0, 2]
func.func @transpose_of_units(%x: tensor<2x1x3xf32>, %y: tensor<2x2x3xf32>) -> (tensor<1x2x3xf32>, tensor<2x2x3xf32>) {
  %t = graph.transpose %x [1, 0, 2] : tensor<2x1x3xf32> -> tensor<1x2x3xf32>
  %u = graph.transpose %y [1, 0, 2] : tensor<2x2x3xf32> -> tensor<2x2x3xf32>
  return %t, %u : tensor<1x2x3xf32>, tensor<2x2x3xf32>
}

// CHECK-LABEL: func.func @moved_constants
// CHECK-DAG: graph.constant dense<1.000000e+00> : tensor<2x3xf32>
// CHECK-DAG: graph.constant dense<{{\[\[}}1, 2], [3, 4]]> : tensor<2x2xi64>
// CHECK-DAG: graph.constant dense<[2, 4]> : tensor<2xi64>
// CHECK-DAG: graph.constant dense<[1, 2, 3, 4, 2, 4]> : tensor<6xi64>
// CHECK-DAG: graph.constant dense<{{\[\[}}4, 3]]> : tensor<1x2xi64>
func.func @moved_constants() -> (tensor<2x3xf32>, tensor<2x2xi64>, tensor<2xi64>, tensor<6xi64>, tensor<1x2xi64>) {
  %one = graph.constant dense<1.0> : tensor<f32>
  %x = graph.constant dense<[1, 2, 3, 4]> : tensor<4xi64>
  %y = graph.constant dense<[[1, 2, 3], [5, 4, 3]]> : tensor<2x3xi64>
  %b = graph.broadcast %one [] : tensor<f32> -> tensor<2x3xf32>
  %r = graph.reshape %x : tensor<4xi64> -> tensor<2x2xi64>
  %s = graph.slice %x [1] [2] [2] : tensor<4xi64> -> tensor<2xi64>
  %c = graph.concat 0, %x, %s : (tensor<4xi64>, tensor<2xi64>) -> tensor<6xi64>
  %p = graph.slice %y [1, 1] [1, 2] [1, 1] : tensor<2x3xi64> -> tensor<1x2xi64>
  return %b, %r, %s, %c, %p : tensor<2x3xf32>, tensor<2x2xi64>, tensor<2xi64>, tensor<6xi64>, tensor<1x2xi64>
}

// CHECK-LABEL: func.func @shape_arithmetic
// CHECK-SAME: (%[[X:.*]]: tensor<?x4xf32>)
// CHECK-DAG: %[[N:.*]] = graph.dim %[[X]], 0
// CHECK-DAG: %[[FOUR:.*]] = graph.constant dense<4> : tensor<i64>
// CHECK: %[[M:.*]] = graph.mul %[[N]], %[[FOUR]]
// CHECK: graph.reshape %[[X]] [%[[M]]] : tensor<?x4xf32> -> tensor<?xf32>
func.func @shape_arithmetic(%x: tensor<?x4xf32>) -> tensor<?xf32> {
  %n = graph.dim %x, 0 : tensor<?x4xf32>
  %c = graph.dim %x, 1 : tensor<?x4xf32>
  %m = graph.mul %n, %c : tensor<i64>
  %r = graph.reshape %x [%m] : tensor<?x4xf32> -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// CHECK-LABEL: func.func @reduction_of_nothing
// CHECK-SAME: (%[[X:.*]]: tensor<2xf32>)
// CHECK-NEXT: return %[[X]]
func.func @reduction_of_nothing(%x: tensor<2xf32>) -> tensor<2xf32> {
  %r = graph.reduce sum, %x [] : tensor<2xf32> -> tensor<2xf32>
  return %r : tensor<2xf32>
}
