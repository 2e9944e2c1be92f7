// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Heads of a group read their shared keys and values without a copy: prompts, one token at a time, and matmuls outside of attention.
//
// RUN: zenith-run %s --random-inputs --compare=interp --threads=2 --explain=fusion 2>&1 | FileCheck %s
// CHECK-NOT: FUS103

func.func @main(%q: tensor<2x6x19x24xf32>, %one: tensor<2x6x1x24xf32>, %k: tensor<2x2x21x24xf32>, %v: tensor<2x2x21x24xf32>) -> (tensor<2x6x19x24xf32>, tensor<2x6x1x24xf32>, tensor<2x6x19x21xf32>) {
  %kb = graph.broadcast %k [0, 1, 3, 4] : tensor<2x2x21x24xf32> -> tensor<2x2x3x21x24xf32>
  %kr = graph.reshape %kb : tensor<2x2x3x21x24xf32> -> tensor<2x6x21x24xf32>
  %vb = graph.broadcast %v [0, 1, 3, 4] : tensor<2x2x21x24xf32> -> tensor<2x2x3x21x24xf32>
  %vr = graph.reshape %vb : tensor<2x2x3x21x24xf32> -> tensor<2x6x21x24xf32>
  %prompt = graph.attention %q, %kr, %vr {scale = 0.2 : f64} : (tensor<2x6x19x24xf32>, tensor<2x6x21x24xf32>, tensor<2x6x21x24xf32>) -> tensor<2x6x19x24xf32>
  %token = graph.attention %one, %kr, %vr {scale = 0.2 : f64} : (tensor<2x6x1x24xf32>, tensor<2x6x21x24xf32>, tensor<2x6x21x24xf32>) -> tensor<2x6x1x24xf32>
  %scores = graph.dot_general %q, %kr <batching = [0, 1] x [0, 1], contracting = [3] x [3]> : (tensor<2x6x19x24xf32>, tensor<2x6x21x24xf32>) -> tensor<2x6x19x21xf32>
  return %prompt, %token, %scores : tensor<2x6x19x24xf32>, tensor<2x6x1x24xf32>, tensor<2x6x19x21xf32>
}
