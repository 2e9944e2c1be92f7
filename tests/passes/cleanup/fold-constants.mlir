// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops on constants become constants; large tables stay formulas.
//
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-fold-constants))' | FileCheck %s -enable-var-scope

// CHECK-LABEL: @sum
// CHECK: %[[R:.*]] = graph.constant dense<[4, 6]> : tensor<2xi32>
// CHECK: return %[[R]]
func.func @sum() -> tensor<2xi32> {
  %a = graph.constant dense<[1, 2]> : tensor<2xi32>
  %b = graph.constant dense<[3, 4]> : tensor<2xi32>
  %r = graph.add %a, %b : tensor<2xi32>
  return %r : tensor<2xi32>
}

// CHECK-LABEL: @chain_of_floats
// CHECK: graph.constant dense<[2.000000e+00, 3.000000e+00]> : tensor<2xf32>
func.func @chain_of_floats() -> tensor<2xf32> {
  %a = graph.constant dense<[4.0, 9.0]> : tensor<2xf32>
  %r = graph.sqrt %a : tensor<2xf32>
  return %r : tensor<2xf32>
}

// CHECK-LABEL: @large_table_stays
// CHECK: graph.iota
func.func @large_table_stays() -> tensor<1024xi64> {
  %r = graph.iota 0 : tensor<1024xi64>
  return %r : tensor<1024xi64>
}

// CHECK-LABEL: @large_splat_folds
// CHECK: graph.constant dense<3.000000e+00> : tensor<4096xf32>
func.func @large_splat_folds() -> tensor<4096xf32> {
  %a = graph.constant dense<1.0> : tensor<4096xf32>
  %b = graph.constant dense<2.0> : tensor<4096xf32>
  %r = graph.add %a, %b : tensor<4096xf32>
  return %r : tensor<4096xf32>
}

// CHECK-LABEL: @beyond_the_limit_stays
// CHECK: graph.add
func.func @beyond_the_limit_stays() -> tensor<16385xf32> {
  %a = graph.constant dense<1.0> : tensor<16385xf32>
  %b = graph.constant dense<2.0> : tensor<16385xf32>
  %r = graph.add %a, %b : tensor<16385xf32>
  return %r : tensor<16385xf32>
}

// CHECK-LABEL: @argument_stays
// CHECK: graph.add
func.func @argument_stays(%x: tensor<2xf32>) -> tensor<2xf32> {
  %r = graph.add %x, %x : tensor<2xf32>
  return %r : tensor<2xf32>
}
