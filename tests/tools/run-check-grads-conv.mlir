// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Derivatives of a convolution whose spatial sizes are known at run time, also where no window reads the end of the input or there is no
// window at all; and what the backward part computes compiled. The same where features of groups are known at run time, with spatial sizes
// and without.
//
// RUN: zenith-run %s --dim n=4 --dim m=5 --random-inputs --check-grads=2 | FileCheck %s
// RUN: zenith-run %s --dim n=7 --dim m=2 --random-inputs --check-grads | FileCheck %s
// RUN: zenith-run %s --dim n=2 --dim m=3 --random-inputs --check-grads | FileCheck %s
// RUN: zenith-run %s --transform='grad{}' --dim n=7 --dim m=5 --random-inputs --compare=interp | FileCheck %s --check-prefix=COMPILED
// RUN: %python -c "open('%t.raw', 'wb').write(bytes([0, 0, 128, 63]) * 192)"
// RUN: zenith-run %s --transform='grad{}' --in 'x=f32[2x4x8x3]:%t.raw' --random-inputs --compare=interp | FileCheck %s --check-prefix=COMPILED
// RUN: sed -e 's/x: tensor<2x4x/x: tensor<2x?x/; s/"4"/"2*k"/; s/6x2x3x2xf32>) -> tensor<f32>/?x?x3x2xf32> {graph.dims = ["2*o", "k", "3", "2"]}) -> tensor<f32>/' \
// RUN:   -e 's/(tensor<2x4x/(tensor<2x?x/; s/6x2x3x2/?x?x3x2/; s/2x6x/2x?x/g' %s > %t.features.mlir
// RUN: zenith-run %t.features.mlir --target=interp --dim n=4 --dim m=5 --dim k=2 --dim o=3 --random-inputs --check-grads=2 | FileCheck %s
// RUN: sed -e 's/x?x?xf32> {/x5x4xf32> {/; s/"n", "m"/"5", "4"/; s/(tensor<2x?x?x?/(tensor<2x?x5x4/; s/2x?x?x?xf32/2x?x2x7xf32/g' \
// RUN:   %t.features.mlir > %t.spatial.mlir
// RUN: zenith-run %t.spatial.mlir --target=interp --dim k=1 --dim o=2 --random-inputs --check-grads=2 | FileCheck %s

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
