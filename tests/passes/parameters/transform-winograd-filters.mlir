// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Winograd-transformed filters are packed before the filters, where fewer
// multiplications are estimated to be faster.
//
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-transform-winograd-filters{panel=16}))' | FileCheck %s -enable-var-scope
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-transform-winograd-filters{panel=16},zenith-pack-filters{panel=16}),zenith-hoist-prepare)' | FileCheck %s -enable-var-scope --check-prefix=HOISTED
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-transform-winograd-filters{panel=64 lanes=16}))' | FileCheck %s -enable-var-scope --check-prefix=WIDE

graph.param @k : tensor<3x3x64x64xf32>
graph.param @few : tensor<3x3x64x16xf32>
graph.param @planes : tensor<3x3x3x16x32xf32>
graph.param @dilated : tensor<3x128x128xf32>

// CHECK-LABEL: @convolution
// CHECK: %[[K:.*]] = graph.get_param @k
// CHECK: %[[F:.*]] = graph.reshape %[[K]] : tensor<3x3x64x64xf32> -> tensor<1x9x4096xf32>
// CHECK: %[[V:.*]] = graph.dot_general %{{.*}}, %[[F]] {{.*}} -> tensor<36x1x4096xf32>
// CHECK: %[[R:.*]] = graph.reshape %[[V]] : tensor<36x1x4096xf32> -> tensor<2304x64xf32>
// CHECK: %[[B:.*]] = graph.concat 0, %[[R]], %{{.*}} -> tensor<2880x64xf32>
// CHECK: %[[W:.*]] = graph.slice %{{.*}} [2304, 0] [576, 64] [1, 1] : tensor<2880x64xf32> -> tensor<576x64xf32>
// CHECK: %[[N:.*]] = graph.reshape %[[W]] : tensor<576x64xf32> -> tensor<3x3x64x64xf32>
// CHECK: graph.convolution %{{.*}}, %[[N]] {{.*}} {graph.winograd_tile = 4 : i64}
// HOISTED-LABEL: func.func @convolution
// HOISTED: %[[P:.*]] = graph.get_param @derived_0 : tensor<4x2880x16xf32>
// HOISTED: graph.convolution
// HOISTED: graph.derived_param @derived_0 : tensor<4x2880x16xf32>
func.func @convolution(%x: tensor<1x56x56x64xf32>) -> tensor<1x56x56x64xf32> {
  %k = graph.get_param @k : tensor<3x3x64x64xf32>
  %r = graph.convolution %x, %k <input = (0, 3, [1, 2]), kernel = (2, 3, [0, 1]), output = (0, 3, [1, 2])>
      strides [1, 1] low [1, 1] high [1, 1] input_dilation [1, 1] kernel_dilation [1, 1] groups 1
      : (tensor<1x56x56x64xf32>, tensor<3x3x64x64xf32>) -> tensor<1x56x56x64xf32>
  return %r : tensor<1x56x56x64xf32>
}

// CHECK-LABEL: @few_positions
// CHECK-NOT: winograd_tile
func.func @few_positions(%x: tensor<1x3x3x64xf32>) -> tensor<1x1x1x64xf32> {
  %k = graph.get_param @k : tensor<3x3x64x64xf32>
  %r = graph.convolution %x, %k <input = (0, 3, [1, 2]), kernel = (2, 3, [0, 1]), output = (0, 3, [1, 2])>
      strides [1, 1] low [0, 0] high [0, 0] input_dilation [1, 1] kernel_dilation [1, 1] groups 1
      : (tensor<1x3x3x64xf32>, tensor<3x3x64x64xf32>) -> tensor<1x1x1x64xf32>
  return %r : tensor<1x1x1x64xf32>
}

// CHECK-LABEL: @strided
// CHECK-NOT: winograd_tile
func.func @strided(%x: tensor<1x56x56x64xf32>) -> tensor<1x28x28x64xf32> {
  %k = graph.get_param @k : tensor<3x3x64x64xf32>
  %r = graph.convolution %x, %k <input = (0, 3, [1, 2]), kernel = (2, 3, [0, 1]), output = (0, 3, [1, 2])>
      strides [2, 2] low [1, 1] high [0, 0] input_dilation [1, 1] kernel_dilation [1, 1] groups 1
      : (tensor<1x56x56x64xf32>, tensor<3x3x64x64xf32>) -> tensor<1x28x28x64xf32>
  return %r : tensor<1x28x28x64xf32>
}

// CHECK-LABEL: @one_panel
// CHECK-NOT: winograd_tile
// WIDE-LABEL: @one_panel
// WIDE: graph.winograd_tile = 4
func.func @one_panel(%x: tensor<1x56x56x64xf32>) -> tensor<1x56x56x16xf32> {
  %k = graph.get_param @few : tensor<3x3x64x16xf32>
  %r = graph.convolution %x, %k <input = (0, 3, [1, 2]), kernel = (2, 3, [0, 1]), output = (0, 3, [1, 2])>
      strides [1, 1] low [1, 1] high [1, 1] input_dilation [1, 1] kernel_dilation [1, 1] groups 1
      : (tensor<1x56x56x64xf32>, tensor<3x3x64x16xf32>) -> tensor<1x56x56x16xf32>
  return %r : tensor<1x56x56x16xf32>
}

