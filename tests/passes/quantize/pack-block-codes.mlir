// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Codes of 4 bits stay two to a byte in panels that a GEMM of several rows decodes, and one row takes into registers, with zero points of their own or one for all, and
// integers of 8 bits a byte each; blocks of K, odd ones too, and ragged last panels. Five columns are read in f32.
//
// RUN: rm -rf %t && mkdir %t && cp %s %t/m.mlir
// RUN: %python -c "import random, struct; random.seed(1); open('%t/w.raw', 'wb').write(bytes(random.randrange(256) for _ in range(83200))); open('%t/i.raw', 'wb').write(bytes(random.randrange(-8, 8) % 256 for _ in range(8320))); open('%t/s.raw', 'wb').write(b''.join(struct.pack('f', random.random()) for _ in range(5200)))"
// RUN: zenith-opt %t/m.mlir --pass-pipeline='builtin.module(func.func(zenith-pack-block-codes{panel=64}),zenith-hoist-prepare)' -o %t/packed.mlir
// RUN: FileCheck %s < %t/packed.mlir
// RUN: zenith-compile %t/m.mlir --emit=graphir --to=schedule --target=cpu:x86-64-v3 | FileCheck %s --check-prefix=SCHEDULE
// RUN: zenith-run %t/m.mlir --dim m=7 --random-inputs=3 --compare=interp --rtol=1e-5 --atol=1e-3
// RUN: zenith-run %t/m.mlir --dim m=1 --random-inputs=3 --compare=interp --rtol=1e-5 --atol=1e-3
// RUN: %python -c "import random, struct; random.seed(2); [open('%t/' + n, 'wb').write(b''.join(struct.pack('f', random.gauss(0, 1)) for _ in range(k))) for n, k in (('x1.raw', 2560), ('y1.raw', 64), ('x3.raw', 7680), ('y3.raw', 192))]"
// RUN: zenith-run %t/m.mlir --in 0=f32[1x2560]:%t/x1.raw --in 1=f32[1x64]:%t/y1.raw --random-inputs=3 --threads=2 --compare=interp --rtol=1e-5 --atol=1e-3
// RUN: zenith-run %t/m.mlir --in 0=f32[1x2560]:%t/x1.raw --in 1=f32[1x64]:%t/y1.raw --random-inputs=3 --mixed-precision=bf16 --compare=interp --rtol=1e-5 --atol=1e-2
// RUN: zenith-run %t/m.mlir --in 0=f32[3x2560]:%t/x3.raw --in 1=f32[3x64]:%t/y3.raw --random-inputs=3 --compare=interp --rtol=1e-5 --atol=1e-3
// RUN: zenith-run %t/m.mlir --dim m=0 --random-inputs=3 --compare=interp
// RUN: zenith-run %t/m.mlir --dim m=70 --random-inputs=3 --threads=3 --compare=interp --rtol=1e-5 --atol=1e-3
// RUN: zenith-run %t/m.mlir --dim m=33 --random-inputs=3 --target=cpu:x86-64-v3 --compare=interp --rtol=1e-5 --atol=1e-3

graph.param @w : tensor<65x1280xui8> = #graph.external<"w.raw", 0, 83200>
graph.param @z : tensor<65x40xui8> = #graph.external<"w.raw", 0, 2600>
graph.param @i : tensor<64x130xi4> = #graph.external<"i.raw", 0, 8320>
graph.param @b : tensor<35x130xi8> = #graph.external<"w.raw", 0, 4550>
graph.param @s : tensor<65x80xf32> = #graph.external<"s.raw", 0, 20800>
graph.param @t : tensor<2x130xf32> = #graph.external<"s.raw", 0, 1040>
graph.param @u : tensor<7x130xf32> = #graph.external<"s.raw", 0, 3640>

// CHECK: func.func @main
// CHECK: %[[Q:.*]] = graph.get_param @{{.*}} : tensor<2x1280x64xi8>
// CHECK: %[[Z:.*]] = graph.get_param @{{.*}} : tensor<2x80x64xi8>
// CHECK: graph.and %[[Q]],
// CHECK: graph.shift_right_logical %[[Q]],
// CHECK: graph.concat 2, {{.*}} -> tensor<2x1280x2x64xi8>
// CHECK: graph.broadcast %[[Z]] [0, 1, 3] : tensor<2x80x64xi8> -> tensor<2x80x32x64xi8>
// CHECK: graph.get_param @{{.*}} : tensor<3x32x64xi8>
// CHECK: graph.get_param @{{.*}} : tensor<3x35x64xi8>

