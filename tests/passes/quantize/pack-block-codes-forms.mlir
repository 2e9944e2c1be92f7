// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A last block that is cut short, an odd K, zero points that are bytes or floats, and one row of these.
//
// RUN: rm -rf %t && mkdir %t && cp %s %t/m.mlir
// RUN: %python -c "import random, struct; random.seed(2); open('%t/w.raw', 'wb').write(bytes(random.randrange(256) for _ in range(2590))); open('%t/s.raw', 'wb').write(b''.join(struct.pack('f', random.random()) for _ in range(210)))"
// RUN: zenith-opt %t/m.mlir --pass-pipeline='builtin.module(func.func(zenith-pack-block-codes{panel=64}),zenith-hoist-prepare)' -o %t/packed.mlir
// RUN: FileCheck %s < %t/packed.mlir
// RUN: zenith-run %t/m.mlir --random-inputs=3 --compare=interp --rtol=1e-5 --atol=1e-2
// RUN: zenith-run %t/m.mlir --random-inputs=3 --threads=2 --target=cpu:x86-64-v3 --compare=interp --rtol=1e-5 --atol=1e-2

graph.param @w : tensor<70x37xui8> = #graph.external<"w.raw", 0, 2590>
graph.param @z : tensor<70x3xui8> = #graph.external<"w.raw", 0, 210>
graph.param @s : tensor<70x3xf32> = #graph.external<"s.raw", 0, 840>

// CHECK: func.func @main
// CHECK: graph.get_param @{{.*}} : tensor<2x37x64xui8>
// CHECK: graph.get_param @{{.*}} : tensor<2x3x64xui8>
// CHECK: graph.get_param @{{.*}} : tensor<2x3x64xf32>
// CHECK: graph.sub {{.*}} : tensor<2x37x64xi16>
// CHECK: graph.sub {{.*}} : tensor<2x37x64xf32>
// CHECK: graph.get_param @{{.*}} : tensor<2x19x64xi8>
// CHECK: graph.slice {{.*}} : tensor<2x38x64xi8> -> tensor<2x37x64xi8>
// CHECK: graph.sub {{.*}} : tensor<2x37x64xf32>
func.func @main(%x: tensor<9x37xf32>, %row: tensor<1x37xf32>) -> (tensor<9x70xf32>, tensor<1x70xf32>, tensor<9x70xf32>) {
  %w = graph.get_param @w : tensor<70x37xui8>
  %z = graph.get_param @z : tensor<70x3xui8>
  %s = graph.get_param @s : tensor<70x3xf32>
  %sb = graph.broadcast %s [0, 1] : tensor<70x3xf32> -> tensor<70x3x16xf32>
  %sr = graph.reshape %sb : tensor<70x3x16xf32> -> tensor<70x48xf32>
  %scales = graph.slice %sr [0, 0] [70, 37] [1, 1] : tensor<70x48xf32> -> tensor<70x37xf32>

  %c = graph.convert %w : tensor<70x37xui8> -> tensor<70x37xi16>
  %zi = graph.convert %z : tensor<70x3xui8> -> tensor<70x3xi16>
  %zb = graph.broadcast %zi [0, 1] : tensor<70x3xi16> -> tensor<70x3x16xi16>
  %zr = graph.reshape %zb : tensor<70x3x16xi16> -> tensor<70x48xi16>
  %zeros = graph.slice %zr [0, 0] [70, 37] [1, 1] : tensor<70x48xi16> -> tensor<70x37xi16>
  %difference = graph.sub %c, %zeros : tensor<70x37xi16>
  %wide = graph.convert %difference : tensor<70x37xi16> -> tensor<70x37xf32>
  %a = graph.mul %wide, %scales : tensor<70x37xf32>
  %0 = graph.dot_general %x, %a <batching = [] x [], contracting = [1] x [1]> : (tensor<9x37xf32>, tensor<70x37xf32>) -> tensor<9x70xf32>

  %cf = graph.convert %w : tensor<70x37xui8> -> tensor<70x37xf32>
  %halves = graph.constant dense<0.5> : tensor<70x3xf32>
  %zf = graph.convert %z : tensor<70x3xui8> -> tensor<70x3xf32>
  %zh = graph.add %zf, %halves : tensor<70x3xf32>
  %fb = graph.broadcast %zh [0, 1] : tensor<70x3xf32> -> tensor<70x3x16xf32>
  %fr = graph.reshape %fb : tensor<70x3x16xf32> -> tensor<70x48xf32>
  %floats = graph.slice %fr [0, 0] [70, 37] [1, 1] : tensor<70x48xf32> -> tensor<70x37xf32>
  %df = graph.sub %cf, %floats : tensor<70x37xf32>
  %b = graph.mul %df, %scales : tensor<70x37xf32>
  %1 = graph.dot_general %row, %b <batching = [] x [], contracting = [1] x [1]> : (tensor<1x37xf32>, tensor<70x37xf32>) -> tensor<1x70xf32>

  %mask = graph.constant dense<15> : tensor<70x37xui8>
  %low = graph.and %w, %mask : tensor<70x37xui8>
  %lf = graph.convert %low : tensor<70x37xui8> -> tensor<70x37xf32>
  %dl = graph.sub %lf, %floats : tensor<70x37xf32>
  %e = graph.mul %dl, %scales : tensor<70x37xf32>
  %2 = graph.dot_general %x, %e <batching = [] x [], contracting = [1] x [1]> : (tensor<9x37xf32>, tensor<70x37xf32>) -> tensor<9x70xf32>
  return %0, %1, %2 : tensor<9x70xf32>, tensor<1x70xf32>, tensor<9x70xf32>
}
