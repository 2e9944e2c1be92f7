// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps of a recurrent network are one kernel each and agree with the interpreter on any number of threads.
//
// RUN: zenith-run %s --random-inputs --explain=fusion 2>&1 | FileCheck %s
// RUN: zenith-run %s --random-inputs --compare=interp --threads=1
// RUN: zenith-run %s --random-inputs --compare=interp --threads=3
// RUN: zenith-run %s --random-inputs --threads=1 --out-dir=%t.1
// RUN: zenith-run %s --random-inputs --threads=3 --out-dir=%t.3
// RUN: cmp %t.1/0.npy %t.3/0.npy && cmp %t.1/1.npy %t.3/1.npy

// CHECK: contraction of {{[0-9]+}} ops: dynamic_slice, dot_general, add, logistic, tanh, mul, add
func.func @main(%inputs: tensor<7x5x256xf32>, %h0: tensor<5x128xf32>, %c0: tensor<5x128xf32>, %w: tensor<256x128xf32>) -> (tensor<5x128xf32>, tensor<5x128xf32>) {
  %zero = graph.constant dense<0> : tensor<i64>
  %one = graph.constant dense<1> : tensor<i64>
  %steps = graph.constant dense<7> : tensor<i64>
  %small = graph.constant dense<0.0625> : tensor<256x128xf32>
  %ws = graph.mul %w, %small : tensor<256x128xf32>
  %r:3 = graph.while %zero, %h0, %c0 cond {
  ^bb0(%i: tensor<i64>, %h: tensor<5x128xf32>, %c: tensor<5x128xf32>):
    %more = graph.compare lt, %i, %steps : tensor<i64> -> tensor<i1>
    graph.yield %more : tensor<i1>
  } do {
  ^bb0(%i: tensor<i64>, %h: tensor<5x128xf32>, %c: tensor<5x128xf32>):
    %next = graph.add %i, %one : tensor<i64>
    %s = graph.dynamic_slice %inputs, %i, %zero, %zero : (tensor<7x5x256xf32>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<1x5x256xf32>
    %x = graph.reshape %s : tensor<1x5x256xf32> -> tensor<5x256xf32>
    %d = graph.dot_general %h, %ws <batching = [] x [], contracting = [1] x [1]> : (tensor<5x128xf32>, tensor<256x128xf32>) -> tensor<5x256xf32>
    %a = graph.add %x, %d : tensor<5x256xf32>
    %g0 = graph.slice %a [0, 0] [5, 128] [1, 1] : tensor<5x256xf32> -> tensor<5x128xf32>
    %g1 = graph.slice %a [0, 128] [5, 128] [1, 1] : tensor<5x256xf32> -> tensor<5x128xf32>
    %f = graph.logistic %g0 : tensor<5x128xf32>
    %u = graph.tanh %g1 : tensor<5x128xf32>
    %kept = graph.mul %f, %c : tensor<5x128xf32>
    %state = graph.add %kept, %u : tensor<5x128xf32>
    %out = graph.tanh %state : tensor<5x128xf32>
    graph.yield %next, %out, %state : tensor<i64>, tensor<5x128xf32>, tensor<5x128xf32>
  } : (tensor<i64>, tensor<5x128xf32>, tensor<5x128xf32>) -> (tensor<i64>, tensor<5x128xf32>, tensor<5x128xf32>)
  return %r#1, %r#2 : tensor<5x128xf32>, tensor<5x128xf32>
}
