// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Int8 matmuls use dot products of four bytes where the processor has them, else pairs of 16-bit integers.
//
// RUN: rm -rf %t && mkdir %t && cp %s %t/m.mlir
// RUN: %python -c "import random; random.seed(1); open('%t/w.raw', 'wb').write(bytes(random.randrange(256) for _ in range(9600)))"
// RUN: zenith-run %t/m.mlir --random-inputs=1 --compare=interp
// RUN: zenith-run %t/m.mlir --random-inputs=1 --compare=interp --target=cpu:x86-64
// RUN: zenith-compile %t/m.mlir --emit=asm --target=cpu:znver4 | FileCheck --check-prefix=VNNI %s
// RUN: zenith-compile %t/m.mlir --emit=asm --target=cpu:znver3 | FileCheck --check-prefix=AVX2 %s
// VNNI: vpdpbusd{{.*}}%zmm
// AVX2: vpmaddwd{{.*}}%ymm

graph.param @w : tensor<96x100xi8> = #graph.external<"w.raw", 0, 9600>

func.func @main(%x: tensor<40x96xui8>, %zero: tensor<ui8>) -> tensor<40x100xi32> {
  %w = graph.get_param @w : tensor<96x100xi8>
  %a = graph.convert %x : tensor<40x96xui8> -> tensor<40x96xi32>
  %z = graph.convert %zero : tensor<ui8> -> tensor<i32>
  %zs = graph.broadcast %z [] : tensor<i32> -> tensor<40x96xi32>
  %s = graph.sub %a, %zs : tensor<40x96xi32>
  %b = graph.convert %w : tensor<96x100xi8> -> tensor<96x100xi32>
  %r = graph.dot_general %s, %b <batching = [] x [], contracting = [1] x [0]> : (tensor<40x96xi32>, tensor<96x100xi32>) -> tensor<40x100xi32>
  return %r : tensor<40x100xi32>
}
