// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values whose sizes are open, of ops that say less or more of them: written and read again they give the same.
//
// RUN: zenith-translate %s --to-format=stablehlo -o %t.mlir --check
// RUN: FileCheck %s --input-file=%t.mlir

// Branches that know more of their sizes than the op says give StableHLO's branches the op's type.
// CHECK-LABEL: @main
// CHECK: stablehlo.if
// CHECK-COUNT-2: stablehlo.dynamic_reshape %{{.*}} -> tensor<?x?xf32>
// The results are of known sizes, the operands not: positions are computed.
// CHECK: stablehlo.dynamic_iota
// CHECK-NEXT: stablehlo.sort
// CHECK: stablehlo.dynamic_iota
// A loop whose value grows begins with one of known size.
// CHECK: stablehlo.dynamic_reshape %{{.*}} : (tensor<1xf32>, tensor<1xi64>) -> tensor<?xf32>
// CHECK-NEXT: stablehlo.while
func.func @main(%p: tensor<i1>, %x: tensor<2x1xf32>, %y: tensor<1x3xf32>) -> (tensor<?x?xf32>, tensor<1xf32>, tensor<1xi64>, tensor<i64>, tensor<?xf32>) {
  %zero = graph.constant dense<0> : tensor<i64>
  %one = graph.constant dense<1> : tensor<i64>
  %r = graph.if %p then {
    graph.yield %x : tensor<2x1xf32>
  } else {
    graph.yield %y : tensor<1x3xf32>
  } : (tensor<i1>) -> tensor<?x?xf32>
  %m = graph.dim %r, 0 : tensor<?x?xf32>
  %n = graph.dim %r, 1 : tensor<?x?xf32>
  %count = graph.mul %m, %n : tensor<i64>
  %all = graph.reshape %r [%count] : tensor<?x?xf32> -> tensor<?xf32>
  %top:2 = graph.top_k %all 0 : (tensor<?xf32>) -> (tensor<1xf32>, tensor<1xi64>)
  %at = graph.arg_reduce max, %all 0 : tensor<?xf32> -> tensor<i64>
  %grown:2 = graph.while %zero, %top#0 cond {
  ^bb0(%i: tensor<i64>, %v: tensor<?xf32>):
    %more = graph.compare lt, %i, %n : tensor<i64> -> tensor<i1>
    graph.yield %more : tensor<i1>
  } do {
  ^bb0(%i: tensor<i64>, %v: tensor<?xf32>):
    %next = graph.add %i, %one : tensor<i64>
    %longer = graph.concat 0, %v, %top#0 : (tensor<?xf32>, tensor<1xf32>) -> tensor<?xf32>
    graph.yield %next, %longer : tensor<i64>, tensor<?xf32>
  } : (tensor<i64>, tensor<1xf32>) -> (tensor<i64>, tensor<?xf32>)
  return %r, %top#0, %top#1, %at, %grown#1 : tensor<?x?xf32>, tensor<1xf32>, tensor<1xi64>, tensor<i64>, tensor<?xf32>
}
