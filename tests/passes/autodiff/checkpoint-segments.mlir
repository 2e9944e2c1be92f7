// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A checkpoint of a chain of layers in segments: each has a barrier of its own, behind which its layers are computed again from
// what the segment before it gave.
//
// RUN: zenith-opt %s --split-input-file --zenith-grad | FileCheck %s

// CHECK-LABEL: func.func @one_grad
// CHECK-COUNT-1: graph.barrier
// CHECK-NOT: graph.barrier
// CHECK: return
func.func @one(%x: tensor<8x8xf32>, %w: tensor<8x8xf32>) -> tensor<f32> {
  %r = graph.checkpoint (%a = %x : tensor<8x8xf32>, %b = %w : tensor<8x8xf32>) -> tensor<8x8xf32> {
    %d0 = graph.dot_general %a, %b <batching = [] x [], contracting = [1] x [0]> : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %t0 = graph.tanh %d0 : tensor<8x8xf32>
    %m0 = graph.mul %t0, %d0 : tensor<8x8xf32>
    %d1 = graph.dot_general %m0, %b <batching = [] x [], contracting = [1] x [0]> : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %t1 = graph.tanh %d1 : tensor<8x8xf32>
    %m1 = graph.mul %t1, %d1 : tensor<8x8xf32>
    %d2 = graph.dot_general %m1, %b <batching = [] x [], contracting = [1] x [0]> : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %t2 = graph.tanh %d2 : tensor<8x8xf32>
    %m2 = graph.mul %t2, %d2 : tensor<8x8xf32>
    %d3 = graph.dot_general %m2, %b <batching = [] x [], contracting = [1] x [0]> : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %t3 = graph.tanh %d3 : tensor<8x8xf32>
    %m3 = graph.mul %t3, %d3 : tensor<8x8xf32>
    graph.yield %m3 : tensor<8x8xf32>
  }
  %s = graph.reduce sum, %r [0, 1] : tensor<8x8xf32> -> tensor<f32>
  return %s : tensor<f32>
}

// -----

// CHECK-LABEL: func.func @two_grad
// CHECK: %[[M:.*]] = graph.mul
// CHECK: %[[N:.*]] = graph.mul
// CHECK: graph.barrier %[[N]]
// CHECK: graph.barrier
// CHECK-NOT: graph.barrier
// CHECK: return
func.func @two(%x: tensor<8x8xf32>, %w: tensor<8x8xf32>) -> tensor<f32> {
  %r = graph.checkpoint segments = 2 (%a = %x : tensor<8x8xf32>, %b = %w : tensor<8x8xf32>) -> tensor<8x8xf32> {
    %d0 = graph.dot_general %a, %b <batching = [] x [], contracting = [1] x [0]> : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %t0 = graph.tanh %d0 : tensor<8x8xf32>
    %m0 = graph.mul %t0, %d0 : tensor<8x8xf32>
    %d1 = graph.dot_general %m0, %b <batching = [] x [], contracting = [1] x [0]> : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %t1 = graph.tanh %d1 : tensor<8x8xf32>
    %m1 = graph.mul %t1, %d1 : tensor<8x8xf32>
    %d2 = graph.dot_general %m1, %b <batching = [] x [], contracting = [1] x [0]> : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %t2 = graph.tanh %d2 : tensor<8x8xf32>
    %m2 = graph.mul %t2, %d2 : tensor<8x8xf32>
    %d3 = graph.dot_general %m2, %b <batching = [] x [], contracting = [1] x [0]> : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %t3 = graph.tanh %d3 : tensor<8x8xf32>
    %m3 = graph.mul %t3, %d3 : tensor<8x8xf32>
    graph.yield %m3 : tensor<8x8xf32>
  }
  %s = graph.reduce sum, %r [0, 1] : tensor<8x8xf32> -> tensor<f32>
  return %s : tensor<f32>
}

// -----

// Nine layers of three values: four values are kept, and two layers computed again at a time.
// CHECK-LABEL: func.func @auto_grad
// CHECK-COUNT-5: graph.barrier
// CHECK-NOT: graph.barrier
// CHECK: return
func.func @auto(%x: tensor<8x8xf32>, %w: tensor<8x8xf32>) -> tensor<f32> {
  %r = graph.checkpoint segments = auto (%a = %x : tensor<8x8xf32>, %b = %w : tensor<8x8xf32>) -> tensor<8x8xf32> {
    %d0 = graph.dot_general %a, %b <batching = [] x [], contracting = [1] x [0]> : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %t0 = graph.tanh %d0 : tensor<8x8xf32>
    %m0 = graph.mul %t0, %d0 : tensor<8x8xf32>
    %d1 = graph.dot_general %m0, %b <batching = [] x [], contracting = [1] x [0]> : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %t1 = graph.tanh %d1 : tensor<8x8xf32>
    %m1 = graph.mul %t1, %d1 : tensor<8x8xf32>
    %d2 = graph.dot_general %m1, %b <batching = [] x [], contracting = [1] x [0]> : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %t2 = graph.tanh %d2 : tensor<8x8xf32>
    %m2 = graph.mul %t2, %d2 : tensor<8x8xf32>
    %d3 = graph.dot_general %m2, %b <batching = [] x [], contracting = [1] x [0]> : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %t3 = graph.tanh %d3 : tensor<8x8xf32>
    %m3 = graph.mul %t3, %d3 : tensor<8x8xf32>
    %d4 = graph.dot_general %m3, %b <batching = [] x [], contracting = [1] x [0]> : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %t4 = graph.tanh %d4 : tensor<8x8xf32>
    %m4 = graph.mul %t4, %d4 : tensor<8x8xf32>
    %d5 = graph.dot_general %m4, %b <batching = [] x [], contracting = [1] x [0]> : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %t5 = graph.tanh %d5 : tensor<8x8xf32>
    %m5 = graph.mul %t5, %d5 : tensor<8x8xf32>
    %d6 = graph.dot_general %m5, %b <batching = [] x [], contracting = [1] x [0]> : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %t6 = graph.tanh %d6 : tensor<8x8xf32>
    %m6 = graph.mul %t6, %d6 : tensor<8x8xf32>
    %d7 = graph.dot_general %m6, %b <batching = [] x [], contracting = [1] x [0]> : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %t7 = graph.tanh %d7 : tensor<8x8xf32>
    %m7 = graph.mul %t7, %d7 : tensor<8x8xf32>
    %d8 = graph.dot_general %m7, %b <batching = [] x [], contracting = [1] x [0]> : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %t8 = graph.tanh %d8 : tensor<8x8xf32>
    %m8 = graph.mul %t8, %d8 : tensor<8x8xf32>
    graph.yield %m8 : tensor<8x8xf32>
  }
  %s = graph.reduce sum, %r [0, 1] : tensor<8x8xf32> -> tensor<f32>
  return %s : tensor<f32>
}
