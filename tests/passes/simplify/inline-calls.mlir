// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls become the ops of the called function.
//
// RUN: zenith-opt %s --zenith-inline-calls | FileCheck %s -enable-var-scope

// CHECK-LABEL: func.func @calls
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>)
// CHECK: %[[A:.*]] = graph.neg %[[X]]
// CHECK: %[[B:.*]] = graph.exp %[[A]]
// CHECK: %[[C:.*]] = graph.neg %[[B]]
// CHECK: return %[[C]], %[[X]]
func.func @calls(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %y:2 = func.call @both(%x) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %z = func.call @negated(%y#0) : (tensor<4xf32>) -> tensor<4xf32>
  return %z, %y#1 : tensor<4xf32>, tensor<4xf32>
}

func.func private @both(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %n = func.call @negated(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %e = graph.exp %n : tensor<4xf32>
  return %e, %x : tensor<4xf32>, tensor<4xf32>
}

func.func private @negated(%x: tensor<4xf32>) -> tensor<4xf32> {
  %n = graph.neg %x : tensor<4xf32>
  return %n : tensor<4xf32>
}

// CHECK-LABEL: func.func @inside_of_a_region
// CHECK: graph.if
// CHECK-NEXT: graph.neg
func.func @inside_of_a_region(%p: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %r = graph.if %p then {
    %n = func.call @negated(%x) : (tensor<4xf32>) -> tensor<4xf32>
    graph.yield %n : tensor<4xf32>
  } else {
    graph.yield %x : tensor<4xf32>
  } : (tensor<i1>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
