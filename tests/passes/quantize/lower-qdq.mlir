// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integers times scales are multiplied as integers; the sums are scaled.
//
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-lower-qdq))' | FileCheck %s -enable-var-scope

graph.param @w : tensor<8x20xi8>
graph.param @long : tensor<40000x2xi8>
graph.param @s : tensor<20xf32>
graph.param @k : tensor<20x4x3x3xi8>
graph.param @d : tensor<4x1x3x3xi8>

// CHECK-LABEL: @dot
// CHECK: %[[P:.*]] = graph.dot_general %{{.*}}, %{{.*}} : (tensor<?x8xi32>, tensor<8x20xi32>) -> tensor<?x20xi32>
// CHECK: %[[F:.*]] = graph.convert %[[P]] : tensor<?x20xi32> -> tensor<?x20xf32>
// CHECK: %[[X:.*]] = graph.broadcast %{{.*}} [] : tensor<f32> -> tensor<20xf32>
// CHECK: %[[M:.*]] = graph.mul %[[X]], %{{.*}} : tensor<20xf32>
// CHECK: %[[S:.*]] = graph.broadcast %[[M]] [1]
// CHECK: %[[R:.*]] = graph.mul %[[F]], %[[S]]
// CHECK: return %[[R]]
func.func @dot(%x: tensor<?x8xui8> {graph.dims = ["n", "8"]}, %scale: tensor<f32>) -> tensor<?x20xf32> {
  %w = graph.get_param @w : tensor<8x20xi8>
  %s = graph.get_param @s : tensor<20xf32>
  %n = graph.dim %x, 0 : tensor<?x8xui8>
  %xf = graph.convert %x : tensor<?x8xui8> -> tensor<?x8xf32>
  %xs = graph.broadcast %scale [] [%n] : tensor<f32> -> tensor<?x8xf32>
  %a = graph.mul %xf, %xs : tensor<?x8xf32>
  %wf = graph.convert %w : tensor<8x20xi8> -> tensor<8x20xf32>
  %ws = graph.broadcast %s [1] : tensor<20xf32> -> tensor<8x20xf32>
  %b = graph.mul %ws, %wf : tensor<8x20xf32>
  %r = graph.dot_general %a, %b <batching = [] x [], contracting = [1] x [0]> : (tensor<?x8xf32>, tensor<8x20xf32>) -> tensor<?x20xf32>
  return %r : tensor<?x20xf32>
}

// CHECK-LABEL: @convolution
// CHECK: graph.convolution {{.*}} -> tensor<1x20x4x4xi32>
// CHECK: graph.broadcast %{{.*}} [1] : tensor<20xf32> -> tensor<1x20x4x4xf32>
func.func @convolution(%x: tensor<1x4x4x4xi8>) -> tensor<1x20x4x4xf32> {
  %k = graph.get_param @k : tensor<20x4x3x3xi8>
  %s = graph.get_param @s : tensor<20xf32>
  %c = graph.constant dense<0.5> : tensor<1x4x4x4xf32>
  %xf = graph.convert %x : tensor<1x4x4x4xi8> -> tensor<1x4x4x4xf32>
  %a = graph.mul %xf, %c : tensor<1x4x4x4xf32>
  %kf = graph.convert %k : tensor<20x4x3x3xi8> -> tensor<20x4x3x3xf32>
  %column = graph.reshape %s : tensor<20xf32> -> tensor<20x1x1x1xf32>
  %ks = graph.broadcast %column [0, 1, 2, 3] : tensor<20x1x1x1xf32> -> tensor<20x4x3x3xf32>
  %b = graph.mul %kf, %ks : tensor<20x4x3x3xf32>
  %r = graph.convolution %a, %b <input = (0, 1, [2, 3]), kernel = (1, 0, [2, 3]), output = (0, 1, [2, 3])>
      strides [1, 1] low [1, 1] high [1, 1] input_dilation [1, 1] kernel_dilation [1, 1] groups 1
      : (tensor<1x4x4x4xf32>, tensor<20x4x3x3xf32>) -> tensor<1x20x4x4xf32>
  return %r : tensor<1x20x4x4xf32>
}

