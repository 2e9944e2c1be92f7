// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A mean over dimensions that only the run knows divides by the product of their sizes; by another size it is no mean.
//
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-raise-composites))' | FileCheck %s
// RUN: zenith-run %s --entry=instance_norm --random-inputs --dim n=2 --dim h=3 --dim w=5 --compare=interp

// CHECK-LABEL: @instance_norm
// CHECK: graph.layer_norm
// CHECK-NOT: graph.sqrt
func.func @instance_norm(%x: tensor<?x4x?x?xf32> {graph.dims = ["n", "4", "h", "w"]}) -> tensor<?x4x?x?xf32> {
  %n = graph.dim %x, 0 : tensor<?x4x?x?xf32>
  %h = graph.dim %x, 2 : tensor<?x4x?x?xf32>
  %w = graph.dim %x, 3 : tensor<?x4x?x?xf32>
  %hw = graph.mul %w, %h : tensor<i64>
  %count = graph.convert %hw : tensor<i64> -> tensor<f32>
  %counts = graph.broadcast %count [] [%n] : tensor<f32> -> tensor<?x4xf32>
  %sum = graph.reduce sum, %x [2, 3] : tensor<?x4x?x?xf32> -> tensor<?x4xf32>
  %mean = graph.div %sum, %counts : tensor<?x4xf32>
  %means = graph.broadcast %mean [0, 1] [%n, %h, %w] : tensor<?x4xf32> -> tensor<?x4x?x?xf32>
  %c = graph.sub %x, %means : tensor<?x4x?x?xf32>
  %cc = graph.mul %c, %c : tensor<?x4x?x?xf32>
  %squares = graph.reduce sum, %cc [2, 3] : tensor<?x4x?x?xf32> -> tensor<?x4xf32>
  %variance = graph.div %squares, %counts : tensor<?x4xf32>
  %epsilon = graph.constant dense<1.0e-05> : tensor<f32>
  %epsilons = graph.broadcast %epsilon [] [%n] : tensor<f32> -> tensor<?x4xf32>
  %plus = graph.add %variance, %epsilons : tensor<?x4xf32>
  %root = graph.sqrt %plus : tensor<?x4xf32>
  %roots = graph.broadcast %root [0, 1] [%n, %h, %w] : tensor<?x4xf32> -> tensor<?x4x?x?xf32>
  %r = graph.div %c, %roots : tensor<?x4x?x?xf32>
  return %r : tensor<?x4x?x?xf32>
}

// CHECK-LABEL: @another_size
// CHECK-NOT: graph.rms_norm
// CHECK: graph.sqrt
func.func @another_size(%x: tensor<?x4x?x?xf32> {graph.dims = ["n", "4", "h", "w"]}) -> tensor<?x4x?x?xf32> {
  %n = graph.dim %x, 0 : tensor<?x4x?x?xf32>
  %h = graph.dim %x, 2 : tensor<?x4x?x?xf32>
  %w = graph.dim %x, 3 : tensor<?x4x?x?xf32>
  %hn = graph.mul %n, %h : tensor<i64>
  %count = graph.convert %hn : tensor<i64> -> tensor<f32>
  %counts = graph.broadcast %count [] [%n] : tensor<f32> -> tensor<?x4xf32>
  %xx = graph.mul %x, %x : tensor<?x4x?x?xf32>
  %squares = graph.reduce sum, %xx [2, 3] : tensor<?x4x?x?xf32> -> tensor<?x4xf32>
  %mean = graph.div %squares, %counts : tensor<?x4xf32>
  %epsilon = graph.constant dense<1.0e-05> : tensor<f32>
  %epsilons = graph.broadcast %epsilon [] [%n] : tensor<f32> -> tensor<?x4xf32>
  %plus = graph.add %mean, %epsilons : tensor<?x4xf32>
  %root = graph.sqrt %plus : tensor<?x4xf32>
  %roots = graph.broadcast %root [0, 1] [%n, %h, %w] : tensor<?x4xf32> -> tensor<?x4x?x?xf32>
  %r = graph.div %x, %roots : tensor<?x4x?x?xf32>
  return %r : tensor<?x4x?x?xf32>
}