// SCHEDULE: sched.choice<["m <= 1" : {{.*}}operands = [rows, panels<16>]{{.*}}, else : {{.*}}operands = [rows, widened<16>]
// SCHEDULE: sched.choice<{{.*}}operands = [rows, panels<16>]{{.*}}, else : {{.*}}operands = [rows, widened<16>]
// SCHEDULE: operands = [rows, panels<16>]
func.func @main(%x: tensor<?x2560xf32> {graph.dims = ["m", "2560"]}, %y: tensor<?x64xf32> {graph.dims = ["m", "64"]}, %v: tensor<5x35xf32>)
    -> (tensor<?x65xf32> {graph.dims = ["m", "65"]}, tensor<?x130xf32> {graph.dims = ["m", "130"]}, tensor<5x130xf32>, tensor<?x5xf32> {graph.dims = ["m", "5"]}) {
  %w = graph.get_param @w : tensor<65x1280xui8>
  %z = graph.get_param @z : tensor<65x40xui8>
  %i = graph.get_param @i : tensor<64x130xi4>
  %b = graph.get_param @b : tensor<35x130xi8>
  %s = graph.get_param @s : tensor<65x80xf32>
  %t = graph.get_param @t : tensor<2x130xf32>
  %u = graph.get_param @u : tensor<7x130xf32>

  %four = graph.constant dense<4> : tensor<65x1280xui8>
  %mask = graph.constant dense<15> : tensor<65x1280xui8>
  %low = graph.and %w, %mask : tensor<65x1280xui8>
  %high = graph.shift_right_logical %w, %four : tensor<65x1280xui8>
  %l = graph.reshape %low : tensor<65x1280xui8> -> tensor<65x1280x1xui8>
  %h = graph.reshape %high : tensor<65x1280xui8> -> tensor<65x1280x1xui8>
  %both = graph.concat 2, %l, %h : (tensor<65x1280x1xui8>, tensor<65x1280x1xui8>) -> tensor<65x1280x2xui8>
  %codes = graph.reshape %both : tensor<65x1280x2xui8> -> tensor<65x2560xui8>
  %c = graph.convert %codes : tensor<65x2560xui8> -> tensor<65x2560xi8>
  %zfour = graph.constant dense<4> : tensor<65x40xui8>
  %zmask = graph.constant dense<15> : tensor<65x40xui8>
  %zlow = graph.and %z, %zmask : tensor<65x40xui8>
  %zhigh = graph.shift_right_logical %z, %zfour : tensor<65x40xui8>
  %zeros = graph.concat 1, %zlow, %zhigh : (tensor<65x40xui8>, tensor<65x40xui8>) -> tensor<65x80xui8>
  %zi = graph.convert %zeros : tensor<65x80xui8> -> tensor<65x80xi8>
  %zb = graph.broadcast %zi [0, 1] : tensor<65x80xi8> -> tensor<65x80x32xi8>
  %zr = graph.reshape %zb : tensor<65x80x32xi8> -> tensor<65x2560xi8>
  %difference = graph.sub %c, %zr : tensor<65x2560xi8>
  %wide = graph.convert %difference : tensor<65x2560xi8> -> tensor<65x2560xf32>
  %sb = graph.broadcast %s [0, 1] : tensor<65x80xf32> -> tensor<65x80x32xf32>
  %sr = graph.reshape %sb : tensor<65x80x32xf32> -> tensor<65x2560xf32>
  %a = graph.mul %wide, %sr : tensor<65x2560xf32>
  %0 = graph.dot_general %x, %a <batching = [] x [], contracting = [1] x [1]> : (tensor<?x2560xf32>, tensor<65x2560xf32>) -> tensor<?x65xf32>

  %iw = graph.convert %i : tensor<64x130xi4> -> tensor<64x130xf32>
  %tb = graph.broadcast %t [0, 2] : tensor<2x130xf32> -> tensor<2x32x130xf32>
  %tr = graph.reshape %tb : tensor<2x32x130xf32> -> tensor<64x130xf32>
  %ib = graph.mul %iw, %tr : tensor<64x130xf32>
  %1 = graph.dot_general %y, %ib <batching = [] x [], contracting = [1] x [0]> : (tensor<?x64xf32>, tensor<64x130xf32>) -> tensor<?x130xf32>
  %positive = graph.tanh %1 : tensor<?x130xf32>

  %bw = graph.convert %b : tensor<35x130xi8> -> tensor<35x130xf32>
  %ub = graph.broadcast %u [0, 2] : tensor<7x130xf32> -> tensor<7x5x130xf32>
  %ur = graph.reshape %ub : tensor<7x5x130xf32> -> tensor<35x130xf32>
  %bb = graph.mul %bw, %ur : tensor<35x130xf32>
  %2 = graph.dot_general %v, %bb <batching = [] x [], contracting = [1] x [0]> : (tensor<5x35xf32>, tensor<35x130xf32>) -> tensor<5x130xf32>

  %few = graph.slice %ib [0, 0] [64, 5] [1, 1] : tensor<64x130xf32> -> tensor<64x5xf32>
  %3 = graph.dot_general %y, %few <batching = [] x [], contracting = [1] x [0]> : (tensor<?x64xf32>, tensor<64x5xf32>) -> tensor<?x5xf32>
  return %0, %positive, %2, %3 : tensor<?x65xf32>, tensor<?x130xf32>, tensor<5x130xf32>, tensor<?x5xf32>
}
