// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Depthwise convolutions of bytes keep their filters as bytes, and sum the same as before: borders at the zero point, strides,
// dilations, padding beyond the input, one spatial dimension.
//
// RUN: rm -rf %t && mkdir %t && cp %s %t/m.mlir
// RUN: %python -c "import random; random.seed(1); open('%t/w.raw', 'wb').write(bytes(random.randrange(256) for _ in range(1200)))"
// RUN: zenith-opt %t/m.mlir --pass-pipeline='builtin.module(func.func(zenith-fold-batch-norm{group=4},zenith-narrow-depthwise-filters))' -o %t/packed.mlir
// RUN: FileCheck %s < %t/packed.mlir
// RUN: zenith-run %t/m.mlir --random-inputs=3 --print=0 --target=interp --out-dir=%t
// RUN: zenith-run %t/m.mlir --random-inputs=3 --print=0 --threads=3 --expect=0=%t/0.npy --expect=1=%t/1.npy --expect=2=%t/2.npy --expect=3=%t/3.npy --expect=4=%t/4.npy
// RUN: zenith-run %t/m.mlir --random-inputs=3 --print=0 --target=cpu:x86-64-v3 --expect=0=%t/0.npy --expect=1=%t/1.npy --expect=2=%t/2.npy --expect=3=%t/3.npy --expect=4=%t/4.npy

graph.param @square : tensor<3x3x1x21xi8> = #graph.external<"w.raw", 0, 189>
graph.param @large : tensor<5x4x1x32xi8> = #graph.external<"w.raw", 189, 640>
graph.param @line : tensor<9x1x21xi8> = #graph.external<"w.raw", 829, 189>
graph.param @tall : tensor<9x1x1x16xi8> = #graph.external<"w.raw", 1018, 144>

