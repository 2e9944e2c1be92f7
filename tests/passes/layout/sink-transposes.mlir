// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transposes around convolutions move to the ends of a network.
//
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-choose-layouts,zenith-sink-transposes))' | FileCheck %s -enable-var-scope

// CHECK-LABEL: @two_convolutions
// CHECK-SAME: (%[[X:.*]]: tensor<?x3x8x8xf32>
// CHECK: %[[T:.*]] = graph.transpose %[[X]] [0, 2, 3, 1]
// CHECK: graph.convolution %[[T]], %{{.*}} <input = (0, 3, [1, 2]), kernel = (2, 3, [0, 1]), output = (0, 3, [1, 2])>
// CHECK: graph.add %{{.*}} : tensor<?x8x8x4xf32>
// CHECK: graph.convolution
// CHECK: graph.add %{{.*}} : tensor<?x8x8x4xf32>
// CHECK: graph.transpose %{{.*}} [0, 3, 1, 2]
// CHECK-NEXT: return
func.func @two_convolutions(%x: tensor<?x3x8x8xf32> {graph.dims = ["n", "3", "8", "8"]}, %w: tensor<4x3x3x3xf32>, %v: tensor<4x4x1x1xf32>, %b: tensor<4xf32>) -> tensor<?x4x8x8xf32> {
  %n = graph.dim %x, 0 : tensor<?x3x8x8xf32>
  %c = graph.convolution %x, %w <input = (0, 1, [2, 3]), kernel = (1, 0, [2, 3]), output = (0, 1, [2, 3])>
      strides [1, 1] low [1, 1] high [1, 1] input_dilation [1, 1] kernel_dilation [1, 1] groups 1
      : (tensor<?x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<?x4x8x8xf32>
  %bb = graph.broadcast %b [1] [%n] : tensor<4xf32> -> tensor<?x4x8x8xf32>
  %a = graph.add %c, %bb : tensor<?x4x8x8xf32>
  %d = graph.convolution %a, %v <input = (0, 1, [2, 3]), kernel = (1, 0, [2, 3]), output = (0, 1, [2, 3])>
      strides [1, 1] low [0, 0] high [0, 0] input_dilation [1, 1] kernel_dilation [1, 1] groups 1
      : (tensor<?x4x8x8xf32>, tensor<4x4x1x1xf32>) -> tensor<?x4x8x8xf32>
  %r = graph.add %d, %a : tensor<?x4x8x8xf32>
  return %r : tensor<?x4x8x8xf32>
}

// CHECK-LABEL: @pooling_concat_and_average
// CHECK: graph.transpose
// CHECK: graph.convolution
// CHECK: graph.reduce_window max, %{{.*}} window [1, 2, 2, 1] strides [1, 2, 2, 1]
// CHECK: graph.concat 3,
// CHECK: graph.reduce sum, %{{.*}} [1, 2]
// CHECK-NOT: graph.transpose
// CHECK: return
func.func @pooling_concat_and_average(%x: tensor<2x3x8x8xf32>, %w: tensor<4x3x1x1xf32>) -> tensor<2x8xf32> {
  %c = graph.convolution %x, %w <input = (0, 1, [2, 3]), kernel = (1, 0, [2, 3]), output = (0, 1, [2, 3])>
      strides [1, 1] low [0, 0] high [0, 0] input_dilation [1, 1] kernel_dilation [1, 1] groups 1
      : (tensor<2x3x8x8xf32>, tensor<4x3x1x1xf32>) -> tensor<2x4x8x8xf32>
  %p = graph.reduce_window max, %c window [1, 1, 2, 2] strides [1, 1, 2, 2] low [0, 0, 0, 0] high [0, 0, 0, 0]
      base_dilation [1, 1, 1, 1] dilation [1, 1, 1, 1] : tensor<2x4x8x8xf32> -> tensor<2x4x4x4xf32>
  %e = graph.exp %p : tensor<2x4x4x4xf32>
  %j = graph.concat 1, %p, %e : (tensor<2x4x4x4xf32>, tensor<2x4x4x4xf32>) -> tensor<2x8x4x4xf32>
  %r = graph.reduce sum, %j [2, 3] : tensor<2x8x4x4xf32> -> tensor<2x8xf32>
  return %r : tensor<2x8xf32>
}

// A patch embedding: the reshape that merges the spatial dimensions, then the model's own transpose.
// CHECK-LABEL: @patches
// CHECK: graph.convolution
// CHECK-NEXT: graph.reshape %{{.*}} : tensor<2x4x4x6xf32> -> tensor<2x16x6xf32>
// CHECK-NEXT: return
func.func @patches(%x: tensor<2x3x8x8xf32>, %w: tensor<6x3x2x2xf32>) -> tensor<2x16x6xf32> {
  %c = graph.convolution %x, %w <input = (0, 1, [2, 3]), kernel = (1, 0, [2, 3]), output = (0, 1, [2, 3])>
      strides [2, 2] low [0, 0] high [0, 0] input_dilation [1, 1] kernel_dilation [1, 1] groups 1
      : (tensor<2x3x8x8xf32>, tensor<6x3x2x2xf32>) -> tensor<2x6x4x4xf32>
  %f = graph.reshape %c : tensor<2x6x4x4xf32> -> tensor<2x6x16xf32>
  %r = graph.transpose %f [0, 2, 1] : tensor<2x6x16xf32> -> tensor<2x16x6xf32>
  return %r : tensor<2x16x6xf32>
}

// Channel shuffle: one transpose inside the channels, none around it.
// CHECK-LABEL: @channel_shuffle
// CHECK: graph.convolution
// CHECK: graph.reshape %{{.*}} : tensor<2x4x4x6xf32> -> tensor<2x4x4x2x3xf32>
// CHECK: graph.transpose %{{.*}} [0, 1, 2, 4, 3]
// CHECK: graph.reshape %{{.*}} : tensor<2x4x4x3x2xf32> -> tensor<2x4x4x6xf32>
// CHECK-NEXT: graph.transpose %{{.*}} [2, 3, 1, 0]
// CHECK-NEXT: graph.convolution
func.func @channel_shuffle(%x: tensor<2x3x4x4xf32>, %w: tensor<6x3x1x1xf32>, %v: tensor<6x3x1x1xf32>) -> tensor<2x6x4x4xf32> {
  %c = graph.convolution %x, %w <input = (0, 1, [2, 3]), kernel = (1, 0, [2, 3]), output = (0, 1, [2, 3])>
      strides [1, 1] low [0, 0] high [0, 0] input_dilation [1, 1] kernel_dilation [1, 1] groups 1
      : (tensor<2x3x4x4xf32>, tensor<6x3x1x1xf32>) -> tensor<2x6x4x4xf32>
  %s = graph.reshape %c : tensor<2x6x4x4xf32> -> tensor<2x2x3x4x4xf32>
  %t = graph.transpose %s [0, 2, 1, 3, 4] : tensor<2x2x3x4x4xf32> -> tensor<2x3x2x4x4xf32>
  %m = graph.reshape %t : tensor<2x3x2x4x4xf32> -> tensor<2x6x4x4xf32>
  %r = graph.convolution %m, %v <input = (0, 1, [2, 3]), kernel = (1, 0, [2, 3]), output = (0, 1, [2, 3])>
      strides [1, 1] low [0, 0] high [0, 0] input_dilation [1, 1] kernel_dilation [1, 1] groups 2
      : (tensor<2x6x4x4xf32>, tensor<6x3x1x1xf32>) -> tensor<2x6x4x4xf32>
  return %r : tensor<2x6x4x4xf32>
}

// Transposes that the program wrote stay where they are.
// CHECK-LABEL: @own_transposes_stay
// CHECK: graph.transpose
// CHECK-NEXT: graph.exp
func.func @own_transposes_stay(%x: tensor<2x3xf32>) -> tensor<3x2xf32> {
  %t = graph.transpose %x [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>
  %r = graph.exp %t : tensor<3x2xf32>
  return %r : tensor<3x2xf32>
}

// A norm of groups of channels is written out in the new order of dimensions.
// CHECK-LABEL: @norm_of_groups
// CHECK: %[[C:.*]] = graph.convolution
// CHECK: %[[G:.*]] = graph.reshape %[[C]] : tensor<1x8x8x8xf32> -> tensor<1x8x8x2x4xf32>
// CHECK: graph.reduce sum, %[[G]] [1, 2, 4]
// CHECK-NOT: graph.layer_norm
// CHECK: %[[N:.*]] = graph.reshape {{.*}} : tensor<1x8x8x2x4xf32> -> tensor<1x8x8x8xf32>
// CHECK: graph.convolution %[[N]]
func.func @norm_of_groups(%x: tensor<1x8x8x8xf32>, %w: tensor<8x8x1x1xf32>) -> tensor<1x8x8x8xf32> {
  %c = graph.convolution %x, %w <input = (0, 1, [2, 3]), kernel = (1, 0, [2, 3]), output = (0, 1, [2, 3])>
      strides [1, 1] low [0, 0] high [0, 0] input_dilation [1, 1] kernel_dilation [1, 1] groups 1
      : (tensor<1x8x8x8xf32>, tensor<8x8x1x1xf32>) -> tensor<1x8x8x8xf32>
  %g = graph.reshape %c : tensor<1x8x8x8xf32> -> tensor<1x2x4x8x8xf32>
  %n = graph.layer_norm %g {axis = 2 : i64, epsilon = 1.0e-5 : f64} : (tensor<1x2x4x8x8xf32>) -> tensor<1x2x4x8x8xf32>
  %b = graph.reshape %n : tensor<1x2x4x8x8xf32> -> tensor<1x8x8x8xf32>
  %d = graph.convolution %b, %w <input = (0, 1, [2, 3]), kernel = (1, 0, [2, 3]), output = (0, 1, [2, 3])>
      strides [1, 1] low [0, 0] high [0, 0] input_dilation [1, 1] kernel_dilation [1, 1] groups 1
      : (tensor<1x8x8x8xf32>, tensor<8x8x1x1xf32>) -> tensor<1x8x8x8xf32>
  return %d : tensor<1x8x8x8xf32>
}
