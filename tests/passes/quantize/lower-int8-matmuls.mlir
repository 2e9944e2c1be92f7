// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dot products of four bytes are unsigned on the left; zero points become a
// correction by the sums of the weights' columns.
//
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-lower-int8-matmuls,zenith-lower-int16-matmuls{keep-int8},zenith-pack-matmuls{panel=16 group=4},zenith-pack-filters{panel=16 group=4}))' | FileCheck %s -enable-var-scope

graph.param @w : tensor<8x16xi8>
graph.param @seven : tensor<7x16xi8>
graph.param @kernel : tensor<3x4x16xi8>
graph.param @channels : tensor<7x3x16xi8>

// CHECK-LABEL: @zero_point
// CHECK-DAG: %[[P:.*]] = graph.transpose %{{.*}} [2, 0, 3, 1] : tensor<2x4x1x16xi8> -> tensor<1x2x16x4xi8>
// CHECK-DAG: %[[R:.*]] = graph.dot_general {{.*}} : (tensor<2x8xi32>, tensor<8x16xi32>) -> tensor<2x16xi32>
// CHECK-DAG: %[[S:.*]] = graph.reduce sum, %{{.*}} [0] : tensor<8x16xi32> -> tensor<16xi32>
// CHECK-DAG: %[[C:.*]] = graph.broadcast %{{.*}} [1] : tensor<16xi32> -> tensor<2x16xi32>
// CHECK: %[[Y:.*]] = graph.sub %{{.*}}, %[[C]]
// CHECK: return %[[Y]]
func.func @zero_point(%x: tensor<2x8xui8>, %zero: tensor<ui8>) -> tensor<2x16xi32> {
  %w = graph.get_param @w : tensor<8x16xi8>
  %a = graph.convert %x : tensor<2x8xui8> -> tensor<2x8xi32>
  %z = graph.convert %zero : tensor<ui8> -> tensor<i32>
  %zs = graph.broadcast %z [] : tensor<i32> -> tensor<2x8xi32>
  %s = graph.sub %a, %zs : tensor<2x8xi32>
  %b = graph.convert %w : tensor<8x16xi8> -> tensor<8x16xi32>
  %r = graph.dot_general %s, %b <batching = [] x [], contracting = [1] x [0]> : (tensor<2x8xi32>, tensor<8x16xi32>) -> tensor<2x16xi32>
  return %r : tensor<2x16xi32>
}

// 128 is added to signed bytes.
// CHECK-LABEL: @signed
// CHECK: graph.add %{{.*}} : tensor<2x8xi32>
// CHECK: graph.convert %{{.*}} : tensor<2x8xi32> -> tensor<2x8xui8>
// CHECK: graph.reduce sum
func.func @signed(%x: tensor<2x8xi8>) -> tensor<2x16xi32> {
  %w = graph.get_param @w : tensor<8x16xi8>
  %a = graph.convert %x : tensor<2x8xi8> -> tensor<2x8xi32>
  %b = graph.convert %w : tensor<8x16xi8> -> tensor<8x16xi32>
  %r = graph.dot_general %a, %b <batching = [] x [], contracting = [1] x [0]> : (tensor<2x8xi32>, tensor<8x16xi32>) -> tensor<2x16xi32>
  return %r : tensor<2x16xi32>
}