// CHECK: func.func @main
// CHECK-COUNT-5: graph.convert %{{.*}} : tensor<{{[0-9x]*}}xi8> -> tensor<{{[0-9x]*}}xf32>
// Per-channel factors stay after such convolutions.
// CHECK: graph.mul %{{.*}}, %{{.*}} : tensor<2x7x5x21xf32>
func.func @main(%x: tensor<2x7x5x21xui8>, %y: tensor<1x13x11x32xui8>, %z: tensor<2x30x21xui8>, %t: tensor<1x12x6x16xui8>) -> (tensor<2x7x5x21xf32>, tensor<1x7x5x32xf32>, tensor<2x15x21xf32>, tensor<1x2x8x16xf32>, tensor<2x7x5x21xf32>) {
  %square = graph.get_param @square : tensor<3x3x1x21xi8>
  %ws = graph.convert %square : tensor<3x3x1x21xi8> -> tensor<3x3x1x21xf32>
  %x0 = graph.convert %x : tensor<2x7x5x21xui8> -> tensor<2x7x5x21xi32>
  %zeros = graph.constant dense<131> : tensor<2x7x5x21xi32>
  %x1 = graph.sub %x0, %zeros : tensor<2x7x5x21xi32>
  %x2 = graph.convert %x1 : tensor<2x7x5x21xi32> -> tensor<2x7x5x21xf32>
  %0 = graph.convolution %x2, %ws <input = (0, 3, [1, 2]), kernel = (2, 3, [0, 1]), output = (0, 3, [1, 2])> strides [1, 1] low [1, 1] high [1, 1] input_dilation [1, 1] kernel_dilation [1, 1] groups 21 : (tensor<2x7x5x21xf32>, tensor<3x3x1x21xf32>) -> tensor<2x7x5x21xf32>
  %large = graph.get_param @large : tensor<5x4x1x32xi8>
  %wl = graph.convert %large : tensor<5x4x1x32xi8> -> tensor<5x4x1x32xf32>
  %y0 = graph.convert %y : tensor<1x13x11x32xui8> -> tensor<1x13x11x32xf32>
  %1 = graph.convolution %y0, %wl <input = (0, 3, [1, 2]), kernel = (2, 3, [0, 1]), output = (0, 3, [1, 2])> strides [2, 2] low [2, 1] high [2, 4] input_dilation [1, 1] kernel_dilation [1, 2] groups 32 : (tensor<1x13x11x32xf32>, tensor<5x4x1x32xf32>) -> tensor<1x7x5x32xf32>
  %line = graph.get_param @line : tensor<9x1x21xi8>
  %wn = graph.convert %line : tensor<9x1x21xi8> -> tensor<9x1x21xf32>
  %z0 = graph.convert %z : tensor<2x30x21xui8> -> tensor<2x30x21xi32>
  %three = graph.constant dense<3> : tensor<2x30x21xi32>
  %z1 = graph.sub %z0, %three : tensor<2x30x21xi32>
  %z2 = graph.convert %z1 : tensor<2x30x21xi32> -> tensor<2x30x21xf32>
  %2 = graph.convolution %z2, %wn <input = (0, 2, [1]), kernel = (1, 2, [0]), output = (0, 2, [1])> strides [2] low [4] high [4] input_dilation [1] kernel_dilation [1] groups 21 : (tensor<2x30x21xf32>, tensor<9x1x21xf32>) -> tensor<2x15x21xf32>
  %tall = graph.get_param @tall : tensor<9x1x1x16xi8>
  %wt = graph.convert %tall : tensor<9x1x1x16xi8> -> tensor<9x1x1x16xf32>
  %t0 = graph.convert %t : tensor<1x12x6x16xui8> -> tensor<1x12x6x16xf32>
  %3 = graph.convolution %t0, %wt <input = (0, 3, [1, 2]), kernel = (2, 3, [0, 1]), output = (0, 3, [1, 2])> strides [3, 1] low [2, 0] high [0, 2] input_dilation [1, 1] kernel_dilation [1, 1] groups 16 : (tensor<1x12x6x16xf32>, tensor<9x1x1x16xf32>) -> tensor<1x2x8x16xf32>
  %factors = graph.constant dense<0.5> : tensor<21xf32>
  %f = graph.broadcast %factors [3] : tensor<21xf32> -> tensor<2x7x5x21xf32>
  %4 = graph.convolution %x2, %ws <input = (0, 3, [1, 2]), kernel = (2, 3, [0, 1]), output = (0, 3, [1, 2])> strides [1, 1] low [1, 1] high [1, 1] input_dilation [1, 1] kernel_dilation [1, 1] groups 21 : (tensor<2x7x5x21xf32>, tensor<3x3x1x21xf32>) -> tensor<2x7x5x21xf32>
  %5 = graph.mul %4, %f : tensor<2x7x5x21xf32>
  return %0, %1, %2, %3, %5 : tensor<2x7x5x21xf32>, tensor<1x7x5x32xf32>, tensor<2x15x21xf32>, tensor<1x2x8x16xf32>, tensor<2x7x5x21xf32>
}

// A filter that is moved after it was widened is moved narrow.
// CHECK-LABEL: @moved
// CHECK: %[[M:.*]] = graph.transpose %{{.*}} [1, 2, 0] : tensor<21x9x1xi8> -> tensor<9x1x21xi8>
// CHECK: %[[W:.*]] = graph.convert %[[M]] : tensor<9x1x21xi8> -> tensor<9x1x21xf32>
// CHECK: graph.convolution %{{.*}}, %[[W]]
graph.param @channels : tensor<21x9x1xi8> = #graph.external<"w.raw", 829, 189>
func.func @moved(%z: tensor<2x30x21xui8>) -> tensor<2x15x21xf32> {
  %channels = graph.get_param @channels : tensor<21x9x1xi8>
  %wide = graph.convert %channels : tensor<21x9x1xi8> -> tensor<21x9x1xf32>
  %w = graph.transpose %wide [1, 2, 0] : tensor<21x9x1xf32> -> tensor<9x1x21xf32>
  %x = graph.convert %z : tensor<2x30x21xui8> -> tensor<2x30x21xf32>
  %r = graph.convolution %x, %w <input = (0, 2, [1]), kernel = (1, 2, [0]), output = (0, 2, [1])> strides [2] low [4] high [4] input_dilation [1] kernel_dilation [1] groups 21 : (tensor<2x30x21xf32>, tensor<9x1x21xf32>) -> tensor<2x15x21xf32>
  return %r : tensor<2x15x21xf32>
}
