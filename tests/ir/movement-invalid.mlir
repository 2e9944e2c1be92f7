// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each constraint of the movement family, broken.
//
// RUN: zenith-opt %s --split-input-file --verify-diagnostics

func.func @constant_c1_type() {
  // expected-error@below {{'graph.constant' op value: got tensor<2xf32>, expected tensor<3xf32> (constant_c1)}}
  %r = "graph.constant"() {value = dense<1.0> : tensor<2xf32>} : () -> tensor<3xf32>
  return
}

// -----

func.func @constant_c1_complex() {
  // expected-error@below {{'graph.constant' op value: got real numbers, expected pairs of numbers for complex elements (constant_c1)}}
  %0 = graph.constant dense<1.0> : tensor<3xcomplex<f32>>
  return
}

// -----

func.func @constant_c1_dynamic() {
  // expected-error@below {{'graph.constant' op value: got tensor<2xf32>, expected tensor<?xf32> (constant_c1)}}
  %r = "graph.constant"() {value = dense<1.0> : tensor<2xf32>} : () -> tensor<?xf32>
  return
}

// -----

func.func @constant_without_elements() {
  // expected-error@below {{custom op 'graph.constant' expected elements of a ranked tensor}}
  %r = graph.constant 1 : i64
  return
}

// -----

func.func @dim_c1_range(%x: tensor<2xf32>) {
  // expected-error@below {{'graph.dim' op dim: got 1, expected a value in [0, 1) (dim_c1)}}
  %r = graph.dim %x, 1 : tensor<2xf32>
  return
}

// -----

func.func @dim_c1_negative(%x: tensor<2xf32>) {
  // expected-error@below {{'graph.dim' op dim: got -1, expected a value in [0, 1) (dim_c1)}}
  %r = graph.dim %x, -1 : tensor<2xf32>
  return
}

// -----

func.func @iota_c1_range() {
  // expected-error@below {{'graph.iota' op dim: got 1, expected a value in [0, 1) (iota_c1)}}
  %r = graph.iota 1 : tensor<2xi64>
  return
}

// -----

func.func @iota_c2_missing() {
  // expected-error@below {{'graph.iota' op dims: got 0 operands, expected 1, one for each ? of tensor<?xi64> (iota_c2)}}
  %r = graph.iota 0 : tensor<?xi64>
  return
}

// -----

func.func @broadcast_c1_length(%x: tensor<4xf32>) {
  // expected-error@below {{'graph.broadcast' op entries of mapping: got 2, expected 1 (broadcast_c1)}}
  %r = graph.broadcast %x [0, 1] : tensor<4xf32> -> tensor<4x4xf32>
  return
}

// -----

func.func @broadcast_c2_range(%x: tensor<4xf32>) {
  // expected-error@below {{'graph.broadcast' op mapping: got [2], expected distinct values in [0, 2) (broadcast_c2)}}
  %r = graph.broadcast %x [2] : tensor<4xf32> -> tensor<4x4xf32>
  return
}

// -----

func.func @broadcast_c2_twice(%x: tensor<4x4xf32>) {
  // expected-error@below {{'graph.broadcast' op mapping: got [1, 1], expected distinct values in [0, 2) (broadcast_c2)}}
  %r = graph.broadcast %x [1, 1] : tensor<4x4xf32> -> tensor<4x4xf32>
  return
}

// -----

func.func @broadcast_c3_size(%x: tensor<4xf32>) {
  // expected-error@below {{'graph.broadcast' op operand dimension 0: got 4, expected 1 or 5 (broadcast_c3)}}
  %r = graph.broadcast %x [0] : tensor<4xf32> -> tensor<5x4xf32>
  return
}

// -----

func.func @broadcast_c4_missing(%x: tensor<4xf32>) {
  // expected-error@below {{'graph.broadcast' op dims: got 0 operands, expected 1, one for each ? of tensor<?x4xf32> (broadcast_c4)}}
  %r = graph.broadcast %x [1] : tensor<4xf32> -> tensor<?x4xf32>
  return
}

// -----

func.func @broadcast_c5_element(%x: tensor<4xf32>) {
  // expected-error@below {{'graph.broadcast' op result element type: got f64, expected f32 (broadcast_c5)}}
  %r = graph.broadcast %x [0] : tensor<4xf32> -> tensor<4xf64>
  return
}

// -----

func.func @expand_c1_rank(%x: tensor<4xf32>) {
  // expected-error@below {{'graph.expand' op rank of result: got 2, expected 1 (expand_c1)}}
  %r = graph.expand %x : tensor<4xf32> -> tensor<4x4xf32>
  return
}

// -----

