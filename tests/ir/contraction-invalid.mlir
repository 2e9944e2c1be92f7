// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each constraint of the contraction family, broken.
//
// RUN: zenith-opt %s --split-input-file --verify-diagnostics

func.func @dot_general_c1_batching(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) {
  // expected-error@below {{'graph.dot_general' op number of rhs batching dimensions: got 0, expected 1 (dot_general_c1)}}
  %r = graph.dot_general %x, %y <batching = [0] x [], contracting = [1] x [1]> : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @dot_general_c2_contracting(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) {
  // expected-error@below {{'graph.dot_general' op number of rhs contracting dimensions: got 0, expected 1 (dot_general_c2)}}
  %r = graph.dot_general %x, %y <batching = [0] x [0], contracting = [1] x []> : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @dot_general_c3_lhs_range(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) {
  // expected-error@below {{'graph.dot_general' op dimensions of lhs: got [2], expected distinct values in [0, 2) (dot_general_c3)}}
  %r = graph.dot_general %x, %y <batching = [] x [], contracting = [2] x [0]> : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @dot_general_c3_rhs_twice(%x: tensor<3x3xf32>, %y: tensor<3x3xf32>) {
  // expected-error@below {{'graph.dot_general' op dimensions of rhs: got [0, 0], expected distinct values in [0, 2) (dot_general_c3)}}
  %r = graph.dot_general %x, %y <batching = [0] x [0], contracting = [1] x [0]> : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
  return
}

// -----

func.func @dot_general_c4_size(%x: tensor<2x3xf32>, %y: tensor<4x3xf32>) {
  // expected-error@below {{'graph.dot_general' op rhs batching dimension 0: got 4, expected 2 (dot_general_c4)}}
  %r = graph.dot_general %x, %y <batching = [0] x [0], contracting = [1] x [1]> : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @dot_general_c5_size(%x: tensor<2x3xf32>, %y: tensor<4x5xf32>) {
  // expected-error@below {{'graph.dot_general' op rhs contracting dimension 0: got 4, expected 3 (dot_general_c5)}}
  %r = graph.dot_general %x, %y <batching = [] x [], contracting = [1] x [0]> : (tensor<2x3xf32>, tensor<4x5xf32>) -> tensor<2x5xf32>
  return
}

// -----

func.func @dot_general_c6_element(%x: tensor<2x3xf32>, %y: tensor<3x4xf64>) {
  // expected-error@below {{'graph.dot_general' op rhs element type: got f64, expected f32 (dot_general_c6)}}
  %r = graph.dot_general %x, %y <batching = [] x [], contracting = [1] x [0]> : (tensor<2x3xf32>, tensor<3x4xf64>) -> tensor<2x4xf32>
  return
}

// -----

func.func @dot_general_c7_shape(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) {
  // expected-error@below {{'graph.dot_general' op result: got shape [4, 2], expected shape [2, 4] (dot_general_c7)}}
  %r = graph.dot_general %x, %y <batching = [] x [], contracting = [1] x [0]> : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @dot_general_c7_element(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) {
  // expected-error@below {{'graph.dot_general' op result: got f64, expected f32 or the type it sums in (dot_general_c7)}}
  %r = graph.dot_general %x, %y <batching = [] x [], contracting = [1] x [0]> : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf64>
  return
}

// -----

func.func @convolution_c1_input(%x: tensor<1x2x8x8xf32>, %w: tensor<4x2x3xf32>) {
  // expected-error@below {{'graph.convolution' op rank of input: got 4, expected 3 (convolution_c1)}}
  %r = graph.convolution %x, %w <input = (0, 1, [2]), kernel = (1, 0, [2]), output = (0, 1, [2])> strides [1] low [1] high [1] input_dilation [1] kernel_dilation [1] groups 1 : (tensor<1x2x8x8xf32>, tensor<4x2x3xf32>) -> tensor<1x4x8xf32>
  return
}

// -----

func.func @convolution_c1_kernel(%x: tensor<1x2x8xf32>, %w: tensor<4x2xf32>) {
  // expected-error@below {{'graph.convolution' op rank of kernel: got 2, expected 3 (convolution_c1)}}
  %r = graph.convolution %x, %w <input = (0, 1, [2]), kernel = (1, 0, [2]), output = (0, 1, [2])> strides [1] low [1] high [1] input_dilation [1] kernel_dilation [1] groups 1 : (tensor<1x2x8xf32>, tensor<4x2xf32>) -> tensor<1x4x8xf32>
  return
}

// -----

func.func @convolution_c1_result(%x: tensor<1x2x8xf32>, %w: tensor<4x2x3xf32>) {
  // expected-error@below {{'graph.convolution' op rank of result: got 2, expected 3 (convolution_c1)}}
  %r = graph.convolution %x, %w <input = (0, 1, [2]), kernel = (1, 0, [2]), output = (0, 1, [2])> strides [1] low [1] high [1] input_dilation [1] kernel_dilation [1] groups 1 : (tensor<1x2x8xf32>, tensor<4x2x3xf32>) -> tensor<1x4xf32>
  return
}

// -----

func.func @convolution_c2_input(%x: tensor<1x2x8xf32>, %w: tensor<4x2x3xf32>) {
  // expected-error@below {{'graph.convolution' op dimensions of input: got [0, 0, 2], expected a permutation of [0, 3) (convolution_c2)}}
  %r = graph.convolution %x, %w <input = (0, 0, [2]), kernel = (1, 0, [2]), output = (0, 1, [2])> strides [1] low [1] high [1] input_dilation [1] kernel_dilation [1] groups 1 : (tensor<1x2x8xf32>, tensor<4x2x3xf32>) -> tensor<1x4x8xf32>
  return
}

// -----

func.func @convolution_c2_kernel(%x: tensor<1x2x8xf32>, %w: tensor<4x2x3xf32>) {
  // expected-error@below {{'graph.convolution' op dimensions of kernel: got [1, 3, 2], expected a permutation of [0, 3) (convolution_c2)}}
  %r = graph.convolution %x, %w <input = (0, 1, [2]), kernel = (1, 3, [2]), output = (0, 1, [2])> strides [1] low [1] high [1] input_dilation [1] kernel_dilation [1] groups 1 : (tensor<1x2x8xf32>, tensor<4x2x3xf32>) -> tensor<1x4x8xf32>
  return
}

// -----

func.func @convolution_c2_output(%x: tensor<1x2x8xf32>, %w: tensor<4x2x3xf32>) {
  // expected-error@below {{'graph.convolution' op dimensions of output: got [0, 1, 1], expected a permutation of [0, 3) (convolution_c2)}}
  %r = graph.convolution %x, %w <input = (0, 1, [2]), kernel = (1, 0, [2]), output = (0, 1, [1])> strides [1] low [1] high [1] input_dilation [1] kernel_dilation [1] groups 1 : (tensor<1x2x8xf32>, tensor<4x2x3xf32>) -> tensor<1x4x8xf32>
  return
}

// -----

func.func @convolution_c3_strides(%x: tensor<1x2x8xf32>, %w: tensor<4x2x3xf32>) {
  // expected-error@below {{'graph.convolution' op entries of strides: got 2, expected 1 (convolution_c3)}}
  %r = graph.convolution %x, %w <input = (0, 1, [2]), kernel = (1, 0, [2]), output = (0, 1, [2])> strides [1, 1] low [1] high [1] input_dilation [1] kernel_dilation [1] groups 1 : (tensor<1x2x8xf32>, tensor<4x2x3xf32>) -> tensor<1x4x8xf32>
  return
}

// -----

func.func @convolution_c3_low(%x: tensor<1x2x8xf32>, %w: tensor<4x2x3xf32>) {
  // expected-error@below {{'graph.convolution' op entries of low: got 0, expected 1 (convolution_c3)}}
  %r = graph.convolution %x, %w <input = (0, 1, [2]), kernel = (1, 0, [2]), output = (0, 1, [2])> strides [1] low [] high [1] input_dilation [1] kernel_dilation [1] groups 1 : (tensor<1x2x8xf32>, tensor<4x2x3xf32>) -> tensor<1x4x8xf32>
  return
}

// -----

func.func @convolution_c3_high(%x: tensor<1x2x8xf32>, %w: tensor<4x2x3xf32>) {
  // expected-error@below {{'graph.convolution' op entries of high: got 0, expected 1 (convolution_c3)}}
  %r = graph.convolution %x, %w <input = (0, 1, [2]), kernel = (1, 0, [2]), output = (0, 1, [2])> strides [1] low [1] high [] input_dilation [1] kernel_dilation [1] groups 1 : (tensor<1x2x8xf32>, tensor<4x2x3xf32>) -> tensor<1x4x8xf32>
  return
}

// -----

func.func @convolution_c3_input_dilation(%x: tensor<1x2x8xf32>, %w: tensor<4x2x3xf32>) {
  // expected-error@below {{'graph.convolution' op entries of input_dilation: got 0, expected 1 (convolution_c3)}}
  %r = graph.convolution %x, %w <input = (0, 1, [2]), kernel = (1, 0, [2]), output = (0, 1, [2])> strides [1] low [1] high [1] input_dilation [] kernel_dilation [1] groups 1 : (tensor<1x2x8xf32>, tensor<4x2x3xf32>) -> tensor<1x4x8xf32>
  return
}

// -----

func.func @convolution_c3_kernel_dilation(%x: tensor<1x2x8xf32>, %w: tensor<4x2x3xf32>) {
  // expected-error@below {{'graph.convolution' op entries of kernel_dilation: got 0, expected 1 (convolution_c3)}}
  %r = graph.convolution %x, %w <input = (0, 1, [2]), kernel = (1, 0, [2]), output = (0, 1, [2])> strides [1] low [1] high [1] input_dilation [1] kernel_dilation [] groups 1 : (tensor<1x2x8xf32>, tensor<4x2x3xf32>) -> tensor<1x4x8xf32>
  return
}

// -----

func.func @convolution_c4_strides(%x: tensor<1x2x8xf32>, %w: tensor<4x2x3xf32>) {
  // expected-error@below {{'graph.convolution' op strides: got [0], expected values of at least 1 (convolution_c4)}}
  %r = graph.convolution %x, %w <input = (0, 1, [2]), kernel = (1, 0, [2]), output = (0, 1, [2])> strides [0] low [1] high [1] input_dilation [1] kernel_dilation [1] groups 1 : (tensor<1x2x8xf32>, tensor<4x2x3xf32>) -> tensor<1x4x8xf32>
  return
}

// -----

func.func @convolution_c4_input_dilation(%x: tensor<1x2x8xf32>, %w: tensor<4x2x3xf32>) {
  // expected-error@below {{'graph.convolution' op input_dilation: got [0], expected values of at least 1 (convolution_c4)}}
  %r = graph.convolution %x, %w <input = (0, 1, [2]), kernel = (1, 0, [2]), output = (0, 1, [2])> strides [1] low [1] high [1] input_dilation [0] kernel_dilation [1] groups 1 : (tensor<1x2x8xf32>, tensor<4x2x3xf32>) -> tensor<1x4x8xf32>
  return
}

// -----

func.func @convolution_c4_kernel_dilation(%x: tensor<1x2x8xf32>, %w: tensor<4x2x3xf32>) {
  // expected-error@below {{'graph.convolution' op kernel_dilation: got [-1], expected values of at least 1 (convolution_c4)}}
  %r = graph.convolution %x, %w <input = (0, 1, [2]), kernel = (1, 0, [2]), output = (0, 1, [2])> strides [1] low [1] high [1] input_dilation [1] kernel_dilation [-1] groups 1 : (tensor<1x2x8xf32>, tensor<4x2x3xf32>) -> tensor<1x4x8xf32>
  return
}

// -----

func.func @convolution_c5_features(%x: tensor<1x2x8xf32>, %w: tensor<4x2x3xf32>) {
  // expected-error@below {{'graph.convolution' op groups: got 3, expected a divisor of 2 (convolution_c5)}}
  %r = graph.convolution %x, %w <input = (0, 1, [2]), kernel = (1, 0, [2]), output = (0, 1, [2])> strides [1] low [1] high [1] input_dilation [1] kernel_dilation [1] groups 3 : (tensor<1x2x8xf32>, tensor<4x2x3xf32>) -> tensor<1x4x8xf32>
  return
}

// -----

func.func @convolution_c5_outputs(%x: tensor<1x2x8xf32>, %w: tensor<5x1x3xf32>) {
  // expected-error@below {{'graph.convolution' op groups: got 2, expected a divisor of 5 (convolution_c5)}}
  %r = graph.convolution %x, %w <input = (0, 1, [2]), kernel = (1, 0, [2]), output = (0, 1, [2])> strides [1] low [1] high [1] input_dilation [1] kernel_dilation [1] groups 2 : (tensor<1x2x8xf32>, tensor<5x1x3xf32>) -> tensor<1x4x8xf32>
  return
}

// -----

func.func @convolution_c5_zero(%x: tensor<1x2x8xf32>, %w: tensor<4x2x3xf32>) {
  // expected-error@below {{'graph.convolution' op groups: got 0, expected at least 1 (convolution_c5)}}
  %r = graph.convolution %x, %w <input = (0, 1, [2]), kernel = (1, 0, [2]), output = (0, 1, [2])> strides [1] low [1] high [1] input_dilation [1] kernel_dilation [1] groups 0 : (tensor<1x2x8xf32>, tensor<4x2x3xf32>) -> tensor<1x4x8xf32>
  return
}

// -----

func.func @convolution_c6_features(%x: tensor<1x2x8xf32>, %w: tensor<4x2x3xf32>) {
  // expected-error@below {{'graph.convolution' op kernel input features: got 2, expected 1 (convolution_c6)}}
  %r = graph.convolution %x, %w <input = (0, 1, [2]), kernel = (1, 0, [2]), output = (0, 1, [2])> strides [1] low [1] high [1] input_dilation [1] kernel_dilation [1] groups 2 : (tensor<1x2x8xf32>, tensor<4x2x3xf32>) -> tensor<1x4x8xf32>
  return
}

// -----

func.func @convolution_c7_size(%x: tensor<1x2x8xf32>, %w: tensor<4x2x3xf32>) {
  // expected-error@below {{'graph.convolution' op result: got shape [1, 4, 9], expected shape [1, 4, 8] (convolution_c7)}}
  %r = graph.convolution %x, %w <input = (0, 1, [2]), kernel = (1, 0, [2]), output = (0, 1, [2])> strides [1] low [1] high [1] input_dilation [1] kernel_dilation [1] groups 1 : (tensor<1x2x8xf32>, tensor<4x2x3xf32>) -> tensor<1x4x9xf32>
  return
}

// -----

func.func @convolution_c8_kernel(%x: tensor<1x2x8xf32>, %w: tensor<4x2x3xf64>) {
  // expected-error@below {{'graph.convolution' op kernel element type: got f64, expected f32 (convolution_c8)}}
  %r = graph.convolution %x, %w <input = (0, 1, [2]), kernel = (1, 0, [2]), output = (0, 1, [2])> strides [1] low [1] high [1] input_dilation [1] kernel_dilation [1] groups 1 : (tensor<1x2x8xf32>, tensor<4x2x3xf64>) -> tensor<1x4x8xf32>
  return
}

// -----

func.func @convolution_c8_result(%x: tensor<1x2x8xf32>, %w: tensor<4x2x3xf32>) {
  // expected-error@below {{'graph.convolution' op result: got i32, expected f32 or the type it sums in (convolution_c8)}}
  %r = graph.convolution %x, %w <input = (0, 1, [2]), kernel = (1, 0, [2]), output = (0, 1, [2])> strides [1] low [1] high [1] input_dilation [1] kernel_dilation [1] groups 1 : (tensor<1x2x8xf32>, tensor<4x2x3xf32>) -> tensor<1x4x8xi32>
  return
}
