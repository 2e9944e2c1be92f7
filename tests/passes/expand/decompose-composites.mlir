// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Composites written out in core ops, all or those that are named.
//
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-decompose-composites))' | FileCheck %s -enable-var-scope
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-decompose-composites{only=softmax}))' | FileCheck %s --check-prefix=ONLY

// CHECK-LABEL: @gelu_tanh
// CHECK: graph.tanh {{.*}}graph.fast
// CHECK-NOT: graph.gelu
// CHECK: return
// ONLY-LABEL: @gelu_tanh
// ONLY: graph.gelu
func.func @gelu_tanh(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = graph.gelu tanh, %x : tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: @softmax_of_dynamic_rows
// CHECK: graph.reduce max
// CHECK: graph.sub
// CHECK: graph.exp
// CHECK: graph.reduce sum
// CHECK: graph.div
// ONLY-LABEL: @softmax_of_dynamic_rows
// ONLY: graph.reduce max
func.func @softmax_of_dynamic_rows(%x: tensor<?x?xf32> {graph.dims = ["n", "m"]}) -> tensor<?x?xf32> {
  %r = graph.softmax %x [1] : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// CHECK-LABEL: @half_precision_computes_in_f32
// CHECK: graph.convert %{{.*}} : tensor<2x4xf16> -> tensor<2x4xf32>
// CHECK: graph.reduce sum, %{{.*}} [1] : tensor<2x4xf32>
// CHECK: graph.convert %{{.*}} : tensor<2x4xf32> -> tensor<2x4xf16>
func.func @half_precision_computes_in_f32(%x: tensor<2x4xf16>) -> tensor<2x4xf16> {
  %r = graph.layer_norm %x {axis = 1 : i64, epsilon = 1.0e-5 : f64} : (tensor<2x4xf16>) -> tensor<2x4xf16>
  return %r : tensor<2x4xf16>
}

// CHECK-LABEL: @attention
// CHECK: graph.dot_general
// CHECK: graph.iota
// CHECK: graph.select
// CHECK: graph.dot_general
func.func @attention(%q: tensor<2x4x8xf32>, %k: tensor<2x6x8xf32>, %v: tensor<2x6x8xf32>) -> tensor<2x4x8xf32> {
  %r = graph.attention %q, %k, %v {scale = 0.125 : f64, causal} : (tensor<2x4x8xf32>, tensor<2x6x8xf32>, tensor<2x6x8xf32>) -> tensor<2x4x8xf32>
  return %r : tensor<2x4x8xf32>
}

// Vectors of which some have a static size take it.
// CHECK-LABEL: @batch_norm_of_mixed_sizes
// CHECK: graph.reshape %{{.*}} : tensor<?xf32> -> tensor<2xf32>
// CHECK: graph.mul %{{.*}} : tensor<2xf32>
// CHECK-NOT: graph.batch_norm
// ONLY-LABEL: @batch_norm_of_mixed_sizes
func.func @batch_norm_of_mixed_sizes(%x: tensor<?x?x3xf32> {graph.dims = ["n", "c", "3"]}, %v: tensor<?xf32> {graph.dims = ["c"]}, %m: tensor<2xf32>) -> tensor<?x?x3xf32> {
  %r = graph.batch_norm %x, %v, %v, %m, %v {dim = 1 : i64, epsilon = 1.0e-5 : f64} : (tensor<?x?x3xf32>, tensor<?xf32>, tensor<?xf32>, tensor<2xf32>, tensor<?xf32>) -> tensor<?x?x3xf32>
  return %r : tensor<?x?x3xf32>
}
