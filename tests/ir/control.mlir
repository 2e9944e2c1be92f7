// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text, generic and bytecode forms of parameters and fusion regions.
//
// RUN: zenith-opt %s | zenith-opt | FileCheck %s
// RUN: zenith-opt %s --mlir-print-op-generic | zenith-opt | FileCheck %s
// RUN: zenith-opt %s --emit-bytecode | zenith-opt | FileCheck %s

// CHECK: graph.param @w : tensor<2x3xf32> = #graph.external<"model.weights", 0, 24>
graph.param @w : tensor<2x3xf32> = #graph.external<"model.weights", 0, 24>
// CHECK: graph.param @b : tensor<2xf32> = dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
graph.param @b : tensor<2xf32> = dense<[1.0, 2.0]> : tensor<2xf32>
// CHECK: graph.param @bound : tensor<ui8>{{$}}
graph.param @bound : tensor<ui8>
// CHECK: graph.derived_param @w_packed : tensor<3x2xf32> from 0
graph.derived_param @w_packed : tensor<3x2xf32> from 0

func.func @get_param() -> (tensor<2x3xf32>, tensor<3x2xf32>) {
  // CHECK: graph.get_param @w : tensor<2x3xf32>
  %w = graph.get_param @w : tensor<2x3xf32>
  // CHECK: graph.get_param @w_packed : tensor<3x2xf32>
  %p = graph.get_param @w_packed : tensor<3x2xf32>
  return %w, %p : tensor<2x3xf32>, tensor<3x2xf32>
}

// CHECK-LABEL: func.func @fusion
// CHECK-SAME: graph.dims = ["n"], graph.name = "x"
func.func @fusion(%x: tensor<?xf32> {graph.dims = ["n"], graph.name = "x"}) -> tensor<?xf32> {
  // CHECK: %[[R:.*]]:2 = graph.fusion pointwise (%[[A:.*]] = %{{.*}} : tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) attributes {note = 1 : i64} {
  // CHECK-NEXT: %[[E:.*]] = graph.exp %[[A]] : tensor<?xf32>
  // CHECK-NEXT: graph.yield %[[E]], %[[A]] : tensor<?xf32>, tensor<?xf32>
  %r:2 = graph.fusion pointwise (%a = %x : tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) attributes {note = 1 : i64} {
    %e = graph.exp %a : tensor<?xf32>
    graph.yield %e, %a : tensor<?xf32>, tensor<?xf32>
  }
  // CHECK: graph.fusion copy () -> tensor<2xi64> {
  // CHECK-NEXT: graph.iota
  %s = graph.fusion copy () -> tensor<2xi64> {
    %i = graph.iota 0 : tensor<2xi64>
    graph.yield %i : tensor<2xi64>
  }
  return %r#0 : tensor<?xf32>
}

// CHECK-LABEL: func.func @kinds
func.func @kinds(%x: tensor<4xf32>) {
  // CHECK: graph.fusion reduction (
  %f0 = graph.fusion reduction (%a = %x : tensor<4xf32>) -> tensor<4xf32> {
    graph.yield %a : tensor<4xf32>
  }
  // CHECK: graph.fusion contraction (
  %f1 = graph.fusion contraction (%a = %x : tensor<4xf32>) -> tensor<4xf32> {
    graph.yield %a : tensor<4xf32>
  }
  // CHECK: graph.fusion attention (
  %f2 = graph.fusion attention (%a = %x : tensor<4xf32>) -> tensor<4xf32> {
    graph.yield %a : tensor<4xf32>
  }
  // CHECK: graph.fusion window (
  %f3 = graph.fusion window (%a = %x : tensor<4xf32>) -> tensor<4xf32> {
    graph.yield %a : tensor<4xf32>
  }
  // CHECK: graph.fusion scatter (
  %f4 = graph.fusion scatter (%a = %x : tensor<4xf32>) -> tensor<4xf32> {
    graph.yield %a : tensor<4xf32>
  }
  // CHECK: graph.fusion ordering (
  %f5 = graph.fusion ordering (%a = %x : tensor<4xf32>) -> tensor<4xf32> {
    graph.yield %a : tensor<4xf32>
  }
  // CHECK: graph.fusion copy (
  %f6 = graph.fusion copy (%a = %x : tensor<4xf32>) -> tensor<4xf32> {
    graph.yield %a : tensor<4xf32>
  }
  return
}
