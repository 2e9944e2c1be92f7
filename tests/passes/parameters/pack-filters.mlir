// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Filters are packed into panels of outputs and read back through movement.
//
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-pack-filters{panel=16}))' | FileCheck %s -enable-var-scope

graph.param @k : tensor<3x3x8x16xf32>

// CHECK-LABEL: @convolution
// CHECK: graph.reshape %{{.*}} : tensor<3x3x8x16xf32> -> tensor<72x16xf32>
// CHECK: %[[K:.*]] = graph.reshape %{{.*}} -> tensor<3x3x8x16xf32>
// CHECK: graph.convolution %{{.*}}, %[[K]]
func.func @convolution(%x: tensor<1x4x4x8xf32>) -> tensor<1x4x4x16xf32> {
  %k = graph.get_param @k : tensor<3x3x8x16xf32>
  %r = graph.convolution %x, %k <input = (0, 3, [1, 2]), kernel = (2, 3, [0, 1]), output = (0, 3, [1, 2])>
      strides [1, 1] low [1, 1] high [1, 1] input_dilation [1, 1] kernel_dilation [1, 1] groups 1
      : (tensor<1x4x4x8xf32>, tensor<3x3x8x16xf32>) -> tensor<1x4x4x16xf32>
  return %r : tensor<1x4x4x16xf32>
}

// zenith-pack-few-outputs has stored this filter output by output; grouped convolutions are zenith-pack-groups'.
// CHECK-LABEL: @others_stay
// CHECK-NOT: graph.reshape
// CHECK: return
graph.param @few : tensor<3x3x3x32xf32>
graph.param @g : tensor<3x3x8x64xf32>
func.func @others_stay(%x: tensor<1x9x9x32xf32>, %y: tensor<1x9x9x16xf32>) -> (tensor<1x7x7x3xf32>, tensor<1x7x7x64xf32>) {
  %f = graph.get_param @few : tensor<3x3x3x32xf32>
  %k = graph.transpose %f [1, 2, 3, 0] : tensor<3x3x3x32xf32> -> tensor<3x3x32x3xf32>
  %r = graph.convolution %x, %k <input = (0, 3, [1, 2]), kernel = (2, 3, [0, 1]), output = (0, 3, [1, 2])>
      strides [1, 1] low [0, 0] high [0, 0] input_dilation [1, 1] kernel_dilation [1, 1] groups 1
      : (tensor<1x9x9x32xf32>, tensor<3x3x32x3xf32>) -> tensor<1x7x7x3xf32>
  %g = graph.get_param @g : tensor<3x3x8x64xf32>
  %s = graph.convolution %y, %g <input = (0, 3, [1, 2]), kernel = (2, 3, [0, 1]), output = (0, 3, [1, 2])>
      strides [1, 1] low [0, 0] high [0, 0] input_dilation [1, 1] kernel_dilation [1, 1] groups 2
      : (tensor<1x9x9x16xf32>, tensor<3x3x8x64xf32>) -> tensor<1x7x7x64xf32>
  return %r, %s : tensor<1x7x7x3xf32>, tensor<1x7x7x64xf32>
}

// Four devices convolve with one argument; a fifth convolution has another stride.
// CHECK-LABEL: @shared
// CHECK-COUNT-4: graph.reshape %{{.*}} : tensor<3x3x8x64xf32> -> tensor<72x64xf32>
// CHECK-NOT: graph.reshape %{{.*}} : tensor<3x3x8x64xf32>
// CHECK: return
func.func @shared(%a: tensor<1x8x8x8xf32>, %b: tensor<1x8x8x8xf32>, %c: tensor<1x8x8x8xf32>, %d: tensor<1x8x8x8xf32>, %k: tensor<3x3x8x64xf32>) -> (tensor<1x8x8x64xf32>, tensor<1x8x8x64xf32>, tensor<1x8x8x64xf32>, tensor<1x8x8x64xf32>, tensor<1x4x4x64xf32>) {
  %p = graph.convolution %a, %k <input = (0, 3, [1, 2]), kernel = (2, 3, [0, 1]), output = (0, 3, [1, 2])>
      strides [1, 1] low [1, 1] high [1, 1] input_dilation [1, 1] kernel_dilation [1, 1] groups 1
      : (tensor<1x8x8x8xf32>, tensor<3x3x8x64xf32>) -> tensor<1x8x8x64xf32>
  %q = graph.convolution %b, %k <input = (0, 3, [1, 2]), kernel = (2, 3, [0, 1]), output = (0, 3, [1, 2])>
      strides [1, 1] low [1, 1] high [1, 1] input_dilation [1, 1] kernel_dilation [1, 1] groups 1
      : (tensor<1x8x8x8xf32>, tensor<3x3x8x64xf32>) -> tensor<1x8x8x64xf32>
  %r = graph.convolution %c, %k <input = (0, 3, [1, 2]), kernel = (2, 3, [0, 1]), output = (0, 3, [1, 2])>
      strides [1, 1] low [1, 1] high [1, 1] input_dilation [1, 1] kernel_dilation [1, 1] groups 1
      : (tensor<1x8x8x8xf32>, tensor<3x3x8x64xf32>) -> tensor<1x8x8x64xf32>
  %s = graph.convolution %d, %k <input = (0, 3, [1, 2]), kernel = (2, 3, [0, 1]), output = (0, 3, [1, 2])>
      strides [1, 1] low [1, 1] high [1, 1] input_dilation [1, 1] kernel_dilation [1, 1] groups 1
      : (tensor<1x8x8x8xf32>, tensor<3x3x8x64xf32>) -> tensor<1x8x8x64xf32>
  %t = graph.convolution %a, %k <input = (0, 3, [1, 2]), kernel = (2, 3, [0, 1]), output = (0, 3, [1, 2])>
      strides [2, 2] low [1, 1] high [1, 1] input_dilation [1, 1] kernel_dilation [1, 1] groups 1
      : (tensor<1x8x8x8xf32>, tensor<3x3x8x64xf32>) -> tensor<1x4x4x64xf32>
  return %p, %q, %r, %s, %t : tensor<1x8x8x64xf32>, tensor<1x8x8x64xf32>, tensor<1x8x8x64xf32>, tensor<1x8x8x64xf32>, tensor<1x4x4x64xf32>
}
