// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions become channels-last, between transposes that may move.
//
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-choose-layouts))' | FileCheck %s -enable-var-scope

// CHECK-LABEL: @one_dimension
// CHECK: %[[X:.*]] = graph.transpose %arg0 [0, 2, 1] {graph.sinkable}
// CHECK: %[[W:.*]] = graph.transpose %arg1 [2, 1, 0] : tensor<4x2x3xf32>
// CHECK: %[[R:.*]] = graph.convolution %[[X]], %[[W]] <input = (0, 2, [1]), kernel = (1, 2, [0]), output = (0, 2, [1])>
// CHECK: graph.transpose %[[R]] [0, 2, 1] {graph.sinkable}
func.func @one_dimension(%x: tensor<1x2x8xf32>, %w: tensor<4x2x3xf32>) -> tensor<1x4x8xf32> {
  %r = graph.convolution %x, %w <input = (0, 1, [2]), kernel = (1, 0, [2]), output = (0, 1, [2])>
      strides [1] low [1] high [1] input_dilation [1] kernel_dilation [1] groups 1
      : (tensor<1x2x8xf32>, tensor<4x2x3xf32>) -> tensor<1x4x8xf32>
  return %r : tensor<1x4x8xf32>
}

// Depthwise convolutions alone gain nothing from channels-last.
// CHECK-LABEL: @depthwise_alone
// CHECK-NOT: graph.transpose
// CHECK: return
func.func @depthwise_alone(%x: tensor<1x8x30x30xf32>, %w: tensor<8x1x3x3xf32>) -> tensor<1x8x30x30xf32> {
  %c = graph.convolution %x, %w <input = (0, 1, [2, 3]), kernel = (1, 0, [2, 3]), output = (0, 1, [2, 3])>
      strides [1, 1] low [1, 1] high [1, 1] input_dilation [1, 1] kernel_dilation [1, 1] groups 8
      : (tensor<1x8x30x30xf32>, tensor<8x1x3x3xf32>) -> tensor<1x8x30x30xf32>
  return %c : tensor<1x8x30x30xf32>
}