// The padding is the zero point before that is subtracted.
// CHECK-LABEL: @padded
// CHECK-SAME: (%[[X:.*]]: tensor<1x5x4xui8>, %[[ZERO:.*]]: tensor<ui8>)
// CHECK: %[[PADDED:.*]] = graph.pad %[[X]], %[[ZERO]] [0, 1, 0] [0, 2, 0] [0, 1, 0] : tensor<1x5x4xui8>, tensor<ui8> -> tensor<1x12x4xui8>
// CHECK: %[[LEFT:.*]] = graph.convert %[[PADDED]]
// CHECK: %[[R:.*]] = graph.convolution %[[LEFT]], {{.*}} strides [1] low [0] high [0] input_dilation [1]
// CHECK: graph.sub %[[R]]
func.func @padded(%x: tensor<1x5x4xui8>, %zero: tensor<ui8>) -> tensor<1x10x16xi32> {
  %w = graph.get_param @kernel : tensor<3x4x16xi8>
  %a = graph.convert %x : tensor<1x5x4xui8> -> tensor<1x5x4xi32>
  %z = graph.convert %zero : tensor<ui8> -> tensor<i32>
  %zs = graph.broadcast %z [] : tensor<i32> -> tensor<1x5x4xi32>
  %s = graph.sub %a, %zs : tensor<1x5x4xi32>
  %b = graph.convert %w : tensor<3x4x16xi8> -> tensor<3x4x16xi32>
  %r = graph.convolution %s, %b <input = (0, 2, [1]), kernel = (1, 2, [0]), output = (0, 2, [1])> strides [1] low [1] high [2] input_dilation [2] kernel_dilation [1] groups 1 : (tensor<1x5x4xi32>, tensor<3x4x16xi32>) -> tensor<1x10x16xi32>
  return %r : tensor<1x10x16xi32>
}

// Three input channels are padded by a fourth, whose weights are zeros.
// CHECK-LABEL: @three_channels
// CHECK-DAG: graph.pad %{{.*}} [0, 0, 0] [0, 0, 1] [0, 0, 0] : tensor<1x9x3xui8>, tensor<ui8> -> tensor<1x9x4xui8>
// CHECK-DAG: graph.pad %{{.*}} [0, 0, 0] [0, 1, 0] [0, 0, 0] : tensor<7x3x16xi8>, tensor<i8> -> tensor<7x4x16xi8>
// CHECK: graph.convolution {{.*}} : (tensor<1x9x4xi32>, tensor<7x4x16xi32>) -> tensor<1x3x16xi32>
func.func @three_channels(%x: tensor<1x9x3xui8>) -> tensor<1x3x16xi32> {
  %w = graph.get_param @channels : tensor<7x3x16xi8>
  %a = graph.convert %x : tensor<1x9x3xui8> -> tensor<1x9x3xi32>
  %b = graph.convert %w : tensor<7x3x16xi8> -> tensor<7x3x16xi32>
  %r = graph.convolution %a, %b <input = (0, 2, [1]), kernel = (1, 2, [0]), output = (0, 2, [1])> strides [1] low [0] high [0] input_dilation [1] kernel_dilation [1] groups 1 : (tensor<1x9x3xi32>, tensor<7x3x16xi32>) -> tensor<1x3x16xi32>
  return %r : tensor<1x3x16xi32>
}

// Short sums whose K no four divides are multiplied in pairs of 16 bits.
// CHECK-LABEL: @odd
// CHECK: graph.transpose %{{.*}} [2, 0, 3, 1] : tensor<4x2x1x16xi8> -> tensor<1x4x16x2xi8>
func.func @odd(%x: tensor<2x7xui8>) -> tensor<2x16xi32> {
  %w = graph.get_param @seven : tensor<7x16xi8>
  %a = graph.convert %x : tensor<2x7xui8> -> tensor<2x7xi32>
  %b = graph.convert %w : tensor<7x16xi8> -> tensor<7x16xi32>
  %r = graph.dot_general %a, %b <batching = [] x [], contracting = [1] x [0]> : (tensor<2x7xi32>, tensor<7x16xi32>) -> tensor<2x16xi32>
  return %r : tensor<2x16xi32>
}

// Cholesky factorizations have one operand.
// CHECK-LABEL: @factor
// CHECK-NEXT: graph.cholesky
func.func @factor(%x: tensor<3x3xf32>) -> tensor<3x3xf32> {
  %l = graph.cholesky %x : (tensor<3x3xf32>) -> tensor<3x3xf32>
  return %l : tensor<3x3xf32>
}
