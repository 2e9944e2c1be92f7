// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A gather whose slices have sizes known at run time only, in a loop that carries its operand.
//
// RUN: zenith-translate %s --to-format=graphir -o - | FileCheck %s

// CHECK: graph.while
// CHECK: graph.gather
func.func public @main(%x: tensor<?x4xf32>, %n: tensor<i32>) -> tensor<?x4xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %four = stablehlo.constant dense<4> : tensor<1xi32>
  %first = stablehlo.constant dense<0> : tensor<1xi32>
  %r:2 = stablehlo.while(%i = %zero, %a = %x) : tensor<i32>, tensor<?x4xf32>
    cond {
    %more = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %next = stablehlo.add %i, %one : tensor<i32>
    %size = stablehlo.get_dimension_size %a, dim = 0 : (tensor<?x4xf32>) -> tensor<i32>
    %rows = stablehlo.reshape %size : (tensor<i32>) -> tensor<1xi32>
    %sizes = stablehlo.concatenate %rows, %four, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %g = "stablehlo.dynamic_gather"(%a, %first, %sizes) {dimension_numbers = #stablehlo.gather<offset_dims = [0, 1], start_index_map = [1]>, indices_are_sorted = true} : (tensor<?x4xf32>, tensor<1xi32>, tensor<2xi32>) -> tensor<?x4xf32>
    stablehlo.return %next, %g : tensor<i32>, tensor<?x4xf32>
  }
  return %r#1 : tensor<?x4xf32>
}
