// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops that are a kernel of their own: which results they keep, what they read
// as memory, what their regions capture.
//
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-form-fusions))' | FileCheck %s

// CHECK-LABEL: @sort_keeps_what_is_read
// CHECK: %[[E:.*]] = graph.fusion pointwise
// CHECK: %[[R:.*]] = graph.fusion routine (%[[A:.*]] = %[[E]] : tensor<8xf32>, %[[B:.*]] = %{{.*}} : tensor<8xi64>) -> tensor<8xi64>
// CHECK-NEXT: %[[S:.*]]:2 = graph.sort %[[A]], %[[B]] 0 keys 1
// CHECK-NEXT: graph.yield %[[S]]#1
// CHECK: return %[[R]]
func.func @sort_keeps_what_is_read(%x: tensor<8xf32>, %i: tensor<8xi64>) -> tensor<8xi64> {
  %e = graph.exp %x : tensor<8xf32>
  %k, %v = graph.sort %e, %i 0 keys 1 : (tensor<8xf32>, tensor<8xi64>) -> (tensor<8xf32>, tensor<8xi64>)
  return %v : tensor<8xi64>
}

// Free movement and splats stay inside a scatter; the captured scalar becomes an operand.
// CHECK-LABEL: @scatter_with_captures
// CHECK: graph.fusion scatter (%[[I:[a-z0-9]+]] = %{{.*}} : tensor<3x1xi64>, %[[U:[a-z0-9]+]] = %{{.*}} : tensor<3xf32>, %[[F:[a-z0-9]+]] = %{{.*}} : tensor<f32>) -> tensor<10xf32>
// CHECK: %[[Z:[0-9]+]] = graph.broadcast
// CHECK: graph.scatter_with(%[[Z]]), %[[I]], (%[[U]])
// CHECK: graph.mul %{{.*}}, %[[F]]
func.func @scatter_with_captures(%i: tensor<3x1xi64>, %u: tensor<3xf32>, %f: tensor<f32>) -> tensor<10xf32> {
  %z = graph.constant dense<0.0> : tensor<f32>
  %o = graph.broadcast %z [] : tensor<f32> -> tensor<10xf32>
  %r = graph.scatter_with (%o), %i, (%u) <window = [], inserted = [0], batching = [] x [], index_map = [0], index_vector_dim = 1> {
  ^bb0(%old: tensor<f32>, %new: tensor<f32>):
    %m = graph.mul %new, %f : tensor<f32>
    %s = graph.sub %old, %m : tensor<f32>
    graph.yield %s : tensor<f32>
  } : (tensor<10xf32>, tensor<3x1xi64>, tensor<3xf32>) -> tensor<10xf32>
  return %r : tensor<10xf32>
}

// What a region captures is computed before the op, and not inside of its readers only.
// CHECK-LABEL: @captured_work
// CHECK: %[[E:.*]] = graph.fusion pointwise
// CHECK: graph.exp
// CHECK: graph.fusion reduction (%{{.*}} = %{{.*}} : tensor<4x8xf32>, %{{.*}} = %{{.*}} : tensor<f32>, %{{.*}} = %[[E]] : tensor<f32>)
func.func @captured_work(%x: tensor<4x8xf32>, %s: tensor<f32>, %f: tensor<f32>) -> tensor<4xf32> {
  %e = graph.exp %f : tensor<f32>
  %r = graph.reduce_with (%x), (%s) [1] {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = graph.mul %b, %e : tensor<f32>
    %n = graph.sub %a, %m : tensor<f32>
    graph.yield %n : tensor<f32>
  } : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// A movement in front of a routine is written to memory.
// CHECK-LABEL: @routine_reads_memory
// CHECK: graph.fusion copy
// CHECK: graph.transpose
// CHECK: graph.fusion routine
// CHECK-NOT: graph.transpose
// CHECK: graph.cholesky
func.func @routine_reads_memory(%x: tensor<3x3xf32>) -> tensor<3x3xf32> {
  %t = graph.transpose %x [1, 0] : tensor<3x3xf32> -> tensor<3x3xf32>
  %c = graph.cholesky %t lower : (tensor<3x3xf32>) -> tensor<3x3xf32>
  return %c : tensor<3x3xf32>
}

// Updates are computed on the way.
// CHECK-LABEL: @scatter_takes_producers
// CHECK: graph.fusion scatter
// CHECK: %[[M:.*]] = graph.mul
// CHECK: graph.scatter sum, %{{.*}}, %{{.*}}, %[[M]]
// CHECK-NOT: graph.fusion
func.func @scatter_takes_producers(%x: tensor<10x4xf32>, %i: tensor<3x1xi64>, %u: tensor<3x4xf32>) -> tensor<10x4xf32> {
  %m = graph.mul %u, %u : tensor<3x4xf32>
  %r = graph.scatter sum, %x, %i, %m <window = [1], inserted = [0], batching = [] x [], index_map = [0], index_vector_dim = 1>
    : (tensor<10x4xf32>, tensor<3x1xi64>, tensor<3x4xf32>) -> tensor<10x4xf32>
  return %r : tensor<10x4xf32>
}
