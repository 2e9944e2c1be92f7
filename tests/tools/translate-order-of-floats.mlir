// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The largest floats: integers in total order, which ONNX cannot say, are floats again.
//
// RUN: zenith-translate %s -o %t.onnx --check && zenith-translate %t.onnx --to-format=graphir -o - | FileCheck %s

// CHECK-NOT: bitcast
// CHECK: graph.top_k {{.*}} (tensor<5x3xf32>
// CHECK-NOT: bitcast
func.func public @main(%x: tensor<5x3xf32>) -> (tensor<5x2xf32>, tensor<5x2xi32>) {
  %best, %places = chlo.top_k(%x, k = 2) : tensor<5x3xf32> -> (tensor<5x2xf32>, tensor<5x2xi32>)
  return %best, %places : tensor<5x2xf32>, tensor<5x2xi32>
}
