// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Control ops that no function can be made of.
//
// RUN: zenith-opt %s --pass-pipeline='builtin.module(zenith-outline-regions)' --verify-diagnostics
// RUN: zenith-run %s --target=interp --random-inputs
// RUN: %python %S/../../tools/Inputs/exit_code.py 3 zenith-run %s --random-inputs

func.func @main(%x: tensor<2x3xf32>) -> tensor<2xf32> {
  %zero = graph.constant dense<0.0> : tensor<f32>
  %none = graph.constant dense<0> : tensor<i64>
  %one = graph.constant dense<1> : tensor<i64>
  %three = graph.constant dense<3> : tensor<i64>
  %r = graph.reduce_with (%x), (%zero) [1] {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    // expected-error@below {{'graph.while' op is not supported in a region of 'graph.reduce_with'}}
    %w:2 = graph.while %none, %a cond {
    ^bb0(%i: tensor<i64>, %v: tensor<f32>):
      %p = graph.compare lt, %i, %three : tensor<i64> -> tensor<i1>
      graph.yield %p : tensor<i1>
    } do {
    ^bb0(%i: tensor<i64>, %v: tensor<f32>):
      %next = graph.add %i, %one : tensor<i64>
      %s = graph.add %v, %b : tensor<f32>
      graph.yield %next, %s : tensor<i64>, tensor<f32>
    } : (tensor<i64>, tensor<f32>) -> (tensor<i64>, tensor<f32>)
    graph.yield %w#1 : tensor<f32>
  } : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  return %r : tensor<2xf32>
}
