// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A chain of updates beside the interpreter: starts from memory, from the host
// and from both, parts read from what they go into.
//
// RUN: zenith-run %s --random-inputs=1 --compare=interp --print=0
// RUN: zenith-run %s --random-inputs=2 --compare=interp --print=0
// RUN: zenith-run %s --random-inputs=3 --compare=interp --print=0

func.func @main(%a : tensor<7x5xf32>, %i : tensor<i32>, %w : tensor<ui8>, %v : tensor<3xi32>, %u : tensor<2x2xf32>) -> (tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>) {
  %s = graph.slice %v [2] [1] [1] : tensor<3xi32> -> tensor<1xi32>
  %d = graph.reshape %s : tensor<1xi32> -> tensor<i32>
  %e = graph.add %d, %i : tensor<i32>
  %n = graph.neg %a : tensor<7x5xf32>
  %1 = graph.dynamic_update_slice %n, %u, %d, %e : (tensor<7x5xf32>, tensor<2x2xf32>, tensor<i32>, tensor<i32>) -> tensor<7x5xf32>
  %p = graph.slice %1 [0, 1] [3, 3] [1, 1] : tensor<7x5xf32> -> tensor<3x3xf32>
  %2 = graph.dynamic_update_slice %1, %p, %e, %i : (tensor<7x5xf32>, tensor<3x3xf32>, tensor<i32>, tensor<i32>) -> tensor<7x5xf32>
  %x = graph.add %w, %w : tensor<ui8>
  %3 = graph.dynamic_update_slice %2, %u, %x, %w : (tensor<7x5xf32>, tensor<2x2xf32>, tensor<ui8>, tensor<ui8>) -> tensor<7x5xf32>
  %4 = graph.dynamic_update_slice %3, %3, %i, %i : (tensor<7x5xf32>, tensor<7x5xf32>, tensor<i32>, tensor<i32>) -> tensor<7x5xf32>
  return %2, %3, %4 : tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>
}
