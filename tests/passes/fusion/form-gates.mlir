// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A step of a recurrent network is one kernel: what is computed of the gates joins the product that they are columns of.
//
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-form-fusions))' | FileCheck %s -enable-var-scope

// The step's input joins too.
// CHECK-LABEL: @step
// CHECK: %[[R:.*]]:2 = graph.fusion contraction
// CHECK: graph.dynamic_slice
// CHECK: graph.dot_general
// CHECK: graph.slice {{.*}} [0, 16]
// CHECK: graph.tanh
// CHECK: graph.yield
// CHECK-NOT: graph.fusion
// CHECK: return %[[R]]#{{[01]}}, %[[R]]#{{[01]}}
func.func @step(%inputs: tensor<5x3x32xf32>, %t: tensor<i64>, %h: tensor<3x8xf32>, %c: tensor<3x16xf32>, %p: tensor<2x8x16xf32>) -> (tensor<3x16xf32>, tensor<3x16xf32>) {
  %zero = graph.constant dense<0> : tensor<i64>
  %s = graph.dynamic_slice %inputs, %t, %zero, %zero : (tensor<5x3x32xf32>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<1x3x32xf32>
  %x = graph.reshape %s : tensor<1x3x32xf32> -> tensor<3x32xf32>
  %q = graph.transpose %p [1, 0, 2] : tensor<2x8x16xf32> -> tensor<8x2x16xf32>
  %w = graph.reshape %q : tensor<8x2x16xf32> -> tensor<8x32xf32>
  %d = graph.dot_general %h, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<3x8xf32>, tensor<8x32xf32>) -> tensor<3x32xf32>
  %a = graph.add %x, %d : tensor<3x32xf32>
  %g0 = graph.slice %a [0, 0] [3, 16] [1, 1] : tensor<3x32xf32> -> tensor<3x16xf32>
  %g1 = graph.slice %a [0, 16] [3, 16] [1, 1] : tensor<3x32xf32> -> tensor<3x16xf32>
  %f = graph.logistic %g0 : tensor<3x16xf32>
  %u = graph.tanh %g1 : tensor<3x16xf32>
  %n = graph.mul %f, %c : tensor<3x16xf32>
  %next = graph.add %n, %u : tensor<3x16xf32>
  %out = graph.tanh %next : tensor<3x16xf32>
  return %next, %out : tensor<3x16xf32>, tensor<3x16xf32>
}

// What the product multiplies stays in memory.
// CHECK-LABEL: @sliced_state
// CHECK: graph.fusion pointwise
// CHECK: graph.dynamic_slice
// CHECK: graph.fusion contraction
// CHECK-NOT: graph.dynamic_slice
// CHECK: return
func.func @sliced_state(%states: tensor<5x3x8xf32>, %t: tensor<i64>, %p: tensor<2x8x16xf32>) -> tensor<3x16xf32> {
  %zero = graph.constant dense<0> : tensor<i64>
  %s = graph.dynamic_slice %states, %t, %zero, %zero : (tensor<5x3x8xf32>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<1x3x8xf32>
  %h = graph.reshape %s : tensor<1x3x8xf32> -> tensor<3x8xf32>
  %q = graph.transpose %p [1, 0, 2] : tensor<2x8x16xf32> -> tensor<8x2x16xf32>
  %w = graph.reshape %q : tensor<8x2x16xf32> -> tensor<8x32xf32>
  %d = graph.dot_general %h, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<3x8xf32>, tensor<8x32xf32>) -> tensor<3x32xf32>
  %g0 = graph.slice %d [0, 0] [3, 16] [1, 1] : tensor<3x32xf32> -> tensor<3x16xf32>
  %g1 = graph.slice %d [0, 16] [3, 16] [1, 1] : tensor<3x32xf32> -> tensor<3x16xf32>
  %r = graph.mul %g0, %g1 : tensor<3x16xf32>
  return %r : tensor<3x16xf32>
}

// Weights of one direction, [1, columns, K], are no panel of K columns.
// CHECK-LABEL: @unpacked_weights
// CHECK: graph.fusion contraction
// CHECK-NOT: graph.slice
// CHECK: graph.yield
// CHECK: graph.fusion pointwise
// CHECK: graph.slice
// CHECK: return
func.func @unpacked_weights(%h: tensor<3x8xf32>, %r: tensor<1x32x8xf32>) -> tensor<3x16xf32> {
  %w = graph.reshape %r : tensor<1x32x8xf32> -> tensor<32x8xf32>
  %d = graph.dot_general %h, %w <batching = [] x [], contracting = [1] x [1]> : (tensor<3x8xf32>, tensor<32x8xf32>) -> tensor<3x32xf32>
  %g0 = graph.slice %d [0, 0] [3, 16] [1, 1] : tensor<3x32xf32> -> tensor<3x16xf32>
  %g1 = graph.slice %d [0, 16] [3, 16] [1, 1] : tensor<3x32xf32> -> tensor<3x16xf32>
  %p = graph.mul %g0, %g1 : tensor<3x16xf32>
  return %p : tensor<3x16xf32>
}

