// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The panels of each matrix of a batch follow each other; few rows and single panels gain nothing.
//
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-pack-batched-matmuls{panel=16}))' | FileCheck %s -enable-var-scope

graph.param @b : tensor<2x8x8xf32>
graph.param @experts : tensor<2x32x8xf32>

// CHECK-LABEL: @batched
// CHECK: %[[T:.*]] = graph.transpose %{{.*}} [0, 2, 1] : tensor<2x32x8xf32> -> tensor<2x8x32xf32>
// CHECK: %[[S:.*]] = graph.reshape %[[T]] : tensor<2x8x32xf32> -> tensor<2x8x2x16xf32>
// CHECK: %[[P:.*]] = graph.transpose %[[S]] [0, 2, 1, 3] : tensor<2x8x2x16xf32> -> tensor<2x2x8x16xf32>
// CHECK: %[[R:.*]] = graph.dot_general %{{.*}}, %[[P]] <batching = [0] x [0], contracting = [2] x [2]> : (tensor<2x?x8xf32>, tensor<2x2x8x16xf32>) -> tensor<2x?x2x16xf32>
// CHECK: graph.reshape %[[R]]
// CHECK: graph.dot_general {{.*}} -> tensor<2x7x32xf32>
// CHECK: graph.dot_general {{.*}} -> tensor<2x?x8xf32>
func.func @batched(%x: tensor<2x?x8xf32>, %y: tensor<2x7x8xf32>) -> (tensor<2x?x32xf32>, tensor<2x7x32xf32>, tensor<2x?x8xf32>) {
  %w = graph.get_param @experts : tensor<2x32x8xf32>
  %b = graph.get_param @b : tensor<2x8x8xf32>
  %many = graph.dot_general %x, %w <batching = [0] x [0], contracting = [2] x [2]> : (tensor<2x?x8xf32>, tensor<2x32x8xf32>) -> tensor<2x?x32xf32>
  %few = graph.dot_general %y, %w <batching = [0] x [0], contracting = [2] x [2]> : (tensor<2x7x8xf32>, tensor<2x32x8xf32>) -> tensor<2x7x32xf32>
  %one = graph.dot_general %x, %b <batching = [0] x [0], contracting = [2] x [1]> : (tensor<2x?x8xf32>, tensor<2x8x8xf32>) -> tensor<2x?x8xf32>
  return %many, %few, %one : tensor<2x?x32xf32>, tensor<2x7x32xf32>, tensor<2x?x8xf32>
}

// CHECK-LABEL: @batched_stays
// CHECK-NEXT: graph.get_param
// CHECK-NEXT: graph.dot_general
func.func @batched_stays(%x: tensor<2x4x8xf32>) -> tensor<2x4x8xf32> {
  %w = graph.get_param @b : tensor<2x8x8xf32>
  %r = graph.dot_general %x, %w <batching = [0] x [0], contracting = [2] x [1]> : (tensor<2x4x8xf32>, tensor<2x8x8xf32>) -> tensor<2x4x8xf32>
  return %r : tensor<2x4x8xf32>
}
