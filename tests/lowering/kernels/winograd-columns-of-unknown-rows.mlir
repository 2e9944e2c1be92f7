// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transformed convolutions whose channels come first store their results by vectors of positions, though only the run knows how many there are.
//
// RUN: zenith-compile %s --emit=kernels --target=cpu:x86-64-v4 | FileCheck %s

// CHECK-LABEL: func.func @k0_contraction_winograd1_transform_input(
// CHECK-LABEL: func.func @k0_contraction_winograd1(
// CHECK-NOT: vector.scatter
// CHECK: vector.maskedstore
// CHECK-NOT: vector.scatter

graph.param @w : tensor<64x64x3x3xf32> = dense<0.5> : tensor<64x64x3x3xf32>
func.func @main(%x: tensor<?x64x?x?xf32> {graph.name = "x", graph.dims = ["n", "64", "h", "w"]}) -> tensor<?x64x?x?xf32> {
  %w = graph.get_param @w : tensor<64x64x3x3xf32>
  %r = graph.convolution %x, %w <input = (0, 1, [2, 3]), kernel = (1, 0, [2, 3]), output = (0, 1, [2, 3])> strides [1, 1] low [1, 1] high [1, 1] input_dilation [1, 1] kernel_dilation [1, 1] groups 1 : (tensor<?x64x?x?xf32>, tensor<64x64x3x3xf32>) -> tensor<?x64x?x?xf32>
  return %r : tensor<?x64x?x?xf32>
}
