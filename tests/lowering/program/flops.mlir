// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a launch costs follows from its ops, whichever passes ran in this process before.
//
// RUN: zenith-opt %s --to=kernels --target=cpu:x86-64-v3 | FileCheck %s
// RUN: zenith-opt %s --to=plan --target=cpu:x86-64-v3 -o %t.mlir
// RUN: zenith-opt %t.mlir --from=kernels --to=kernels --target=cpu:x86-64-v3 | FileCheck %s

// CHECK: host.flops = #graph.dim<"512">
func.func @main(%x: tensor<32xf32>) -> tensor<32xf32> {
  %r = graph.tanh %x : tensor<32xf32>
  return %r : tensor<32xf32>
}
