// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A matmul with a single column is a sum along rows that are computed here; rows that are read stay.
//
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-reduce-single-columns))' | FileCheck %s -enable-var-scope

graph.param @column : tensor<8x1xf32>

// CHECK-LABEL: @single_column
// CHECK: graph.dot_general %{{.*}} : (tensor<?x8xf32>, tensor<8x1xf32>) -> tensor<?x1xf32>
// CHECK: %[[R:.*]] = graph.tanh
// CHECK: %[[P:.*]] = graph.mul %[[R]], %{{.*}} : tensor<?x8xf32>
// CHECK: %[[S:.*]] = graph.reduce sum, %[[P]] [1] : tensor<?x8xf32> -> tensor<?xf32>
// CHECK: graph.reshape %[[S]] {{.*}} -> tensor<?x1xf32>
func.func @single_column(%x: tensor<?x8xf32>) -> (tensor<?x1xf32>, tensor<?x1xf32>) {
  %w = graph.get_param @column : tensor<8x1xf32>
  %read = graph.dot_general %x, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<?x8xf32>, tensor<8x1xf32>) -> tensor<?x1xf32>
  %rows = graph.tanh %x : tensor<?x8xf32>
  %computed = graph.dot_general %rows, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<?x8xf32>, tensor<8x1xf32>) -> tensor<?x1xf32>
  return %read, %computed : tensor<?x1xf32>, tensor<?x1xf32>
}
