// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In a training step attention is raised although gradients read its weights: they recompute the scores.
//
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-raise-composites),canonicalize,cse)' | FileCheck %s -enable-var-scope
// RUN: zenith-run %s --entry=spelled --random-inputs --compare=interp --print=0
// RUN: zenith-run %s --entry=causal --random-inputs --compare=interp --print=0
// RUN: zenith-run %s --entry=unit_groups --random-inputs --compare=interp --print=0

// Softmax as JAX differentiates it: its inner values have other readers.
// CHECK-LABEL: @spelled
// CHECK-SAME: (%[[Q:.*]]: tensor<2x4x8xf32>, %[[K:.*]]: tensor<2x6x8xf32>, %[[V:.*]]: tensor<2x6x5xf32>, %[[G:.*]]: tensor<2x4x5xf32>)
// CHECK: graph.dot_general %[[Q]], %[[K]]
// CHECK: graph.exp
// CHECK: %[[W:.*]] = graph.div
// CHECK: %[[R:.*]] = graph.attention %[[Q]], %[[K]], %[[V]] {scale = 2.500000e-01 : f64}
// CHECK: graph.dot_general %[[W]], %[[G]]
// CHECK: return %[[R]]
func.func @spelled(%q: tensor<2x4x8xf32>, %k: tensor<2x6x8xf32>, %v: tensor<2x6x5xf32>, %g: tensor<2x4x5xf32>) -> (tensor<2x4x5xf32>, tensor<2x6x5xf32>, tensor<2x4x6xf32>) {
  %c = graph.constant dense<0.25> : tensor<2x4x6xf32>
  %d = graph.dot_general %q, %k <batching = [0] x [0], contracting = [2] x [2]> : (tensor<2x4x8xf32>, tensor<2x6x8xf32>) -> tensor<2x4x6xf32>
  %s = graph.mul %d, %c : tensor<2x4x6xf32>
  %m = graph.reduce max, %s [2] : tensor<2x4x6xf32> -> tensor<2x4xf32>
  %mb = graph.broadcast %m [0, 1] : tensor<2x4xf32> -> tensor<2x4x6xf32>
  %x = graph.sub %s, %mb : tensor<2x4x6xf32>
  %e = graph.exp %x : tensor<2x4x6xf32>
  %t = graph.reduce sum, %e [2] : tensor<2x4x6xf32> -> tensor<2x4xf32>
  %tb = graph.broadcast %t [0, 1] : tensor<2x4xf32> -> tensor<2x4x6xf32>
  %w = graph.div %e, %tb : tensor<2x4x6xf32>
  %r = graph.dot_general %w, %v <batching = [0] x [0], contracting = [2] x [1]> : (tensor<2x4x6xf32>, tensor<2x6x5xf32>) -> tensor<2x4x5xf32>
  %dv = graph.dot_general %w, %g <batching = [0] x [0], contracting = [1] x [1]> : (tensor<2x4x6xf32>, tensor<2x4x5xf32>) -> tensor<2x6x5xf32>
  %dw = graph.dot_general %g, %v <batching = [0] x [0], contracting = [2] x [2]> : (tensor<2x4x5xf32>, tensor<2x6x5xf32>) -> tensor<2x4x6xf32>
  %ds = graph.mul %dw, %e : tensor<2x4x6xf32>
  return %r, %dv, %ds : tensor<2x4x5xf32>, tensor<2x6x5xf32>, tensor<2x4x6xf32>
}

