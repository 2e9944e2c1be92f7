// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each returned value has a buffer of its own.
//
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-form-fusions,zenith-copy-returned-values))' | FileCheck %s -enable-var-scope

// No kernel computes an argument, and a value that is returned twice needs two
// buffers.
// CHECK-LABEL: @returned_argument
// CHECK: %[[E:.*]] = graph.fusion pointwise
// CHECK: %[[X:.*]] = graph.fusion copy (%{{.*}} = %arg0
// CHECK: %[[F:.*]] = graph.fusion copy (%{{.*}} = %[[E]]
// CHECK: return %[[X]], %[[E]], %[[F]]
func.func @returned_argument(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %r = graph.exp %x : tensor<2xf32>
  return %x, %r, %r : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

// The host writes its scalars itself.
// CHECK-LABEL: @scalar_of_the_host
// CHECK-NOT: graph.fusion
// CHECK: return
func.func @scalar_of_the_host(%n: tensor<i64>) -> tensor<i64> {
  return %n : tensor<i64>
}
