// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constant factors of a matmul's operands become part of its epilogue.
//
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-sink-scales))' | FileCheck %s -enable-var-scope

// CHECK-LABEL: @scaled_query
// CHECK: %[[D:.*]] = graph.dot_general %arg0, %arg1
// CHECK: %[[R:.*]] = graph.mul %[[D]]
// CHECK: return %[[R]]
func.func @scaled_query(%q: tensor<5x4xf32>, %k: tensor<4x5xf32>) -> tensor<5x5xf32> {
  %c = graph.constant dense<0.5> : tensor<5x4xf32>
  %s = graph.mul %q, %c : tensor<5x4xf32>
  %r = graph.dot_general %s, %k <batching = [] x [], contracting = [1] x [0]> : (tensor<5x4xf32>, tensor<4x5xf32>) -> tensor<5x5xf32>
  return %r : tensor<5x5xf32>
}

// Sums of large terms could become infinite without the factor.
// CHECK-LABEL: @tiny_factor_stays
// CHECK: %[[S:.*]] = graph.mul %arg0
// CHECK: graph.dot_general %[[S]], %arg1
func.func @tiny_factor_stays(%q: tensor<5x4xf32>, %k: tensor<4x5xf32>) -> tensor<5x5xf32> {
  %c = graph.constant dense<1.0e-5> : tensor<5x4xf32>
  %s = graph.mul %q, %c : tensor<5x4xf32>
  %r = graph.dot_general %s, %k <batching = [] x [], contracting = [1] x [0]> : (tensor<5x4xf32>, tensor<4x5xf32>) -> tensor<5x5xf32>
  return %r : tensor<5x5xf32>
}

// The scaled value is in memory for its other reader anyway.
// CHECK-LABEL: @shared_value_stays
// CHECK: %[[S:.*]] = graph.mul %arg0
// CHECK: graph.dot_general %[[S]], %arg1
func.func @shared_value_stays(%q: tensor<5x4xf32>, %k: tensor<4x5xf32>) -> (tensor<5x5xf32>, tensor<5x4xf32>) {
  %c = graph.constant dense<0.5> : tensor<5x4xf32>
  %s = graph.mul %q, %c : tensor<5x4xf32>
  %r = graph.dot_general %s, %k <batching = [] x [], contracting = [1] x [0]> : (tensor<5x4xf32>, tensor<4x5xf32>) -> tensor<5x5xf32>
  return %r, %s : tensor<5x5xf32>, tensor<5x4xf32>
}
