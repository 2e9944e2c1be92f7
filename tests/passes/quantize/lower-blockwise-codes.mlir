// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Codes of 4 bits stay two to a byte in panels where one row reads them, and so do signed integers of 4 bits; zero points are bytes, one
// for a block. Codes of 5 bits take a byte each.
//
// RUN: rm -rf %t && mkdir %t && cp %s %t/m.mlir
// RUN: %python -c "import random, struct; random.seed(1); open('%t/w.raw', 'wb').write(bytes(random.randrange(256) for _ in range(1280))); open('%t/i.raw', 'wb').write(bytes(random.randrange(-8, 8) % 256 for _ in range(2560))); open('%t/s.raw', 'wb').write(b''.join(struct.pack('f', random.random()) for _ in range(80)))"
// RUN: zenith-opt %t/m.mlir --pass-pipeline='builtin.module(func.func(zenith-lower-blockwise-scales),zenith-hoist-prepare)' -o %t/narrow.mlir
// RUN: FileCheck %s < %t/narrow.mlir
// RUN: zenith-run %t/m.mlir --random-inputs=3 --compare=interp --rtol=1e-5 --atol=1e-4
// RUN: zenith-run %t/m.mlir --random-inputs=3 --threads=2 --compare=interp --rtol=1e-5 --atol=1e-4

graph.param @w : tensor<40x32xui8> = #graph.external<"w.raw", 0, 1280>
graph.param @z : tensor<40x1xui8> = #graph.external<"w.raw", 0, 40>
graph.param @i : tensor<64x40xi4> = #graph.external<"i.raw", 0, 2560>
graph.param @s : tensor<40x2xf32> = #graph.external<"s.raw", 0, 320>
graph.param @t : tensor<2x40xf32> = #graph.external<"s.raw", 0, 320>

// CHECK: func.func @main
// CHECK: %[[Q:.*]] = graph.get_param @{{.*}} : tensor<2x2x16x32xi8>
// CHECK: %[[Z:.*]] = graph.get_param @{{.*}} : tensor<2x2x32xi8>
// CHECK: %[[ZERO:.*]] = graph.broadcast %[[Z]] [0, 1, 3]
// CHECK: %[[LOW:.*]] = graph.and %[[Q]],
// CHECK: %[[HIGH:.*]] = graph.shift_right_logical %[[Q]],
// CHECK: graph.sub %[[LOW]], %[[ZERO]]
// CHECK: graph.sub %[[HIGH]], %[[ZERO]]
// CHECK: graph.reduce sum, %{{.*}} [2] : tensor<2x2x16x32xf32> -> tensor<2x2x32xf32>
// CHECK: graph.reduce sum, %{{.*}} [2] : tensor<2x2x16x32xf32> -> tensor<2x2x32xf32>
// CHECK: graph.reduce sum, %{{.*}} [2] : tensor<2x2x32x32xf32> -> tensor<2x2x32xf32>
// CHECK-NOT: graph.dot_general
// CHECK: func.func private @prepare
// CHECK: graph.shift_left
// CHECK: graph.or
func.func @main(%x: tensor<1x64xf32>, %y: tensor<1x64xf32>) -> (tensor<1x40xf32>, tensor<1x40xf32>, tensor<1x40xf32>) {
  %w = graph.get_param @w : tensor<40x32xui8>
  %z = graph.get_param @z : tensor<40x1xui8>
  %i = graph.get_param @i : tensor<64x40xi4>
  %s = graph.get_param @s : tensor<40x2xf32>
  %t = graph.get_param @t : tensor<2x40xf32>

  %four = graph.constant dense<4> : tensor<40x32xui8>
  %mask = graph.constant dense<15> : tensor<40x32xui8>
  %low = graph.and %w, %mask : tensor<40x32xui8>
  %high = graph.shift_right_logical %w, %four : tensor<40x32xui8>
  %l = graph.reshape %low : tensor<40x32xui8> -> tensor<40x32x1xui8>
  %h = graph.reshape %high : tensor<40x32xui8> -> tensor<40x32x1xui8>
  %both = graph.concat 2, %l, %h : (tensor<40x32x1xui8>, tensor<40x32x1xui8>) -> tensor<40x32x2xui8>
  %codes = graph.reshape %both : tensor<40x32x2xui8> -> tensor<40x64xui8>
  %c = graph.convert %codes : tensor<40x64xui8> -> tensor<40x64xi8>

  %zfour = graph.constant dense<4> : tensor<40x1xui8>
  %zmask = graph.constant dense<15> : tensor<40x1xui8>
  %zlow = graph.and %z, %zmask : tensor<40x1xui8>
  %zhigh = graph.shift_right_logical %z, %zfour : tensor<40x1xui8>
  %zeros = graph.concat 1, %zlow, %zhigh : (tensor<40x1xui8>, tensor<40x1xui8>) -> tensor<40x2xui8>
  %zi = graph.convert %zeros : tensor<40x2xui8> -> tensor<40x2xi8>
  %zb = graph.broadcast %zi [0, 1] : tensor<40x2xi8> -> tensor<40x2x32xi8>
  %zr = graph.reshape %zb : tensor<40x2x32xi8> -> tensor<40x64xi8>
  %difference = graph.sub %c, %zr : tensor<40x64xi8>
  %wide = graph.convert %difference : tensor<40x64xi8> -> tensor<40x64xf32>
  %sb = graph.broadcast %s [0, 1] : tensor<40x2xf32> -> tensor<40x2x32xf32>
  %sr = graph.reshape %sb : tensor<40x2x32xf32> -> tensor<40x64xf32>
  %a = graph.mul %wide, %sr : tensor<40x64xf32>
  %0 = graph.dot_general %x, %a <batching = [] x [], contracting = [1] x [1]> : (tensor<1x64xf32>, tensor<40x64xf32>) -> tensor<1x40xf32>

  %iw = graph.convert %i : tensor<64x40xi4> -> tensor<64x40xf32>
  %tb = graph.broadcast %t [0, 2] : tensor<2x40xf32> -> tensor<2x32x40xf32>
  %tr = graph.reshape %tb : tensor<2x32x40xf32> -> tensor<64x40xf32>
  %b = graph.mul %iw, %tr : tensor<64x40xf32>
  %1 = graph.dot_general %y, %b <batching = [] x [], contracting = [1] x [0]> : (tensor<1x64xf32>, tensor<64x40xf32>) -> tensor<1x40xf32>

  %five = graph.constant dense<31> : tensor<40x32xui8>
  %low5 = graph.and %w, %five : tensor<40x32xui8>
  %l5 = graph.reshape %low5 : tensor<40x32xui8> -> tensor<40x32x1xui8>
  %both5 = graph.concat 2, %l5, %h : (tensor<40x32x1xui8>, tensor<40x32x1xui8>) -> tensor<40x32x2xui8>
  %codes5 = graph.reshape %both5 : tensor<40x32x2xui8> -> tensor<40x64xui8>
  %c5 = graph.convert %codes5 : tensor<40x64xui8> -> tensor<40x64xi8>
  %difference5 = graph.sub %c5, %zr : tensor<40x64xi8>
  %wide5 = graph.convert %difference5 : tensor<40x64xi8> -> tensor<40x64xf32>
  %a5 = graph.mul %wide5, %sr : tensor<40x64xf32>
  %2 = graph.dot_general %x, %a5 <batching = [] x [], contracting = [1] x [1]> : (tensor<1x64xf32>, tensor<40x64xf32>) -> tensor<1x40xf32>
  return %0, %1, %2 : tensor<1x40xf32>, tensor<1x40xf32>, tensor<1x40xf32>
}
