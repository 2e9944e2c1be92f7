// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Groups can be put in an order, also where one has members before and after
// those of another.
//
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-form-fusions))' | FileCheck %s

// %p takes %n and %l with it, so it needs %q. Then %q can't take %3 with it, which
// needs %n by way of %m, though %m comes before %q.
// CHECK-LABEL: @member_before_and_after
// CHECK: %[[Q:.*]] = graph.fusion contraction
// CHECK: %[[P:.*]]:2 = graph.fusion contraction
// CHECK: graph.neg
// CHECK: graph.fusion reduction ({{.*}} = %[[P]]#0 : {{.*}} = %[[Q]] : {{.*}} = %[[P]]#1 :
// CHECK: return
func.func @member_before_and_after(%w: tensor<4x4xf32>, %x: tensor<8x4xf32>, %y: tensor<8x4xf32>, %a: tensor<8x4xf32>, %b: tensor<8x4xf32>, %c: tensor<8x4xf32>, %d: tensor<8x4xf32>) -> (tensor<4xf32>, tensor<4x1xf32>) {
  %p = graph.dot_general %x, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %n = graph.neg %p : tensor<8x4xf32>
  %0 = graph.reduce sum, %n [0] : tensor<8x4xf32> -> tensor<4xf32>
  %1 = graph.reshape %0 : tensor<4xf32> -> tensor<1x4xf32>
  %2 = graph.reduce sum, %1 [0] : tensor<1x4xf32> -> tensor<4xf32>
  %m = graph.add %a, %n : tensor<8x4xf32>
  %q = graph.dot_general %y, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %l = graph.add %p, %q : tensor<8x4xf32>
  %3 = graph.add %m, %q : tensor<8x4xf32>
  %4 = graph.broadcast %2 [0] : tensor<4xf32> -> tensor<4x1xf32>
  %5 = graph.add %3, %l : tensor<8x4xf32>
  %6 = graph.add %5, %b : tensor<8x4xf32>
  %7 = graph.mul %6, %c : tensor<8x4xf32>
  %8 = graph.add %7, %d : tensor<8x4xf32>
  %9 = graph.reduce sum, %8 [0] : tensor<8x4xf32> -> tensor<4xf32>
  %10 = graph.reshape %9 : tensor<4xf32> -> tensor<1x4xf32>
  %11 = graph.reduce sum, %10 [0] : tensor<1x4xf32> -> tensor<4xf32>
  return %11, %4 : tensor<4xf32>, tensor<4x1xf32>
}

// The sum over the rows reads a result of the kernel behind it. It follows that kernel, so that the result is not kept to the end.
// CHECK-LABEL: @read_at_once
// CHECK: %[[ROWS:.*]]:2 = graph.fusion reduction
// CHECK: graph.fusion reduction ({{.*}} = %[[ROWS]]#0 :
// CHECK: graph.fusion contraction
// CHECK: return
func.func @read_at_once(%x: tensor<8x4xf32>, %y: tensor<8x4xf32>, %w: tensor<4x4xf32>) -> (tensor<8x4xf32>, tensor<4xf32>) {
  %0 = graph.reduce sum, %x [1] : tensor<8x4xf32> -> tensor<8xf32>
  %1 = graph.broadcast %0 [0] : tensor<8xf32> -> tensor<8x4xf32>
  %2 = graph.mul %1, %y : tensor<8x4xf32>
  %3 = graph.reduce sum, %2 [0] : tensor<8x4xf32> -> tensor<4xf32>
  %4 = graph.reduce sum, %2 [1] : tensor<8x4xf32> -> tensor<8xf32>
  %5 = graph.broadcast %4 [0] : tensor<8xf32> -> tensor<8x4xf32>
  %6 = graph.sub %x, %5 : tensor<8x4xf32>
  %7 = graph.dot_general %6, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  return %7, %3 : tensor<8x4xf32>, tensor<4xf32>
}
