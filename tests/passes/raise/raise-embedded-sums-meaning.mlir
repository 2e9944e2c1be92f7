// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums of products of embedding rows agree with the matmul, also for symbols
// that the table has no rows for.
//
// RUN: zenith-compile %s --emit=graphir -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: zenith-run %s --random-inputs --dim=batch=64 --compare=interp
// CHECK: graph.gather
// CHECK-NOT: graph.dot_general
// CHECK: @prepare
// CHECK: graph.dot_general

graph.param @embedding : tensor<6x4xf32> = dense<[
  [0.5, 1.0, -2.0, 0.25], [1.0, 2.0, 3.0, 4.0], [-1.0, 0.0, 0.5, 2.0],
  [3.0, -2.0, 1.0, 0.0], [0.125, 8.0, -4.0, 1.0], [2.0, 2.0, -1.0, -1.0]]> : tensor<6x4xf32>
graph.param @weight : tensor<8x16xf32> = dense<[
  [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0, 16.0],
  [-1.0, 2.0, -3.0, 4.0, -5.0, 6.0, -7.0, 8.0, -9.0, 1.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
  [0.5, 0.5, 0.5, 0.5, 1.5, 1.5, 1.5, 1.5, 2.5, 2.5, 2.5, 2.5, 3.5, 3.5, 3.5, 3.5],
  [0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0],
  [7.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0, 0.0, -1.0, -2.0, -3.0, -4.0, -5.0, -6.0, -7.0, -8.0],
  [1.0, 1.0, 2.0, 2.0, 3.0, 3.0, 4.0, 4.0, 5.0, 5.0, 6.0, 6.0, 7.0, 7.0, 8.0, 8.0],
  [-0.5, 0.5, -0.5, 0.5, -0.5, 0.5, -0.5, 0.5, -0.5, 0.5, -0.5, 0.5, -0.5, 0.5, -0.5, 0.5],
  [2.0, 4.0, 6.0, 8.0, 2.0, 4.0, 6.0, 8.0, 2.0, 4.0, 6.0, 8.0, 2.0, 4.0, 6.0, 8.0]]> : tensor<8x16xf32>

func.func @main(%any: tensor<?x2xui8> {graph.dims = ["batch", "2"]}) -> (tensor<?x16xf32> {graph.dims = ["batch", "16"]}) {
  %n = graph.dim %any, 0 : tensor<?x2xui8>
  %number = graph.constant dense<9> : tensor<ui8>
  %nine = graph.broadcast %number [] [%n] : tensor<ui8> -> tensor<?x2xui8>
  %x = graph.rem %any, %nine : tensor<?x2xui8>
  %i = graph.convert %x : tensor<?x2xui8> -> tensor<?x2xi64>
  %e = graph.get_param @embedding : tensor<6x4xf32>
  %g = graph.gather %e, %i <offset = [2], collapsed = [0], batching = [] x [], index_map = [0], index_vector_dim = 2> sizes [1, 4] : (tensor<6x4xf32>, tensor<?x2xi64>) -> tensor<?x2x4xf32>
  %h = graph.reshape %g [%n] : tensor<?x2x4xf32> -> tensor<?x8xf32>
  %w = graph.get_param @weight : tensor<8x16xf32>
  %r = graph.dot_general %h, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<?x8xf32>, tensor<8x16xf32>) -> tensor<?x16xf32>
  return %r : tensor<?x16xf32>
}
