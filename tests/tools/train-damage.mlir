// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Texts, checkpoints and runs that are damaged end in a message, and no bad checkpoint is chosen.
//
// RUN: rm -rf %t && mkdir %t
// RUN: %python %S/Inputs/npy.py write %t/x.npy '<f4' 8x2 1 0 0 1 1 1 2 1 3 1 0 2 1 2 2 2
// RUN: %python %S/Inputs/npy.py write %t/y.npy '<f4' 8 3 5 8 11 14 10 13 16
// RUN: %python %S/Inputs/damage_training.py %t 1 8 8 3 zenith-train %s --target=interp --data x=%t/x.npy --labels y=%t/y.npy --loss=mse --batch-size=4 | FileCheck %s
// CHECK: 8 edits, 8 damages, 3 kills

graph.param @w : tensor<2xf32> = dense<0.0> : tensor<2xf32>
func.func @main(%x: tensor<4x2xf32> {graph.name = "x"}) -> (tensor<4xf32> {graph.name = "y"}) {
  %w = graph.get_param @w : tensor<2xf32>
  %y = graph.dot_general %x, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<4x2xf32>, tensor<2xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
