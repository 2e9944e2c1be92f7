// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The gradient of a filter sums along rows of positions. Those that read padding are left out of each sum, so that the feature
// map is not copied; bf16 multiplies pairs of positions, and copies.
//
// RUN: zenith-opt %s --to=schedule --target=cpu:x86-64-v4 | FileCheck %s
// RUN: zenith-run %s --entry=words --random-inputs=1 --compare=interp --atol=1e-3 | FileCheck %s --check-prefix=SAME
// SAME: compared with the interpreter
// CHECK-LABEL: @words
// CHECK: graph.fusion contraction
// CHECK-NOT: scratch
// CHECK: }
// CHECK-LABEL: @halves
// CHECK: graph.fusion contraction
// CHECK-SAME: scratch
func.func @words(%x: tensor<4x20x20x48xf32>, %g: tensor<4x20x20x16xf32>) -> tensor<3x3x48x16xf32> {
  %r = graph.convolution %x, %g <input = (3, 0, [1, 2]), kernel = (0, 3, [1, 2]), output = (2, 3, [0, 1])> strides [1, 1] low [1, 1] high [1, 1] input_dilation [1, 1] kernel_dilation [1, 1] groups 1 : (tensor<4x20x20x48xf32>, tensor<4x20x20x16xf32>) -> tensor<3x3x48x16xf32>
  return %r : tensor<3x3x48x16xf32>
}
func.func @halves(%x: tensor<4x20x20x48xbf16>, %g: tensor<4x20x20x16xbf16>) -> tensor<3x3x48x16xbf16> {
  %r = graph.convolution %x, %g <input = (3, 0, [1, 2]), kernel = (0, 3, [1, 2]), output = (2, 3, [0, 1])> strides [1, 1] low [1, 1] high [1, 1] input_dilation [1, 1] kernel_dilation [1, 1] groups 1 : (tensor<4x20x20x48xbf16>, tensor<4x20x20x16xbf16>) -> tensor<3x3x48x16xbf16>
  return %r : tensor<3x3x48x16xbf16>
}
