// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Branches with known conditions, and loop-carried values that nothing needs.
//
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-simplify-control))' | FileCheck %s -enable-var-scope

// CHECK-LABEL: @if_known
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>)
// CHECK-NOT: graph.if
// CHECK: %[[R:.*]] = graph.neg %[[X]]
// CHECK: return %[[R]]
func.func @if_known(%x: tensor<4xf32>) -> tensor<4xf32> {
  %p = graph.constant dense<false> : tensor<i1>
  %r = graph.if %p then {
    graph.yield %x : tensor<4xf32>
  } else {
    %n = graph.neg %x : tensor<4xf32>
    graph.yield %n : tensor<4xf32>
  } : (tensor<i1>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: @if_known_of_a_dynamic_type
// CHECK-NOT: graph.if
// CHECK: graph.reshape %{{.*}} : tensor<4xf32> -> tensor<?xf32>
func.func @if_known_of_a_dynamic_type(%x: tensor<4xf32>, %y: tensor<5xf32>) -> tensor<?xf32> {
  %p = graph.constant dense<true> : tensor<i1>
  %r = graph.if %p then {
    graph.yield %x : tensor<4xf32>
  } else {
    graph.yield %y : tensor<5xf32>
  } : (tensor<i1>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// CHECK-LABEL: @if_behind_a_barrier_stays
// CHECK: graph.if
func.func @if_behind_a_barrier_stays(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = graph.constant dense<true> : tensor<i1>
  %p = graph.barrier %c : (tensor<i1>) -> tensor<i1>
  %r = graph.if %p then {
    %e = graph.abs %x : tensor<4xf32>
    graph.yield %e : tensor<4xf32>
  } else {
    %n = graph.neg %x : tensor<4xf32>
    graph.yield %n : tensor<4xf32>
  } : (tensor<i1>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: @case_out_of_range_takes_the_last
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>)
// CHECK-NOT: graph.case
// CHECK: graph.abs %[[X]]
func.func @case_out_of_range_takes_the_last(%x: tensor<4xf32>) -> tensor<4xf32> {
  %i = graph.constant dense<-1> : tensor<i32>
  %r = graph.case %i {
    graph.yield %x : tensor<4xf32>
  }, {
    %n = graph.neg %x : tensor<4xf32>
    graph.yield %n : tensor<4xf32>
  }, {
    %a = graph.abs %x : tensor<4xf32>
    graph.yield %a : tensor<4xf32>
  } : (tensor<i32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: @results_that_need_no_branch
// CHECK-SAME: (%[[P:.*]]: tensor<i1>, %[[X:.*]]: tensor<4xf32>)
// CHECK: %[[R:.*]] = graph.if %[[P]] then {
// CHECK-NEXT: %[[N:.*]] = graph.neg
// CHECK-NEXT: graph.yield %[[N]] : tensor<4xf32>
// CHECK: (tensor<i1>) -> tensor<4xf32>
// CHECK: return %[[R]], %[[X]]
func.func @results_that_need_no_branch(%p: tensor<i1>, %x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %r:3 = graph.if %p then {
    %n = graph.neg %x : tensor<4xf32>
    %e = graph.exp %x : tensor<4xf32>
    graph.yield %n, %x, %e : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  } else {
    graph.yield %x, %x, %x : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  } : (tensor<i1>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: @while_that_never_runs
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>)
// CHECK-NEXT: return %[[X]]
func.func @while_that_never_runs(%x: tensor<4xf32>) -> tensor<4xf32> {
  %p = graph.constant dense<false> : tensor<i1>
  %r = graph.while %x cond {
  ^bb0(%a: tensor<4xf32>):
    graph.yield %p : tensor<i1>
  } do {
  ^bb0(%a: tensor<4xf32>):
    %n = graph.neg %a : tensor<4xf32>
    graph.yield %n : tensor<4xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: @carried_unchanged
// CHECK-SAME: (%[[X:.*]]: tensor<i64>, %[[N:.*]]: tensor<i64>, %[[S:.*]]: tensor<i64>)
// CHECK: %[[R:.*]] = graph.while %[[X]] cond {
// CHECK-NEXT: ^bb0(%[[A:.*]]: tensor<i64>):
// CHECK-NEXT: graph.compare lt, %[[A]], %[[N]]
// CHECK: ^bb0(%[[B:.*]]: tensor<i64>):
// CHECK-NEXT: %[[NEXT:.*]] = graph.add %[[B]], %[[S]]
// CHECK-NEXT: graph.yield %[[NEXT]] : tensor<i64>
// CHECK: return %[[R]], %[[N]]
func.func @carried_unchanged(%x: tensor<i64>, %n: tensor<i64>, %s: tensor<i64>) -> (tensor<i64>, tensor<i64>) {
  %one = graph.constant dense<1> : tensor<i64>
  %step = graph.max %s, %one : tensor<i64>
  %r:3 = graph.while %x, %n, %s cond {
  ^bb0(%a: tensor<i64>, %m: tensor<i64>, %t: tensor<i64>):
    %c = graph.compare lt, %a, %m : tensor<i64> -> tensor<i1>
    graph.yield %c : tensor<i1>
  } do {
  ^bb0(%a: tensor<i64>, %m: tensor<i64>, %t: tensor<i64>):
    %next = graph.add %a, %t : tensor<i64>
    graph.yield %next, %m, %s : tensor<i64>, tensor<i64>, tensor<i64>
  } : (tensor<i64>, tensor<i64>, tensor<i64>) -> (tensor<i64>, tensor<i64>, tensor<i64>)
  return %r#0, %r#1 : tensor<i64>, tensor<i64>
}

// CHECK-LABEL: @carried_in_vain
// CHECK: %[[R:.*]]:2 = graph.while %{{.*}}, %{{.*}} cond {
// CHECK-NOT: graph.exp
// CHECK: graph.mul
// CHECK-NOT: graph.exp
// CHECK: (tensor<i64>, tensor<4xf32>) -> (tensor<i64>, tensor<4xf32>)
// CHECK: return %[[R]]#1
func.func @carried_in_vain(%x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = graph.constant dense<0> : tensor<i64>
  %one = graph.constant dense<1> : tensor<i64>
  %five = graph.constant dense<5> : tensor<i64>
  %r:4 = graph.while %zero, %x, %x, %x cond {
  ^bb0(%i: tensor<i64>, %a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>):
    %p = graph.compare lt, %i, %five : tensor<i64> -> tensor<i1>
    graph.yield %p : tensor<i1>
  } do {
  ^bb0(%i: tensor<i64>, %a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>):
    %next = graph.add %i, %one : tensor<i64>
    %m = graph.mul %a, %x : tensor<4xf32>
    %e = graph.exp %c : tensor<4xf32>
    %f = graph.exp %b : tensor<4xf32>
    graph.yield %next, %m, %e, %f : tensor<i64>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  } : (tensor<i64>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<i64>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return %r#1 : tensor<4xf32>
}

// CHECK-LABEL: @carried_for_an_assertion
// CHECK: graph.while %{{.*}}, %{{.*}} cond {
// CHECK: graph.assert
func.func @carried_for_an_assertion(%n: tensor<i64>) -> tensor<i64> {
  %zero = graph.constant dense<0> : tensor<i64>
  %one = graph.constant dense<1> : tensor<i64>
  %five = graph.constant dense<5> : tensor<i64>
  %r:2 = graph.while %zero, %n cond {
  ^bb0(%i: tensor<i64>, %a: tensor<i64>):
    %p = graph.compare lt, %i, %five : tensor<i64> -> tensor<i1>
    graph.yield %p : tensor<i1>
  } do {
  ^bb0(%i: tensor<i64>, %a: tensor<i64>):
    %next = graph.add %i, %one : tensor<i64>
    %d = graph.add %a, %a : tensor<i64>
    %small = graph.compare lt, %a, %five : tensor<i64> -> tensor<i1>
    graph.assert %small "too large: {0}" (%a) : tensor<i1>, tensor<i64>
    graph.yield %next, %d : tensor<i64>, tensor<i64>
  } : (tensor<i64>, tensor<i64>) -> (tensor<i64>, tensor<i64>)
  return %r#0 : tensor<i64>
}

// CHECK-LABEL: @if_of_elements
// CHECK: graph.reduce_with
// CHECK: %[[NEG:.*]] = graph.neg
// CHECK-NEXT: %[[R:.*]] = graph.select %{{.*}}, %{{.*}}, %[[NEG]] : tensor<i1>, tensor<f32>
// CHECK-NEXT: graph.yield %[[R]]
// CHECK-NOT: graph.if
func.func @if_of_elements(%x: tensor<4x6xf32>) -> tensor<4xf32> {
  %zero = graph.constant dense<0.0> : tensor<f32>
  %r = graph.reduce_with (%x), (%zero) [1] {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %p = graph.compare lt, %a, %b : tensor<f32> -> tensor<i1>
    %s = graph.if %p then {
      graph.yield %a : tensor<f32>
    } else {
      %n = graph.neg %b : tensor<f32>
      graph.yield %n : tensor<f32>
    } : (tensor<i1>) -> tensor<f32>
    graph.yield %s : tensor<f32>
  } : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
