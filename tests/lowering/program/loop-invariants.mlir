// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop whose body is invariant: all of it but the yield moves before the loop.
//
// RUN: zenith-run %s --random-inputs --compare=interp --print=0

func.func @main(%x: tensor<5xf32>) -> tensor<f32> {
  %go = graph.constant dense<true> : tensor<i1>
  %stop = graph.constant dense<false> : tensor<i1>
  %start = graph.constant dense<0.0> : tensor<f32>
  %r:2 = graph.while %go, %start cond {
  ^bb0(%more: tensor<i1>, %value: tensor<f32>):
    graph.yield %more : tensor<i1>
  } do {
  ^bb0(%more: tensor<i1>, %value: tensor<f32>):
    %sum = graph.dot_general %x, %x <batching = [] x [], contracting = [0] x [0]> : (tensor<5xf32>, tensor<5xf32>) -> tensor<f32>
    %root = graph.sqrt %sum : tensor<f32>
    graph.yield %stop, %root : tensor<i1>, tensor<f32>
  } : (tensor<i1>, tensor<f32>) -> (tensor<i1>, tensor<f32>)
  return %r#1 : tensor<f32>
}
