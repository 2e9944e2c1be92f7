// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels with an epilogue store one number per element: complex results are
// put together by a kernel of their own.
//
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-form-fusions))' | FileCheck %s -enable-var-scope

// CHECK-LABEL: @sums_of_parts
// CHECK: graph.fusion reduction
// CHECK: graph.fusion pointwise {{.*}} -> tensor<2xcomplex<f32>>
// CHECK: graph.complex
func.func @sums_of_parts(%x: tensor<3x2xf32>, %y: tensor<3x2xf32>) -> tensor<2xcomplex<f32>> {
  %r = graph.reduce sum, %x [0] : tensor<3x2xf32> -> tensor<2xf32>
  %i = graph.reduce sum, %y [0] : tensor<3x2xf32> -> tensor<2xf32>
  %c = graph.complex %r, %i : tensor<2xf32> -> tensor<2xcomplex<f32>>
  return %c : tensor<2xcomplex<f32>>
}

// CHECK-LABEL: @products_of_parts
// CHECK: graph.fusion contraction {{.*}} -> tensor<3x4xf32>
// CHECK: graph.fusion pointwise {{.*}} -> tensor<3x4xcomplex<f32>>
func.func @products_of_parts(%x: tensor<3x2xf32>, %y: tensor<2x4xf32>, %z: tensor<3x4xf32>) -> tensor<3x4xcomplex<f32>> {
  %m = graph.dot_general %x, %y <batching = [] x [], contracting = [1] x [0]> : (tensor<3x2xf32>, tensor<2x4xf32>) -> tensor<3x4xf32>
  %c = graph.complex %m, %z : tensor<3x4xf32> -> tensor<3x4xcomplex<f32>>
  return %c : tensor<3x4xcomplex<f32>>
}
