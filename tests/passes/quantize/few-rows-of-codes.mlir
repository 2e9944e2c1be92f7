// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Few rows read codes in registers: one to eight of them, in one tile or two, codes of 4 bits with zero points of their own or one for
// all, signed and unsigned bytes, a last block that is cut short. A policy rounds the rows alone, up to 4 for codes of 4 bits and 2
// for bytes, and the codes stay. An infinite element times a code less its zero point has the sign of the difference.
//
// RUN: rm -rf %t && mkdir %t && cp %s %t/m.mlir
// RUN: %python -c "import random, struct; random.seed(4); open('%t/w.raw', 'wb').write(bytes(random.randrange(256) for _ in range(6790))); open('%t/i.raw', 'wb').write(bytes(random.randrange(-8, 8) % 256 for _ in range(6790))); open('%t/s.raw', 'wb').write(b''.join(struct.pack('f', random.random()) for _ in range(420)))"
// RUN: zenith-opt %t/m.mlir --to=schedule --target=cpu:znver4 | FileCheck %s
// RUN: zenith-opt %t/m.mlir --to=schedule --target=cpu:x86-64-v3 | FileCheck %s --check-prefix=AVX2
// RUN: zenith-opt %t/m.mlir --to=precision --mixed-precision=bf16 | FileCheck %s --check-prefix=POLICY
// RUN: zenith-run %t/m.mlir --random-inputs=3 --compare=interp --rtol=1e-5 --atol=1e-3
// RUN: zenith-run %t/m.mlir --random-inputs=3 --threads=3 --mixed-precision=bf16 --compare=interp --rtol=1e-5 --atol=1e-3
// RUN: zenith-run %t/m.mlir --random-inputs=3 --mixed-precision=fp16-autocast --compare=interp --rtol=2e-3 --atol=2e-2
// RUN: zenith-run %t/m.mlir --random-inputs=3 --target=cpu:x86-64-v3 --mixed-precision=bf16 --compare=interp --rtol=1e-5 --atol=1e-3
// RUN: zenith-run %t/m.mlir --random-inputs=3 --target=cpu:x86-64-v4 --compare=interp --rtol=1e-5 --atol=1e-3

graph.param @w : tensor<70x97xui8> = #graph.external<"w.raw", 0, 6790>
graph.param @z : tensor<70x4xui8> = #graph.external<"w.raw", 0, 280>
graph.param @i : tensor<70x97xi8> = #graph.external<"i.raw", 0, 6790>
graph.param @s : tensor<70x4xf32> = #graph.external<"s.raw", 0, 1120>

