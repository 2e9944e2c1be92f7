// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions of bytes with a zero point sum the same as before: borders, gaps of a dilated input, signs, channels that are moved.
//
// RUN: rm -rf %t && mkdir %t && cp %s %t/m.mlir
// RUN: %python -c "import random; random.seed(1); open('%t/w.raw', 'wb').write(bytes(random.randrange(256) for _ in range(528)))"
// RUN: zenith-opt %t/m.mlir --pass-pipeline='builtin.module(func.func(zenith-lower-int8-matmuls,zenith-lower-int16-matmuls{keep-int8},zenith-pack-matmuls{panel=16 group=4},zenith-pack-filters{panel=16 group=4}))' -o %t/packed.mlir
// RUN: FileCheck %s < %t/packed.mlir
// RUN: zenith-run %t/m.mlir --random-inputs=3 --print=0 --target=interp --out-dir=%t
// RUN: zenith-run %t/packed.mlir --random-inputs=3 --print=0 --target=interp --expect=0=%t/0.npy --expect=1=%t/1.npy --expect=2=%t/2.npy --expect=3=%t/3.npy --expect=4=%t/4.npy
// CHECK-COUNT-7: graph.pad
// CHECK-NOT: xi16>

graph.param @w : tensor<3x4x16xi8> = #graph.external<"w.raw", 0, 192>
graph.param @channels : tensor<7x3x16xi8> = #graph.external<"w.raw", 192, 336>

func.func @main(%x: tensor<2x5x4xui8>, %zero: tensor<ui8>, %signed: tensor<2x5x4xi8>, %signedZero: tensor<i8>, %moved: tensor<2x4x5xui8>, %image: tensor<2x9x3xui8>) -> (tensor<2x10x16xi32>, tensor<2x4x16xi32>, tensor<2x3x16xi32>, tensor<2x5x16xi32>, tensor<2x4x16xi32>) {
  %w = graph.get_param @w : tensor<3x4x16xi8>
  %k = graph.convert %w : tensor<3x4x16xi8> -> tensor<3x4x16xi32>
  %z0 = graph.convert %zero : tensor<ui8> -> tensor<i32>
  %z = graph.broadcast %z0 [] : tensor<i32> -> tensor<2x5x4xi32>
  %a = graph.convert %x : tensor<2x5x4xui8> -> tensor<2x5x4xi32>
  %s = graph.sub %a, %z : tensor<2x5x4xi32>
  %wide = graph.convolution %s, %k <input = (0, 2, [1]), kernel = (1, 2, [0]), output = (0, 2, [1])> strides [1] low [1] high [2] input_dilation [2] kernel_dilation [1] groups 1 : (tensor<2x5x4xi32>, tensor<3x4x16xi32>) -> tensor<2x10x16xi32>
  %gaps = graph.convolution %s, %k <input = (0, 2, [1]), kernel = (1, 2, [0]), output = (0, 2, [1])> strides [2] low [0] high [0] input_dilation [2] kernel_dilation [1] groups 1 : (tensor<2x5x4xi32>, tensor<3x4x16xi32>) -> tensor<2x4x16xi32>
  %y0 = graph.convert %signedZero : tensor<i8> -> tensor<i32>
  %y = graph.broadcast %y0 [] : tensor<i32> -> tensor<2x5x4xi32>
  %b = graph.convert %signed : tensor<2x5x4xi8> -> tensor<2x5x4xi32>
  %t = graph.sub %b, %y : tensor<2x5x4xi32>
  %strided = graph.convolution %t, %k <input = (0, 2, [1]), kernel = (1, 2, [0]), output = (0, 2, [1])> strides [2] low [1] high [1] input_dilation [1] kernel_dilation [1] groups 1 : (tensor<2x5x4xi32>, tensor<3x4x16xi32>) -> tensor<2x3x16xi32>
  %c = graph.convert %moved : tensor<2x4x5xui8> -> tensor<2x4x5xi32>
  %zc = graph.broadcast %z0 [] : tensor<i32> -> tensor<2x4x5xi32>
  %u = graph.sub %c, %zc : tensor<2x4x5xi32>
  %v = graph.transpose %u [0, 2, 1] : tensor<2x4x5xi32> -> tensor<2x5x4xi32>
  %last = graph.convolution %v, %k <input = (0, 2, [1]), kernel = (1, 2, [0]), output = (0, 2, [1])> strides [1] low [1] high [1] input_dilation [1] kernel_dilation [1] groups 1 : (tensor<2x5x4xi32>, tensor<3x4x16xi32>) -> tensor<2x5x16xi32>
  %channels = graph.get_param @channels : tensor<7x3x16xi8>
  %l = graph.convert %channels : tensor<7x3x16xi8> -> tensor<7x3x16xi32>
  %d = graph.convert %image : tensor<2x9x3xui8> -> tensor<2x9x3xi32>
  %zi = graph.broadcast %z0 [] : tensor<i32> -> tensor<2x9x3xi32>
  %e = graph.sub %d, %zi : tensor<2x9x3xi32>
  %three = graph.convolution %e, %l <input = (0, 2, [1]), kernel = (1, 2, [0]), output = (0, 2, [1])> strides [2] low [3] high [1] input_dilation [1] kernel_dilation [1] groups 1 : (tensor<2x9x3xi32>, tensor<7x3x16xi32>) -> tensor<2x4x16xi32>
  return %wide, %gaps, %strided, %last, %three : tensor<2x10x16xi32>, tensor<2x4x16xi32>, tensor<2x3x16xi32>, tensor<2x5x16xi32>, tensor<2x4x16xi32>
}
