// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elementwise functions of what a loop stacks are not stacked beside it.
//
// RUN: zenith-opt %s --zenith-recompute-cheap-stacks | FileCheck %s
// RUN: zenith-run %s --random-inputs=1 --compare=interp

// The second loop reads x w and tanh(x w) of each trip, the former twice over; one stack of it stays.
// CHECK-LABEL: func.func @scan
// CHECK: %[[F:.*]]:3 = graph.while
// CHECK: graph.dynamic_update_slice
// CHECK-NOT: graph.dynamic_update_slice
// CHECK: graph.while
// CHECK: %[[ROW:.*]] = graph.dynamic_slice %[[F]]#2
// CHECK: graph.tanh
// CHECK-NOT: graph.dynamic_slice
// CHECK: return
func.func @scan(%x: tensor<4x4xf32>, %w: tensor<4x4xf32>, %ct: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %zero = graph.constant dense<0> : tensor<i32>
  %one = graph.constant dense<1> : tensor<i32>
  %five = graph.constant dense<5> : tensor<i32>
  %empty = graph.constant dense<0.0> : tensor<5x4x4xf32>
  %f:5 = graph.while %zero, %x, %empty, %empty, %empty cond {
  ^bb0(%i: tensor<i32>, %c: tensor<4x4xf32>, %s: tensor<5x4x4xf32>, %t: tensor<5x4x4xf32>, %u: tensor<5x4x4xf32>):
    %p = graph.compare lt, %i, %five : tensor<i32> -> tensor<i1>
    graph.yield %p : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %c: tensor<4x4xf32>, %s: tensor<5x4x4xf32>, %t: tensor<5x4x4xf32>, %u: tensor<5x4x4xf32>):
    %h = graph.dot_general %c, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %tanh = graph.tanh %h : tensor<4x4xf32>
    %q = graph.reshape %h : tensor<4x4xf32> -> tensor<1x4x4xf32>
    %r = graph.reshape %tanh : tensor<4x4xf32> -> tensor<1x4x4xf32>
    %v = graph.dynamic_update_slice %s, %q, %i, %zero, %zero : (tensor<5x4x4xf32>, tensor<1x4x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<5x4x4xf32>
    %y = graph.dynamic_update_slice %t, %r, %i, %zero, %zero : (tensor<5x4x4xf32>, tensor<1x4x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<5x4x4xf32>
    %z = graph.dynamic_update_slice %u, %q, %i, %zero, %zero : (tensor<5x4x4xf32>, tensor<1x4x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<5x4x4xf32>
    %j = graph.add %i, %one : tensor<i32>
    graph.yield %j, %tanh, %v, %y, %z : tensor<i32>, tensor<4x4xf32>, tensor<5x4x4xf32>, tensor<5x4x4xf32>, tensor<5x4x4xf32>
  } : (tensor<i32>, tensor<4x4xf32>, tensor<5x4x4xf32>, tensor<5x4x4xf32>, tensor<5x4x4xf32>) -> (tensor<i32>, tensor<4x4xf32>, tensor<5x4x4xf32>, tensor<5x4x4xf32>, tensor<5x4x4xf32>)
  %b:2 = graph.while %zero, %ct cond {
  ^bb0(%i: tensor<i32>, %d: tensor<4x4xf32>):
    %p = graph.compare lt, %i, %five : tensor<i32> -> tensor<i1>
    graph.yield %p : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %d: tensor<4x4xf32>):
    %k = graph.sub %five, %i : tensor<i32>
    %l = graph.sub %k, %one : tensor<i32>
    %m = graph.dynamic_slice %f#2, %l, %zero, %zero : (tensor<5x4x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x4x4xf32>
    %n = graph.dynamic_slice %f#3, %l, %zero, %zero : (tensor<5x4x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x4x4xf32>
    %o = graph.dynamic_slice %f#4, %l, %zero, %zero : (tensor<5x4x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x4x4xf32>
    %q = graph.mul %m, %n : tensor<1x4x4xf32>
    %r = graph.add %q, %o : tensor<1x4x4xf32>
    %s = graph.reshape %r : tensor<1x4x4xf32> -> tensor<4x4xf32>
    %e = graph.mul %d, %s : tensor<4x4xf32>
    %j = graph.add %i, %one : tensor<i32>
    graph.yield %j, %e : tensor<i32>, tensor<4x4xf32>
  } : (tensor<i32>, tensor<4x4xf32>) -> (tensor<i32>, tensor<4x4xf32>)
  return %b#1 : tensor<4x4xf32>
}
