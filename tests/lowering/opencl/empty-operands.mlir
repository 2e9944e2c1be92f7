// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Padding has elements where the operand has none: the sizes that divide indices are at least 1, outside of loops.
//
// RUN: zenith-compile %s --emit=opencl | FileCheck %s

// CHECK: const long [[D:v[0-9]+]] = [[S:v[0-9]+]] > 1L ? [[S]] : 1L;
// CHECK: for (long
// CHECK: const long[[W:[0-9]*]] [[L:v[0-9]+]] = (long[[W]])([[D]]);
// CHECK-NEXT: const long[[W]] [[C:v[0-9]+]] = convert_long[[W]]([[L]]);
// CHECK-NEXT: const long{{.*}} = as_long{{.*}}(as_ulong[[W]]({{v[0-9]+}}) / as_ulong[[W]]([[C]])
// CHECK-NEXT: const long{{.*}} = as_long{{.*}}(as_ulong[[W]]({{v[0-9]+}}) % as_ulong[[W]]([[C]])
func.func @main(%x: tensor<?x?xf32> {graph.dims = ["n", "m"]}) -> tensor<?xf32> {
  %zero = graph.constant dense<0.0> : tensor<f32>
  %n = graph.dim %x, 0 : tensor<?x?xf32>
  %m = graph.dim %x, 1 : tensor<?x?xf32>
  %c = graph.mul %n, %m : tensor<i64>
  %t = graph.transpose %x [1, 0] : tensor<?x?xf32> -> tensor<?x?xf32>
  %r = graph.reshape %t [%c] : tensor<?x?xf32> -> tensor<?xf32>
  %p = graph.pad %r, %zero [1] [2] [1] : tensor<?xf32>, tensor<f32> -> tensor<?xf32>
  %e = graph.exp %p : tensor<?xf32>
  return %e : tensor<?xf32>
}
