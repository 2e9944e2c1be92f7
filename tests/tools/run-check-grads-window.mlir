// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Derivatives of windows along dimensions whose sizes are known at run time, also where no window reads the end of the operand.
//
// RUN: zenith-run %s --entry=sums --dim n=4 --dim m=5 --random-inputs --check-grads=2 | FileCheck %s
// RUN: zenith-run %s --entry=sums --dim n=7 --dim m=6 --random-inputs --check-grads | FileCheck %s
// RUN: zenith-run %s --entry=largest --dim n=4 --dim m=5 --random-inputs --check-grads | FileCheck %s
// RUN: zenith-run %s --entry=largest --dim n=7 --dim m=6 --random-inputs --check-grads | FileCheck %s
// RUN: %python -c "import struct; open('%t.raw', 'wb').write(struct.pack('48f', *[(i * 7) ^ 21 for i in range(48)]))"
// RUN: zenith-run %s --entry=largest --transform='grad{}' --in 'x=f32[2x4x6]:%t.raw' --compare=interp | FileCheck %s --check-prefix=COMPILED
// RUN: zenith-run %s --entry=sums --transform='grad{}' --in 'x=f32[2x4x6]:%t.raw' --compare=interp | FileCheck %s --check-prefix=COMPILED

// CHECK: derivatives compared; the worst
// COMPILED: compared with the interpreter
func.func @sums(%x: tensor<2x?x?xf32> {graph.name = "x", graph.dims = ["2", "n", "m"]}) -> tensor<f32> {
  %r = graph.reduce_window sum, %x window [1, 3, 2] strides [1, 2, 1] low [0, 1, 0] high [0, 2, 1] base_dilation [1, 1, 2] dilation [1, 2, 1]
    : tensor<2x?x?xf32> -> tensor<2x?x?xf32>
  %t = graph.tanh %r : tensor<2x?x?xf32>
  %s = graph.reduce sum, %t [0, 1, 2] : tensor<2x?x?xf32> -> tensor<f32>
  return %s : tensor<f32>
}

func.func @largest(%x: tensor<2x?x?xf32> {graph.name = "x", graph.dims = ["2", "n", "m"]}) -> tensor<f32> {
  %r = graph.reduce_window max, %x window [1, 2, 3] strides [1, 2, 2] low [0, 0, 1] high [0, 0, 1] base_dilation [1, 1, 1] dilation [1, 1, 1]
    : tensor<2x?x?xf32> -> tensor<2x?x?xf32>
  %t = graph.sin %r : tensor<2x?x?xf32>
  %s = graph.reduce sum, %t [0, 1, 2] : tensor<2x?x?xf32> -> tensor<f32>
  return %s : tensor<f32>
}
