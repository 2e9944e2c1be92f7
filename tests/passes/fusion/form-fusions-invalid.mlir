// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the pass explains.
//
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-form-fusions{explain}))' --verify-diagnostics -o /dev/null

func.func @epilogue(%x: tensor<2x3xf32>, %w: tensor<3x4xf32>) -> tensor<2x4xf32> {
  // expected-remark @below {{fusion: FUS001: contraction of 2 ops: dot_general, exp}}
  %d = graph.dot_general %x, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  %r = graph.exp %d : tensor<2x4xf32>
  return %r : tensor<2x4xf32>
}

func.func @alone(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // expected-remark @below {{fusion: FUS002: 'exp' alone as pointwise}}
  %r = graph.exp %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// Values of a row are computed once for all rows rather than inside the reader of all.
func.func @repeated(%x: tensor<3xf32>, %y: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // expected-remark @below {{fusion: FUS105: computed apart: inside its reader it would be repeated}}
  // expected-remark @below {{fusion: FUS002: 'exp' alone as pointwise}}
  %e = graph.exp %x : tensor<3xf32>
  %b = graph.broadcast %e [1] : tensor<3xf32> -> tensor<2x3xf32>
  // expected-remark @below {{fusion: FUS002: 'add' alone as pointwise}}
  %r = graph.add %b, %y : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
