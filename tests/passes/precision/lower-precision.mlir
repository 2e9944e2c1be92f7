// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Weights of matmuls and convolutions are rounded once and widened by their
// readers.
//
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-lower-precision))' | FileCheck %s -enable-var-scope
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-lower-precision{activations=true}))' | FileCheck %s --check-prefix=BOTH -enable-var-scope
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-lower-precision{type=f16}))' | FileCheck %s --check-prefix=F16
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-lower-precision{explain=true}))' 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: not zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-lower-precision{type=f8}))' 2>&1 | FileCheck %s --check-prefix=TYPE
// TYPE: type: got f8, expected bf16 or f16

graph.param @w : tensor<64x32xf32>
graph.param @k : tensor<3x3x8x32xf32>
graph.param @d : tensor<64x64xf64>
graph.param @b : tensor<2x64x64xf32>
graph.param @s : tensor<4x4xf32>

// CHECK-LABEL: @dot
// CHECK: %[[W:.*]] = graph.get_param @w
// CHECK: %[[N:.*]] = graph.convert %[[W]] : tensor<64x32xf32> -> tensor<64x32xbf16>
// CHECK: %[[V:.*]] = graph.convert %[[N]] : tensor<64x32xbf16> -> tensor<64x32xf32>
// CHECK: graph.dot_general %{{.*}}, %[[V]]
// BOTH-LABEL: @dot
// BOTH-DAG: %[[N:.*]] = graph.convert %{{.*}} : tensor<64x32xf32> -> tensor<64x32xbf16>
// BOTH-DAG: %[[X:.*]] = graph.convert %{{.*}} : tensor<4x64xf32> -> tensor<4x64xbf16>
// BOTH: graph.dot_general %[[X]], %[[N]] {{.*}} : (tensor<4x64xbf16>, tensor<64x32xbf16>) -> tensor<4x32xf32>
// F16-LABEL: @dot
// F16: graph.convert %{{.*}} : tensor<64x32xf32> -> tensor<64x32xf16>
// REMARK: precision: PRE001: the weights are stored as bf16 in 4096 bytes instead of 8192
func.func @dot(%x: tensor<4x64xf32>) -> tensor<4x32xf32> {
  %w = graph.get_param @w : tensor<64x32xf32>
  %r = graph.dot_general %x, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<4x64xf32>, tensor<64x32xf32>) -> tensor<4x32xf32>
  return %r : tensor<4x32xf32>
}

// A single row gains nothing from being rounded.
// BOTH-LABEL: @one_row
// BOTH: graph.dot_general {{.*}} : (tensor<1x64xf32>, tensor<64x32xf32>)
func.func @one_row(%x: tensor<1x64xf32>) -> tensor<1x32xf32> {
  %w = graph.get_param @w : tensor<64x32xf32>
  %r = graph.dot_general %x, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<1x64xf32>, tensor<64x32xf32>) -> tensor<1x32xf32>
  return %r : tensor<1x32xf32>
}

// CHECK-LABEL: @convolution
// CHECK: graph.convert %{{.*}} : tensor<3x3x8x32xf32> -> tensor<3x3x8x32xbf16>
// CHECK: %[[V:.*]] = graph.convert %{{.*}} : tensor<3x3x8x32xbf16> -> tensor<3x3x8x32xf32>
// CHECK: graph.convolution %{{.*}}, %[[V]]
func.func @convolution(%x: tensor<1x4x4x8xf32>) -> tensor<1x4x4x32xf32> {
  %k = graph.get_param @k : tensor<3x3x8x32xf32>
  %r = graph.convolution %x, %k <input = (0, 3, [1, 2]), kernel = (2, 3, [0, 1]), output = (0, 3, [1, 2])>
      strides [1, 1] low [1, 1] high [1, 1] input_dilation [1, 1] kernel_dilation [1, 1] groups 1
      : (tensor<1x4x4x8xf32>, tensor<3x3x8x32xf32>) -> tensor<1x4x4x32xf32>
  return %r : tensor<1x4x4x32xf32>
}

// The transformed filter is no operand of a matmul.
// CHECK-LABEL: @transformed
// CHECK-NOT: graph.convert
// REMARK: PRE105: the filter is stored transformed for Winograd convolution
func.func @transformed(%x: tensor<1x4x4x8xf32>) -> tensor<1x4x4x32xf32> {
  %k = graph.get_param @k : tensor<3x3x8x32xf32>
  %r = graph.convolution %x, %k <input = (0, 3, [1, 2]), kernel = (2, 3, [0, 1]), output = (0, 3, [1, 2])>
      strides [1, 1] low [1, 1] high [1, 1] input_dilation [1, 1] kernel_dilation [1, 1] groups 1 {graph.winograd_tile = 2}
      : (tensor<1x4x4x8xf32>, tensor<3x3x8x32xf32>) -> tensor<1x4x4x32xf32>
  return %r : tensor<1x4x4x32xf32>
}

// CHECK-LABEL: @stay
// CHECK-NOT: graph.convert
// REMARK: PRE102: the weights depend on arguments
// REMARK: PRE101: the operands are not f32
// REMARK: PRE104: the contraction is batched or grouped
// REMARK: PRE103: the weights have 64 bytes only
func.func @stay(%x: tensor<4x64xf32>, %y: tensor<64x64xf32>, %z: tensor<4x64xf64>, %u: tensor<2x4x64xf32>, %v: tensor<4x4xf32>)
    -> (tensor<4x64xf32>, tensor<4x64xf64>, tensor<2x4x64xf32>, tensor<4x4xf32>) {
  %0 = graph.dot_general %x, %y <batching = [] x [], contracting = [1] x [0]> : (tensor<4x64xf32>, tensor<64x64xf32>) -> tensor<4x64xf32>
  %d = graph.get_param @d : tensor<64x64xf64>
  %1 = graph.dot_general %z, %d <batching = [] x [], contracting = [1] x [0]> : (tensor<4x64xf64>, tensor<64x64xf64>) -> tensor<4x64xf64>
  %b = graph.get_param @b : tensor<2x64x64xf32>
  %2 = graph.dot_general %u, %b <batching = [0] x [0], contracting = [2] x [1]> : (tensor<2x4x64xf32>, tensor<2x64x64xf32>) -> tensor<2x4x64xf32>
  %s = graph.get_param @s : tensor<4x4xf32>
  %3 = graph.dot_general %v, %s <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0, %1, %2, %3 : tensor<4x64xf32>, tensor<4x64xf64>, tensor<2x4x64xf32>, tensor<4x4xf32>
}
