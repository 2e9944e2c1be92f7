// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that say that they are maps of others: their types say how many
// rows there are.
//
// RUN: zenith-opt %s --split-input-file --zenith-derive --verify-diagnostics | FileCheck %s -enable-var-scope

// CHECK: graph.dot_general {{.*}} : (tensor<5x4xf32>, tensor<4xf32>) -> tensor<5xf32>
func.func private @dot(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<f32> {
  %r = graph.dot_general %x, %y <batching = [] x [], contracting = [0] x [0]> : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
  return %r : tensor<f32>
}
func.func private @rows(tensor<5x4xf32>, tensor<4xf32>) -> tensor<5xf32>
    attributes {graph.derive = {rule = "vmap", of = @dot, options = "in=0,_"}}
func.func @main(%x: tensor<5x4xf32>, %y: tensor<4xf32>) -> tensor<5xf32> {
  %r = func.call @rows(%x, %y) : (tensor<5x4xf32>, tensor<4xf32>) -> tensor<5xf32>
  return %r : tensor<5xf32>
}
