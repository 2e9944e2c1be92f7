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

// -----

func.func @split_key_c1_size(%k: tensor<3xui32>) {
  // expected-error@below {{'graph.split_key' op key: got tensor<3xui32>, expected ui32 of 2 or 4 elements (split_key_c1)}}
  %r = graph.split_key %k : tensor<3xui32> -> tensor<5x3xui32>
  return
}

// -----

func.func @split_key_c2_words(%k: tensor<2xui32>) {
  // expected-error@below {{'graph.split_key' op result: got tensor<5x4xui32>, expected rows of 2 elements (split_key_c2)}}
  %r = graph.split_key %k : tensor<2xui32> -> tensor<5x4xui32>
  return
}

// -----

func.func @fold_in_c1_size(%k: tensor<3xui32>, %i: tensor<i32>) {
  // expected-error@below {{'graph.fold_in' op key: got tensor<3xui32>, expected ui32 of 2 or 4 elements (fold_in_c1)}}
  %r = graph.fold_in %k, %i : tensor<3xui32>, tensor<i32>
  return
}

// -----

func.func @fold_in_c2_vector(%k: tensor<2xui32>, %i: tensor<1xi32>) {
  // expected-error@below {{'graph.fold_in' op data: got tensor<1xi32>, expected an integer scalar (fold_in_c2)}}
  %r = graph.fold_in %k, %i : tensor<2xui32>, tensor<1xi32>
  return
}

// -----

func.func @random_uniform_c1_size(%k: tensor<3xui32>) {
  // expected-error@below {{'graph.random_uniform' op key: got tensor<3xui32>, expected ui32 of 2 or 4 elements (random_uniform_c1)}}
  %r = graph.random_uniform %k : tensor<3xui32> -> tensor<4xf32>
  return
}

// -----

func.func @random_uniform_c2_no_size(%k: tensor<2xui32>) {
  // expected-error@below {{'graph.random_uniform' op sizes: got 0 operands, expected 1, one for each ? of tensor<?xf32> (random_uniform_c2)}}
  %r = graph.random_uniform %k : tensor<2xui32> -> tensor<?xf32>
  return
}

// -----

func.func @random_normal_c1_size(%k: tensor<3xui32>) {
  // expected-error@below {{'graph.random_normal' op key: got tensor<3xui32>, expected ui32 of 2 or 4 elements (random_normal_c1)}}
  %r = graph.random_normal %k : tensor<3xui32> -> tensor<4xf32>
  return
}

// -----

func.func @random_normal_c2_no_size(%k: tensor<2xui32>) {
  // expected-error@below {{'graph.random_normal' op sizes: got 0 operands, expected 1, one for each ? of tensor<?xf32> (random_normal_c2)}}
  %r = graph.random_normal %k : tensor<2xui32> -> tensor<?xf32>
  return
}

// -----

func.func @random_truncated_normal_c1_size(%k: tensor<3xui32>) {
  // expected-error@below {{'graph.random_truncated_normal' op key: got tensor<3xui32>, expected ui32 of 2 or 4 elements (random_truncated_normal_c1)}}
  %r = graph.random_truncated_normal %k {lower = 0.0 : f64, upper = 1.0 : f64} : tensor<3xui32> -> tensor<4xf32>
  return
}

// -----

func.func @random_truncated_normal_c2_no_size(%k: tensor<2xui32>) {
  // expected-error@below {{'graph.random_truncated_normal' op sizes: got 0 operands, expected 1, one for each ? of tensor<?xf32> (random_truncated_normal_c2)}}
  %r = graph.random_truncated_normal %k {lower = 0.0 : f64, upper = 1.0 : f64} : tensor<2xui32> -> tensor<?xf32>
  return
}

// -----

func.func @random_bernoulli_c1_size(%k: tensor<3xui32>) {
  // expected-error@below {{'graph.random_bernoulli' op key: got tensor<3xui32>, expected ui32 of 2 or 4 elements (random_bernoulli_c1)}}
  %r = graph.random_bernoulli %k {probability = 0.5 : f64} : tensor<3xui32> -> tensor<4xi1>
  return
}

// -----

func.func @random_bernoulli_c2_no_size(%k: tensor<2xui32>) {
  // expected-error@below {{'graph.random_bernoulli' op sizes: got 0 operands, expected 1, one for each ? of tensor<?xi1> (random_bernoulli_c2)}}
  %r = graph.random_bernoulli %k {probability = 0.5 : f64} : tensor<2xui32> -> tensor<?xi1>
  return
}

