// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What loops repeat counts as often as it ran; a row that is written into a
// buffer counts as a row; without kernels there is no roofline.
//
// RUN: zenith-run %s --random-inputs --report=roofline | FileCheck %s
// RUN: not zenith-run %s --random-inputs --target=interp --report=roofline 2>&1 | FileCheck --check-prefix=INTERP %s
// INTERP: --report=roofline: the interpreter has no kernels
// CHECK-DAG: "bytes":3240,"calls":5,"flops":0,{{[^}]*}}"kernel":"k{{[0-9]+}}_scatter_part"
// CHECK-DAG: "calls":5,"flops":20480,{{[^}]*}}"kernel":"k{{[0-9]+}}_contraction"

func.func @main(%w: tensor<16x16xf32>, %x0: tensor<8x16xf32>, %row: tensor<1x80xf32>) -> (tensor<8x16xf32>, tensor<5x80xf32>) {
  %zero = graph.constant dense<0> : tensor<i64>
  %one = graph.constant dense<1> : tensor<i64>
  %five = graph.constant dense<5> : tensor<i64>
  %f = graph.constant dense<0.0> : tensor<f32>
  %y0 = graph.broadcast %f [] [] : tensor<f32> -> tensor<5x80xf32>
  %r:3 = graph.while %zero, %x0, %y0 cond {
  ^bb0(%i: tensor<i64>, %x: tensor<8x16xf32>, %y: tensor<5x80xf32>):
    %c = graph.compare lt, %i, %five : tensor<i64> -> tensor<i1>
    graph.yield %c : tensor<i1>
  } do {
  ^bb0(%i: tensor<i64>, %x: tensor<8x16xf32>, %y: tensor<5x80xf32>):
    %j = graph.add %i, %one : tensor<i64>
    %z = graph.dot_general %x, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
    %u = graph.dynamic_update_slice %y, %row, %i, %zero : (tensor<5x80xf32>, tensor<1x80xf32>, tensor<i64>, tensor<i64>) -> tensor<5x80xf32>
    graph.yield %j, %z, %u : tensor<i64>, tensor<8x16xf32>, tensor<5x80xf32>
  } : (tensor<i64>, tensor<8x16xf32>, tensor<5x80xf32>) -> (tensor<i64>, tensor<8x16xf32>, tensor<5x80xf32>)
  return %r#1, %r#2 : tensor<8x16xf32>, tensor<5x80xf32>
}
