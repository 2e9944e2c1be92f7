// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums of a parameter's rows agree with matmuls where weights are infinite or NaN.
//
// RUN: zenith-compile %s --emit=graphir -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: zenith-run %s --random-inputs --dim=batch=64 --compare=interp
// CHECK-NOT: graph.dot_general
// CHECK: graph.gather

graph.param @weight : tensor<10x16xf32> = dense<[
  [0x7F800000, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0],
  [1.0, 0xFF800000, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0],
  [1.0, 0x7F800000, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0],
  [1.0, 1.0, 0x7FC00000, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0],
  [1.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0],
  [1.0, 1.0, 2.0, 0x7F800000, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0],
  [1.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0],
  [1.0, 1.0, 2.0, 0xFF800000, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0],
  [1.0, 1.0, 2.0, 3.0, 0x7F800000, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0],
  [1.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0]]> : tensor<10x16xf32>

func.func @main(%any: tensor<?x2xui8> {graph.dims = ["batch", "2"]}) -> (tensor<?x16xf32> {graph.dims = ["batch", "16"]}) {
  %n = graph.dim %any, 0 : tensor<?x2xui8>
  %number = graph.constant dense<6> : tensor<ui8>
  %six = graph.broadcast %number [] [%n] : tensor<ui8> -> tensor<?x2xui8>
  %x = graph.rem %any, %six : tensor<?x2xui8>
  %symbols = graph.constant dense<[0, 1, 2, 3, 4]> : tensor<5xui8>
  %a = graph.broadcast %x [0, 1] [%n] : tensor<?x2xui8> -> tensor<?x2x5xui8>
  %b = graph.broadcast %symbols [2] [%n] : tensor<5xui8> -> tensor<?x2x5xui8>
  %c = graph.compare eq, %a, %b : tensor<?x2x5xui8> -> tensor<?x2x5xi1>
  %f = graph.convert %c : tensor<?x2x5xi1> -> tensor<?x2x5xf32>
  %h = graph.reshape %f [%n] : tensor<?x2x5xf32> -> tensor<?x10xf32>
  %w = graph.get_param @weight : tensor<10x16xf32>
  %r = graph.dot_general %h, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<?x10xf32>, tensor<10x16xf32>) -> tensor<?x16xf32>
  return %r : tensor<?x16xf32>
}
