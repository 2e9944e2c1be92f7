// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Branches that know more of their sizes than the op says give StableHLO's branches the op's type.
//
// RUN: zenith-translate %s --to-format=stablehlo -o %t.mlir --check
// RUN: FileCheck %s --input-file=%t.mlir

// CHECK-LABEL: @main
// CHECK: stablehlo.if
// CHECK-COUNT-2: stablehlo.dynamic_reshape %{{.*}} -> tensor<?x?xf32>
func.func @main(%p: tensor<i1>, %x: tensor<2x1xf32>, %y: tensor<1x3xf32>) -> tensor<?x?xf32> {
  %r = graph.if %p then {
    graph.yield %x : tensor<2x1xf32>
  } else {
    graph.yield %y : tensor<1x3xf32>
  } : (tensor<i1>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
