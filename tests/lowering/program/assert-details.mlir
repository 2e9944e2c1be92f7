// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A size that a message tells is computed before the assertion's branch, since later steps use it too.
//
// RUN: zenith-run %s --random-inputs --compare=interp --print=0

func.func @main(%m: tensor<8xi1>, %x: tensor<8x2xf32>, %f: tensor<f32>) -> tensor<?xf32> {
  %one = graph.constant dense<1> : tensor<i64>
  %zero = graph.constant dense<0> : tensor<i64>
  %a = graph.compact %m, %x : (tensor<8xi1>, tensor<8x2xf32>) -> tensor<?x2xf32>
  %n = graph.dim %a, 0 : tensor<?x2xf32>
  %k = graph.add %n, %one : tensor<i64>
  %p = graph.compare gt, %k, %zero : tensor<i64> -> tensor<i1>
  graph.assert %p "got {0}" (%k) : tensor<i1>, tensor<i64>
  %b = graph.broadcast %f [] [%k] : tensor<f32> -> tensor<?xf32>
  return %b : tensor<?xf32>
}
