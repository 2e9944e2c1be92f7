// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of narrow operands keep them where the target has pairs of bf16 that
// pay; elsewhere kernels widen them, with the same roundings.
//
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-lower-precision))' | FileCheck %s -enable-var-scope
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-lower-precision{pairs=true}))' | FileCheck %s --check-prefix=PAIRS
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-lower-precision{explain=true}))' 2>&1 | FileCheck %s --check-prefix=REMARK

graph.param @w : tensor<64x32xf32>
graph.param @b : tensor<2x64x64xbf16>
graph.param @f : tensor<3x3x64x64xbf16>
graph.param @g : tensor<3x3x512x512xbf16>

// CHECK-LABEL: @dot
// CHECK-DAG: %[[N:.*]] = graph.convert %{{.*}} : tensor<64x32xf32> -> tensor<64x32xbf16>
// CHECK-DAG: %[[V:.*]] = graph.convert %[[N]] : tensor<64x32xbf16> -> tensor<64x32xf32>
// CHECK-DAG: %[[X:.*]] = graph.convert %{{.*}} : tensor<4x64xbf16> -> tensor<4x64xf32>
// CHECK: graph.dot_general %[[X]], %[[V]] {{.*}} -> tensor<4x32xf32>
// PAIRS-LABEL: @dot
// PAIRS: graph.dot_general {{.*}} : (tensor<4x64xbf16>, tensor<64x32xbf16>) -> tensor<4x32xf32>
// REMARK: precision: PRE201: fc: this target has no products of bf16: the same meaning, no faster
func.func @dot(%x: tensor<4x64xbf16>) -> tensor<4x32xf32> {
  %w = graph.get_param @w : tensor<64x32xf32>
  %n = graph.convert %w : tensor<64x32xf32> -> tensor<64x32xbf16>
  %r = graph.dot_general %x, %n <batching = [] x [], contracting = [1] x [0]> : (tensor<4x64xbf16>, tensor<64x32xbf16>) -> tensor<4x32xf32> loc("fc")
  return %r : tensor<4x32xf32>
}

// A narrow result is rounded once, behind the sum.
// CHECK-LABEL: @narrow_result
// CHECK: %[[S:.*]] = graph.dot_general {{.*}} -> tensor<4x32xf32>
// CHECK: graph.convert %[[S]] : tensor<4x32xf32> -> tensor<4x32xf16>
// PAIRS-LABEL: @narrow_result
// PAIRS: graph.dot_general {{.*}} -> tensor<4x32xf32>
func.func @narrow_result(%x: tensor<4x64xf16>, %y: tensor<64x32xf16>) -> tensor<4x32xf16> {
  %r = graph.dot_general %x, %y <batching = [] x [], contracting = [1] x [0]> : (tensor<4x64xf16>, tensor<64x32xf16>) -> tensor<4x32xf16>
  return %r : tensor<4x32xf16>
}

// Kernels of pairs have no form for batches, and for weights that depend on
// arguments. A single row reads less memory in pairs, too.
// PAIRS-LABEL: @other_forms
// PAIRS: graph.dot_general {{.*}} : (tensor<1x64xbf16>, tensor<64x32xbf16>) -> tensor<1x32xf32>
// PAIRS: graph.dot_general {{.*}} : (tensor<2x4x64xf32>, tensor<2x64x64xf32>) -> tensor<2x4x64xf32>
// PAIRS: graph.dot_general {{.*}} : (tensor<8x64xf32>, tensor<64x4xf32>) -> tensor<8x4xf32>
func.func @other_forms(%x: tensor<1x64xbf16>, %u: tensor<2x4x64xbf16>, %a: tensor<8x64xbf16>, %c: tensor<64x4xbf16>)
    -> (tensor<1x32xf32>, tensor<2x4x64xf32>, tensor<8x4xf32>) {
  %w = graph.get_param @w : tensor<64x32xf32>
  %n = graph.convert %w : tensor<64x32xf32> -> tensor<64x32xbf16>
  %0 = graph.dot_general %x, %n <batching = [] x [], contracting = [1] x [0]> : (tensor<1x64xbf16>, tensor<64x32xbf16>) -> tensor<1x32xf32>
  %b = graph.get_param @b : tensor<2x64x64xbf16>
  %1 = graph.dot_general %u, %b <batching = [0] x [0], contracting = [2] x [1]> : (tensor<2x4x64xbf16>, tensor<2x64x64xbf16>) -> tensor<2x4x64xf32>
  %2 = graph.dot_general %a, %c <batching = [] x [], contracting = [1] x [0]> : (tensor<8x64xbf16>, tensor<64x4xbf16>) -> tensor<8x4xf32>
  return %0, %1, %2 : tensor<1x32xf32>, tensor<2x4x64xf32>, tensor<8x4xf32>
}

// A 3x3 filter that Winograd multiplies in less time than pairs do, and one of
// so many channels for so few positions that its bytes decide.
// PAIRS-LABEL: @filters
// PAIRS: graph.convolution {{.*}} : (tensor<1x56x56x64xf32>, tensor<3x3x64x64xf32>) -> tensor<1x56x56x64xf32>
// PAIRS: graph.convolution {{.*}} : (tensor<1x7x7x512xbf16>, tensor<3x3x512x512xbf16>) -> tensor<1x7x7x512xf32>
func.func @filters(%x: tensor<1x56x56x64xbf16>, %y: tensor<1x7x7x512xbf16>) -> (tensor<1x56x56x64xf32>, tensor<1x7x7x512xf32>) {
  %f = graph.get_param @f : tensor<3x3x64x64xbf16>
  %g = graph.get_param @g : tensor<3x3x512x512xbf16>
  %0 = graph.convolution %x, %f <input = (0, 3, [1, 2]), kernel = (2, 3, [0, 1]), output = (0, 3, [1, 2])>
      strides [1, 1] low [1, 1] high [1, 1] input_dilation [1, 1] kernel_dilation [1, 1] groups 1
      : (tensor<1x56x56x64xbf16>, tensor<3x3x64x64xbf16>) -> tensor<1x56x56x64xf32>
  %1 = graph.convolution %y, %g <input = (0, 3, [1, 2]), kernel = (2, 3, [0, 1]), output = (0, 3, [1, 2])>
      strides [1, 1] low [1, 1] high [1, 1] input_dilation [1, 1] kernel_dilation [1, 1] groups 1
      : (tensor<1x7x7x512xbf16>, tensor<3x3x512x512xbf16>) -> tensor<1x7x7x512xf32>
  return %0, %1 : tensor<1x56x56x64xf32>, tensor<1x7x7x512xf32>
}
