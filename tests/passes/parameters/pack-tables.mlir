// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Large tables whose gathered rows are added are stored by blocks of columns.
//
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-pack-tables{panel=16}))' | FileCheck %s -enable-var-scope

graph.param @table : tensor<10x7x192xf32>
graph.param @small : tensor<20x192xf32>
graph.param @odd : tensor<100x100xf32>

// Rows that are added are read in blocks of columns, each with all rows.
// CHECK-LABEL: @summed_rows
// CHECK: %[[M:.*]] = graph.reshape %{{.*}} : tensor<10x7x192xf32> -> tensor<70x192xf32>
// CHECK: %[[S:.*]] = graph.reshape %[[M]] : tensor<70x192xf32> -> tensor<70x3x64xf32>
// CHECK: %[[Q:.*]] = graph.transpose %[[S]] [1, 0, 2] : tensor<70x3x64xf32> -> tensor<3x70x64xf32>
// CHECK: %[[U:.*]] = graph.transpose %[[Q]] [1, 0, 2]
// CHECK: %[[V:.*]] = graph.reshape %[[U]] : tensor<70x3x64xf32> -> tensor<70x192xf32>
// CHECK: %[[T:.*]] = graph.reshape %[[V]] : tensor<70x192xf32> -> tensor<10x7x192xf32>
// CHECK: graph.gather %[[T]]
func.func @summed_rows(%x: tensor<5x10x1xui8>) -> tensor<5x192xf32> {
  %w = graph.get_param @table : tensor<10x7x192xf32>
  %g = graph.gather %w, %x <offset = [2], collapsed = [1], batching = [0] x [1], index_map = [1], index_vector_dim = 2> sizes [1, 1, 192] : (tensor<10x7x192xf32>, tensor<5x10x1xui8>) -> tensor<5x10x192xf32>
  %r = graph.reduce sum, %g [1] : tensor<5x10x192xf32> -> tensor<5x192xf32>
  return %r : tensor<5x192xf32>
}

// CHECK-LABEL: @chosen_rows
// CHECK-NOT: graph.transpose
// CHECK: return
func.func @chosen_rows(%x: tensor<5x10x1xui8>) -> tensor<5x10x192xf32> {
  %w = graph.get_param @table : tensor<10x7x192xf32>
  %g = graph.gather %w, %x <offset = [2], collapsed = [1], batching = [0] x [1], index_map = [1], index_vector_dim = 2> sizes [1, 1, 192] : (tensor<10x7x192xf32>, tensor<5x10x1xui8>) -> tensor<5x10x192xf32>
  return %g : tensor<5x10x192xf32>
}

// Each row gives one number.
// CHECK-LABEL: @sums_along_rows
// CHECK-NOT: graph.transpose
// CHECK: return
func.func @sums_along_rows(%x: tensor<5x10x1xui8>) -> tensor<5x10xf32> {
  %w = graph.get_param @table : tensor<10x7x192xf32>
  %g = graph.gather %w, %x <offset = [2], collapsed = [1], batching = [0] x [1], index_map = [1], index_vector_dim = 2> sizes [1, 1, 192] : (tensor<10x7x192xf32>, tensor<5x10x1xui8>) -> tensor<5x10x192xf32>
  %r = graph.reduce sum, %g [2] : tensor<5x10x192xf32> -> tensor<5x10xf32>
  return %r : tensor<5x10xf32>
}

// CHECK-LABEL: @small_table
// CHECK-NOT: graph.transpose
// CHECK: return
func.func @small_table(%x: tensor<5x10x1xui8>) -> tensor<5x192xf32> {
  %w = graph.get_param @small : tensor<20x192xf32>
  %g = graph.gather %w, %x <offset = [2], collapsed = [0], batching = [] x [], index_map = [0], index_vector_dim = 2> sizes [1, 192] : (tensor<20x192xf32>, tensor<5x10x1xui8>) -> tensor<5x10x192xf32>
  %r = graph.reduce sum, %g [1] : tensor<5x10x192xf32> -> tensor<5x192xf32>
  return %r : tensor<5x192xf32>
}

// No block divides the columns.
// CHECK-LABEL: @odd_rows
// CHECK-NOT: graph.transpose
// CHECK: return
func.func @odd_rows(%x: tensor<5x10x1xui8>) -> tensor<5x100xf32> {
  %w = graph.get_param @odd : tensor<100x100xf32>
  %g = graph.gather %w, %x <offset = [2], collapsed = [0], batching = [] x [], index_map = [0], index_vector_dim = 2> sizes [1, 100] : (tensor<100x100xf32>, tensor<5x10x1xui8>) -> tensor<5x10x100xf32>
  %r = graph.reduce sum, %g [1] : tensor<5x10x100xf32> -> tensor<5x100xf32>
  return %r : tensor<5x100xf32>
}
