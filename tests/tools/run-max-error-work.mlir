// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Of two products with one error each, where the bound has room for one, the
// one with more multiplications is narrow.
//
// RUN: rm -rf %t && mkdir %t
// RUN: %python -c "import struct; open('%t/c.raw', 'wb').write(struct.pack('<144f', *[1 + 2**-9] * 144))"
// RUN: zenith-run %s --random-inputs=1 --dim n=2 --mixed-precision=bf16 --max-error=0.0015 --calibrate x=f32[2x72]:%t/c.raw --explain=precision 2>&1 | FileCheck %s
// RUN: zenith-run %s --random-inputs=1 --dim n=2 --target=interp --mixed-precision=bf16 --max-error=0.0015 --calibrate x=f32[2x72]:%t/c.raw --explain=precision 2>&1 | FileCheck %s
// CHECK-DAG: small: 'dot_general' stays f32 for the bound
// CHECK-DAG: large: 'dot_general' {{.*}}(rule bound: operands bf16

func.func @main(%x: tensor<?x72xf32> {graph.name = "x", graph.dims = ["n", ""]}) -> tensor<?x1xf32> {
  %n = graph.dim %x, 0 : tensor<?x72xf32>
  %v = graph.constant dense<1.0> : tensor<8x1xf32>
  %w = graph.constant dense<0.125> : tensor<64x1xf32>
  %a = graph.slice %x [0, 0] [%n, 8] [1, 1] : tensor<?x72xf32> -> tensor<?x8xf32>
  %b = graph.slice %x [0, 8] [%n, 64] [1, 1] : tensor<?x72xf32> -> tensor<?x64xf32>
  %s = graph.dot_general %a, %v <batching = [] x [], contracting = [1] x [0]> : (tensor<?x8xf32>, tensor<8x1xf32>) -> tensor<?x1xf32> loc("small")
  %l = graph.dot_general %b, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<?x64xf32>, tensor<64x1xf32>) -> tensor<?x1xf32> loc("large")
  %r = graph.add %s, %l : tensor<?x1xf32>
  return %r : tensor<?x1xf32>
}
