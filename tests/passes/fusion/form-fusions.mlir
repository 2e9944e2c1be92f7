// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which ops become one kernel.
//
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-form-fusions))' | FileCheck %s -enable-var-scope

// CHECK-LABEL: @dot_bias_relu
// CHECK: %[[R:.*]] = graph.fusion contraction
// CHECK: %[[D:.*]] = graph.dot_general
// CHECK: graph.broadcast
// CHECK: %[[A:.*]] = graph.add %[[D]]
// CHECK: %[[M:.*]] = graph.max %[[A]]
// CHECK: graph.yield %[[M]]
// CHECK: return %[[R]]
func.func @dot_bias_relu(%x: tensor<2x3xf32>, %w: tensor<3x4xf32>, %b: tensor<4xf32>) -> tensor<2x4xf32> {
  %d = graph.dot_general %x, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  %bb = graph.broadcast %b [1] : tensor<4xf32> -> tensor<2x4xf32>
  %a = graph.add %d, %bb : tensor<2x4xf32>
  %z = graph.constant dense<0.0> : tensor<2x4xf32>
  %r = graph.max %a, %z : tensor<2x4xf32>
  return %r : tensor<2x4xf32>
}

// Stores follow the movement after the matmul; the residual is added in the matmul's own space.
// CHECK-LABEL: @epilogue_before_movement
// CHECK: graph.fusion contraction
// CHECK-SAME: -> tensor<?x3x4xf32>
// CHECK: %[[D:.*]] = graph.dot_general {{.*}} -> tensor<?x12xf32>
// CHECK: %[[X:.*]] = graph.reshape %{{.*}} : tensor<?x3x4xf32> -> tensor<?x12xf32>
// CHECK: %[[A:.*]] = graph.add %[[D]], %[[X]] : tensor<?x12xf32>
// CHECK: %[[R:.*]] = graph.reshape %[[A]]
// CHECK: graph.yield %[[R]]
// CHECK-NOT: graph.fusion
// CHECK: return
func.func @epilogue_before_movement(%x: tensor<?x8xf32> {graph.dims = ["n", "8"]}, %w: tensor<8x12xf32>, %y: tensor<?x3x4xf32> {graph.dims = ["n", "3", "4"]}) -> tensor<?x3x4xf32> {
  %n = graph.dim %x, 0 : tensor<?x8xf32>
  %d = graph.dot_general %x, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<?x8xf32>, tensor<8x12xf32>) -> tensor<?x12xf32>
  %s = graph.reshape %d [%n] : tensor<?x12xf32> -> tensor<?x3x4xf32>
  %r = graph.add %s, %y : tensor<?x3x4xf32>
  return %r : tensor<?x3x4xf32>
}

// Heads: splitting them is strided reading, merging them strided writing.
// CHECK-LABEL: @attention_heads
// CHECK: graph.fusion contraction
// CHECK-SAME: -> tensor<2x3x5x5xf32>
// CHECK: graph.fusion reduction
// CHECK: graph.fusion contraction
// CHECK-SAME: -> tensor<2x5x12xf32>
// CHECK: graph.dot_general
// CHECK: graph.transpose
// CHECK: graph.reshape
// CHECK: graph.yield
// CHECK-NOT: graph.fusion
// CHECK: return
func.func @attention_heads(%q0: tensor<2x5x12xf32>, %k0: tensor<2x5x12xf32>, %v0: tensor<2x5x12xf32>) -> tensor<2x5x12xf32> {
  %q1 = graph.reshape %q0 : tensor<2x5x12xf32> -> tensor<2x5x3x4xf32>
  %q = graph.transpose %q1 [0, 2, 1, 3] : tensor<2x5x3x4xf32> -> tensor<2x3x5x4xf32>
  %k1 = graph.reshape %k0 : tensor<2x5x12xf32> -> tensor<2x5x3x4xf32>
  %k = graph.transpose %k1 [0, 2, 3, 1] : tensor<2x5x3x4xf32> -> tensor<2x3x4x5xf32>
  %v1 = graph.reshape %v0 : tensor<2x5x12xf32> -> tensor<2x5x3x4xf32>
  %v = graph.transpose %v1 [0, 2, 1, 3] : tensor<2x5x3x4xf32> -> tensor<2x3x5x4xf32>
  %s = graph.dot_general %q, %k <batching = [0, 1] x [0, 1], contracting = [3] x [2]> : (tensor<2x3x5x4xf32>, tensor<2x3x4x5xf32>) -> tensor<2x3x5x5xf32>
  %p = graph.softmax %s [3] : tensor<2x3x5x5xf32>
  %o = graph.dot_general %p, %v <batching = [0, 1] x [0, 1], contracting = [3] x [2]> : (tensor<2x3x5x5xf32>, tensor<2x3x5x4xf32>) -> tensor<2x3x5x4xf32>
  %t = graph.transpose %o [0, 2, 1, 3] : tensor<2x3x5x4xf32> -> tensor<2x5x3x4xf32>
  %r = graph.reshape %t : tensor<2x5x3x4xf32> -> tensor<2x5x12xf32>
  return %r : tensor<2x5x12xf32>
}

