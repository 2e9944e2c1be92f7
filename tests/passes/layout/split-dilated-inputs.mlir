// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions of dilated inputs multiply no zeros: phases become channels.
//
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-split-dilated-inputs))' | FileCheck %s -enable-var-scope

// A transposed convolution whose filter is as wide as its dilation: a matmul, and movement.
// CHECK-LABEL: @transposed_convolution
// CHECK-SAME: (%[[X:.*]]: tensor<1x4x5x6xf32>
// CHECK: graph.reverse %{{.*}} [1, 3] : tensor<1x2x1x2x6x3xf32>
// CHECK: graph.convolution %[[X]], %{{.*}} strides [1, 1] low [0, 0] high [0, 0] input_dilation [1, 1]
// CHECK-SAME: (tensor<1x4x5x6xf32>, tensor<1x1x6x12xf32>) -> tensor<1x4x5x12xf32>
// CHECK: graph.transpose %{{.*}} [0, 1, 3, 2, 4, 5] : tensor<1x4x5x2x2x3xf32> -> tensor<1x4x2x5x2x3xf32>
// CHECK-NEXT: graph.reshape %{{.*}} -> tensor<1x8x10x3xf32>
// CHECK-NEXT: return
func.func @transposed_convolution(%x: tensor<1x4x5x6xf32>, %w: tensor<2x2x6x3xf32>) -> tensor<1x8x10x3xf32> {
  %c = graph.convolution %x, %w <input = (0, 3, [1, 2]), kernel = (2, 3, [0, 1]), output = (0, 3, [1, 2])>
      strides [1, 1] low [1, 1] high [1, 1] input_dilation [2, 2] kernel_dilation [1, 1] groups 1
      : (tensor<1x4x5x6xf32>, tensor<2x2x6x3xf32>) -> tensor<1x8x10x3xf32>
  return %c : tensor<1x8x10x3xf32>
}

// Dynamic sizes are multiplied at run time. Padding alone makes one result of an empty input feature map, a zero.
// CHECK-LABEL: @transposed_convolution_of_any_size
// CHECK-SAME: (%[[X:.*]]: tensor<?x?x5x6xf32>
// CHECK: %[[C:.*]] = graph.convolution %[[X]], %{{.*}} low [0, 0] high [0, 0] input_dilation [1, 1]
// CHECK-SAME: (tensor<?x?x5x6xf32>, tensor<1x1x6x12xf32>) -> tensor<?x?x5x12xf32>
// CHECK: %[[P:.*]] = graph.dim %[[C]], 1
// CHECK: %[[TWO:.*]] = graph.constant dense<2> : tensor<i64>
// CHECK: %[[J:.*]] = graph.mul %[[P]], %[[TWO]]
// CHECK: graph.transpose %{{.*}} [0, 1, 3, 2, 4, 5] : tensor<?x?x5x2x2x3xf32> -> tensor<?x?x2x5x2x3xf32>
// CHECK-NEXT: graph.reshape %{{.*}} [%{{.*}}, %[[J]]]
// CHECK-NEXT: %[[S:.*]] = graph.slice %{{.*}} [0, 0, 0, 0] [%{{.*}}, %[[OWN:.*]], 10, 3]
// CHECK: %[[MORE:.*]] = graph.sub %{{.*}}, %[[OWN]]
// CHECK: graph.pad %[[S]], %{{.*}} [0, 0, 0, 0] [0, %[[MORE]], 0, 0] [0, 0, 0, 0]
func.func @transposed_convolution_of_any_size(%x: tensor<?x?x5x6xf32>, %w: tensor<2x2x6x3xf32>) -> tensor<?x?x10x3xf32> {
  %c = graph.convolution %x, %w <input = (0, 3, [1, 2]), kernel = (2, 3, [0, 1]), output = (0, 3, [1, 2])>
      strides [1, 1] low [1, 1] high [1, 1] input_dilation [2, 2] kernel_dilation [1, 1] groups 1
      : (tensor<?x?x5x6xf32>, tensor<2x2x6x3xf32>) -> tensor<?x?x10x3xf32>
  return %c : tensor<?x?x10x3xf32>
}

