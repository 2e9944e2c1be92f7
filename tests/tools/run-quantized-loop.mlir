// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products in loops stay f32, and it is said of them.
//
// RUN: zenith-run %s --random-inputs=1 --quantize=int8-dynamic --explain=precision 2>&1 | FileCheck %s
// CHECK-DAG: PRE005 {{.*}}before: 'dot_general' reads int8-dynamic
// CHECK-DAG: PRE006 {{.*}}step: 'dot_general' is not quantized: it is in a loop or a branch

graph.param @w : tensor<8x8xf32> = dense<0.25> : tensor<8x8xf32>
func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %w = graph.get_param @w : tensor<8x8xf32>
  %zero = graph.constant dense<0> : tensor<i64>
  %one = graph.constant dense<1> : tensor<i64>
  %three = graph.constant dense<3> : tensor<i64>
  %p = graph.dot_general %x, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32> loc("before")
  %n, %r = graph.while %zero, %p cond {
  ^bb0(%i: tensor<i64>, %v: tensor<4x8xf32>):
    %c = graph.compare lt, %i, %three : tensor<i64> -> tensor<i1>
    graph.yield %c : tensor<i1>
  } do {
  ^bb0(%i: tensor<i64>, %v: tensor<4x8xf32>):
    %j = graph.add %i, %one : tensor<i64>
    %q = graph.dot_general %v, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32> loc("step")
    graph.yield %j, %q : tensor<i64>, tensor<4x8xf32>
  } : (tensor<i64>, tensor<4x8xf32>) -> (tensor<i64>, tensor<4x8xf32>)
  return %r : tensor<4x8xf32>
}