// The sum has two readers: it is written by the norm's kernel as one more result.
// CHECK-LABEL: @residual_norm
// CHECK: %[[R:.*]]:2 = graph.fusion reduction
// CHECK: graph.reduce sum
// CHECK: graph.reduce sum
// CHECK-NOT: graph.layer_norm
// CHECK: graph.yield
// CHECK: graph.fusion contraction
func.func @residual_norm(%x: tensor<2x8xf32>, %y: tensor<2x8xf32>, %w: tensor<8x8xf32>) -> tensor<2x8xf32> {
  %s = graph.add %x, %y : tensor<2x8xf32>
  %n = graph.layer_norm %s {axis = 1 : i64, epsilon = 1.0e-5 : f64} : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %d = graph.dot_general %n, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<2x8xf32>, tensor<8x8xf32>) -> tensor<2x8xf32>
  %r = graph.add %d, %s : tensor<2x8xf32>
  return %r : tensor<2x8xf32>
}

// CHECK-LABEL: @masked_softmax
// CHECK: graph.fusion reduction
// CHECK: graph.select
// CHECK: graph.reduce max
// CHECK-NOT: graph.fusion
// CHECK: return
func.func @masked_softmax(%x: tensor<2x3x4xf32>, %m: tensor<2x4xi1>) -> tensor<2x3x4xf32> {
  %low = graph.constant dense<0xFF800000> : tensor<2x3x4xf32>
  %mm = graph.broadcast %m [0, 2] : tensor<2x4xi1> -> tensor<2x3x4xi1>
  %s = graph.select %mm, %x, %low : tensor<2x3x4xi1>, tensor<2x3x4xf32>
  %r = graph.softmax %s [2] : tensor<2x3x4xf32>
  return %r : tensor<2x3x4xf32>
}

// Global average: the division is of reduced shape, and so is the result.
// CHECK-LABEL: @average
// CHECK: graph.fusion reduction
// CHECK-SAME: -> tensor<2x8x1x1xf32>
// CHECK: graph.div
// CHECK-NOT: graph.fusion
// CHECK: return
func.func @average(%x: tensor<2x4x4x8xf32>) -> tensor<2x8x1x1xf32> {
  %s = graph.reduce sum, %x [1, 2] : tensor<2x4x4x8xf32> -> tensor<2x8xf32>
  %k = graph.reshape %s : tensor<2x8xf32> -> tensor<2x8x1x1xf32>
  %c = graph.constant dense<16.0> : tensor<2x8x1x1xf32>
  %r = graph.div %k, %c : tensor<2x8x1x1xf32>
  return %r : tensor<2x8x1x1xf32>
}

// The range of a row is a result beside what is computed from it: one pass finds
// both ends, another scales.
//
// CHECK-LABEL: @range_and_scaled_rows
// CHECK: graph.fusion reduction
// CHECK: graph.reduce max
// CHECK: graph.reduce min
// CHECK: graph.sub
// CHECK: graph.fusion pointwise
// CHECK: graph.div
// CHECK-NOT: graph.fusion
// CHECK: return
func.func @range_and_scaled_rows(%x: tensor<4x1000xf32>) -> (tensor<4x1000xf32>, tensor<4xf32>) {
  %high = graph.reduce max, %x [1] : tensor<4x1000xf32> -> tensor<4xf32>
  %low = graph.reduce min, %x [1] : tensor<4x1000xf32> -> tensor<4xf32>
  %range = graph.sub %high, %low : tensor<4xf32>
  %b = graph.broadcast %range [0] : tensor<4xf32> -> tensor<4x1000xf32>
  %r = graph.div %x, %b : tensor<4x1000xf32>
  return %r, %range : tensor<4x1000xf32>, tensor<4xf32>
}

// CHECK-LABEL: @two_statistics
// CHECK: graph.fusion reduction
// CHECK: graph.reduce sum
// CHECK: graph.reduce sum
// CHECK: graph.yield {{.*}} : tensor<2xf32>, tensor<2xf32>
// CHECK-NOT: graph.fusion
// CHECK: return
func.func @two_statistics(%x: tensor<2x8xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %q = graph.mul %x, %x : tensor<2x8xf32>
  %s = graph.reduce sum, %x [1] : tensor<2x8xf32> -> tensor<2xf32>
  %t = graph.reduce sum, %q [1] : tensor<2x8xf32> -> tensor<2xf32>
  return %s, %t : tensor<2xf32>, tensor<2xf32>
}

