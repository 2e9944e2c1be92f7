// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Canonical forms, in functions and in regions nested so deeply that they are rewritten one by one.

// RUN: zenith-opt %s --zenith-canonicalize | FileCheck %s
// RUN: %python %S/nested_branches.py 40 > %t.mlir
// RUN: zenith-opt %t.mlir --zenith-canonicalize -o %t.canonical.mlir
// RUN: FileCheck --check-prefix=NESTED --input-file=%t.canonical.mlir %s
// RUN: zenith-run %t.mlir --target=interp --random-inputs --print > %t.before
// RUN: zenith-run %t.canonical.mlir --target=interp --random-inputs --print > %t.after
// RUN: diff %t.before %t.after

// CHECK-LABEL: func.func @identities
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>)
// CHECK-NEXT: return %[[X]]
func.func @identities(%x: tensor<4xf32>) -> tensor<4xf32> {
  %dead = graph.tanh %x : tensor<4xf32>
  %same = graph.transpose %x [0] : tensor<4xf32> -> tensor<4xf32>
  return %same : tensor<4xf32>
}

// What is dead outside of a branch after its inside was rewritten goes too.
// NESTED-NOT: graph.transpose
// NESTED-NOT: graph.tanh
// NESTED-COUNT-40: graph.if
// NESTED-NOT: graph.transpose
// NESTED-NOT: graph.tanh
