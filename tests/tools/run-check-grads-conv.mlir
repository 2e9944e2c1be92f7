// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Derivatives of a convolution whose spatial sizes are known at run time, also where no window reads the end of the input or there is no
// window at all; and what the backward part computes compiled.
//
// RUN: zenith-run %s --dim n=4 --dim m=5 --random-inputs --check-grads=2 | FileCheck %s
// RUN: zenith-run %s --dim n=7 --dim m=2 --random-inputs --check-grads | FileCheck %s
// RUN: zenith-run %s --dim n=2 --dim m=3 --random-inputs --check-grads | FileCheck %s
// RUN: zenith-run %s --transform='grad{}' --dim n=7 --dim m=5 --random-inputs --compare=interp | FileCheck %s --check-prefix=COMPILED
// RUN: %python -c "open('%t.raw', 'wb').write(bytes([0, 0, 128, 63]) * 192)"
// RUN: zenith-run %s --transform='grad{}' --in 'x=f32[2x4x8x3]:%t.raw' --random-inputs --compare=interp | FileCheck %s --check-prefix=COMPILED

// CHECK: derivatives compared; the worst
// COMPILED: compared with the interpreter
func.func @conv(%x: tensor<2x4x?x?xf32> {graph.name = "x", graph.dims = ["2", "4", "n", "m"]}, %w: tensor<6x2x3x2xf32>) -> tensor<f32> {
  %y = graph.convolution %x, %w <input = (0, 1, [2, 3]), kernel = (1, 0, [2, 3]), output = (0, 1, [2, 3])>
      strides [2, 1] low [1, 0] high [2, 1] input_dilation [1, 2] kernel_dilation [2, 1] groups 2
      : (tensor<2x4x?x?xf32>, tensor<6x2x3x2xf32>) -> tensor<2x6x?x?xf32>
  %t = graph.tanh %y : tensor<2x6x?x?xf32>
  %s = graph.reduce sum, %t [0, 1, 2, 3] : tensor<2x6x?x?xf32> -> tensor<f32>
  return %s : tensor<f32>
}