// Softmax in one op, whose weights the gradients read; a mask by position.
// CHECK-LABEL: @causal
// CHECK: %[[W:.*]] = graph.softmax
// CHECK: graph.attention %{{.*}}, %{{.*}}, %{{.*}} {causal, scale = 1.000000e+00 : f64} : (tensor<2x6x8xf32>, tensor<2x6x8xf32>, tensor<2x6x5xf32>)
// CHECK: graph.dot_general %[[W]]
func.func @causal(%q: tensor<2x6x8xf32>, %k: tensor<2x6x8xf32>, %v: tensor<2x6x5xf32>, %g: tensor<2x6x5xf32>) -> (tensor<2x6x5xf32>, tensor<2x6x5xf32>) {
  %low = graph.constant dense<-2.38197633E+38> : tensor<2x6x6xf32>
  %row = graph.iota 0 : tensor<6x6xi32>
  %column = graph.iota 1 : tensor<6x6xi32>
  %seen = graph.compare ge, %row, %column : tensor<6x6xi32> -> tensor<6x6xi1>
  %mask = graph.broadcast %seen [1, 2] : tensor<6x6xi1> -> tensor<2x6x6xi1>
  %d = graph.dot_general %q, %k <batching = [0] x [0], contracting = [2] x [2]> : (tensor<2x6x8xf32>, tensor<2x6x8xf32>) -> tensor<2x6x6xf32>
  %s = graph.select %mask, %d, %low : tensor<2x6x6xi1>, tensor<2x6x6xf32>
  %w = graph.softmax %s [2] : tensor<2x6x6xf32>
  %r = graph.dot_general %w, %v <batching = [0] x [0], contracting = [2] x [1]> : (tensor<2x6x6xf32>, tensor<2x6x5xf32>) -> tensor<2x6x5xf32>
  %dv = graph.dot_general %w, %g <batching = [0] x [0], contracting = [1] x [1]> : (tensor<2x6x6xf32>, tensor<2x6x5xf32>) -> tensor<2x6x5xf32>
  return %r, %dv : tensor<2x6x5xf32>, tensor<2x6x5xf32>
}

// jax.nn.dot_product_attention without groups: a dimension of size 1 beside the queries comes first.
// CHECK-LABEL: @unit_groups
// CHECK: graph.attention %{{.*}}, %{{.*}}, %{{.*}} {scale = 1.000000e+00 : f64} : (tensor<1x2x3x4x8xf32>, tensor<1x2x3x6x8xf32>, tensor<1x2x3x6x5xf32>) -> tensor<1x2x3x4x5xf32>
func.func @unit_groups(%q: tensor<2x4x3x1x8xf32>, %k: tensor<2x6x3x8xf32>, %v: tensor<2x6x3x5xf32>) -> tensor<2x3x1x4x5xf32> {
  %s = graph.dot_general %q, %k <batching = [0, 2] x [0, 2], contracting = [4] x [3]> : (tensor<2x4x3x1x8xf32>, tensor<2x6x3x8xf32>) -> tensor<2x3x4x1x6xf32>
  %t = graph.reshape %s : tensor<2x3x4x1x6xf32> -> tensor<1x2x3x4x6xf32>
  %w = graph.softmax %t [4] : tensor<1x2x3x4x6xf32>
  %r = graph.dot_general %w, %v <batching = [1, 2] x [0, 2], contracting = [4] x [1]> : (tensor<1x2x3x4x6xf32>, tensor<2x6x3x5xf32>) -> tensor<2x3x1x4x5xf32>
  return %r : tensor<2x3x1x4x5xf32>
}

// Weights with other readers are computed once.
// CHECK-LABEL: @returned_weights
// CHECK-NOT: graph.attention
func.func @returned_weights(%q: tensor<2x4x8xf32>, %k: tensor<2x6x8xf32>, %v: tensor<2x6x5xf32>) -> (tensor<2x4x5xf32>, tensor<2x4x6xf32>) {
  %s = graph.dot_general %q, %k <batching = [0] x [0], contracting = [2] x [2]> : (tensor<2x4x8xf32>, tensor<2x6x8xf32>) -> tensor<2x4x6xf32>
  %w = graph.softmax %s [2] : tensor<2x4x6xf32>
  %r = graph.dot_general %w, %v <batching = [0] x [0], contracting = [2] x [1]> : (tensor<2x4x6xf32>, tensor<2x6x5xf32>) -> tensor<2x4x5xf32>
  return %r, %w : tensor<2x4x5xf32>, tensor<2x4x6xf32>
}
