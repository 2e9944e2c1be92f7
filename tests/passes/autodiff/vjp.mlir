// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reverse mode: cotangents of results to gradients of arguments.
//
// RUN: zenith-opt %s --split-input-file --zenith-vjp="wrt=0" | FileCheck %s

// The gradient is the cotangent times the other factor; the function becomes private.
// CHECK-LABEL: @product(
// CHECK: func.func @product_vjp(%[[X:.*]]: tensor<4xf32>, %[[Y:.*]]: tensor<4xf32>, %[[CT:.*]]: tensor<4xf32>)
// CHECK: %[[R:.*]] = graph.mul %[[X]], %[[Y]] : tensor<4xf32>
// CHECK: %[[G:.*]] = graph.mul %[[CT]], %[[Y]] : tensor<4xf32>
// CHECK: return %[[R]], %[[G]] : tensor<4xf32>, tensor<4xf32>
func.func @product(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %r = graph.mul %x, %y : tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// An argument that no result needs has the gradient zeros, and nothing is computed for it.
// CHECK-LABEL: func.func @unused_vjp(
// CHECK: %[[ZERO:.*]] = graph.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NOT: graph.mul
// CHECK: return %{{.*}}, %[[ZERO]]
func.func @unused(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %s = graph.stop_gradient %x : tensor<4xf32>
  %r = graph.add %s, %y : tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// A counted loop stores what its backward part reads while it runs, and reads it from the last trip to the first.
// CHECK-LABEL: func.func @loop_vjp(
// CHECK: graph.constant dense<0.000000e+00> : tensor<5x4xf32>
// CHECK: graph.while
// CHECK: graph.compare lt
// CHECK: graph.dynamic_update_slice
// CHECK: graph.while
// CHECK: graph.compare ge
// CHECK: graph.dynamic_slice
func.func @loop(%x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = graph.constant dense<0> : tensor<i64>
  %one = graph.constant dense<1> : tensor<i64>
  %n = graph.constant dense<5> : tensor<i64>
  %r:2 = graph.while %zero, %x cond {
  ^bb0(%i: tensor<i64>, %h: tensor<4xf32>):
    %c = graph.compare lt, %i, %n : tensor<i64> -> tensor<i1>
    graph.yield %c : tensor<i1>
  } do {
  ^bb0(%i: tensor<i64>, %h: tensor<4xf32>):
    %s = graph.sin %h : tensor<4xf32>
    %j = graph.add %i, %one : tensor<i64>
    graph.yield %j, %s : tensor<i64>, tensor<4xf32>
  } : (tensor<i64>, tensor<4xf32>) -> (tensor<i64>, tensor<4xf32>)
  return %r#1 : tensor<4xf32>
}
