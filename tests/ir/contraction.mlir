// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text, generic and bytecode forms of the contraction family.
//
// RUN: zenith-opt %s | zenith-opt | FileCheck %s
// RUN: zenith-opt %s --mlir-print-op-generic | zenith-opt | FileCheck %s
// RUN: zenith-opt %s --emit-bytecode | zenith-opt | FileCheck %s

func.func @dot_general(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>, %a: tensor<?x5x6xi8>, %b: tensor<?x6x7xi8>) {
  // CHECK: graph.dot_general %{{.*}}, %{{.*}} <batching = [] x [], contracting = [1] x [0]> : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  %r = graph.dot_general %x, %y <batching = [] x [], contracting = [1] x [0]> : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  // CHECK: graph.dot_general %{{.*}}, %{{.*}} <batching = [0] x [0], contracting = [2] x [1]> : (tensor<?x5x6xi8>, tensor<?x6x7xi8>) -> tensor<?x5x7xi32>
  %s = graph.dot_general %a, %b <batching = [0] x [0], contracting = [2] x [1]> : (tensor<?x5x6xi8>, tensor<?x6x7xi8>) -> tensor<?x5x7xi32>
  return
}

func.func @convolution(%x: tensor<1x2x8xf32>, %w: tensor<4x2x3xf32>) {
  // CHECK: graph.convolution %{{.*}}, %{{.*}} <input = (0, 1, [2]), kernel = (1, 0, [2]), output = (0, 1, [2])> strides [1] low [1] high [1] input_dilation [1] kernel_dilation [1] groups 1 : (tensor<1x2x8xf32>, tensor<4x2x3xf32>) -> tensor<1x4x8xf32>
  %r = graph.convolution %x, %w <input = (0, 1, [2]), kernel = (1, 0, [2]), output = (0, 1, [2])> strides [1] low [1] high [1] input_dilation [1] kernel_dilation [1] groups 1 : (tensor<1x2x8xf32>, tensor<4x2x3xf32>) -> tensor<1x4x8xf32>
  return
}
