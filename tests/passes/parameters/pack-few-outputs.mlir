// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A few outputs of long sums do not fill a panel: the filter is stored output by output.
//
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-pack-few-outputs{panel=16}))' | FileCheck %s -enable-var-scope

graph.param @few : tensor<3x3x32x3xf32>

// CHECK-LABEL: @few_outputs
// CHECK: %[[T:.*]] = graph.transpose %{{.*}} [3, 0, 1, 2] : tensor<3x3x32x3xf32> -> tensor<3x3x3x32xf32>
// CHECK-NEXT: %[[K:.*]] = graph.transpose %[[T]] [1, 2, 3, 0] : tensor<3x3x3x32xf32> -> tensor<3x3x32x3xf32>
// CHECK: graph.convolution %{{.*}}, %[[K]]
func.func @few_outputs(%x: tensor<1x4x4x32xf32>) -> tensor<1x4x4x3xf32> {
  %k = graph.get_param @few : tensor<3x3x32x3xf32>
  %r = graph.convolution %x, %k <input = (0, 3, [1, 2]), kernel = (2, 3, [0, 1]), output = (0, 3, [1, 2])>
      strides [1, 1] low [1, 1] high [1, 1] input_dilation [1, 1] kernel_dilation [1, 1] groups 1
      : (tensor<1x4x4x32xf32>, tensor<3x3x32x3xf32>) -> tensor<1x4x4x3xf32>
  return %r : tensor<1x4x4x3xf32>
}

// Enough outputs for a vector, or sums that are short.
// CHECK-LABEL: @others_stay
// CHECK-NOT: graph.transpose
// CHECK: return
graph.param @k : tensor<3x3x32x8xf32>
graph.param @short : tensor<1x1x32x3xf32>
func.func @others_stay(%x: tensor<1x9x9x32xf32>) -> (tensor<1x7x7x8xf32>, tensor<1x9x9x3xf32>) {
  %k = graph.get_param @k : tensor<3x3x32x8xf32>
  %r = graph.convolution %x, %k <input = (0, 3, [1, 2]), kernel = (2, 3, [0, 1]), output = (0, 3, [1, 2])>
      strides [1, 1] low [0, 0] high [0, 0] input_dilation [1, 1] kernel_dilation [1, 1] groups 1
      : (tensor<1x9x9x32xf32>, tensor<3x3x32x8xf32>) -> tensor<1x7x7x8xf32>
  %l = graph.get_param @short : tensor<1x1x32x3xf32>
  %s = graph.convolution %x, %l <input = (0, 3, [1, 2]), kernel = (2, 3, [0, 1]), output = (0, 3, [1, 2])>
      strides [1, 1] low [0, 0] high [0, 0] input_dilation [1, 1] kernel_dilation [1, 1] groups 1
      : (tensor<1x9x9x32xf32>, tensor<1x1x32x3xf32>) -> tensor<1x9x9x3xf32>
  return %r, %s : tensor<1x7x7x8xf32>, tensor<1x9x9x3xf32>
}
