// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keys that several ops consume are reported, and those that only look so are not.
//
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-check-keys))' --verify-diagnostics | FileCheck %s -enable-var-scope

// CHECK-LABEL: @consumed_twice
// CHECK: graph.random_uniform
// CHECK-NEXT: graph.random_normal
func.func @consumed_twice(%k: tensor<2xui32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %a = graph.random_uniform %k : tensor<2xui32> -> tensor<3xf32>
  // expected-remark-re@below {{random: RNG101: 'graph.random_normal' consumes the key that 'graph.random_uniform' at {{.*}}check-keys.mlir:11:8 consumes: both give the same bits}}
  %b = graph.random_normal %k : tensor<2xui32> -> tensor<3xf32>
  return %a, %b : tensor<3xf32>, tensor<3xf32>
}

func.func @used_after_splitting(%k: tensor<2xui32>, %x: tensor<3xf32>) -> (tensor<2x2xui32>, tensor<3xf32>) {
  %a = graph.split_key %k : tensor<2xui32> -> tensor<2x2xui32>
  // expected-remark-re@below {{'graph.dropout' consumes the key that 'graph.split_key' at {{.*}}:18:8 consumes}}
  %b = graph.dropout %x, %k {rate = 0.5 : f64} : tensor<3xf32>, tensor<2xui32>
  return %a, %b : tensor<2x2xui32>, tensor<3xf32>
}

func.func @rows_of_a_split(%k: tensor<2xui32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %s = graph.split_key %k : tensor<2xui32> -> tensor<2x2xui32>
  %r0 = graph.slice %s [0, 0] [1, 2] [1, 1] : tensor<2x2xui32> -> tensor<1x2xui32>
  %k0 = graph.reshape %r0 : tensor<1x2xui32> -> tensor<2xui32>
  %r1 = graph.slice %s [1, 0] [1, 2] [1, 1] : tensor<2x2xui32> -> tensor<1x2xui32>
  %k1 = graph.reshape %r1 : tensor<1x2xui32> -> tensor<2xui32>
  %r2 = graph.slice %s [1, 0] [1, 2] [1, 1] : tensor<2x2xui32> -> tensor<1x2xui32>
  %k2 = graph.reshape %r2 : tensor<1x2xui32> -> tensor<2xui32>
  %a = graph.random_uniform %k0 : tensor<2xui32> -> tensor<3xf32>
  %b = graph.random_uniform %k1 : tensor<2xui32> -> tensor<3xf32>
  // expected-remark@below {{RNG101}}
  %c = graph.random_uniform %k2 : tensor<2xui32> -> tensor<3xf32>
  return %a, %b, %c : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}

func.func @folded_with_different_data(%k: tensor<2xui32>, %i: tensor<i32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %one = graph.constant dense<1> : tensor<i32>
  %uno = graph.constant dense<1> : tensor<i32>
  %k0 = graph.fold_in %k, %i : tensor<2xui32>, tensor<i32>
  %k1 = graph.fold_in %k, %one : tensor<2xui32>, tensor<i32>
  %k2 = graph.fold_in %k, %uno : tensor<2xui32>, tensor<i32>
  %a = graph.random_uniform %k0 : tensor<2xui32> -> tensor<3xf32>
  %b = graph.random_uniform %k1 : tensor<2xui32> -> tensor<3xf32>
  %c = graph.random_uniform %k : tensor<2xui32> -> tensor<3xf32>
  // expected-remark@below {{RNG101}}
  %d = graph.random_uniform %k2 : tensor<2xui32> -> tensor<3xf32>
  return %a, %b, %c, %d : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}

func.func @one_branch_each(%p: tensor<i1>, %k: tensor<2xui32>) -> tensor<3xf32> {
  %r = graph.if %p then {
    %a = graph.random_uniform %k : tensor<2xui32> -> tensor<3xf32>
    graph.yield %a : tensor<3xf32>
  } else {
    %b = graph.random_normal %k : tensor<2xui32> -> tensor<3xf32>
    graph.yield %b : tensor<3xf32>
  } : (tensor<i1>) -> tensor<3xf32>
  return %r : tensor<3xf32>
}

func.func @in_each_step(%x: tensor<3xf32>, %n: tensor<i64>, %k: tensor<2xui32>) -> tensor<3xf32> {
  %zero = graph.constant dense<0> : tensor<i64>
  %one = graph.constant dense<1> : tensor<i64>
  %r:2 = graph.while %zero, %x cond {
  ^bb0(%i: tensor<i64>, %v: tensor<3xf32>):
    %c = graph.compare lt, %i, %n : tensor<i64> -> tensor<i1>
    graph.yield %c : tensor<i1>
  } do {
  ^bb0(%i: tensor<i64>, %v: tensor<3xf32>):
    // expected-remark@below {{RNG102: 'graph.dropout' consumes a key from outside of the loop: each step gives the same bits}}
    %d = graph.dropout %v, %k {rate = 0.5 : f64} : tensor<3xf32>, tensor<2xui32>
    %s = graph.fold_in %k, %i : tensor<2xui32>, tensor<i64>
    %e = graph.dropout %d, %s {rate = 0.5 : f64} : tensor<3xf32>, tensor<2xui32>
    %j = graph.add %i, %one : tensor<i64>
    graph.yield %j, %e : tensor<i64>, tensor<3xf32>
  } : (tensor<i64>, tensor<3xf32>) -> (tensor<i64>, tensor<3xf32>)
  return %r#1 : tensor<3xf32>
}
