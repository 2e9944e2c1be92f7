// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products whose number of rows only the run knows take narrow panels, which wide tiles read two at a time; weights
// that are widened keep wide ones.
//
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-pack-parameters{panel=64}))' | FileCheck %s -enable-var-scope
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-pack-parameters{panel=16}))' | FileCheck %s -enable-var-scope --check-prefix=SHORT

graph.param @w : tensor<8x128xf32>
graph.param @h : tensor<8x128xbf16>

// CHECK-LABEL: @any_rows
// CHECK: graph.transpose {{.*}} -> tensor<4x8x32xf32>
// SHORT-LABEL: @any_rows
// SHORT: graph.transpose {{.*}} -> tensor<8x8x16xf32>
func.func @any_rows(%x: tensor<?x8xf32> {graph.dims = ["n", "8"]}) -> tensor<?x128xf32> {
  %w = graph.get_param @w : tensor<8x128xf32>
  %r = graph.dot_general %x, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<?x8xf32>, tensor<8x128xf32>) -> tensor<?x128xf32>
  return %r : tensor<?x128xf32>
}

// CHECK-LABEL: @widened_weights
// CHECK: graph.transpose {{.*}} -> tensor<2x8x64xbf16>
func.func @widened_weights(%x: tensor<?x8xf32> {graph.dims = ["n", "8"]}) -> tensor<?x128xf32> {
  %h = graph.get_param @h : tensor<8x128xbf16>
  %w = graph.convert %h : tensor<8x128xbf16> -> tensor<8x128xf32>
  %r = graph.dot_general %x, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<?x8xf32>, tensor<8x128xf32>) -> tensor<?x128xf32>
  return %r : tensor<?x128xf32>
}
