// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a policy makes of a loop's body shows in the loop's result, behind its
// counter, and not only in what reads it.
//
// RUN: %python %S/Inputs/exit_code.py 7 zenith-run %s --random-inputs=1 --mixed-precision=bf16 --compare=f32 --per-op --rtol=1e-4 --atol=0 2>&1 | FileCheck %s
// RUN: %python %S/Inputs/exit_code.py 7 zenith-run %s --random-inputs=1 --target=interp --mixed-precision=bf16 --compare=f32 --per-op --rtol=1e-4 --atol=0 2>&1 | FileCheck %s
// CHECK: op 1 is the first that differs from the f32 program's: 'graph.while' op at loop: the largest difference is
// RUN: zenith-run %s --random-inputs=1 --mixed-precision=bf16 --report=precision | FileCheck --check-prefix=REPORT %s
// REPORT: "name":"before",
// REPORT: "name":"loop","op":"while"
// REPORT: "name":"after",

func.func @main(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> tensor<4x8xf32> {
  %zero = graph.constant dense<0> : tensor<i64>
  %one = graph.constant dense<1> : tensor<i64>
  %three = graph.constant dense<3> : tensor<i64>
  %before = graph.tanh %x : tensor<4x8xf32> loc("before")
  %n, %r = graph.while %zero, %before cond {
  ^bb0(%i: tensor<i64>, %v: tensor<4x8xf32>):
    %c = graph.compare lt, %i, %three : tensor<i64> -> tensor<i1>
    graph.yield %c : tensor<i1>
  } do {
  ^bb0(%i: tensor<i64>, %v: tensor<4x8xf32>):
    %j = graph.add %i, %one : tensor<i64>
    %p = graph.dot_general %v, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32> loc("product")
    %s = graph.tanh %p : tensor<4x8xf32> loc("squash")
    graph.yield %j, %s : tensor<i64>, tensor<4x8xf32>
  } : (tensor<i64>, tensor<4x8xf32>) -> (tensor<i64>, tensor<4x8xf32>) loc("loop")
  %after = graph.mul %r, %r : tensor<4x8xf32> loc("after")
  return %after : tensor<4x8xf32>
}
