// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matmuls with a square behind the first: on ones 8 * 8 * 37 * 21 * 53 * 11.

func.func @main(%x: tensor<19x8xf32>, %w0: tensor<8x37xf32>, %w1: tensor<37x21xf32>, %w2: tensor<21x53xf32>, %w3: tensor<53x11xf32>, %w4: tensor<11x5xf32>) -> tensor<19x5xf32> {
  %m0 = graph.dot_general %x, %w0 <batching = [] x [], contracting = [1] x [0]> : (tensor<19x8xf32>, tensor<8x37xf32>) -> tensor<19x37xf32>
  %r = graph.mul %m0, %m0 : tensor<19x37xf32>
  %m1 = graph.dot_general %r, %w1 <batching = [] x [], contracting = [1] x [0]> : (tensor<19x37xf32>, tensor<37x21xf32>) -> tensor<19x21xf32>
  %m2 = graph.dot_general %m1, %w2 <batching = [] x [], contracting = [1] x [0]> : (tensor<19x21xf32>, tensor<21x53xf32>) -> tensor<19x53xf32>
  %m3 = graph.dot_general %m2, %w3 <batching = [] x [], contracting = [1] x [0]> : (tensor<19x53xf32>, tensor<53x11xf32>) -> tensor<19x11xf32>
  %m4 = graph.dot_general %m3, %w4 <batching = [] x [], contracting = [1] x [0]> : (tensor<19x11xf32>, tensor<11x5xf32>) -> tensor<19x5xf32>
  return %m4 : tensor<19x5xf32>
}