// CHECK-LABEL: @argument
// CHECK-NOT: winograd_tile
func.func @argument(%x: tensor<1x56x56x64xf32>, %k: tensor<3x3x64x64xf32>) -> tensor<1x56x56x64xf32> {
  %r = graph.convolution %x, %k <input = (0, 3, [1, 2]), kernel = (2, 3, [0, 1]), output = (0, 3, [1, 2])>
      strides [1, 1] low [1, 1] high [1, 1] input_dilation [1, 1] kernel_dilation [1, 1] groups 1
      : (tensor<1x56x56x64xf32>, tensor<3x3x64x64xf32>) -> tensor<1x56x56x64xf32>
  return %r : tensor<1x56x56x64xf32>
}

// Planes of the filter are summed over like channels.
// CHECK-LABEL: @volume
// CHECK: graph.reshape %{{.*}} : tensor<3x3x3x16x32xf32> -> tensor<3x9x512xf32>
// CHECK: %[[V:.*]] = graph.dot_general {{.*}} -> tensor<36x3x512xf32>
// CHECK: graph.reshape %[[V]] : tensor<36x3x512xf32> -> tensor<1728x32xf32>
// CHECK: graph.convolution {{.*}} {graph.winograd_tile = 4 : i64}
func.func @volume(%x: tensor<1x8x32x32x16xf32>) -> tensor<1x8x32x32x32xf32> {
  %k = graph.get_param @planes : tensor<3x3x3x16x32xf32>
  %r = graph.convolution %x, %k <input = (0, 4, [1, 2, 3]), kernel = (3, 4, [0, 1, 2]), output = (0, 4, [1, 2, 3])>
      strides [1, 1, 1] low [1, 1, 1] high [1, 1, 1] input_dilation [1, 1, 1] kernel_dilation [1, 1, 1] groups 1
      : (tensor<1x8x32x32x16xf32>, tensor<3x3x3x16x32xf32>) -> tensor<1x8x32x32x32xf32>
  return %r : tensor<1x8x32x32x32xf32>
}

// CHECK-LABEL: @dilated_line
// CHECK: graph.dot_general {{.*}} -> tensor<6x1x16384xf32>
// CHECK: graph.convolution {{.*}} {graph.winograd_tile = 4 : i64}
func.func @dilated_line(%x: tensor<1x512x128xf32>) -> tensor<1x512x128xf32> {
  %k = graph.get_param @dilated : tensor<3x128x128xf32>
  %r = graph.convolution %x, %k <input = (0, 2, [1]), kernel = (1, 2, [0]), output = (0, 2, [1])>
      strides [1] low [16] high [0] input_dilation [1] kernel_dilation [8] groups 1
      : (tensor<1x512x128xf32>, tensor<3x128x128xf32>) -> tensor<1x512x128xf32>
  return %r : tensor<1x512x128xf32>
}

// Operands that are rounded for products are transformed after they are
// widened.
// CHECK-LABEL: @rounded_operands
// CHECK: graph.convolution {{.*}} {graph.winograd_tile = 4 : i64}
func.func @rounded_operands(%x: tensor<1x56x56x64xbf16>) -> tensor<1x56x56x64xf32> {
  %k = graph.get_param @k : tensor<3x3x64x64xf32>
  %n = graph.convert %k : tensor<3x3x64x64xf32> -> tensor<3x3x64x64xbf16>
  %w = graph.convert %n : tensor<3x3x64x64xbf16> -> tensor<3x3x64x64xf32>
  %v = graph.convert %x : tensor<1x56x56x64xbf16> -> tensor<1x56x56x64xf32>
  %r = graph.convolution %v, %w <input = (0, 3, [1, 2]), kernel = (2, 3, [0, 1]), output = (0, 3, [1, 2])>
      strides [1, 1] low [1, 1] high [1, 1] input_dilation [1, 1] kernel_dilation [1, 1] groups 1
      : (tensor<1x56x56x64xf32>, tensor<3x3x64x64xf32>) -> tensor<1x56x56x64xf32>
  return %r : tensor<1x56x56x64xf32>
}

// Weights alone are narrow to take little memory.
// CHECK-LABEL: @narrow_weights
// CHECK-NOT: winograd_tile
func.func @narrow_weights(%x: tensor<1x56x56x64xf32>) -> tensor<1x56x56x64xf32> {
  %k = graph.get_param @k : tensor<3x3x64x64xf32>
  %n = graph.convert %k : tensor<3x3x64x64xf32> -> tensor<3x3x64x64xbf16>
  %w = graph.convert %n : tensor<3x3x64x64xbf16> -> tensor<3x3x64x64xf32>
  %r = graph.convolution %x, %w <input = (0, 3, [1, 2]), kernel = (2, 3, [0, 1]), output = (0, 3, [1, 2])>
      strides [1, 1] low [1, 1] high [1, 1] input_dilation [1, 1] kernel_dilation [1, 1] groups 1
      : (tensor<1x56x56x64xf32>, tensor<3x3x64x64xf32>) -> tensor<1x56x56x64xf32>
  return %r : tensor<1x56x56x64xf32>
}