// CHECK-LABEL: @pooling_relu
// CHECK: graph.fusion window
// CHECK: graph.reduce_window
// CHECK: graph.max
// CHECK-NOT: graph.fusion
// CHECK: return
func.func @pooling_relu(%x: tensor<1x4x4x2xf32>) -> tensor<1x2x2x2xf32> {
  %p = graph.reduce_window max, %x window [1, 2, 2, 1] strides [1, 2, 2, 1] low [0, 0, 0, 0] high [0, 0, 0, 0]
      base_dilation [1, 1, 1, 1] dilation [1, 1, 1, 1] : tensor<1x4x4x2xf32> -> tensor<1x2x2x2xf32>
  %z = graph.constant dense<0.0> : tensor<1x2x2x2xf32>
  %r = graph.max %p, %z : tensor<1x2x2x2xf32>
  return %r : tensor<1x2x2x2xf32>
}

// The input is written as int8, which the window widens and shifts itself.
// CHECK-LABEL: @int8_window
// CHECK: %[[B:.*]] = graph.fusion pointwise {{.*}} -> tensor<1x4x4x2xui8>
// CHECK: graph.fusion window (%{{.*}} = %[[B]] : tensor<1x4x4x2xui8>)
// CHECK: graph.sub
// CHECK: graph.reduce_window
func.func @int8_window(%x: tensor<1x4x4x2xf32>) -> tensor<1x2x2x2xf32> {
  %b = graph.convert %x : tensor<1x4x4x2xf32> -> tensor<1x4x4x2xui8>
  %i = graph.convert %b : tensor<1x4x4x2xui8> -> tensor<1x4x4x2xi32>
  %z = graph.constant dense<3> : tensor<1x4x4x2xi32>
  %d = graph.sub %i, %z : tensor<1x4x4x2xi32>
  %f = graph.convert %d : tensor<1x4x4x2xi32> -> tensor<1x4x4x2xf32>
  %p = graph.reduce_window max, %f window [1, 2, 2, 1] strides [1, 2, 2, 1] low [0, 0, 0, 0] high [0, 0, 0, 0]
      base_dilation [1, 1, 1, 1] dilation [1, 1, 1, 1] : tensor<1x4x4x2xf32> -> tensor<1x2x2x2xf32>
  return %p : tensor<1x2x2x2xf32>
}

// CHECK-LABEL: @embedding
// CHECK: graph.fusion pointwise
// CHECK: graph.gather
// CHECK: graph.add
// CHECK-NOT: graph.fusion
// CHECK: return
func.func @embedding(%t: tensor<10x4xf32>, %i: tensor<3x1xi64>, %p: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %g = graph.gather %t, %i <offset = [1], collapsed = [0], batching = [] x [], index_map = [0], index_vector_dim = 1> sizes [1, 4]
      : (tensor<10x4xf32>, tensor<3x1xi64>) -> tensor<3x4xf32>
  %r = graph.add %g, %p : tensor<3x4xf32>
  return %r : tensor<3x4xf32>
}

// Neither of the two matmuls may wait for the other inside one kernel.
// CHECK-LABEL: @no_cycle
// CHECK: %[[A:.*]] = graph.fusion contraction
// CHECK: %[[B:.*]] = graph.fusion contraction {{.*}}%[[A]]
// CHECK: graph.add
// CHECK-NOT: graph.fusion
// CHECK: return
func.func @no_cycle(%x: tensor<4x4xf32>, %w: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %a = graph.dot_general %x, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %b = graph.dot_general %a, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %r = graph.add %b, %a : tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}

