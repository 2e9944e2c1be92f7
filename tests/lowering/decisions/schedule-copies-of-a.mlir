// Whether a launch of its own widens A, or copies what strides leave over, is said of the operand: an edit reads A where it lies.
//
// RUN: zenith-opt %s --to=schedule --target=cpu:x86-64-v3 -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: zenith-opt %t.mlir --from=schedule --to=schedule --target=cpu:x86-64-v3 | FileCheck %s
// RUN: sed 's/operands = \[\(widened\|padded\), /operands = [rows, /; s/, scratch = [^]]*\]//' %t.mlir > %t-given.mlir
// RUN: zenith-opt %t-given.mlir --from=schedule --to=schedule --target=cpu:x86-64-v3 | FileCheck %s --check-prefix=GIVEN
// RUN: zenith-opt %t.mlir --from=schedule --to=kernels --target=cpu:x86-64-v3 | FileCheck %s --check-prefix=COPIES
// RUN: zenith-opt %t-given.mlir --from=schedule --to=kernels --target=cpu:x86-64-v3 | FileCheck %s --check-prefix=NONE
// RUN: zenith-run %t-given.mlir --from=schedule --target=cpu:x86-64-v3 --entry=halves --random-inputs --compare=interp --print=0 --rtol=1e-4 --atol=1e-4
// RUN: zenith-run %t-given.mlir --from=schedule --target=cpu:x86-64-v3 --entry=strided --random-inputs --compare=interp --print=0 --rtol=1e-4 --atol=1e-4
// RUN: zenith-run %t.mlir --from=schedule --target=cpu:x86-64-v3 --entry=few_channels --random-inputs --compare=interp --print=0 --rtol=1e-4 --atol=1e-4
// COPIES: func.func @k0_contraction_prepare0
// COPIES: func.func @k1_contraction_prepare0
// COPIES: func.func @k1_contraction_prepare1
// NONE-NOT: func.func @k0_contraction_prepare
// NONE-NOT: func.func @k1_contraction_prepare1

// CHECK-LABEL: func.func @halves
// CHECK: schedule = #sched.gemm<{{.*}}, operands = [widened, {{.*}}>
// GIVEN-LABEL: func.func @halves
// GIVEN: schedule = #sched.gemm<{{.*}}, operands = [rows, {{.*}}>
func.func @halves(%x: tensor<64x128xbf16>, %w: tensor<128x256xbf16>) -> tensor<64x256xf32> {
  %0 = graph.dot_general %x, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<64x128xbf16>, tensor<128x256xbf16>) -> tensor<64x256xf32>
  return %0 : tensor<64x256xf32>
}

// CHECK-LABEL: func.func @strided
// CHECK: schedule = #sched.conv<on = task, form = direct, {{.*}}, operands = [padded, {{.*}}>
// GIVEN-LABEL: func.func @strided
// GIVEN: schedule = #sched.conv<on = task, form = direct, {{.*}}, operands = [rows, {{.*}}>
func.func @strided(%x: tensor<1x28x28x32xf32>, %w: tensor<1x1x32x64xf32>) -> tensor<1x14x14x64xf32> {
  %0 = graph.convolution %x, %w <input = (0, 3, [1, 2]), kernel = (2, 3, [0, 1]), output = (0, 3, [1, 2])> strides [2, 2] low [0, 0] high [0, 0] input_dilation [1, 1] kernel_dilation [1, 1] groups 1 : (tensor<1x28x28x32xf32>, tensor<1x1x32x64xf32>) -> tensor<1x14x14x64xf32>
  return %0 : tensor<1x14x14x64xf32>
}

// Taps of few channels are one run in a copy with padding; of more, or for more outputs, the input is read where it lies.
// CHECK-LABEL: func.func @few_channels
// CHECK: schedule = #sched.conv<on = task, form = direct, {{.*}}, operands = [padded, {{.*}}>
// GIVEN-LABEL: func.func @few_channels
// GIVEN: schedule = #sched.conv<on = task, form = direct, {{.*}}, operands = [rows, {{.*}}>
func.func @few_channels(%x: tensor<4x13x11x2xf32>, %w: tensor<3x3x2x8xf32>) -> tensor<4x13x11x8xf32> {
  %0 = graph.convolution %x, %w <input = (0, 3, [1, 2]), kernel = (2, 3, [0, 1]), output = (0, 3, [1, 2])> strides [1, 1] low [1, 1] high [1, 1] input_dilation [1, 1] kernel_dilation [1, 1] groups 1 : (tensor<4x13x11x2xf32>, tensor<3x3x2x8xf32>) -> tensor<4x13x11x8xf32>
  return %0 : tensor<4x13x11x8xf32>
}

// CHECK-LABEL: func.func @more_channels
// CHECK: schedule = #sched.conv<on = task, form = direct, {{.*}}, operands = [rows, {{.*}}>
func.func @more_channels(%x: tensor<4x13x11x3xf32>, %w: tensor<3x3x3x8xf32>) -> tensor<4x13x11x8xf32> {
  %0 = graph.convolution %x, %w <input = (0, 3, [1, 2]), kernel = (2, 3, [0, 1]), output = (0, 3, [1, 2])> strides [1, 1] low [1, 1] high [1, 1] input_dilation [1, 1] kernel_dilation [1, 1] groups 1 : (tensor<4x13x11x3xf32>, tensor<3x3x3x8xf32>) -> tensor<4x13x11x8xf32>
  return %0 : tensor<4x13x11x8xf32>
}

// CHECK-LABEL: func.func @more_outputs
// CHECK: schedule = #sched.conv<on = task, form = direct, {{.*}}, operands = [rows, {{.*}}>
func.func @more_outputs(%x: tensor<4x13x11x2xf32>, %w: tensor<3x3x2x16xf32>) -> tensor<4x13x11x16xf32> {
  %0 = graph.convolution %x, %w <input = (0, 3, [1, 2]), kernel = (2, 3, [0, 1]), output = (0, 3, [1, 2])> strides [1, 1] low [1, 1] high [1, 1] input_dilation [1, 1] kernel_dilation [1, 1] groups 1 : (tensor<4x13x11x2xf32>, tensor<3x3x2x16xf32>) -> tensor<4x13x11x16xf32>
  return %0 : tensor<4x13x11x16xf32>
}
