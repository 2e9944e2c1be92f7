// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An int8 matmul has a widening convert of its own.
//
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-keep-int8-operands))' | FileCheck %s -enable-var-scope

// Weights lie in K-interleaved groups of four.
// CHECK-LABEL: @shared_convert
// CHECK: %[[J:.*]] = graph.convert %arg0
// CHECK: %[[I:.*]] = graph.convert %arg0
// CHECK: graph.dot_general %[[J]],
// CHECK: graph.add %[[I]], %[[I]]
func.func @shared_convert(%x: tensor<2x4xui8>, %w: tensor<1x1x16x4xi8>) -> (tensor<2x16xi32>, tensor<2x4xi32>) {
  %i = graph.convert %x : tensor<2x4xui8> -> tensor<2x4xi32>
  %t = graph.transpose %w [1, 3, 0, 2] : tensor<1x1x16x4xi8> -> tensor<1x4x1x16xi8>
  %m = graph.reshape %t : tensor<1x4x1x16xi8> -> tensor<4x16xi8>
  %k = graph.convert %m : tensor<4x16xi8> -> tensor<4x16xi32>
  %r = graph.dot_general %i, %k <batching = [] x [], contracting = [1] x [0]> : (tensor<2x4xi32>, tensor<4x16xi32>) -> tensor<2x16xi32>
  %a = graph.add %i, %i : tensor<2x4xi32>
  return %r, %a : tensor<2x16xi32>, tensor<2x4xi32>
}

// Other weights are multiplied in the wide type.
// CHECK-LABEL: @plain_weights
// CHECK-COUNT-1: graph.convert %arg0
// CHECK-NOT: graph.convert %arg0
// CHECK: return
func.func @plain_weights(%x: tensor<2x4xui8>, %w: tensor<4x16xi8>) -> (tensor<2x16xi32>, tensor<2x4xi32>) {
  %i = graph.convert %x : tensor<2x4xui8> -> tensor<2x4xi32>
  %k = graph.convert %w : tensor<4x16xi8> -> tensor<4x16xi32>
  %r = graph.dot_general %i, %k <batching = [] x [], contracting = [1] x [0]> : (tensor<2x4xi32>, tensor<4x16xi32>) -> tensor<2x16xi32>
  %a = graph.add %i, %i : tensor<2x4xi32>
  return %r, %a : tensor<2x16xi32>, tensor<2x4xi32>
}
