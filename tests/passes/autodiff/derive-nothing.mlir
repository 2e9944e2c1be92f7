// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program without derivations is left as it is: calls, sums of constants and barriers too.
//
// RUN: zenith-opt %s > %t.before
// RUN: zenith-opt %s --zenith-derive > %t.after
// RUN: diff %t.before %t.after
// RUN: zenith-opt %s --zenith-derive=budget-bytes=1000 | FileCheck %s

// CHECK: call @twice
// CHECK: graph.barrier
func.func private @twice(%x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = graph.constant dense<0.0> : tensor<4xf32>
  %y = graph.add %x, %zero : tensor<4xf32>
  %r = graph.add %y, %x : tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = call @twice(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %b = graph.barrier %a : (tensor<4xf32>) -> tensor<4xf32>
  return %b : tensor<4xf32>
}
