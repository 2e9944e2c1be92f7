// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Barriers stay barriers; a scalar that the host reads is the scalar.
//
// RUN: zenith-translate %s --to-format=stablehlo -o %t.mlir --check
// RUN: FileCheck %s --input-file=%t.mlir

// CHECK: func.func @main
// CHECK: %[[B:.*]]:2 = stablehlo.optimization_barrier
// CHECK-NEXT: stablehlo.add %[[B]]#1, %arg1
// CHECK-NOT: graph.
func.func @main(%x: tensor<4xf32>, %n: tensor<i64>) -> (tensor<4xf32>, tensor<i64>) {
  %b:2 = graph.barrier %x, %n : (tensor<4xf32>, tensor<i64>) -> (tensor<4xf32>, tensor<i64>)
  %m = graph.host_read %b#1 : tensor<i64>
  %s = graph.add %m, %n : tensor<i64>
  return %b#0, %s : tensor<4xf32>, tensor<i64>
}
