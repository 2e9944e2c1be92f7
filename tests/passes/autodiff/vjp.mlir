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

// Cotangents of several uses add in f32 and are rounded once.
// CHECK-LABEL: func.func @reused_vjp(
// CHECK-DAG: %[[FIRST:.*]] = graph.convert %{{.*}} : tensor<4xbf16> -> tensor<4xf32>
// CHECK-DAG: %[[SECOND:.*]] = graph.convert %{{.*}} : tensor<4xbf16> -> tensor<4xf32>
// CHECK: %[[SUM:.*]] = graph.add %{{.*}}, %{{.*}} : tensor<4xf32>
// CHECK: %[[ALL:.*]] = graph.add %[[SUM]], %{{.*}} : tensor<4xf32>
// CHECK: %[[GRADIENT:.*]] = graph.convert %[[ALL]] : tensor<4xf32> -> tensor<4xbf16>
// CHECK: return %{{.*}}, %[[GRADIENT]]
func.func @reused(%x: tensor<4xbf16>, %a: tensor<4xbf16>) -> tensor<4xbf16> {
  %0 = graph.mul %x, %a : tensor<4xbf16>
  %1 = graph.sin %x : tensor<4xbf16>
  %2 = graph.cos %x : tensor<4xbf16>
  %3 = graph.add %0, %1 : tensor<4xbf16>
  %r = graph.add %3, %2 : tensor<4xbf16>
  return %r : tensor<4xbf16>
}

// -----

// Rows that indices name again add in f32.
// CHECK-LABEL: func.func @rows_vjp(
// CHECK: graph.scatter sum, {{.*}} -> tensor<5x2xf32>
// CHECK: graph.convert %{{.*}} : tensor<5x2xf32> -> tensor<5x2xbf16>
func.func @rows(%x: tensor<5x2xbf16>, %i: tensor<7x1xi64>) -> tensor<7x2xbf16> {
  %r = graph.gather %x, %i <offset = [1], collapsed = [0], batching = [] x [], index_map = [0], index_vector_dim = 1> sizes [1, 2] : (tensor<5x2xbf16>, tensor<7x1xi64>) -> tensor<7x2xbf16>
  return %r : tensor<7x2xbf16>
}

// -----

// Attention over many queries goes back by blocks of them: no matrix has all queries and all keys.
// CHECK-LABEL: func.func @attention_vjp(
// CHECK-NOT: 512x384
// CHECK: graph.while
// CHECK: graph.dynamic_slice
// CHECK: graph.softmax {{.*}} tensor<2x64x384xf32>
// CHECK: graph.dynamic_update_slice
// CHECK-NOT: 512x384
// CHECK: return
func.func @attention(%q: tensor<2x512x8xf32>, %k: tensor<2x384x8xf32>, %v: tensor<2x384x4xf32>) -> tensor<2x512x4xf32> {
  %r = graph.attention %q, %k, %v {scale = 0.25 : f64} : (tensor<2x512x8xf32>, tensor<2x384x8xf32>, tensor<2x384x4xf32>) -> tensor<2x512x4xf32>
  return %r : tensor<2x512x4xf32>
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

// -----

// What branches compute at a cost is computed once: the branch yields it, and the other one zeros.
// CHECK-LABEL: func.func @branches_vjp(
// CHECK: %[[FORWARD:.*]]:2 = graph.if
// CHECK: graph.dot_general
// CHECK: %[[SINES:.*]] = graph.sin
// CHECK: graph.yield %[[SINES]], %{{.*}} : tensor<4x4xf32>, tensor<4x4xf32>
// CHECK: } else {
// CHECK: graph.yield %{{.*}}, %{{.*}} : tensor<4x4xf32>, tensor<4x4xf32>
// CHECK: graph.if
// CHECK: graph.cos %[[FORWARD]]#1
// CHECK: graph.dot_general
// CHECK: graph.dot_general
// CHECK-NOT: graph.dot_general
// CHECK: return
func.func @branches(%x: tensor<4x4xf32>, %p: tensor<i1>) -> tensor<4x4xf32> {
  %r = graph.if %p then {
    %m = graph.dot_general %x, %x <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %s = graph.sin %m : tensor<4x4xf32>
    graph.yield %s : tensor<4x4xf32>
  } else {
    %t = graph.tanh %x : tensor<4x4xf32>
    graph.yield %t : tensor<4x4xf32>
  } : (tensor<i1>) -> tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}

// -----

// The forward part writes mean and deviation of each row out, and the backward part reads them: one sum over the rows for the mean, one
// for the deviation, two for the cotangent.
// CHECK-LABEL: func.func @norm_vjp(
// CHECK-NOT: graph.layer_norm
// CHECK: graph.reduce sum
// CHECK: graph.reduce sum
// CHECK: %[[ROOT:.*]] = graph.rsqrt
// CHECK: %[[INVERSE:.*]] = graph.broadcast %[[ROOT]] [0]
// CHECK: %[[NORMAL:.*]] = graph.mul %{{.*}}, %[[INVERSE]]
// CHECK: %[[RESULT:.*]] = graph.mul %[[NORMAL]], %{{.*}}
// CHECK: graph.mul %{{.*}}, %[[INVERSE]]
// CHECK: graph.mul %{{.*}}, %[[NORMAL]]
// CHECK: graph.reduce sum
// CHECK: graph.reduce sum
// CHECK-NOT: graph.r{{educe|sqrt}}
// CHECK: return %[[RESULT]]
func.func @norm(%x: tensor<4x8xf32>, %scale: tensor<8xf32>) -> tensor<4x8xf32> {
  %r = graph.layer_norm %x, %scale {axis = 1 : i64, epsilon = 1.0e-5 : f64} : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}
