// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Equal ops without effects become one; ops with regions are equal if all ops inside of them are.
//
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-merge-equal-ops))' | FileCheck %s

// CHECK-LABEL: func.func @equal_branches
// CHECK: %[[A:.*]] = graph.if
// CHECK-NOT: graph.if
// CHECK: graph.mul %[[A]], %[[A]]
func.func @equal_branches(%p: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %a = graph.if %p then {
    %n = graph.neg %x : tensor<4xf32>
    graph.yield %n : tensor<4xf32>
  } else {
    graph.yield %x : tensor<4xf32>
  } : (tensor<i1>) -> tensor<4xf32>
  %b = graph.if %p then {
    %n = graph.neg %x : tensor<4xf32>
    graph.yield %n : tensor<4xf32>
  } else {
    graph.yield %x : tensor<4xf32>
  } : (tensor<i1>) -> tensor<4xf32>
  %r = graph.mul %a, %b : tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @different_branches
// CHECK-COUNT-2: graph.if
func.func @different_branches(%p: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %a = graph.if %p then {
    %n = graph.neg %x : tensor<4xf32>
    graph.yield %n : tensor<4xf32>
  } else {
    graph.yield %x : tensor<4xf32>
  } : (tensor<i1>) -> tensor<4xf32>
  %b = graph.if %p then {
    graph.yield %x : tensor<4xf32>
  } else {
    %n = graph.neg %x : tensor<4xf32>
    graph.yield %n : tensor<4xf32>
  } : (tensor<i1>) -> tensor<4xf32>
  %r = graph.mul %a, %b : tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @known_outside
// CHECK-NEXT: %[[N:.*]] = graph.neg
// CHECK-NEXT: graph.if
// CHECK-NEXT: %[[R:.*]] = graph.mul %[[N]], %[[N]]
// CHECK-NEXT: graph.yield %[[R]]
func.func @known_outside(%p: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %n = graph.neg %x : tensor<4xf32>
  %a = graph.if %p then {
    %same = graph.neg %x : tensor<4xf32>
    %r = graph.mul %same, %n : tensor<4xf32>
    graph.yield %r : tensor<4xf32>
  } else {
    graph.yield %n : tensor<4xf32>
  } : (tensor<i1>) -> tensor<4xf32>
  return %a : tensor<4xf32>
}

// What one branch computes is not there in the other, nor behind both.
// CHECK-LABEL: func.func @not_of_another_branch
// CHECK-COUNT-3: graph.neg
func.func @not_of_another_branch(%p: tensor<i1>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %a = graph.if %p then {
    %n = graph.neg %x : tensor<4xf32>
    graph.yield %n : tensor<4xf32>
  } else {
    %n = graph.neg %x : tensor<4xf32>
    %r = graph.mul %n, %y : tensor<4xf32>
    graph.yield %r : tensor<4xf32>
  } : (tensor<i1>) -> tensor<4xf32>
  %n = graph.neg %x : tensor<4xf32>
  %r = graph.mul %a, %n : tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @unused_chain
// CHECK-NEXT: return
func.func @unused_chain(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = graph.neg %x : tensor<4xf32>
  %b = graph.exp %a : tensor<4xf32>
  return %x : tensor<4xf32>
}

// CHECK-LABEL: func.func @checks_stay
// CHECK-COUNT-2: graph.assert
func.func @checks_stay(%p: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  graph.assert %p "a" : tensor<i1>
  graph.assert %p "a" : tensor<i1>
  return %x : tensor<4xf32>
}