// A filter that the dilation does not divide is padded; results before the first are sliced off.
// CHECK-LABEL: @overlapping_steps
// CHECK: graph.pad %{{.*}} [0, 0, 0, 0] [1, 0, 0, 0] [0, 0, 0, 0]
// CHECK: graph.convolution %{{.*}} low [1, 1] high [1, 1] input_dilation [1, 1]
// CHECK-SAME: -> tensor<1x5x6x4xf32>
// CHECK: graph.slice %{{.*}} [0, 1, 0, 0] [1, 9, 6, 2] [1, 1, 1, 1]
func.func @overlapping_steps(%x: tensor<1x4x6x3xf32>, %w: tensor<3x3x3x2xf32>) -> tensor<1x9x6x2xf32> {
  %c = graph.convolution %x, %w <input = (0, 3, [1, 2]), kernel = (2, 3, [0, 1]), output = (0, 3, [1, 2])>
      strides [1, 1] low [2, 1] high [2, 1] input_dilation [2, 1] kernel_dilation [1, 1] groups 1
      : (tensor<1x4x6x3xf32>, tensor<3x3x3x2xf32>) -> tensor<1x9x6x2xf32>
  return %c : tensor<1x9x6x2xf32>
}

// Phases with fewer taps than others are convolutions of their own, which multiply no zeros.
// CHECK-LABEL: @uneven_phases
// CHECK: low [0, 0] high [0, 0] {{.*}} (tensor<1x7x6x8xf32>, tensor<1x1x8x16xf32>) -> tensor<1x7x6x16xf32>
// CHECK: low [0, 0] high [0, 1] {{.*}} (tensor<1x7x6x8xf32>, tensor<1x2x8x16xf32>) -> tensor<1x7x6x16xf32>
// CHECK: low [0, 0] high [1, 0] {{.*}} (tensor<1x7x6x8xf32>, tensor<2x1x8x16xf32>) -> tensor<1x7x6x16xf32>
// CHECK: low [0, 0] high [1, 1] {{.*}} (tensor<1x7x6x8xf32>, tensor<2x2x8x16xf32>) -> tensor<1x7x6x16xf32>
// CHECK: graph.concat 3, {{.*}} -> tensor<1x7x6x4x16xf32>
func.func @uneven_phases(%x: tensor<1x7x6x8xf32>, %w: tensor<3x3x8x16xf32>) -> tensor<1x14x12x16xf32> {
  %c = graph.convolution %x, %w <input = (0, 3, [1, 2]), kernel = (2, 3, [0, 1]), output = (0, 3, [1, 2])>
      strides [1, 1] low [1, 1] high [2, 2] input_dilation [2, 2] kernel_dilation [1, 1] groups 1
      : (tensor<1x7x6x8xf32>, tensor<3x3x8x16xf32>) -> tensor<1x14x12x16xf32>
  return %c : tensor<1x14x12x16xf32>
}

// CHECK-LABEL: @phases_without_taps
// CHECK: (tensor<1x5x4x8xf32>, tensor<1x1x8x16xf32>) -> tensor<1x6x5x16xf32>
// CHECK: graph.constant dense<0.000000e+00> : tensor<f32>
// CHECK: graph.broadcast %{{.*}} [] : tensor<f32> -> tensor<1x6x5x1x16xf32>
// CHECK-NOT: graph.convolution
// CHECK: graph.concat
func.func @phases_without_taps(%x: tensor<1x5x4x8xf32>, %w: tensor<1x1x8x16xf32>) -> tensor<1x10x8x16xf32> {
  %c = graph.convolution %x, %w <input = (0, 3, [1, 2]), kernel = (2, 3, [0, 1]), output = (0, 3, [1, 2])>
      strides [1, 1] low [0, 0] high [1, 1] input_dilation [2, 2] kernel_dilation [1, 1] groups 1
      : (tensor<1x5x4x8xf32>, tensor<1x1x8x16xf32>) -> tensor<1x10x8x16xf32>
  return %c : tensor<1x10x8x16xf32>
}

// Phases without taps are as large as those that have some.
// CHECK-LABEL: @phases_of_any_size
// CHECK: %[[C:.*]] = graph.convolution {{.*}} (tensor<1x?x4x8xf32>, tensor<1x1x8x16xf32>) -> tensor<1x?x5x16xf32>
// CHECK: %[[N:.*]] = graph.dim %[[C]], 1
// CHECK: graph.broadcast %{{.*}} [] [%[[N]]] : tensor<f32> -> tensor<1x?x5x1x16xf32>
// CHECK: graph.concat 3, {{.*}} -> tensor<1x?x5x4x16xf32>
func.func @phases_of_any_size(%x: tensor<1x?x4x8xf32>, %w: tensor<1x1x8x16xf32>) -> tensor<1x?x8x16xf32> {
  %c = graph.convolution %x, %w <input = (0, 3, [1, 2]), kernel = (2, 3, [0, 1]), output = (0, 3, [1, 2])>
      strides [1, 1] low [0, 0] high [1, 1] input_dilation [2, 2] kernel_dilation [1, 1] groups 1
      : (tensor<1x?x4x8xf32>, tensor<1x1x8x16xf32>) -> tensor<1x?x8x16xf32>
  return %c : tensor<1x?x8x16xf32>
}
