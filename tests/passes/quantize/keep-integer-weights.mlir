// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Weights that are integers times one scale, or one per column, are read as integers; the result is scaled.
//
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-keep-integer-weights),cse)' | FileCheck %s -enable-var-scope

graph.param @w : tensor<8x3xi8>
graph.param @s : tensor<3xf32>
graph.param @k : tensor<8xf32>

// CHECK-LABEL: @one_scale
// CHECK: %[[Q:.*]] = graph.get_param @w : tensor<8x3xi8>
// CHECK: %[[W:.*]] = graph.convert %[[Q]] : tensor<8x3xi8> -> tensor<8x3xf32>
// CHECK: %[[R:.*]] = graph.dot_general %{{.*}}, %[[W]]
// CHECK: graph.mul %[[R]], %{{.*}} : tensor<?x3xf32>
func.func @one_scale(%x: tensor<?x8xf32>) -> tensor<?x3xf32> {
  %w = graph.get_param @w : tensor<8x3xi8>
  %i = graph.convert %w : tensor<8x3xi8> -> tensor<8x3xf32>
  %c = graph.constant dense<0.25> : tensor<8x3xf32>
  %v = graph.mul %i, %c : tensor<8x3xf32>
  %r = graph.dot_general %x, %v <batching = [] x [], contracting = [1] x [0]> : (tensor<?x8xf32>, tensor<8x3xf32>) -> tensor<?x3xf32>
  return %r : tensor<?x3xf32>
}

// CHECK-LABEL: @scale_per_column
// CHECK: %[[R:.*]] = graph.dot_general
// CHECK: %[[S:.*]] = graph.broadcast %{{.*}} [1] [%{{.*}}] : tensor<3xf32> -> tensor<?x3xf32>
// CHECK: graph.mul %[[R]], %[[S]]
func.func @scale_per_column(%x: tensor<?x8xf32>) -> tensor<?x3xf32> {
  %w = graph.get_param @w : tensor<8x3xi8>
  %i = graph.convert %w : tensor<8x3xi8> -> tensor<8x3xf32>
  %s = graph.get_param @s : tensor<3xf32>
  %c = graph.broadcast %s [1] : tensor<3xf32> -> tensor<8x3xf32>
  %v = graph.mul %i, %c : tensor<8x3xf32>
  %r = graph.dot_general %x, %v <batching = [] x [], contracting = [1] x [0]> : (tensor<?x8xf32>, tensor<8x3xf32>) -> tensor<?x3xf32>
  return %r : tensor<?x3xf32>
}

// A scale per row is summed over.
// CHECK-LABEL: @scale_per_row_stays
// CHECK: %[[V:.*]] = graph.mul
// CHECK: %[[R:.*]] = graph.dot_general %{{.*}}, %[[V]]
// CHECK-NEXT: return %[[R]]
func.func @scale_per_row_stays(%x: tensor<?x8xf32>) -> tensor<?x3xf32> {
  %w = graph.get_param @w : tensor<8x3xi8>
  %i = graph.convert %w : tensor<8x3xi8> -> tensor<8x3xf32>
  %s = graph.get_param @k : tensor<8xf32>
  %c = graph.broadcast %s [0] : tensor<8xf32> -> tensor<8x3xf32>
  %v = graph.mul %i, %c : tensor<8x3xf32>
  %r = graph.dot_general %x, %v <batching = [] x [], contracting = [1] x [0]> : (tensor<?x8xf32>, tensor<8x3xf32>) -> tensor<?x3xf32>
  return %r : tensor<?x3xf32>
}
