// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expressions print as the canonical polynomial, and read back from text and bytecode.
//
// RUN: zenith-opt %s | FileCheck %s
// RUN: zenith-opt %s | zenith-opt | FileCheck %s
// RUN: zenith-opt %s --emit-bytecode | zenith-opt | FileCheck %s

// CHECK: a = #graph.dim<"4*batch">
// CHECK-SAME: b = #graph.dim<"4*batch">
// CHECK-SAME: c = #graph.dim<"-9223372036854775808">
// CHECK-SAME: d = #graph.dim<"floordiv(n + 1, 2)">
// CHECK-SAME: e = #graph.dim<"'batch size'">
module attributes {test.a = #graph.dim<"batch*4">, test.b = #graph.dim<"2*batch + batch*2">,
  test.c = #graph.dim<"-9223372036854775808">, test.d = #graph.dim<"(n + 1)//2">, test.e = #graph.dim<"'batch size'">} {}
