// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes and their zero points fit 16 bits; weights are packed as they are.
//
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-lower-int16-matmuls,zenith-pack-matmuls{panel=16}))' | FileCheck %s -enable-var-scope
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-lower-int16-matmuls,zenith-pack-matmuls{panel=16 group=2}))' | FileCheck %s -enable-var-scope --check-prefix=GROUP
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-lower-int16-matmuls{keep-int8}))' | FileCheck %s -enable-var-scope --check-prefix=KEEP

graph.param @q : tensor<8x20xi8>

// With a group of 2, two K values of a column lie side by side.
// GROUP-LABEL: @narrow_integers
// GROUP: graph.reshape %{{.*}} : tensor<8x32xi8> -> tensor<4x2x2x16xi8>
// GROUP: %[[P:.*]] = graph.transpose %{{.*}} [2, 0, 3, 1] : tensor<4x2x2x16xi8> -> tensor<2x4x16x2xi8>
// GROUP: %[[U:.*]] = graph.transpose %[[P]] [1, 3, 0, 2] : tensor<2x4x16x2xi8> -> tensor<4x2x2x16xi8>
// GROUP: graph.reshape %[[U]] : tensor<4x2x2x16xi8> -> tensor<8x32xi8>
// CHECK-LABEL: @narrow_integers
// CHECK: %[[A:.*]] = graph.convert %{{.*}} : tensor<2x8xi32> -> tensor<2x8xi16>
// CHECK: graph.transpose %{{.*}} [1, 0, 2] : tensor<8x2x16xi8> -> tensor<2x8x16xi8>
// CHECK: %[[B:.*]] = graph.convert %{{.*}} : tensor<8x20xi8> -> tensor<8x20xi16>
// CHECK: graph.dot_general %[[A]], %[[B]] {{.*}} : (tensor<2x8xi16>, tensor<8x20xi16>) -> tensor<2x20xi32>
func.func @narrow_integers(%x: tensor<2x8xui8>, %zero: tensor<ui8>) -> tensor<2x20xi32> {
  %w = graph.get_param @q : tensor<8x20xi8>
  %a = graph.convert %x : tensor<2x8xui8> -> tensor<2x8xi32>
  %z = graph.convert %zero : tensor<ui8> -> tensor<i32>
  %zs = graph.broadcast %z [] : tensor<i32> -> tensor<2x8xi32>
  %s = graph.sub %a, %zs : tensor<2x8xi32>
  %b = graph.convert %w : tensor<8x20xi8> -> tensor<8x20xi32>
  %r = graph.dot_general %s, %b <batching = [] x [], contracting = [1] x [0]> : (tensor<2x8xi32>, tensor<8x20xi32>) -> tensor<2x20xi32>
  return %r : tensor<2x20xi32>
}

// CHECK-LABEL: @wide_integers
// CHECK: graph.dot_general {{.*}} : (tensor<2x8xi32>, tensor<8x20xi32>) -> tensor<2x20xi32>
func.func @wide_integers(%x: tensor<2x8xi32>, %y: tensor<8x20xui16>) -> tensor<2x20xi32> {
  %b = graph.convert %y : tensor<8x20xui16> -> tensor<8x20xi32>
  %r = graph.dot_general %x, %b <batching = [] x [], contracting = [1] x [0]> : (tensor<2x8xi32>, tensor<8x20xi32>) -> tensor<2x20xi32>
  return %r : tensor<2x20xi32>
}

// Dot products of four bytes read the bytes themselves.
// CHECK-LABEL: @int8
// CHECK: graph.dot_general {{.*}} : (tensor<2x8xi16>, tensor<8x20xi16>) -> tensor<2x20xi32>
// KEEP-LABEL: @int8
// KEEP: graph.dot_general {{.*}} : (tensor<2x8xi32>, tensor<8x20xi32>) -> tensor<2x20xi32>
func.func @int8(%x: tensor<2x8xui8>) -> tensor<2x20xi32> {
  %w = graph.get_param @q : tensor<8x20xi8>
  %a = graph.convert %x : tensor<2x8xui8> -> tensor<2x8xi32>
  %b = graph.convert %w : tensor<8x20xi8> -> tensor<8x20xi32>
  %r = graph.dot_general %a, %b <batching = [] x [], contracting = [1] x [0]> : (tensor<2x8xi32>, tensor<8x20xi32>) -> tensor<2x20xi32>
  return %r : tensor<2x20xi32>
}
