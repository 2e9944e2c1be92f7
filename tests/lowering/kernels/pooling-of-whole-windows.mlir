// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Windows side by side never leave an image of unknown size: their number is at most the quotient. Of long rows nothing is
// masked; shorter ones are copied by whole vectors, one for each phase, under masks that all rows of a plane share.
//
// RUN: zenith-compile %s --emit=kernels --target=cpu:x86-64-v4 | FileCheck %s

// CHECK-LABEL: func.func @k0_window_rows(
// CHECK-NOT: mask
// CHECK: vector.load
// CHECK-NOT: mask
// CHECK: vector.store
// CHECK-NOT: mask
// CHECK-LABEL: func.func @k0_window(
// CHECK-COUNT-2: vector.create_mask
// CHECK: scf.for
// CHECK-COUNT-2: vector.maskedload
// CHECK-NOT: vector.maskedload

func.func @main(%x: tensor<?x64x?x?xf32> {graph.name = "x", graph.dims = ["n", "64", "h", "w"]}) -> tensor<?x64x?x?xf32> {
  %r = graph.reduce_window max, %x window [1, 1, 2, 2] strides [1, 1, 2, 2] low [0, 0, 0, 0] high [0, 0, 0, 0] base_dilation [1, 1, 1, 1] dilation [1, 1, 1, 1] : tensor<?x64x?x?xf32> -> tensor<?x64x?x?xf32>
  return %r : tensor<?x64x?x?xf32>
}
