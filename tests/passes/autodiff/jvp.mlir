// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Forward mode: tangents of arguments to tangents of results.
//
// RUN: zenith-opt %s --split-input-file --zenith-jvp="name=forward" | FileCheck %s

// CHECK-LABEL: @product(
// CHECK: func.func @forward(%[[X:.*]]: tensor<4xf32>, %[[Y:.*]]: tensor<4xf32>, %[[TX:.*]]: tensor<4xf32>, %[[TY:.*]]: tensor<4xf32>)
// CHECK-DAG: graph.mul %[[TX]], %[[Y]] : tensor<4xf32>
// CHECK-DAG: graph.mul %[[TY]], %[[X]] : tensor<4xf32>
// CHECK: %[[T:.*]] = graph.add
// CHECK: return %{{.*}}, %[[T]] : tensor<4xf32>, tensor<4xf32>
func.func @product(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %r = graph.mul %x, %y : tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// A loop carries tangents along.
// CHECK: func.func @forward(
// CHECK: graph.while %{{.*}}, %{{.*}}
// CHECK: graph.cos
func.func @loop(%x: tensor<f32>) -> tensor<f32> {
  %limit = graph.constant dense<2.0> : tensor<f32>
  %r = graph.while %x cond {
  ^bb0(%h: tensor<f32>):
    %c = graph.compare lt, %h, %limit : tensor<f32> -> tensor<i1>
    graph.yield %c : tensor<i1>
  } do {
  ^bb0(%h: tensor<f32>):
    %s = graph.sin %h : tensor<f32>
    %t = graph.add %s, %h : tensor<f32>
    graph.yield %t : tensor<f32>
  } : (tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
}
