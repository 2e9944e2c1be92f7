// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Large windows are reduced along one dimension after the other.
//
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-split-windows))' | FileCheck %s -enable-var-scope

// A large rectangle is reduced along its rows, then along its columns.
// CHECK-LABEL: @large_rectangle
// CHECK: %[[ROWS:.*]] = graph.reduce_window max, %arg0 window [1, 1, 5, 1] strides [1, 1, 1, 1] low [0, 0, 2, 0] high [0, 0, 2, 0]
// CHECK-SAME: -> tensor<?x9x8x4xf32>
// CHECK: graph.reduce_window max, %[[ROWS]] window [1, 4, 1, 1] strides [1, 2, 1, 1] low [0, 1, 0, 0] high [0, 0, 0, 0]
func.func @large_rectangle(%x: tensor<?x9x8x4xf32>) -> tensor<?x4x8x4xf32> {
  %r = graph.reduce_window max, %x window [1, 4, 5, 1] strides [1, 2, 1, 1] low [0, 1, 2, 0] high [0, 0, 2, 0]
      base_dilation [1, 1, 1, 1] dilation [1, 1, 1, 1] : tensor<?x9x8x4xf32> -> tensor<?x4x8x4xf32>
  return %r : tensor<?x4x8x4xf32>
}

// A box with contiguous rows is reduced plane by plane, then across the planes.
// CHECK-LABEL: @large_box
// CHECK: %[[PLANES:.*]] = graph.reduce_window max, %arg0 window [1, 1, 1, 3, 3] strides [1, 1, 1, 2, 1] low [0, 0, 0, 1, 1] high [0, 0, 0, 0, 1]
// CHECK-SAME: -> tensor<2x3x6x4x7xf32>
// CHECK: graph.reduce_window max, %[[PLANES]] window [1, 1, 3, 1, 1] strides [1, 1, 2, 1, 1] low [0, 0, 1, 0, 0] high [0, 0, 0, 0, 0]
func.func @large_box(%x: tensor<2x3x6x8x7xf32>) -> tensor<2x3x3x4x7xf32> {
  %r = graph.reduce_window max, %x window [1, 1, 3, 3, 3] strides [1, 1, 2, 2, 1] low [0, 0, 1, 1, 1] high [0, 0, 0, 0, 1]
      base_dilation [1, 1, 1, 1, 1] dilation [1, 1, 1, 1, 1] : tensor<2x3x6x8x7xf32> -> tensor<2x3x3x4x7xf32>
  return %r : tensor<2x3x3x4x7xf32>
}

// Sums would round in another order; small windows gain nothing.
// CHECK-LABEL: @others_stay
// CHECK: graph.reduce_window sum, %arg0 window [1, 4, 5, 1]
// CHECK: graph.reduce_window max, %arg0 window [1, 3, 3, 1]
// CHECK-NOT: graph.reduce_window
func.func @others_stay(%x: tensor<2x9x8x4xf32>) -> (tensor<2x6x4x4xf32>, tensor<2x7x6x4xf32>) {
  %r = graph.reduce_window sum, %x window [1, 4, 5, 1] strides [1, 1, 1, 1] low [0, 0, 0, 0] high [0, 0, 0, 0]
      base_dilation [1, 1, 1, 1] dilation [1, 1, 1, 1] : tensor<2x9x8x4xf32> -> tensor<2x6x4x4xf32>
  %s = graph.reduce_window max, %x window [1, 3, 3, 1] strides [1, 1, 1, 1] low [0, 0, 0, 0] high [0, 0, 0, 0]
      base_dilation [1, 1, 1, 1] dilation [1, 1, 1, 1] : tensor<2x9x8x4xf32> -> tensor<2x7x6x4xf32>
  return %r, %s : tensor<2x6x4x4xf32>, tensor<2x7x6x4xf32>
}