func.func @expand_c2_size(%x: tensor<4xf32>) {
  // expected-error@below {{'graph.expand' op operand dimension 0: got 4, expected 5 (expand_c2)}}
  %r = graph.expand %x : tensor<4xf32> -> tensor<5xf32>
  return
}

// -----

func.func @expand_c3_missing(%x: tensor<1xf32>) {
  // expected-error@below {{'graph.expand' op dims: got 0 operands, expected 1, one for each ? of tensor<?xf32> (expand_c3)}}
  %r = graph.expand %x : tensor<1xf32> -> tensor<?xf32>
  return
}

// -----

func.func @expand_c4_element(%x: tensor<1xf32>) {
  // expected-error@below {{'graph.expand' op result element type: got f64, expected f32 (expand_c4)}}
  %r = graph.expand %x : tensor<1xf32> -> tensor<4xf64>
  return
}

// -----

func.func @reshape_c1_count(%x: tensor<4xf32>) {
  // expected-error@below {{'graph.reshape' op result: got 5 elements, expected 4 elements (reshape_c1)}}
  %r = graph.reshape %x : tensor<4xf32> -> tensor<5xf32>
  return
}

// -----

func.func @reshape_c1_overflow(%x: tensor<4294967296x4294967296xf32>) {
  // expected-error@below {{'graph.reshape' op shapes: got [4294967296, 4294967296] and [2, 2], expected element counts that fit 63 bits (reshape_c1)}}
  %r = graph.reshape %x : tensor<4294967296x4294967296xf32> -> tensor<2x2xf32>
  return
}

// -----

func.func @reshape_c2_extra(%x: tensor<4xf32>, %n: tensor<i64>) {
  // expected-error@below {{'graph.reshape' op dims: got 1 operands, expected 0, one for each ? of tensor<2x2xf32> (reshape_c2)}}
  %r = graph.reshape %x [%n] : tensor<4xf32> -> tensor<2x2xf32>
  return
}

// -----

func.func @reshape_c3_element(%x: tensor<4xf32>) {
  // expected-error@below {{'graph.reshape' op result element type: got i32, expected f32 (reshape_c3)}}
  %r = graph.reshape %x : tensor<4xf32> -> tensor<4xi32>
  return
}

// -----

func.func @transpose_c1_twice(%x: tensor<2x3xf32>) {
  // expected-error@below {{'graph.transpose' op permutation: got [1, 1], expected a permutation of [0, 2) (transpose_c1)}}
  %r = graph.transpose %x [1, 1] : tensor<2x3xf32> -> tensor<3x3xf32>
  return
}

// -----

func.func @transpose_c1_length(%x: tensor<2x3xf32>) {
  // expected-error@below {{'graph.transpose' op permutation: got [0], expected a permutation of [0, 2) (transpose_c1)}}
  %r = graph.transpose %x [0] : tensor<2x3xf32> -> tensor<2xf32>
  return
}

// -----

func.func @transpose_c2_shape(%x: tensor<2x3xf32>) {
  // expected-error@below {{'graph.transpose' op result: got tensor<2x3xf32>, expected tensor<3x2xf32> (transpose_c2)}}
  %r = graph.transpose %x [1, 0] : tensor<2x3xf32> -> tensor<2x3xf32>
  return
}

// -----

func.func @transpose_c2_element(%x: tensor<2x3xf32>) {
  // expected-error@below {{'graph.transpose' op result: got tensor<3x2xf64>, expected tensor<3x2xf32> (transpose_c2)}}
  %r = graph.transpose %x [1, 0] : tensor<2x3xf32> -> tensor<3x2xf64>
  return
}

// -----

func.func @slice_c1_starts(%x: tensor<4x4xf32>) {
  // expected-error@below {{'graph.slice' op entries of starts: got 1, expected 2 (slice_c1)}}
  %r = graph.slice %x [0] [2, 2] [1, 1] : tensor<4x4xf32> -> tensor<2x2xf32>
  return
}

// -----

func.func @slice_c1_sizes(%x: tensor<4x4xf32>) {
  // expected-error@below {{'graph.slice' op entries of sizes: got 1, expected 2 (slice_c1)}}
  %r = graph.slice %x [0, 0] [2] [1, 1] : tensor<4x4xf32> -> tensor<2x2xf32>
  return
}

// -----

func.func @slice_c1_strides(%x: tensor<4x4xf32>) {
  // expected-error@below {{'graph.slice' op entries of strides: got 1, expected 2 (slice_c1)}}
  %r = graph.slice %x [0, 0] [2, 2] [1] : tensor<4x4xf32> -> tensor<2x2xf32>
  return
}

// -----

func.func @slice_c2_zero(%x: tensor<4xf32>) {
  // expected-error@below {{'graph.slice' op strides: got [0], expected values of at least 1 (slice_c2)}}
  %r = graph.slice %x [0] [2] [0] : tensor<4xf32> -> tensor<2xf32>
  return
}

