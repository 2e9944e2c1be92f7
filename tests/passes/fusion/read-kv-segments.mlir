// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention of few queries reads a KV cache and what is appended to it where
// they lie.
//
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-read-kv-segments))' | FileCheck %s -enable-var-scope

// The joined keys are for the caller only.
// CHECK-LABEL: @cache
// CHECK: %[[JOINED:.*]] = graph.concat 1, %arg1, %arg2
// CHECK: %[[K:.*]] = graph.concat 1, %arg1, %arg2
// CHECK: %[[V:.*]] = graph.concat 1, %arg1, %arg2
// CHECK: %[[A:.*]] = graph.attention %arg0, %[[K]], %[[V]]
// CHECK: return %[[A]], %[[JOINED]]
func.func @cache(%q: tensor<2x1x8xf32>, %past: tensor<2x?x8xf32>, %new: tensor<2x1x8xf32>) -> (tensor<2x1x8xf32>, tensor<2x?x8xf32>) {
  %k = graph.concat 1, %past, %new : (tensor<2x?x8xf32>, tensor<2x1x8xf32>) -> tensor<2x?x8xf32>
  %a = graph.attention %q, %k, %k {scale = 0.5 : f64} : (tensor<2x1x8xf32>, tensor<2x?x8xf32>, tensor<2x?x8xf32>) -> tensor<2x1x8xf32>
  return %a, %k : tensor<2x1x8xf32>, tensor<2x?x8xf32>
}

// Groups of heads share keys: the segments are repeated.
// CHECK-LABEL: @cache_of_groups
// CHECK: graph.reshape {{.*}} : tensor<1x2x3x7x8xf32> -> tensor<1x6x7x8xf32>
// CHECK: graph.reshape {{.*}} : tensor<1x2x3x1x8xf32> -> tensor<1x6x1x8xf32>
// CHECK: %[[K:.*]] = graph.concat 2, {{.*}} -> tensor<1x6x8x8xf32>
// CHECK: %[[V:.*]] = graph.concat 2, {{.*}} -> tensor<1x6x8x8xf32>
// CHECK: graph.attention %arg0, %[[K]], %[[V]]
// CHECK: return
func.func @cache_of_groups(%q: tensor<1x6x1x8xf32>, %past: tensor<1x2x7x8xf32>, %new: tensor<1x2x1x8xf32>) -> (tensor<1x6x1x8xf32>, tensor<1x2x8x8xf32>) {
  %k = graph.concat 2, %past, %new : (tensor<1x2x7x8xf32>, tensor<1x2x1x8xf32>) -> tensor<1x2x8x8xf32>
  %b = graph.broadcast %k [0, 1, 3, 4] : tensor<1x2x8x8xf32> -> tensor<1x2x3x8x8xf32>
  %h = graph.reshape %b : tensor<1x2x3x8x8xf32> -> tensor<1x6x8x8xf32>
  %a = graph.attention %q, %h, %h {scale = 0.5 : f64} : (tensor<1x6x1x8xf32>, tensor<1x6x8x8xf32>, tensor<1x6x8x8xf32>) -> tensor<1x6x1x8xf32>
  return %a, %k : tensor<1x6x1x8xf32>, tensor<1x2x8x8xf32>
}

// Many queries read each key often enough for it to be joined first.
// CHECK-LABEL: @many_queries
// CHECK-COUNT-1: graph.concat
// CHECK-NOT: graph.concat
// CHECK: return
func.func @many_queries(%q: tensor<2x9x8xf32>, %past: tensor<2x7x8xf32>, %new: tensor<2x9x8xf32>) -> tensor<2x9x8xf32> {
  %k = graph.concat 1, %past, %new : (tensor<2x7x8xf32>, tensor<2x9x8xf32>) -> tensor<2x16x8xf32>
  %a = graph.attention %q, %k, %k {scale = 0.5 : f64} : (tensor<2x9x8xf32>, tensor<2x16x8xf32>, tensor<2x16x8xf32>) -> tensor<2x9x8xf32>
  return %a : tensor<2x9x8xf32>
}