// A transpose that no reader can absorb is a copy.
// CHECK-LABEL: @copy
// CHECK: graph.fusion copy
// CHECK: graph.transpose
func.func @copy(%x: tensor<2x3xf32>) -> tensor<3x2xf32> {
  %r = graph.transpose %x [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>
  return %r : tensor<3x2xf32>
}

// Sums of shifted sums would be evaluated for each path: the chain is cut.
// CHECK-LABEL: @shift_chain
// CHECK: graph.fusion pointwise
// CHECK: graph.fusion pointwise
func.func @shift_chain(%x: tensor<32xf32>) -> tensor<32xf32> {
  %z = graph.constant dense<0.0> : tensor<f32>
  %p0 = graph.pad %x, %z [1] [-1] [0] : tensor<32xf32>, tensor<f32> -> tensor<32xf32>
  %x1 = graph.add %x, %p0 : tensor<32xf32>
  %p1 = graph.pad %x1, %z [1] [-1] [0] : tensor<32xf32>, tensor<f32> -> tensor<32xf32>
  %x2 = graph.add %x1, %p1 : tensor<32xf32>
  %p2 = graph.pad %x2, %z [1] [-1] [0] : tensor<32xf32>, tensor<f32> -> tensor<32xf32>
  %x3 = graph.add %x2, %p2 : tensor<32xf32>
  %p3 = graph.pad %x3, %z [1] [-1] [0] : tensor<32xf32>, tensor<f32> -> tensor<32xf32>
  %x4 = graph.add %x3, %p3 : tensor<32xf32>
  %p4 = graph.pad %x4, %z [1] [-1] [0] : tensor<32xf32>, tensor<f32> -> tensor<32xf32>
  %x5 = graph.add %x4, %p4 : tensor<32xf32>
  %p5 = graph.pad %x5, %z [1] [-1] [0] : tensor<32xf32>, tensor<f32> -> tensor<32xf32>
  %x6 = graph.add %x5, %p5 : tensor<32xf32>
  return %x6 : tensor<32xf32>
}

// Both readers of the reshaped matmul join: silu after a reshape.
// CHECK-LABEL: @silu_after_reshape
// CHECK: graph.fusion contraction
// CHECK: graph.logistic
// CHECK: graph.mul
// CHECK-NOT: graph.fusion
// CHECK: return
func.func @silu_after_reshape(%x: tensor<2x8xf32>, %w: tensor<8x12xf32>) -> tensor<2x3x4xf32> {
  %d = graph.dot_general %x, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<2x8xf32>, tensor<8x12xf32>) -> tensor<2x12xf32>
  %s = graph.reshape %d : tensor<2x12xf32> -> tensor<2x3x4xf32>
  %g = graph.logistic %s : tensor<2x3x4xf32>
  %r = graph.mul %s, %g : tensor<2x3x4xf32>
  return %r : tensor<2x3x4xf32>
}

// An operand that is read with strides has no tiles that a kernel could transpose in registers: it is put in order first.
// CHECK-LABEL: @transposed_after_strides
// CHECK: %[[ORDERED:.*]] = graph.fusion pointwise (%{{.*}} = %arg0
// CHECK: graph.abs
// CHECK: graph.yield {{.*}} : tensor<8x8x64xf32>
// CHECK: graph.fusion pointwise (%{{.*}} = %[[ORDERED]]
// CHECK: graph.neg
// CHECK: graph.transpose {{.*}} [2, 0, 1]
func.func @transposed_after_strides(%x: tensor<4x4x256xf32>) -> tensor<64x8x8xf32> {
  %0 = graph.reshape %x : tensor<4x4x256xf32> -> tensor<4x4x2x2x64xf32>
  %1 = graph.transpose %0 [0, 2, 1, 3, 4] : tensor<4x4x2x2x64xf32> -> tensor<4x2x4x2x64xf32>
  %2 = graph.reshape %1 : tensor<4x2x4x2x64xf32> -> tensor<8x8x64xf32>
  %3 = graph.abs %2 : tensor<8x8x64xf32>
  %4 = graph.neg %3 : tensor<8x8x64xf32>
  %5 = graph.transpose %4 [2, 0, 1] : tensor<8x8x64xf32> -> tensor<64x8x8xf32>
  return %5 : tensor<64x8x8xf32>
}

// The phases of a transposed convolution, its columns, are interleaved in space
// by its stores, contiguous channels at a time.
// CHECK-LABEL: @phases_apart
// CHECK: graph.fusion contraction
// CHECK: graph.convolution
// CHECK: graph.add
// CHECK: graph.transpose {{.*}} [0, 1, 3, 2, 4, 5]
// CHECK: graph.yield
// CHECK-NOT: graph.fusion
func.func @phases_apart(%x: tensor<1x4x4x16xf32>, %w: tensor<1x1x16x64xf32>, %b: tensor<16xf32>) -> tensor<1x8x8x16xf32> {
  %0 = graph.convolution %x, %w <input = (0, 3, [1, 2]), kernel = (2, 3, [0, 1]), output = (0, 3, [1, 2])>
      strides [1, 1] low [0, 0] high [0, 0] input_dilation [1, 1] kernel_dilation [1, 1] groups 1
      : (tensor<1x4x4x16xf32>, tensor<1x1x16x64xf32>) -> tensor<1x4x4x64xf32>
  %1 = graph.reshape %0 : tensor<1x4x4x64xf32> -> tensor<1x4x4x2x2x16xf32>
  %2 = graph.transpose %1 [0, 1, 3, 2, 4, 5] : tensor<1x4x4x2x2x16xf32> -> tensor<1x4x2x4x2x16xf32>
  %3 = graph.reshape %2 : tensor<1x4x2x4x2x16xf32> -> tensor<1x8x8x16xf32>
  %4 = graph.broadcast %b [3] : tensor<16xf32> -> tensor<1x8x8x16xf32>
  %5 = graph.add %3, %4 : tensor<1x8x8x16xf32>
  return %5 : tensor<1x8x8x16xf32>
}