// -----

func.func @slice_c3_end(%x: tensor<4xf32>) {
  // expected-error@below {{'graph.slice' op dimension 0: got a part that ends at 6, expected at most 4 (slice_c3)}}
  %r = graph.slice %x [1] [3] [2] : tensor<4xf32> -> tensor<3xf32>
  return
}

// -----

func.func @slice_c3_huge(%x: tensor<4xf32>) {
  // expected-error@below {{'graph.slice' op dimension 0: got a part that ends at 9223372036854775807, expected at most 4 (slice_c3)}}
  %r = graph.slice %x [9223372036854775807] [3] [9223372036854775807] : tensor<4xf32> -> tensor<3xf32>
  return
}

// -----

func.func @slice_c3_negative(%x: tensor<4xf32>) {
  // expected-error@below {{'graph.slice' op dimension 0: got start -1 and size 3, expected no negative numbers (slice_c3)}}
  %r = graph.slice %x [-1] [3] [1] : tensor<4xf32> -> tensor<3xf32>
  return
}

// -----

func.func @slice_c4_starts(%x: tensor<4xf32>, %n: tensor<i64>) {
  // expected-error@below {{'graph.slice' op starts operands: got 1, expected 0 (slice_c4)}}
  %r = "graph.slice"(%x, %n) {static_starts = array<i64: 0>, static_sizes = array<i64: 2>, strides = array<i64: 1>, operandSegmentSizes = array<i32: 1, 1, 0>} : (tensor<4xf32>, tensor<i64>) -> tensor<2xf32>
  return
}

// -----

func.func @slice_c4_sizes(%x: tensor<4xf32>) {
  // expected-error@below {{'graph.slice' op sizes operands: got 0, expected 1 (slice_c4)}}
  %r = "graph.slice"(%x) {static_starts = array<i64: 0>, static_sizes = array<i64: -9223372036854775808>, strides = array<i64: 1>, operandSegmentSizes = array<i32: 1, 0, 0>} : (tensor<4xf32>) -> tensor<?xf32>
  return
}

// -----

func.func @slice_c5_shape(%x: tensor<4xf32>) {
  // expected-error@below {{'graph.slice' op result: got shape [3], expected shape [2] (slice_c5)}}
  %r = graph.slice %x [0] [2] [1] : tensor<4xf32> -> tensor<3xf32>
  return
}

// -----

func.func @slice_c6_element(%x: tensor<4xf32>) {
  // expected-error@below {{'graph.slice' op result element type: got f64, expected f32 (slice_c6)}}
  %r = graph.slice %x [0] [2] [1] : tensor<4xf32> -> tensor<2xf64>
  return
}

// -----

func.func @pad_c1_low(%x: tensor<4xf32>, %v: tensor<f32>) {
  // expected-error@below {{'graph.pad' op entries of low: got 2, expected 1 (pad_c1)}}
  %r = graph.pad %x, %v [0, 0] [0] [0] : tensor<4xf32>, tensor<f32> -> tensor<4xf32>
  return
}

// -----

func.func @pad_c1_high(%x: tensor<4xf32>, %v: tensor<f32>) {
  // expected-error@below {{'graph.pad' op entries of high: got 0, expected 1 (pad_c1)}}
  %r = graph.pad %x, %v [0] [] [0] : tensor<4xf32>, tensor<f32> -> tensor<4xf32>
  return
}

// -----

func.func @pad_c1_interior(%x: tensor<4xf32>, %v: tensor<f32>) {
  // expected-error@below {{'graph.pad' op entries of interior: got 0, expected 1 (pad_c1)}}
  %r = graph.pad %x, %v [0] [0] [] : tensor<4xf32>, tensor<f32> -> tensor<4xf32>
  return
}

// -----

func.func @pad_c2_interior(%x: tensor<4xf32>, %v: tensor<f32>) {
  // expected-error@below {{'graph.pad' op interior: got [-1], expected values of at least 0 (pad_c2)}}
  %r = graph.pad %x, %v [0] [0] [-1] : tensor<4xf32>, tensor<f32> -> tensor<4xf32>
  return
}

// -----

func.func @pad_c3_value(%x: tensor<4xf32>, %v: tensor<1xf32>) {
  // expected-error@below {{'graph.pad' op value: got tensor<1xf32>, expected tensor<f32> (pad_c3)}}
  %r = graph.pad %x, %v [0] [0] [0] : tensor<4xf32>, tensor<1xf32> -> tensor<4xf32>
  return
}

// -----

