// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What every iteration would compute alike is computed before the loop, and matrices that it multiplies by are packed there.
//
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-hoist-loop-invariants{panel=16}))' | FileCheck %s -enable-var-scope
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-hoist-loop-invariants))' | FileCheck %s --check-prefix=PLAIN
// RUN: not zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-hoist-loop-invariants{panel=-1}))' 2>&1 | FileCheck %s --check-prefix=INVALID
// INVALID: panel: got -1, expected at least 0

// Broadcasts stay: they write more than they read.
// CHECK-LABEL: @invariant
// CHECK: %[[E:.*]] = graph.exp %arg2
// CHECK: graph.while
// CHECK-NOT: graph.exp
// CHECK: graph.broadcast %[[E]]
func.func @invariant(%n: tensor<i64>, %x: tensor<4x8xf32>, %y: tensor<8xf32>) -> tensor<4x8xf32> {
  %zero = graph.constant dense<0> : tensor<i64>
  %one = graph.constant dense<1> : tensor<i64>
  %r:2 = graph.while %zero, %x cond {
  ^bb0(%i: tensor<i64>, %a: tensor<4x8xf32>):
    %c = graph.compare lt, %i, %n : tensor<i64> -> tensor<i1>
    graph.yield %c : tensor<i1>
  } do {
  ^bb0(%i: tensor<i64>, %a: tensor<4x8xf32>):
    %j = graph.add %i, %one : tensor<i64>
    %e = graph.exp %y : tensor<8xf32>
    %w = graph.broadcast %e [1] : tensor<8xf32> -> tensor<4x8xf32>
    %s = graph.add %a, %w : tensor<4x8xf32>
    graph.yield %j, %s : tensor<i64>, tensor<4x8xf32>
  } : (tensor<i64>, tensor<4x8xf32>) -> (tensor<i64>, tensor<4x8xf32>)
  return %r#1 : tensor<4x8xf32>
}

// Without a panel nothing is packed.
// CHECK-LABEL: @recurrent
// CHECK: %[[T:.*]] = graph.transpose %arg2 [1, 0] : tensor<64x16xf32> -> tensor<16x64xf32>
// CHECK: %[[S:.*]] = graph.reshape %[[T]] : tensor<16x64xf32> -> tensor<16x4x16xf32>
// CHECK: %[[P:.*]] = graph.transpose %[[S]] [1, 0, 2] : tensor<16x4x16xf32> -> tensor<4x16x16xf32>
// CHECK: graph.while
// CHECK: graph.dot_general %{{.*}}, %{{.*}} <batching = [] x [], contracting = [1] x [0]> : (tensor<4x16xf32>, tensor<16x64xf32>) -> tensor<4x64xf32>
// PLAIN-LABEL: @recurrent
// PLAIN-NOT: graph.transpose
// PLAIN: return
func.func @recurrent(%n: tensor<i64>, %h: tensor<4x16xf32>, %w: tensor<64x16xf32>) -> tensor<4x16xf32> {
  %zero = graph.constant dense<0> : tensor<i64>
  %one = graph.constant dense<1> : tensor<i64>
  %r:2 = graph.while %zero, %h cond {
  ^bb0(%i: tensor<i64>, %a: tensor<4x16xf32>):
    %c = graph.compare lt, %i, %n : tensor<i64> -> tensor<i1>
    graph.yield %c : tensor<i1>
  } do {
  ^bb0(%i: tensor<i64>, %a: tensor<4x16xf32>):
    %j = graph.add %i, %one : tensor<i64>
    %g = graph.dot_general %a, %w <batching = [] x [], contracting = [1] x [1]> : (tensor<4x16xf32>, tensor<64x16xf32>) -> tensor<4x64xf32>
    %s = graph.slice %g [0, 16] [4, 16] [1, 1] : tensor<4x64xf32> -> tensor<4x16xf32>
    graph.yield %j, %s : tensor<i64>, tensor<4x16xf32>
  } : (tensor<i64>, tensor<4x16xf32>) -> (tensor<i64>, tensor<4x16xf32>)
  return %r#1 : tensor<4x16xf32>
}
