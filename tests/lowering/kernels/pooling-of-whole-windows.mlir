// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Windows side by side never leave an image of unknown size: their number is at most the quotient. They are read where they
// lie, under masks that all rows of a plane share, whatever its size; nothing tests for padding.
//
// RUN: zenith-compile %s --emit=kernels --target=cpu:x86-64-v4 | FileCheck %s

// CHECK-LABEL: func.func @k0_window(
// CHECK-NOT: memref.alloca
// CHECK-COUNT-2: vector.create_mask
// CHECK: scf.for
// CHECK-NOT: scf.if
// CHECK-NOT: arith.select
// CHECK-COUNT-4: vector.maskedload
// CHECK: vector.maskedstore
// CHECK: return

func.func @main(%x: tensor<?x64x?x?xf32> {graph.name = "x", graph.dims = ["n", "64", "h", "w"]}) -> tensor<?x64x?x?xf32> {
  %r = graph.reduce_window max, %x window [1, 1, 2, 2] strides [1, 1, 2, 2] low [0, 0, 0, 0] high [0, 0, 0, 0] base_dilation [1, 1, 1, 1] dilation [1, 1, 1, 1] : tensor<?x64x?x?xf32> -> tensor<?x64x?x?xf32>
  return %r : tensor<?x64x?x?xf32>
}
