// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A left operand that lies in memory as packed panels do is no packed matrix: only the right one's encoding says so.
//
// RUN: zenith-run %s --random-inputs --print=0 --compare=interp
// RUN: zenith-compile %s --emit=graphir --to=schedule -o - | FileCheck %s

// CHECK-COUNT-2: graph.fusion contraction
// CHECK-NOT: graph.encodings
func.func @main(%x: tensor<4x10x8xf32>, %w: tensor<32x16xf32>, %i: tensor<2x36x4xf32>, %f: tensor<3x3x8x16xf32>)
    -> (tensor<10x16xf32>, tensor<1x4x4x16xf32>) {
  %0 = graph.transpose %x [1, 0, 2] : tensor<4x10x8xf32> -> tensor<10x4x8xf32>
  %1 = graph.reshape %0 : tensor<10x4x8xf32> -> tensor<10x32xf32>
  %2 = graph.dot_general %1, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<10x32xf32>, tensor<32x16xf32>) -> tensor<10x16xf32>
  %3 = graph.transpose %i [1, 0, 2] : tensor<2x36x4xf32> -> tensor<36x2x4xf32>
  %4 = graph.reshape %3 : tensor<36x2x4xf32> -> tensor<1x6x6x8xf32>
  %5 = graph.convolution %4, %f <input = (0, 3, [1, 2]), kernel = (2, 3, [0, 1]), output = (0, 3, [1, 2])> strides [1, 1] low [0, 0] high [0, 0] input_dilation [1, 1] kernel_dilation [1, 1] groups 1 : (tensor<1x6x6x8xf32>, tensor<3x3x8x16xf32>) -> tensor<1x4x4x16xf32>
  return %2, %5 : tensor<10x16xf32>, tensor<1x4x4x16xf32>
}
