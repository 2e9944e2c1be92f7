// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the phases up to precision make of a program: products stay products
// where there is a policy, the option's or the module's.
//
// RUN: zenith-opt %s --to=precision | FileCheck %s --check-prefix=PLAIN
// RUN: zenith-opt %s --to=precision --mixed-precision=bf16 | FileCheck %s
// RUN: sed '1i module attributes {graph.precision = "bf16"} {' %s > %t.mlir
// RUN: echo '}' >> %t.mlir
// RUN: zenith-opt %t.mlir --to=precision | FileCheck %s

// PLAIN-NOT: xbf16
// CHECK: graph.phase = "precision", graph.precision = "bf16"
// CHECK: graph.dot_general {{.*}} : (tensor<4x2xbf16>, tensor<2x8xbf16>) -> tensor<4x8xf32>
func.func @main(%x: tensor<4x2xf32>, %y: tensor<2x8xf32>) -> tensor<4x8xf32> {
  %r = graph.dot_general %x, %y <batching = [] x [], contracting = [1] x [0]> : (tensor<4x2xf32>, tensor<2x8xf32>) -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}
