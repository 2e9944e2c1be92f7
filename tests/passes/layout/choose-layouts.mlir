// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolution networks run channels-last; transposes stay at their ends only.
//
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-choose-layouts))' | FileCheck %s -enable-var-scope

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

// CHECK-LABEL: @one_dimension
// CHECK: graph.convolution %{{.*}} <input = (0, 2, [1]), kernel = (1, 2, [0]), output = (0, 2, [1])>
func.func @one_dimension(%x: tensor<1x2x8xf32>, %w: tensor<4x2x3xf32>) -> tensor<1x4x8xf32> {
  %r = graph.convolution %x, %w <input = (0, 1, [2]), kernel = (1, 0, [2]), output = (0, 1, [2])>
      strides [1] low [1] high [1] input_dilation [1] kernel_dilation [1] groups 1
      : (tensor<1x2x8xf32>, tensor<4x2x3xf32>) -> tensor<1x4x8xf32>
  return %r : tensor<1x4x8xf32>
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

// Windows of single channels gain nothing from channels that lie last.
// CHECK-LABEL: @depthwise_alone
// CHECK-NOT: graph.transpose
// CHECK: return
func.func @depthwise_alone(%x: tensor<1x8x30x30xf32>, %w: tensor<8x1x3x3xf32>) -> tensor<1x8x30x30xf32> {
  %c = graph.convolution %x, %w <input = (0, 1, [2, 3]), kernel = (1, 0, [2, 3]), output = (0, 1, [2, 3])>
      strides [1, 1] low [1, 1] high [1, 1] input_dilation [1, 1] kernel_dilation [1, 1] groups 8
      : (tensor<1x8x30x30xf32>, tensor<8x1x3x3xf32>) -> tensor<1x8x30x30xf32>
  return %c : tensor<1x8x30x30xf32>
}

// A transposed convolution whose steps its window fills: a product, and movement.
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

// Sizes that only the run knows are multiplied there. The slice refuses an image without pixels, whose padding alone makes one result.
// CHECK-LABEL: @transposed_convolution_of_any_size
// CHECK-SAME: (%[[X:.*]]: tensor<?x?x5x6xf32>
// CHECK-DAG: %[[TWO:.*]] = graph.constant dense<2> : tensor<i64>
// CHECK: %[[C:.*]] = graph.convolution %[[X]], %{{.*}} low [0, 0] high [0, 0] input_dilation [1, 1]
// CHECK-SAME: (tensor<?x?x5x6xf32>, tensor<1x1x6x12xf32>) -> tensor<?x?x5x12xf32>
// CHECK: %[[P:.*]] = graph.dim %[[C]], 1
// CHECK: %[[J:.*]] = graph.mul %[[P]], %[[TWO]]
// CHECK: graph.transpose %{{.*}} [0, 1, 3, 2, 4, 5] : tensor<?x?x5x2x2x3xf32> -> tensor<?x?x2x5x2x3xf32>
// CHECK-NEXT: graph.reshape %{{.*}} [%{{.*}}, %[[J]]]
// CHECK-NEXT: graph.slice %{{.*}} [0, 0, 0, 0] [%{{.*}}, %{{.*}}, 10, 3]
func.func @transposed_convolution_of_any_size(%x: tensor<?x?x5x6xf32>, %w: tensor<2x2x6x3xf32>) -> tensor<?x?x10x3xf32>
    attributes {test.may_refuse_empty} {
  %c = graph.convolution %x, %w <input = (0, 3, [1, 2]), kernel = (2, 3, [0, 1]), output = (0, 3, [1, 2])>
      strides [1, 1] low [1, 1] high [1, 1] input_dilation [2, 2] kernel_dilation [1, 1] groups 1
      : (tensor<?x?x5x6xf32>, tensor<2x2x6x3xf32>) -> tensor<?x?x10x3xf32>
  return %c : tensor<?x?x10x3xf32>
}

// Taps that are no whole number of steps are filled up; results before the first are cut off.
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
// CHECK: graph.constant dense<0.000000e+00> : tensor<1x6x5x1x16xf32>
// CHECK: (tensor<1x5x4x8xf32>, tensor<1x1x8x16xf32>) -> tensor<1x6x5x16xf32>
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

// A large rectangle is folded along its rows, then down.
// CHECK-LABEL: @large_rectangle
// CHECK: %[[ROWS:.*]] = graph.reduce_window max, %arg0 window [1, 1, 5, 1] strides [1, 1, 1, 1] low [0, 0, 2, 0] high [0, 0, 2, 0]
// CHECK-SAME: -> tensor<?x9x8x4xf32>
// CHECK: graph.reduce_window max, %[[ROWS]] window [1, 4, 1, 1] strides [1, 2, 1, 1] low [0, 1, 0, 0] high [0, 0, 0, 0]
func.func @large_rectangle(%x: tensor<?x9x8x4xf32>) -> tensor<?x4x8x4xf32> {
  %r = graph.reduce_window max, %x window [1, 4, 5, 1] strides [1, 2, 1, 1] low [0, 1, 2, 0] high [0, 0, 2, 0]
      base_dilation [1, 1, 1, 1] dilation [1, 1, 1, 1] : tensor<?x9x8x4xf32> -> tensor<?x4x8x4xf32>
  return %r : tensor<?x4x8x4xf32>
}

// A box whose rows are runs of memory is folded plane by plane, then through
// the planes.
// CHECK-LABEL: @large_box
// CHECK: %[[PLANES:.*]] = graph.reduce_window max, %arg0 window [1, 1, 1, 3, 3] strides [1, 1, 1, 2, 1] low [0, 0, 0, 1, 1] high [0, 0, 0, 0, 1]
// CHECK-SAME: -> tensor<2x3x6x4x7xf32>
// CHECK: graph.reduce_window max, %[[PLANES]] window [1, 1, 3, 1, 1] strides [1, 1, 2, 1, 1] low [0, 0, 1, 0, 0] high [0, 0, 0, 0, 0]
func.func @large_box(%x: tensor<2x3x6x8x7xf32>) -> tensor<2x3x3x4x7xf32> {
  %r = graph.reduce_window max, %x window [1, 1, 3, 3, 3] strides [1, 1, 2, 2, 1] low [0, 0, 1, 1, 1] high [0, 0, 0, 0, 1]
      base_dilation [1, 1, 1, 1, 1] dilation [1, 1, 1, 1, 1] : tensor<2x3x6x8x7xf32> -> tensor<2x3x3x4x7xf32>
  return %r : tensor<2x3x3x4x7xf32>
}

// A norm of groups of channels follows the order of pixels.
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
