// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Results whose channels come first are stored by vectors of positions, though only the run knows how many there are.
//
// RUN: zenith-compile %s --emit=kernels --target=cpu:x86-64-v4 | FileCheck %s

// CHECK-LABEL: func.func @k0_contraction(
// CHECK-NOT: vector.scatter
// CHECK: call @transpose_f32x16(
// CHECK: vector.maskedstore
// CHECK-NOT: vector.scatter

func.func @main(%x: tensor<?x3x?x?xf32> {graph.name = "x", graph.dims = ["n", "3", "h", "w"]}, %w: tensor<64x3x5x5xf32> {graph.name = "w"}) -> tensor<?x64x?x?xf32> {
  %r = graph.convolution %x, %w <input = (0, 1, [2, 3]), kernel = (1, 0, [2, 3]), output = (0, 1, [2, 3])> strides [2, 2] low [2, 2] high [2, 2] input_dilation [1, 1] kernel_dilation [1, 1] groups 1 : (tensor<?x3x?x?xf32>, tensor<64x3x5x5xf32>) -> tensor<?x64x?x?xf32>
  return %r : tensor<?x64x?x?xf32>
}
