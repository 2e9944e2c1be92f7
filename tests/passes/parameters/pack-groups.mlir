// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Filters of grouped convolutions are stored group by group; small groups are joined.
//
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-pack-groups{panel=16}))' | FileCheck %s -enable-var-scope
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-pack-groups{panel=64}))' | FileCheck %s -enable-var-scope --check-prefix=WIDE

graph.param @g : tensor<3x3x8x64xf32>
graph.param @v : tensor<1x1x4x48xf32>
graph.param @s : tensor<1x1x8x24xf32>

// Groups of one panel of outputs, or several, are stored one after the other.
// CHECK-LABEL: @groups
// CHECK: %[[W:.*]] = graph.get_param @g
// CHECK: %[[M:.*]] = graph.reshape %[[W]] : tensor<3x3x8x64xf32> -> tensor<72x4x16xf32>
// CHECK: %[[P:.*]] = graph.transpose %[[M]] [1, 0, 2]
// CHECK: %[[T:.*]] = graph.transpose %[[P]] [1, 0, 2]
// CHECK: %[[K:.*]] = graph.reshape %[[T]] : tensor<72x4x16xf32> -> tensor<3x3x8x64xf32>
// CHECK: graph.convolution %{{.*}}, %[[K]] {{.*}} groups 2
func.func @groups(%x: tensor<1x9x9x16xf32>) -> tensor<1x7x7x64xf32> {
  %w = graph.get_param @g : tensor<3x3x8x64xf32>
  %r = graph.convolution %x, %w <input = (0, 3, [1, 2]), kernel = (2, 3, [0, 1]), output = (0, 3, [1, 2])>
      strides [1, 1] low [0, 0] high [0, 0] input_dilation [1, 1] kernel_dilation [1, 1] groups 2
      : (tensor<1x9x9x16xf32>, tensor<3x3x8x64xf32>) -> tensor<1x7x7x64xf32>
  return %r : tensor<1x7x7x64xf32>
}

// Groups of eight outputs fill a vector of eight lanes; two of them are joined for a vector of sixteen.
// CHECK-LABEL: @vector_groups
// WIDE-LABEL: @vector_groups
// WIDE: graph.convolution {{.*}} groups 3
// CHECK: graph.reshape {{.*}} : tensor<1x1x4x48xf32> -> tensor<4x6x8xf32>
// CHECK: graph.convolution {{.*}} groups 6
func.func @vector_groups(%x: tensor<1x9x9x24xf32>) -> tensor<1x9x9x48xf32> {
  %w = graph.get_param @v : tensor<1x1x4x48xf32>
  %r = graph.convolution %x, %w <input = (0, 3, [1, 2]), kernel = (2, 3, [0, 1]), output = (0, 3, [1, 2])>
      strides [1, 1] low [0, 0] high [0, 0] input_dilation [1, 1] kernel_dilation [1, 1] groups 6
      : (tensor<1x9x9x24xf32>, tensor<1x1x4x48xf32>) -> tensor<1x9x9x48xf32>
  return %r : tensor<1x9x9x48xf32>
}

// Two groups of four outputs become one block-diagonal group, with zeros for the other's inputs.
// CHECK-LABEL: @small_groups
// CHECK: graph.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<1x2x8x3x2x4xi1>, tensor<1x2x8x3x2x4xf32>
// CHECK: graph.convolution {{.*}} groups 3
// CHECK-SAME: (tensor<1x9x9x48xf32>, tensor<1x1x16x24xf32>)
func.func @small_groups(%x: tensor<1x9x9x48xf32>) -> tensor<1x9x9x24xf32> {
  %w = graph.get_param @s : tensor<1x1x8x24xf32>
  %r = graph.convolution %x, %w <input = (0, 3, [1, 2]), kernel = (2, 3, [0, 1]), output = (0, 3, [1, 2])>
      strides [1, 1] low [0, 0] high [0, 0] input_dilation [1, 1] kernel_dilation [1, 1] groups 6
      : (tensor<1x9x9x48xf32>, tensor<1x1x8x24xf32>) -> tensor<1x9x9x24xf32>
  return %r : tensor<1x9x9x24xf32>
}
