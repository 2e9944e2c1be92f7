// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What zenith-vmap makes of a function. That rows are right is in VmapTest.
//
// RUN: zenith-opt %s --zenith-vmap="in=0,_ out=1" | FileCheck %s -enable-var-scope

// CHECK-LABEL: @product(
// CHECK: func.func @product_vmap
// CHECK-SAME: %[[X:.*]]: tensor<?x3x4xf32> {graph.dims = ["rows", "3", "4"], graph.name = "x"}
// CHECK-SAME: %[[W:.*]]: tensor<4x2xf32>
// CHECK-SAME: -> (tensor<3x?x2xf32> {graph.dims = ["3", "rows", "2"], graph.name = "r"})
// CHECK: %[[P:.*]] = graph.dot_general %[[X]], %[[W]] <batching = [] x [], contracting = [2] x [0]>
// CHECK: %[[T:.*]] = graph.tanh %[[P]] : tensor<?x3x2xf32>
// CHECK: graph.transpose %[[T]] [1, 0, 2]
// CHECK-NOT: graph.while
// CHECK: return
func.func @product(%x: tensor<3x4xf32> {graph.name = "x"}, %w: tensor<4x2xf32>) -> (tensor<3x2xf32> {graph.name = "r"}) {
  %p = graph.dot_general %x, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<3x4xf32>, tensor<4x2xf32>) -> tensor<3x2xf32>
  %t = graph.tanh %p : tensor<3x2xf32>
  return %t : tensor<3x2xf32>
}
