// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Batch norms become part of weights and bias; those without a contraction before become a multiplication and an addition.
//
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-fold-batch-norm))' | FileCheck %s -enable-var-scope

graph.param @w : tensor<4x3x1x1xf32>
graph.param @s : tensor<4xf32>

// CHECK-LABEL: @convolution
// CHECK: %[[W:.*]] = graph.mul %{{.*}} : tensor<4x3x1x1xf32>
// CHECK: %[[C:.*]] = graph.convolution %{{.*}}, %[[W]]
// CHECK: %[[B:.*]] = graph.broadcast %{{.*}} [1]
// CHECK: %[[R:.*]] = graph.add %[[C]], %[[B]] : tensor<2x4x8x8xf32>
// CHECK: return %[[R]]
func.func @convolution(%x: tensor<2x3x8x8xf32>) -> tensor<2x4x8x8xf32> {
  %w = graph.get_param @w : tensor<4x3x1x1xf32>
  %s = graph.get_param @s : tensor<4xf32>
  %c = graph.convolution %x, %w <input = (0, 1, [2, 3]), kernel = (1, 0, [2, 3]), output = (0, 1, [2, 3])>
      strides [1, 1] low [0, 0] high [0, 0] input_dilation [1, 1] kernel_dilation [1, 1] groups 1
      : (tensor<2x3x8x8xf32>, tensor<4x3x1x1xf32>) -> tensor<2x4x8x8xf32>
  %b = graph.broadcast %s [1] : tensor<4xf32> -> tensor<2x4x8x8xf32>
  %a = graph.add %c, %b : tensor<2x4x8x8xf32>
  %r = graph.batch_norm %a, %s, %s, %s, %s {dim = 1 : i64, epsilon = 1.0e-5 : f64} : (tensor<2x4x8x8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4x8x8xf32>
  return %r : tensor<2x4x8x8xf32>
}

// CHECK-LABEL: @argument
// CHECK: graph.mul %{{.*}} : tensor<2x4xf32>
// CHECK: graph.add %{{.*}} : tensor<2x4xf32>
// CHECK-NOT: graph.batch_norm
// CHECK: return
func.func @argument(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %s = graph.get_param @s : tensor<4xf32>
  %r = graph.batch_norm %x, %s, %s, %s, %s {dim = 1 : i64, epsilon = 1.0e-5 : f64} : (tensor<2x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return %r : tensor<2x4xf32>
}

// The weights are arguments: nothing can be folded into them.
// CHECK-LABEL: @weights_that_change
// CHECK: graph.dot_general %{{.*}}, %arg1
// CHECK: graph.mul
func.func @weights_that_change(%x: tensor<2x3xf32>, %w: tensor<3x4xf32>) -> tensor<2x4xf32> {
  %s = graph.get_param @s : tensor<4xf32>
  %c = graph.dot_general %x, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  %r = graph.batch_norm %c, %s, %s, %s, %s {dim = 1 : i64, epsilon = 1.0e-5 : f64} : (tensor<2x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return %r : tensor<2x4xf32>
}

// The matmul has another reader.
// CHECK-LABEL: @matmul_with_two_readers
// CHECK: %[[C:.*]] = graph.dot_general
// CHECK: graph.mul %[[C]]
// CHECK: return %{{.*}}, %[[C]]
func.func @matmul_with_two_readers(%x: tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>) {
  %s = graph.get_param @s : tensor<4xf32>
  %w = graph.broadcast %s [0] : tensor<4xf32> -> tensor<4x4xf32>
  %c = graph.dot_general %x, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
  %r = graph.batch_norm %c, %s, %s, %s, %s {dim = 1 : i64, epsilon = 1.0e-5 : f64} : (tensor<2x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return %r, %c : tensor<2x4xf32>, tensor<2x4xf32>
}
