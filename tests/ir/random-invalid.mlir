// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each constraint of the random family, broken.
//
// RUN: zenith-opt %s --split-input-file --verify-diagnostics

func.func @random_bits_c1_size(%s: tensor<4xui64>) {
  // expected-error@below {{'graph.random_bits' op state: got tensor<4xui64>, expected ui64 of 2 or 3 elements (random_bits_c1)}}
  %n, %b = graph.random_bits philox, %s : tensor<4xui64> -> tensor<4xui64>, tensor<4xui32>
  return
}

// -----

func.func @random_bits_c1_threefry(%s: tensor<3xui64>) {
  // expected-error@below {{'graph.random_bits' op state: got tensor<3xui64>, expected ui64 of 2 elements (random_bits_c1)}}
  %n, %b = graph.random_bits threefry, %s : tensor<3xui64> -> tensor<3xui64>, tensor<4xui32>
  return
}

// -----

func.func @random_bits_c2_type(%s: tensor<2xui64>) {
  // expected-error@below {{'graph.random_bits' op new state: got tensor<3xui64>, expected tensor<2xui64> (random_bits_c2)}}
  %n, %b = graph.random_bits philox, %s : tensor<2xui64> -> tensor<3xui64>, tensor<4xui32>
  return
}

// -----

func.func @random_bits_c3_dynamic(%s: tensor<2xui64>) {
  // expected-error@below {{'graph.random_bits' op bits: got tensor<?xui32>, expected static integers of 8 to 64 bits (random_bits_c3)}}
  %n, %b = graph.random_bits philox, %s : tensor<2xui64> -> tensor<2xui64>, tensor<?xui32>
  return
}

// -----

func.func @random_bits_c3_narrow(%s: tensor<2xui64>) {
  // expected-error@below {{'graph.random_bits' op bits: got tensor<4xui4>, expected static integers of 8 to 64 bits (random_bits_c3)}}
  %n, %b = graph.random_bits philox, %s : tensor<2xui64> -> tensor<2xui64>, tensor<4xui4>
  return
}
