// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One row times weights with a scale per block of K reads these narrow, in whole panels of columns; several rows read them in f32, and
// scales of another kind stay.
//
// RUN: rm -rf %t && mkdir %t && cp %s %t/m.mlir
// RUN: %python -c "import random, struct; random.seed(1); open('%t/w.raw', 'wb').write(bytes(random.randrange(256) for _ in range(6144))); open('%t/s.raw', 'wb').write(b''.join(struct.pack('f', random.random()) for _ in range(192)))"
// RUN: zenith-opt %t/m.mlir --pass-pipeline='builtin.module(func.func(zenith-lower-blockwise-scales),zenith-hoist-prepare)' -o %t/narrow.mlir
// RUN: FileCheck %s < %t/narrow.mlir
// RUN: zenith-run %t/m.mlir --random-inputs=3 --print=0 --target=interp --out-dir=%t
// RUN: zenith-run %t/m.mlir --random-inputs=3 --print=0 --threads=2 --expect=0=%t/0.npy --expect=1=%t/1.npy --expect=2=%t/2.npy --expect=3=%t/3.npy --expect=4=%t/4.npy --rtol=1e-5 --atol=1e-3

graph.param @w : tensor<96x64xi8> = #graph.external<"w.raw", 0, 6144>
graph.param @s : tensor<3x64xf32> = #graph.external<"s.raw", 0, 768>
graph.param @t : tensor<96x2xf32> = #graph.external<"s.raw", 0, 768>

// CHECK: func.func @main
// CHECK: %[[Q:.*]] = graph.get_param @{{.*}} : tensor<2x3x32x32xi8>
// CHECK: %[[W:.*]] = graph.convert %[[Q]] : tensor<2x3x32x32xi8> -> tensor<2x3x32x32xf32>
// CHECK: %[[P:.*]] = graph.mul %[[W]],
// CHECK: %[[S:.*]] = graph.reduce sum, %[[P]] [2]
// CHECK: %[[M:.*]] = graph.mul %[[S]],
// CHECK: graph.reduce sum, %[[M]] [1]
// CHECK: graph.reduce sum, %{{.*}} [2] : tensor<3x2x32x32xf32>
// CHECK-COUNT-2: graph.dot_general
// CHECK: graph.slice %{{.*}} [0] [50] [1] : tensor<64xf32>
func.func @main(%x: tensor<1x1x96xf32>, %y: tensor<1x64xf32>, %z: tensor<2x96xf32>) -> (tensor<1x1x64xf32>, tensor<1x96xf32>, tensor<2x64xf32>, tensor<1x96xf32>, tensor<1x50xf32>) {
  %w = graph.get_param @w : tensor<96x64xi8>
  %wide = graph.convert %w : tensor<96x64xi8> -> tensor<96x64xi32>
  %integers = graph.convert %wide : tensor<96x64xi32> -> tensor<96x64xf32>
  %s = graph.get_param @s : tensor<3x64xf32>
  %s0 = graph.broadcast %s [0, 2] : tensor<3x64xf32> -> tensor<3x32x64xf32>
  %s1 = graph.reshape %s0 : tensor<3x32x64xf32> -> tensor<96x64xf32>
  %a = graph.mul %integers, %s1 : tensor<96x64xf32>
  %0 = graph.dot_general %x, %a <batching = [] x [], contracting = [2] x [0]> : (tensor<1x1x96xf32>, tensor<96x64xf32>) -> tensor<1x1x64xf32>
  %t = graph.get_param @t : tensor<96x2xf32>
  %t0 = graph.broadcast %t [0, 1] : tensor<96x2xf32> -> tensor<96x2x32xf32>
  %t1 = graph.reshape %t0 : tensor<96x2x32xf32> -> tensor<96x64xf32>
  %b = graph.mul %t1, %integers : tensor<96x64xf32>
  %1 = graph.dot_general %y, %b <batching = [] x [], contracting = [1] x [1]> : (tensor<1x64xf32>, tensor<96x64xf32>) -> tensor<1x96xf32>
  %2 = graph.dot_general %z, %a <batching = [] x [], contracting = [1] x [0]> : (tensor<2x96xf32>, tensor<96x64xf32>) -> tensor<2x64xf32>
  %3 = graph.dot_general %y, %a <batching = [] x [], contracting = [1] x [1]> : (tensor<1x64xf32>, tensor<96x64xf32>) -> tensor<1x96xf32>
  %few = graph.slice %w [0, 0] [96, 50] [1, 1] : tensor<96x64xi8> -> tensor<96x50xi8>
  %f0 = graph.convert %few : tensor<96x50xi8> -> tensor<96x50xf32>
  %f1 = graph.slice %s [0, 0] [3, 50] [1, 1] : tensor<3x64xf32> -> tensor<3x50xf32>
  %f2 = graph.broadcast %f1 [0, 2] : tensor<3x50xf32> -> tensor<3x32x50xf32>
  %f3 = graph.reshape %f2 : tensor<3x32x50xf32> -> tensor<96x50xf32>
  %f4 = graph.mul %f0, %f3 : tensor<96x50xf32>
  %x1 = graph.reshape %x : tensor<1x1x96xf32> -> tensor<1x96xf32>
  %4 = graph.dot_general %x1, %f4 <batching = [] x [], contracting = [1] x [0]> : (tensor<1x96xf32>, tensor<96x50xf32>) -> tensor<1x50xf32>
  return %0, %1, %2, %3, %4 : tensor<1x1x64xf32>, tensor<1x96xf32>, tensor<2x64xf32>, tensor<1x96xf32>, tensor<1x50xf32>
}