// Depthwise convolutions stay in f32, which holds their sums exactly;
// the division by the next scale divides the scales and the bias instead.
// CHECK-LABEL: @depthwise
// CHECK: %[[P:.*]] = graph.convolution {{.*}} -> tensor<1x4x4x4xf32>
// CHECK: %[[S:.*]] = graph.div %{{.*}}, %{{.*}} : tensor<4xf32>
// CHECK: %[[B:.*]] = graph.broadcast %[[S]] [1]
// CHECK: %[[M:.*]] = graph.mul %[[P]], %[[B]]
// CHECK: %[[O:.*]] = graph.div %{{.*}}, %{{.*}} : tensor<4xf32>
// CHECK: %[[C:.*]] = graph.broadcast %[[O]] [1]
// CHECK: %[[A:.*]] = graph.add %[[M]], %[[C]]
// CHECK: graph.round_even %[[A]]
func.func @depthwise(%x: tensor<1x4x4x4xui8>) -> tensor<1x4x4x4xf32> {
  %k = graph.get_param @d : tensor<4x1x3x3xi8>
  %c = graph.constant dense<0.5> : tensor<1x4x4x4xf32>
  %xf = graph.convert %x : tensor<1x4x4x4xui8> -> tensor<1x4x4x4xf32>
  %a = graph.mul %xf, %c : tensor<1x4x4x4xf32>
  %kf = graph.convert %k : tensor<4x1x3x3xi8> -> tensor<4x1x3x3xf32>
  %s = graph.constant dense<[0.5, 0.25, 1.0, 2.0]> : tensor<4xf32>
  %ks = graph.broadcast %s [0] : tensor<4xf32> -> tensor<4x1x3x3xf32>
  %b = graph.mul %kf, %ks : tensor<4x1x3x3xf32>
  %p = graph.convolution %a, %b <input = (0, 1, [2, 3]), kernel = (1, 0, [2, 3]), output = (0, 1, [2, 3])>
      strides [1, 1] low [1, 1] high [1, 1] input_dilation [1, 1] kernel_dilation [1, 1] groups 4
      : (tensor<1x4x4x4xf32>, tensor<4x1x3x3xf32>) -> tensor<1x4x4x4xf32>
  %o = graph.broadcast %s [1] : tensor<4xf32> -> tensor<1x4x4x4xf32>
  %q = graph.add %p, %o : tensor<1x4x4x4xf32>
  %n = graph.constant dense<0.03> : tensor<1x4x4x4xf32>
  %h = graph.div %q, %n : tensor<1x4x4x4xf32>
  %r = graph.round_even %h : tensor<1x4x4x4xf32>
  return %r : tensor<1x4x4x4xf32>
}

// A scale per row of the weights is part of the sums.
// CHECK-LABEL: @scale_inside_stays
// CHECK: graph.dot_general {{.*}} -> tensor<2x20xf32>
func.func @scale_inside_stays(%x: tensor<2x8xi8>, %s: tensor<8xf32>) -> tensor<2x20xf32> {
  %w = graph.get_param @w : tensor<8x20xi8>
  %xf = graph.convert %x : tensor<2x8xi8> -> tensor<2x8xf32>
  %xs = graph.broadcast %s [1] : tensor<8xf32> -> tensor<2x8xf32>
  %a = graph.mul %xf, %xs : tensor<2x8xf32>
  %c = graph.constant dense<0.5> : tensor<8x20xf32>
  %wf = graph.convert %w : tensor<8x20xi8> -> tensor<8x20xf32>
  %b = graph.mul %wf, %c : tensor<8x20xf32>
  %r = graph.dot_general %a, %b <batching = [] x [], contracting = [1] x [0]> : (tensor<2x8xf32>, tensor<8x20xf32>) -> tensor<2x20xf32>
  return %r : tensor<2x20xf32>
}

// 40000 products of 16 and 8 bits could overflow 32 bits.
// CHECK-LABEL: @long_sums_stay
// CHECK: graph.dot_general {{.*}} -> tensor<2x2xf32>
func.func @long_sums_stay(%x: tensor<2x40000xi16>) -> tensor<2x2xf32> {
  %w = graph.get_param @long : tensor<40000x2xi8>
  %c = graph.constant dense<0.5> : tensor<2x40000xf32>
  %xf = graph.convert %x : tensor<2x40000xi16> -> tensor<2x40000xf32>
  %a = graph.mul %xf, %c : tensor<2x40000xf32>
  %d = graph.constant dense<0.5> : tensor<40000x2xf32>
  %wf = graph.convert %w : tensor<40000x2xi8> -> tensor<40000x2xf32>
  %b = graph.mul %wf, %d : tensor<40000x2xf32>
  %r = graph.dot_general %a, %b <batching = [] x [], contracting = [1] x [0]> : (tensor<2x40000xf32>, tensor<40000x2xf32>) -> tensor<2x2xf32>
  return %r : tensor<2x2xf32>
}
