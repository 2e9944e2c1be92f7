// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements of short borders beside rows of unknown length come one by one, which takes less than a masked vector. What
// whole values leave of the row comes by its two vectors.
//
// RUN: zenith-compile %s --emit=kernels --target=cpu:x86-64-v4 | FileCheck %s

// CHECK-LABEL: func.func @k0_copy(
// CHECK: memref.store
// CHECK: vector.store
// CHECK-COUNT-2: vector.maskedstore
// CHECK-NOT: vector.maskedstore
// CHECK: memref.store
// CHECK: return
func.func @main(%x: tensor<?x8x?xf32> {graph.name = "x", graph.dims = ["n", "8", "w"]}) -> tensor<?x?x?xf32> {
  %zero = graph.constant dense<0.0> : tensor<f32>
  %r = graph.pad %x, %zero [0, 1, 1] [0, 2, 3] [0, 0, 0] : tensor<?x8x?xf32>, tensor<f32> -> tensor<?x?x?xf32>
  return %r : tensor<?x?x?xf32>
}
