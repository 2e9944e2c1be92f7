// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the target multiplies pairs of bf16, neighbouring k of its panels lie
// side by side: one load has what an instruction takes. An odd k, or channel,
// is padded with a zero, and narrower panels stay as they are.
//
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-pack-matmuls,zenith-pack-filters))' | FileCheck %s -enable-var-scope

module attributes {graph.target = #graph.target<"cpu:znver4", lanes = 16, registers = 32, avx512 = true, bf16_pairs = true, nr = 64, k_interleave = 4>} {
graph.param @w : tensor<9x100xbf16>
graph.param @v : tensor<9x100xf32>
graph.param @n : tensor<64x20xbf16>
graph.param @k : tensor<3x3x8x70xbf16>
graph.param @o : tensor<3x3x3x70xbf16>

// Twelve rows take half of a wide panel.
// CHECK-LABEL: @pairs
// CHECK: graph.transpose %{{.*}} [2, 0, 3, 1] : tensor<5x2x4x32xbf16> -> tensor<4x5x32x2xbf16>
// CHECK: graph.dot_general %{{.*}} : (tensor<12x9xbf16>, tensor<9x100xbf16>) -> tensor<12x100xf32>
// CHECK: graph.transpose %{{.*}} [1, 0, 2] : tensor<9x4x32xf32> -> tensor<4x9x32xf32>
// CHECK: graph.transpose %{{.*}} : tensor<64x1x32xbf16> -> tensor<1x64x32xbf16>
func.func @pairs(%x: tensor<12x9xbf16>, %y: tensor<12x9xf32>, %z: tensor<40x64xbf16>) -> (tensor<12x100xf32>, tensor<12x100xf32>, tensor<40x20xf32>) {
  %w = graph.get_param @w : tensor<9x100xbf16>
  %0 = graph.dot_general %x, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<12x9xbf16>, tensor<9x100xbf16>) -> tensor<12x100xf32>
  %v = graph.get_param @v : tensor<9x100xf32>
  %1 = graph.dot_general %y, %v <batching = [] x [], contracting = [1] x [0]> : (tensor<12x9xf32>, tensor<9x100xf32>) -> tensor<12x100xf32>
  %n = graph.get_param @n : tensor<64x20xbf16>
  %2 = graph.dot_general %z, %n <batching = [] x [], contracting = [1] x [0]> : (tensor<40x64xbf16>, tensor<64x20xbf16>) -> tensor<40x20xf32>
  return %0, %1, %2 : tensor<12x100xf32>, tensor<12x100xf32>, tensor<40x20xf32>
}

// CHECK-LABEL: @filters
// CHECK: -> tensor<2x36x64x2xbf16>
// CHECK: graph.convolution
// CHECK: -> tensor<2x27x64xbf16>
func.func @filters(%x: tensor<1x9x9x8xbf16>, %y: tensor<1x9x9x3xbf16>) -> (tensor<1x7x7x70xf32>, tensor<1x7x7x70xf32>) {
  %k = graph.get_param @k : tensor<3x3x8x70xbf16>
  %0 = graph.convolution %x, %k <input = (0, 3, [1, 2]), kernel = (2, 3, [0, 1]), output = (0, 3, [1, 2])>
      strides [1, 1] low [0, 0] high [0, 0] input_dilation [1, 1] kernel_dilation [1, 1] groups 1
      : (tensor<1x9x9x8xbf16>, tensor<3x3x8x70xbf16>) -> tensor<1x7x7x70xf32>
  %o = graph.get_param @o : tensor<3x3x3x70xbf16>
  %1 = graph.convolution %y, %o <input = (0, 3, [1, 2]), kernel = (2, 3, [0, 1]), output = (0, 3, [1, 2])>
      strides [1, 1] low [0, 0] high [0, 0] input_dilation [1, 1] kernel_dilation [1, 1] groups 1
      : (tensor<1x9x9x3xbf16>, tensor<3x3x3x70xbf16>) -> tensor<1x7x7x70xf32>
  return %0, %1 : tensor<1x7x7x70xf32>, tensor<1x7x7x70xf32>
}
}
