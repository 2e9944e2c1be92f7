// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A given tile of other columns than the panels of a transformed filter have: a direct convolution copies the filter out of
// them, into panels of its own without the rows of the transform.
//
// RUN: zenith-opt %s --to=schedule --target=cpu:x86-64-v3 -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: sed -E 's/#sched.conv<.*>\}/#sched.conv<on = task, form = direct, operands = [rows, copied], tile = [6, 24], lanes = 8>}/' %t.mlir > %t-direct.mlir
// RUN: FileCheck %s --check-prefix=DIRECT < %t-direct.mlir
// RUN: zenith-run %t-direct.mlir --from=schedule --target=cpu:x86-64-v3 --random-inputs --compare=interp --print=0

// CHECK: graph.encodings = [unit, #graph.winograd<4>], schedule = #sched.conv<on = task, form = winograd
// DIRECT: graph.encodings = [unit, #graph.winograd<4>], schedule = #sched.conv<on = task, form = direct
graph.param @w : tensor<3x3x16x32xf32> = dense<5.000000e-02> : tensor<3x3x16x32xf32>
func.func @main(%x: tensor<1x40x40x16xf32>) -> tensor<1x40x40x32xf32> {
  %w = graph.get_param @w : tensor<3x3x16x32xf32>
  %r = graph.convolution %x, %w <input = (0, 3, [1, 2]), kernel = (2, 3, [0, 1]), output = (0, 3, [1, 2])> strides [1, 1] low [1, 1] high [1, 1] input_dilation [1, 1] kernel_dilation [1, 1] groups 1 : (tensor<1x40x40x16xf32>, tensor<3x3x16x32xf32>) -> tensor<1x40x40x32xf32>
  return %r : tensor<1x40x40x32xf32>
}