// Panels of bf16 whose rows lie side by side in pairs.
// CHECK-LABEL: @paired_rows
// CHECK: graph.fusion contraction
// CHECK: graph.dot_general
// CHECK: graph.mul
// CHECK-NOT: graph.fusion
// CHECK: return
func.func @paired_rows(%h: tensor<3x8xbf16>, %p: tensor<2x4x16x2xbf16>) -> tensor<3x16xf32> {
  %q = graph.transpose %p [1, 3, 0, 2] : tensor<2x4x16x2xbf16> -> tensor<4x2x2x16xbf16>
  %w = graph.reshape %q : tensor<4x2x2x16xbf16> -> tensor<8x32xbf16>
  %d = graph.dot_general %h, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<3x8xbf16>, tensor<8x32xbf16>) -> tensor<3x32xf32>
  %g0 = graph.slice %d [0, 0] [3, 16] [1, 1] : tensor<3x32xf32> -> tensor<3x16xf32>
  %g1 = graph.slice %d [0, 16] [3, 16] [1, 1] : tensor<3x32xf32> -> tensor<3x16xf32>
  %r = graph.mul %g0, %g1 : tensor<3x16xf32>
  return %r : tensor<3x16xf32>
}

// Any number of rows.
// CHECK-LABEL: @dynamic_rows
// CHECK: graph.fusion contraction
// CHECK: graph.dot_general
// CHECK: graph.logistic
// CHECK-NOT: graph.fusion
// CHECK: return
func.func @dynamic_rows(%h: tensor<?x8xf32> {graph.dims = ["rows", "8"]}, %p: tensor<2x8x16xf32>) -> tensor<?x16xf32> {
  %q = graph.transpose %p [1, 0, 2] : tensor<2x8x16xf32> -> tensor<8x2x16xf32>
  %w = graph.reshape %q : tensor<8x2x16xf32> -> tensor<8x32xf32>
  %d = graph.dot_general %h, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<?x8xf32>, tensor<8x32xf32>) -> tensor<?x32xf32>
  %n = graph.dim %h, 0 : tensor<?x8xf32>
  %g0 = graph.slice %d [0, 0] [%n, 16] [1, 1] : tensor<?x32xf32> -> tensor<?x16xf32>
  %g1 = graph.slice %d [0, 16] [%n, 16] [1, 1] : tensor<?x32xf32> -> tensor<?x16xf32>
  %f = graph.logistic %g0 : tensor<?x16xf32>
  %r = graph.mul %f, %g1 : tensor<?x16xf32>
  return %r : tensor<?x16xf32>
}

// A gate that somebody reads as it is would be a result of another shape.
// CHECK-LABEL: @gate_returned
// CHECK: graph.fusion contraction
// CHECK: graph.dot_general
// CHECK: graph.yield
// CHECK: graph.fusion pointwise
// CHECK: graph.logistic
func.func @gate_returned(%h: tensor<3x8xf32>, %p: tensor<2x8x16xf32>) -> (tensor<3x16xf32>, tensor<3x16xf32>) {
  %q = graph.transpose %p [1, 0, 2] : tensor<2x8x16xf32> -> tensor<8x2x16xf32>
  %w = graph.reshape %q : tensor<8x2x16xf32> -> tensor<8x32xf32>
  %d = graph.dot_general %h, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<3x8xf32>, tensor<8x32xf32>) -> tensor<3x32xf32>
  %g0 = graph.slice %d [0, 0] [3, 16] [1, 1] : tensor<3x32xf32> -> tensor<3x16xf32>
  %g1 = graph.slice %d [0, 16] [3, 16] [1, 1] : tensor<3x32xf32> -> tensor<3x16xf32>
  %f = graph.logistic %g0 : tensor<3x16xf32>
  return %f, %g1 : tensor<3x16xf32>, tensor<3x16xf32>
}

// Gates that end inside of a panel.
// CHECK-LABEL: @narrow_gates
// CHECK: graph.fusion contraction
// CHECK: graph.dot_general
// CHECK: graph.yield
// CHECK: graph.fusion pointwise
// CHECK: graph.slice
func.func @narrow_gates(%h: tensor<3x8xf32>, %p: tensor<2x8x16xf32>) -> tensor<3x8xf32> {
  %q = graph.transpose %p [1, 0, 2] : tensor<2x8x16xf32> -> tensor<8x2x16xf32>
  %w = graph.reshape %q : tensor<8x2x16xf32> -> tensor<8x32xf32>
  %d = graph.dot_general %h, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<3x8xf32>, tensor<8x32xf32>) -> tensor<3x32xf32>
  %g0 = graph.slice %d [0, 0] [3, 8] [1, 1] : tensor<3x32xf32> -> tensor<3x8xf32>
  %g1 = graph.slice %d [0, 16] [3, 8] [1, 1] : tensor<3x32xf32> -> tensor<3x8xf32>
  %r = graph.mul %g0, %g1 : tensor<3x8xf32>
  return %r : tensor<3x8xf32>
}
