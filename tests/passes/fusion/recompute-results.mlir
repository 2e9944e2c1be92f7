// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Results that their readers compute again, and epilogues that leave work to
// reductions.
//
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-form-fusions))' | FileCheck %s -enable-var-scope
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-form-fusions{explain=true}))' -o /dev/null 2>&1 | FileCheck %s --check-prefix=WHY

// The backward product needs t and 1 - t: only t is kept.
// CHECK-LABEL: @forward_and_backward
// CHECK: %[[F:.*]]:2 = graph.fusion contraction
// CHECK: graph.tanh
// CHECK-NOT: graph.sub
// CHECK: graph.yield
// CHECK: graph.fusion contraction
// CHECK: graph.constant dense<1.000000e+00>
// CHECK: graph.sub
// CHECK: graph.dot_general
// CHECK: graph.yield
// WHY: fusion: FUS106: result 2 is computed again where it is read, in regions: 1
func.func @forward_and_backward(%x: tensor<8x16xf32>, %w: tensor<16x8xf32>, %g: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %d = graph.dot_general %x, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
  %t = graph.tanh %d : tensor<8x8xf32>
  %one = graph.constant dense<1.0> : tensor<8x8xf32>
  %s = graph.sub %one, %t : tensor<8x8xf32>
  %q = graph.dot_general %t, %g <batching = [] x [], contracting = [1] x [0]> : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %u = graph.mul %q, %s : tensor<8x8xf32>
  %v = graph.mul %u, %t : tensor<8x8xf32>
  return %v, %d : tensor<8x8xf32>, tensor<8x8xf32>
}

// The product is written for the sums of its columns anyway: the factor of the
// second sum is no result of its own.
// CHECK-LABEL: @gradients_of_scale_and_shift
// CHECK: %{{[0-9a-z]+}} = graph.fusion contraction
// CHECK: graph.dot_general
// CHECK-NEXT: graph.yield
// CHECK: graph.fusion reduction
// CHECK: graph.mul
// WHY: FUS104: stays out of the epilogue: it reads what is reduced too
func.func @gradients_of_scale_and_shift(%x: tensor<8x16xf32>, %w: tensor<16x8xf32>, %n: tensor<8x8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %d = graph.dot_general %x, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
  %m = graph.mul %d, %n : tensor<8x8xf32>
  %a = graph.reduce sum, %d [0] : tensor<8x8xf32> -> tensor<8xf32>
  %b = graph.reduce sum, %m [0] : tensor<8x8xf32> -> tensor<8xf32>
  return %a, %b : tensor<8xf32>, tensor<8xf32>
}

// What is returned is written, and so is what a product reads.
// CHECK-LABEL: @needed_in_memory
// CHECK: graph.fusion pointwise
// CHECK: graph.add
// CHECK: graph.fusion contraction
// CHECK-NOT: graph.add
// CHECK: return
func.func @needed_in_memory(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %a = graph.add %x, %x : tensor<8x8xf32>
  %d = graph.dot_general %a, %x <batching = [] x [], contracting = [1] x [0]> : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %a, %d : tensor<8x8xf32>, tensor<8x8xf32>
}

// What is larger than caches is cheaper to compute again than to write and read, functions included.
// CHECK-LABEL: func.func @function_of_a_large_value
// CHECK: graph.fusion pointwise {{.*}} -> tensor<2048x2048xf32>
// CHECK: graph.fusion contraction
// CHECK: graph.tanh
func.func @function_of_a_large_value(%x: tensor<2048x2048xf32>, %w: tensor<2048x8xf32>) -> (tensor<2048x2048xf32>, tensor<2048x8xf32>, tensor<2048x2048xf32>) {
  %a = graph.abs %x : tensor<2048x2048xf32>
  %t = graph.tanh %a : tensor<2048x2048xf32>
  %r = graph.dot_general %a, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<2048x2048xf32>, tensor<2048x8xf32>) -> tensor<2048x8xf32>
  %g = graph.dot_general %r, %w <batching = [] x [], contracting = [1] x [1]> : (tensor<2048x8xf32>, tensor<2048x8xf32>) -> tensor<2048x2048xf32>
  %s = graph.mul %g, %t : tensor<2048x2048xf32>
  return %a, %r, %s : tensor<2048x2048xf32>, tensor<2048x8xf32>, tensor<2048x2048xf32>
}