// -----

func.func @random_uniform_c3_exchanged(%k: tensor<2xui32>) {
  // expected-error@below {{'graph.random_uniform' op bounds: got 1 and 0, expected finite numbers, the lower one first (random_uniform_c3)}}
  %r = graph.random_uniform %k {low = 1.0 : f64, high = 0.0 : f64} : tensor<2xui32> -> tensor<4xf32>
  return
}

// -----

func.func @random_truncated_normal_c3_empty(%k: tensor<2xui32>) {
  // expected-error@below {{'graph.random_truncated_normal' op bounds: got 1 and 1, expected the lower one first (random_truncated_normal_c3)}}
  %r = graph.random_truncated_normal %k {lower = 1.0 : f64, upper = 1.0 : f64} : tensor<2xui32> -> tensor<4xf32>
  return
}

// -----

func.func @random_bernoulli_c3_large(%k: tensor<2xui32>) {
  // expected-error@below {{'graph.random_bernoulli' op probability: got 1.5, expected a number from 0 to 1 (random_bernoulli_c3)}}
  %r = graph.random_bernoulli %k {probability = 1.5 : f64} : tensor<2xui32> -> tensor<4xi1>
  return
}

// -----

func.func @random_permutation_c1_size(%k: tensor<3xui32>) {
  // expected-error@below {{'graph.random_permutation' op key: got tensor<3xui32>, expected ui32 of 2 or 4 elements (random_permutation_c1)}}
  %r = graph.random_permutation %k : tensor<3xui32> -> tensor<4xi32>
  return
}

// -----

func.func @random_permutation_c2_matrix(%k: tensor<2xui32>) {
  // expected-error@below {{'graph.random_permutation' op result: got tensor<4x1xi32>, expected a static vector (random_permutation_c2)}}
  %r = graph.random_permutation %k : tensor<2xui32> -> tensor<4x1xi32>
  return
}

// -----

func.func @random_permutation_c3_narrow(%k: tensor<2xui32>) {
  // expected-error@below {{'graph.random_permutation' op result: got tensor<129xi8>, expected an element type that holds its indices (random_permutation_c3)}}
  %r = graph.random_permutation %k : tensor<2xui32> -> tensor<129xi8>
  return
}

// -----

func.func @random_categorical_c1_size(%k: tensor<3xui32>, %x: tensor<4x3xf32>) {
  // expected-error@below {{'graph.random_categorical' op key: got tensor<3xui32>, expected ui32 of 2 or 4 elements (random_categorical_c1)}}
  %r = graph.random_categorical %k, %x {axis = 1 : i64} : (tensor<3xui32>, tensor<4x3xf32>) -> tensor<4xi32>
  return
}

// -----

func.func @random_categorical_c2_axis(%k: tensor<2xui32>, %x: tensor<4x3xf32>) {
  // expected-error@below {{'graph.random_categorical' op axis: got 2, expected a value in [0, 2) (random_categorical_c2)}}
  %r = graph.random_categorical %k, %x {axis = 2 : i64} : (tensor<2xui32>, tensor<4x3xf32>) -> tensor<4xi32>
  return
}

// -----

func.func @random_categorical_c3_shape(%k: tensor<2xui32>, %x: tensor<4x3xf32>) {
  // expected-error@below {{'graph.random_categorical' op result: got tensor<3xi32>, expected tensor<4xi32> (random_categorical_c3)}}
  %r = graph.random_categorical %k, %x {axis = 1 : i64} : (tensor<2xui32>, tensor<4x3xf32>) -> tensor<3xi32>
  return
}

// -----

func.func @dropout_c1_size(%k: tensor<3xui32>, %x: tensor<4xf32>) {
  // expected-error@below {{'graph.dropout' op key: got tensor<3xui32>, expected ui32 of 2 or 4 elements (dropout_c1)}}
  %r = graph.dropout %x, %k {rate = 0.5 : f64} : tensor<4xf32>, tensor<3xui32>
  return
}

// -----

func.func @dropout_c2_everything(%k: tensor<2xui32>, %x: tensor<4xf32>) {
  // expected-error@below {{'graph.dropout' op rate: got 1, expected 0 <= rate < 1 (dropout_c2)}}
  %r = graph.dropout %x, %k {rate = 1.0 : f64} : tensor<4xf32>, tensor<2xui32>
  return
}
