// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stacks of residuals become a stack of the carried values.
//
// RUN: zenith-opt %s --zenith-recompute-stacks | FileCheck %s
// RUN: zenith-run %s --random-inputs=1 --compare=interp

module attributes {graph.recompute_loops} {

// The second loop reads sin(c) and cos(c) of each trip; c is stacked instead.
// CHECK-LABEL: func.func @scan
// CHECK-SAME: graph.loop_flops
// CHECK: %[[F:.*]]:3 = graph.while
// CHECK-NOT: graph.cos
// CHECK: graph.dynamic_update_slice
// CHECK-NOT: graph.dynamic_update_slice
// CHECK: graph.while
// CHECK: graph.dynamic_slice %[[F]]#2
// CHECK: graph.cos
func.func @scan(%x: tensor<4xf32>, %ct: tensor<4xf32>) -> tensor<4xf32> {
  %zero = graph.constant dense<0> : tensor<i32>
  %one = graph.constant dense<1> : tensor<i32>
  %five = graph.constant dense<5> : tensor<i32>
  %empty = graph.constant dense<0.0> : tensor<5x4xf32>
  %f:4 = graph.while %zero, %x, %empty, %empty cond {
  ^bb0(%i: tensor<i32>, %c: tensor<4xf32>, %s: tensor<5x4xf32>, %t: tensor<5x4xf32>):
    %p = graph.compare lt, %i, %five : tensor<i32> -> tensor<i1>
    graph.yield %p : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %c: tensor<4xf32>, %s: tensor<5x4xf32>, %t: tensor<5x4xf32>):
    %sin = graph.sin %c : tensor<4xf32>
    %cos = graph.cos %c : tensor<4xf32>
    %r = graph.reshape %sin : tensor<4xf32> -> tensor<1x4xf32>
    %q = graph.reshape %cos : tensor<4xf32> -> tensor<1x4xf32>
    %u = graph.dynamic_update_slice %s, %r, %i, %zero : (tensor<5x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<5x4xf32>
    %v = graph.dynamic_update_slice %t, %q, %i, %zero : (tensor<5x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<5x4xf32>
    %j = graph.add %i, %one : tensor<i32>
    graph.yield %j, %sin, %u, %v : tensor<i32>, tensor<4xf32>, tensor<5x4xf32>, tensor<5x4xf32>
  } : (tensor<i32>, tensor<4xf32>, tensor<5x4xf32>, tensor<5x4xf32>) -> (tensor<i32>, tensor<4xf32>, tensor<5x4xf32>, tensor<5x4xf32>)
  %b:2 = graph.while %zero, %ct cond {
  ^bb0(%i: tensor<i32>, %d: tensor<4xf32>):
    %p = graph.compare lt, %i, %five : tensor<i32> -> tensor<i1>
    graph.yield %p : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %d: tensor<4xf32>):
    %k = graph.sub %five, %i : tensor<i32>
    %l = graph.sub %k, %one : tensor<i32>
    %m = graph.dynamic_slice %f#2, %l, %zero : (tensor<5x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
    %n = graph.dynamic_slice %f#3, %l, %zero : (tensor<5x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
    %o = graph.mul %m, %n : tensor<1x4xf32>
    %w = graph.reshape %o : tensor<1x4xf32> -> tensor<4xf32>
    %e = graph.mul %d, %w : tensor<4xf32>
    %j = graph.add %i, %one : tensor<i32>
    graph.yield %j, %e : tensor<i32>, tensor<4xf32>
  } : (tensor<i32>, tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>)
  return %b#1 : tensor<4xf32>
}

}