func.func @pad_c4_low(%x: tensor<4xf32>, %v: tensor<f32>) {
  // expected-error@below {{'graph.pad' op low operands: got 0, expected 1 (pad_c4)}}
  %r = "graph.pad"(%x, %v) {static_low = array<i64: -9223372036854775808>, static_high = array<i64: 0>, interior = array<i64: 0>, operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (tensor<4xf32>, tensor<f32>) -> tensor<?xf32>
  return
}

// -----

func.func @pad_c4_high(%x: tensor<4xf32>, %v: tensor<f32>, %n: tensor<i64>) {
  // expected-error@below {{'graph.pad' op high operands: got 1, expected 0 (pad_c4)}}
  %r = "graph.pad"(%x, %v, %n) {static_low = array<i64: 0>, static_high = array<i64: 0>, interior = array<i64: 0>, operandSegmentSizes = array<i32: 1, 1, 0, 1>} : (tensor<4xf32>, tensor<f32>, tensor<i64>) -> tensor<?xf32>
  return
}

// -----

func.func @pad_c5_size(%x: tensor<4xf32>, %v: tensor<f32>) {
  // expected-error@below {{'graph.pad' op result dimension 0: got 6, expected 9 (pad_c5)}}
  %r = graph.pad %x, %v [1] [1] [1] : tensor<4xf32>, tensor<f32> -> tensor<6xf32>
  return
}

// -----

func.func @pad_c5_negative(%x: tensor<4xf32>, %v: tensor<f32>) {
  // expected-error@below {{'graph.pad' op dimension 0: got padding to size -2, expected at least 0 (pad_c5)}}
  %r = graph.pad %x, %v [-3] [-3] [0] : tensor<4xf32>, tensor<f32> -> tensor<?xf32>
  return
}

// -----

func.func @pad_c5_rank(%x: tensor<4xf32>, %v: tensor<f32>) {
  // expected-error@below {{'graph.pad' op rank of result: got 2, expected 1 (pad_c5)}}
  %r = graph.pad %x, %v [0] [0] [0] : tensor<4xf32>, tensor<f32> -> tensor<4x1xf32>
  return
}

// -----

func.func @pad_c6_element(%x: tensor<4xf32>, %v: tensor<f32>) {
  // expected-error@below {{'graph.pad' op result element type: got f64, expected f32 (pad_c6)}}
  %r = graph.pad %x, %v [0] [0] [0] : tensor<4xf32>, tensor<f32> -> tensor<4xf64>
  return
}

// -----

func.func @concat_c1_none() {
  // expected-error@below {{'graph.concat' op operands: got none, expected at least one (concat_c1)}}
  %r = "graph.concat"() {dim = 0 : i64} : () -> tensor<0xf32>
  return
}

// -----

func.func @concat_c2_range(%x: tensor<4xf32>) {
  // expected-error@below {{'graph.concat' op dim: got 1, expected a value in [0, 1) (concat_c2)}}
  %r = graph.concat 1, %x : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @concat_c3_rank(%x: tensor<4xf32>, %y: tensor<4x1xf32>) {
  // expected-error@below {{'graph.concat' op rank of operand 1: got 2, expected 1 (concat_c3)}}
  %r = graph.concat 0, %x, %y : (tensor<4xf32>, tensor<4x1xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @concat_c3_element(%x: tensor<4xf32>, %y: tensor<4xf64>) {
  // expected-error@below {{'graph.concat' op element type of operand 1: got f64, expected f32 (concat_c3)}}
  %r = graph.concat 0, %x, %y : (tensor<4xf32>, tensor<4xf64>) -> tensor<8xf32>
  return
}

// -----

func.func @concat_c4_size(%x: tensor<4x2xf32>, %y: tensor<4x3xf32>) {
  // expected-error@below {{'graph.concat' op operand 1 dimension 1: got 3, expected 2 (concat_c4)}}
  %r = graph.concat 0, %x, %y : (tensor<4x2xf32>, tensor<4x3xf32>) -> tensor<8x2xf32>
  return
}

// -----

func.func @concat_c5_sum(%x: tensor<4xf32>) {
  // expected-error@below {{'graph.concat' op result: got tensor<9xf32>, expected tensor<8xf32> (concat_c5)}}
  %r = graph.concat 0, %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<9xf32>
  return
}

// -----

func.func @reverse_c1_range(%x: tensor<4xf32>) {
  // expected-error@below {{'graph.reverse' op dims: got [1], expected distinct values in [0, 1) (reverse_c1)}}
  %r = graph.reverse %x [1] : tensor<4xf32>
  return
}

// -----

func.func @reverse_c1_twice(%x: tensor<4xf32>) {
  // expected-error@below {{'graph.reverse' op dims: got [0, 0], expected distinct values in [0, 1) (reverse_c1)}}
  %r = graph.reverse %x [0, 0] : tensor<4xf32>
  return
}
