// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text, generic and bytecode forms of the collective family.
//
// RUN: zenith-opt %s | zenith-opt | FileCheck %s
// RUN: zenith-opt %s --mlir-print-op-generic | zenith-opt | FileCheck %s
// RUN: zenith-opt %s --emit-bytecode | zenith-opt | FileCheck %s

graph.mesh @mesh = <["x"=2, "y"=4]>

// CHECK-LABEL: @reductions
func.func @reductions(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x2xf32>) {
  // CHECK: graph.all_reduce(%{{.*}}) kind <sum> axes @mesh ["x", "y:(1)2"]
  %a = graph.all_reduce (%x) kind <sum> axes @mesh ["x", "y:(1)2"] : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: graph.all_reduce(%{{.*}}) groups dense<{{.*}}[0, 1], [2, -1]{{.*}}> : tensor<2x2xi64> {
  // CHECK: graph.sub
  %b = graph.all_reduce (%x) groups dense<[[0, 1], [2, -1]]> : tensor<2x2xi64> {
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %s = graph.sub %l, %r : tensor<f32>
    graph.yield %s : tensor<f32>
  } : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: graph.reduce_scatter(%{{.*}}) dim 1 kind <max> axes @mesh ["y"]
  %c = graph.reduce_scatter (%x) dim 1 kind <max> axes @mesh ["y"] : (tensor<4x8xf32>) -> tensor<4x2xf32>
  return %a, %b, %c : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x2xf32>
}

// CHECK-LABEL: @exchanges
func.func @exchanges(%x: tensor<4x8xf32>) -> (tensor<8x8xf32>, tensor<16x2xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<i64>) {
  // CHECK: graph.all_gather(%{{.*}}) dim 0 axes @mesh ["x"]
  %a = graph.all_gather (%x) dim 0 axes @mesh ["x"] : (tensor<4x8xf32>) -> tensor<8x8xf32>
  // CHECK: graph.all_to_all(%{{.*}}) split 1 concat 0 count 4 axes @mesh ["y"]
  %b = graph.all_to_all (%x) split 1 concat 0 count 4 axes @mesh ["y"] : (tensor<4x8xf32>) -> tensor<16x2xf32>
  // CHECK: graph.collective_permute(%{{.*}}) pairs dense<{{.*}}[0, 1], [1, 0]{{.*}}> : tensor<2x2xi64> axes @mesh ["x"]
  %c = graph.collective_permute (%x) pairs dense<[[0, 1], [1, 0]]> : tensor<2x2xi64> axes @mesh ["x"] : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: graph.collective_broadcast(%{{.*}}) source 2 axes @mesh ["y"]
  %d = graph.collective_broadcast (%x) source 2 axes @mesh ["y"] : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: graph.axis_index axes @mesh ["y", "x"] : tensor<i64>
  %e = graph.axis_index axes @mesh ["y", "x"] : tensor<i64>
  return %a, %b, %c, %d, %e : tensor<8x8xf32>, tensor<16x2xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<i64>
}