// CHECK-COUNT-8: operands = [rows, panels<64>]
// CHECK: operands = [rows, widened<64>]
// CHECK: operands = [rows, panels<64>]
// AVX2-COUNT-8: operands = [rows, panels<16>]
// AVX2: operands = [rows, widened<16>]
// AVX2: operands = [rows, panels<16>]
// POLICY-DAG: %[[X:.*]] = graph.convert %{{.*}} : tensor<1x97xf32> -> tensor<1x97xbf16>
// POLICY-DAG: %[[ROW:.*]] = graph.convert %[[X]] : tensor<1x97xbf16> -> tensor<1x97xf32>
// POLICY: graph.dot_general %[[ROW]], %{{.*}} : (tensor<1x97xf32>, tensor<70x97xf32>) -> tensor<1x70xf32>
// POLICY: graph.dot_general {{.*}} : (tensor<2x97xf32>, tensor<70x97xf32>) -> tensor<2x70xf32>
// POLICY: graph.dot_general {{.*}} : (tensor<5x97xbf16>, tensor<70x97xbf16>) -> tensor<5x70xf32>
// POLICY: graph.dot_general {{.*}} : (tensor<7x97xbf16>, tensor<70x97xbf16>) -> tensor<7x70xf32>
// POLICY: graph.dot_general {{.*}} : (tensor<9x97xbf16>, tensor<70x97xbf16>) -> tensor<9x70xf32>
func.func @main(%a: tensor<1x97xf32>, %b: tensor<2x97xf32>, %c: tensor<5x97xf32>, %d: tensor<8x97xf32>, %e: tensor<9x97xf32>)
    -> (tensor<1x70xf32>, tensor<2x70xf32>, tensor<5x70xf32>, tensor<8x70xf32>, tensor<1x70xf32>, tensor<5x70xf32>, tensor<1x70xf32>, tensor<7x70xf32>, tensor<9x70xf32>, tensor<2x70xf32>) {
  %w = graph.get_param @w : tensor<70x97xui8>
  %z = graph.get_param @z : tensor<70x4xui8>
  %i = graph.get_param @i : tensor<70x97xi8>
  %s = graph.get_param @s : tensor<70x4xf32>
  %sb = graph.broadcast %s [0, 1] : tensor<70x4xf32> -> tensor<70x4x32xf32>
  %sw = graph.reshape %sb : tensor<70x4x32xf32> -> tensor<70x128xf32>
  %sr = graph.slice %sw [0, 0] [70, 97] [1, 1] : tensor<70x128xf32> -> tensor<70x97xf32>

  // Codes of 4 bits with zero points of their own.
  %mask = graph.constant dense<15> : tensor<70x97xui8>
  %low = graph.and %w, %mask : tensor<70x97xui8>
  %codes = graph.convert %low : tensor<70x97xui8> -> tensor<70x97xi8>
  %zmask = graph.constant dense<15> : tensor<70x4xui8>
  %zlow = graph.and %z, %zmask : tensor<70x4xui8>
  %zi = graph.convert %zlow : tensor<70x4xui8> -> tensor<70x4xi8>
  %zb = graph.broadcast %zi [0, 1] : tensor<70x4xi8> -> tensor<70x4x32xi8>
  %zw = graph.reshape %zb : tensor<70x4x32xi8> -> tensor<70x128xi8>
  %zr = graph.slice %zw [0, 0] [70, 97] [1, 1] : tensor<70x128xi8> -> tensor<70x97xi8>
  %d4 = graph.sub %codes, %zr : tensor<70x97xi8>
  %f4 = graph.convert %d4 : tensor<70x97xi8> -> tensor<70x97xf32>
  %w4 = graph.mul %f4, %sr : tensor<70x97xf32>
  %0 = graph.dot_general %a, %w4 <batching = [] x [], contracting = [1] x [1]> : (tensor<1x97xf32>, tensor<70x97xf32>) -> tensor<1x70xf32>
  %1 = graph.dot_general %b, %w4 <batching = [] x [], contracting = [1] x [1]> : (tensor<2x97xf32>, tensor<70x97xf32>) -> tensor<2x70xf32>
  %2 = graph.dot_general %c, %w4 <batching = [] x [], contracting = [1] x [1]> : (tensor<5x97xf32>, tensor<70x97xf32>) -> tensor<5x70xf32>
  %3 = graph.dot_general %d, %w4 <batching = [] x [], contracting = [1] x [1]> : (tensor<8x97xf32>, tensor<70x97xf32>) -> tensor<8x70xf32>

  // One zero point for all.
  %eight = graph.constant dense<8> : tensor<70x97xi8>
  %d8 = graph.sub %codes, %eight : tensor<70x97xi8>
  %f8 = graph.convert %d8 : tensor<70x97xi8> -> tensor<70x97xf32>
  %w8 = graph.mul %f8, %sr : tensor<70x97xf32>
  %4 = graph.dot_general %a, %w8 <batching = [] x [], contracting = [1] x [1]> : (tensor<1x97xf32>, tensor<70x97xf32>) -> tensor<1x70xf32>
  %5 = graph.dot_general %c, %w8 <batching = [] x [], contracting = [1] x [1]> : (tensor<5x97xf32>, tensor<70x97xf32>) -> tensor<5x70xf32>

  // Bytes, unsigned with zero points and signed without.
  %wide = graph.convert %w : tensor<70x97xui8> -> tensor<70x97xi16>
  %zwide = graph.convert %z : tensor<70x4xui8> -> tensor<70x4xi16>
  %yb = graph.broadcast %zwide [0, 1] : tensor<70x4xi16> -> tensor<70x4x32xi16>
  %yw = graph.reshape %yb : tensor<70x4x32xi16> -> tensor<70x128xi16>
  %yr = graph.slice %yw [0, 0] [70, 97] [1, 1] : tensor<70x128xi16> -> tensor<70x97xi16>
  %dw = graph.sub %wide, %yr : tensor<70x97xi16>
  %fw = graph.convert %dw : tensor<70x97xi16> -> tensor<70x97xf32>
  %ww = graph.mul %fw, %sr : tensor<70x97xf32>
  %6 = graph.dot_general %a, %ww <batching = [] x [], contracting = [1] x [1]> : (tensor<1x97xf32>, tensor<70x97xf32>) -> tensor<1x70xf32>
  %fi = graph.convert %i : tensor<70x97xi8> -> tensor<70x97xf32>
  %wi = graph.mul %fi, %sr : tensor<70x97xf32>
  %seven = graph.slice %d [0, 0] [7, 97] [1, 1] : tensor<8x97xf32> -> tensor<7x97xf32>
  %7 = graph.dot_general %seven, %wi <batching = [] x [], contracting = [1] x [1]> : (tensor<7x97xf32>, tensor<70x97xf32>) -> tensor<7x70xf32>

  %8 = graph.dot_general %e, %w4 <batching = [] x [], contracting = [1] x [1]> : (tensor<9x97xf32>, tensor<70x97xf32>) -> tensor<9x70xf32>

  %infinity = graph.constant dense<[[0x7F800000], [0xFF800000]]> : tensor<2x1xf32>
  %rest = graph.slice %b [0, 0] [2, 96] [1, 1] : tensor<2x97xf32> -> tensor<2x96xf32>
  %f = graph.concat 1, %rest, %infinity : (tensor<2x96xf32>, tensor<2x1xf32>) -> tensor<2x97xf32>
  %9 = graph.dot_general %f, %w4 <batching = [] x [], contracting = [1] x [1]> : (tensor<2x97xf32>, tensor<70x97xf32>) -> tensor<2x70xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9 : tensor<1x70xf32>, tensor<2x70xf32>, tensor<5x70xf32>, tensor<8x70xf32>, tensor<1x70xf32>, tensor<5x70xf32>, tensor<1x70xf32>, tensor<7x70xf32>, tensor<9x70xf32>, tensor<2x70xf32>
}
