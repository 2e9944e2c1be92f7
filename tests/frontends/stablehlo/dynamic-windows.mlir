// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// select_and_scatter over a batch of any size: flat positions of the chosen
// elements, as many as there are windows.
//
// RUN: zenith-translate %s --to-format=graphir -o %t && FileCheck %s < %t

// CHECK-LABEL: func.func @main
// CHECK: graph.iota 0 {{.*}} : tensor<?xi64>
// CHECK: graph.reduce_window_with{{.*}} window [1, 2, 2] strides [1, 2, 2]
// CHECK: graph.scatter sum, {{.*}} tensor<?x1xi64>
// CHECK: -> tensor<?x4x6xf32>
func.func public @main(%x: tensor<?x4x6xf32>, %s: tensor<?x2x3xf32>) -> tensor<?x4x6xf32> {
  %z = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %r = "stablehlo.select_and_scatter"(%x, %s, %z) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %keep = stablehlo.compare GE, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %keep : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %sum = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %sum : tensor<f32>
  }) {window_dimensions = array<i64: 1, 2, 2>, window_strides = array<i64: 1, 2, 2>} : (tensor<?x4x6xf32>, tensor<?x2x3xf32>, tensor<f32>) -> tensor<?x4x6xf32>
  return %r : tensor<?x4x6xf32>
}
