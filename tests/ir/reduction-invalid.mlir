// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each constraint of the reduction family, broken.
//
// RUN: zenith-opt %s --split-input-file --verify-diagnostics

func.func @reduce_c1_order(%x: tensor<2x3xf32>) {
  // expected-error@below {{'graph.reduce' op dims: got [1, 0], expected ascending values in [0, 2) (reduce_c1)}}
  %r = graph.reduce sum, %x [1, 0] : tensor<2x3xf32> -> tensor<f32>
  return
}

// -----

func.func @reduce_c1_range(%x: tensor<2x3xf32>) {
  // expected-error@below {{'graph.reduce' op dims: got [2], expected ascending values in [0, 2) (reduce_c1)}}
  %r = graph.reduce sum, %x [2] : tensor<2x3xf32> -> tensor<2x3xf32>
  return
}

// -----

func.func @reduce_c2_all_of_floats(%x: tensor<2x3xf32>) {
  // expected-error@below {{'graph.reduce' op all: got f32, expected integers or booleans (reduce_c2)}}
  %r = graph.reduce all, %x [1] : tensor<2x3xf32> -> tensor<2xf32>
  return
}

// -----

func.func @reduce_c2_sum_of_booleans(%x: tensor<2x3xi1>) {
  // expected-error@below {{'graph.reduce' op sum: got i1, expected numbers (reduce_c2)}}
  %r = graph.reduce sum, %x [1] : tensor<2x3xi1> -> tensor<2xi1>
  return
}

// -----

func.func @reduce_c2_max_of_complex(%x: tensor<2xcomplex<f32>>) {
  // expected-error@below {{'graph.reduce' op max: got complex<f32>, expected ordered elements (reduce_c2)}}
  %r = graph.reduce max, %x [0] : tensor<2xcomplex<f32>> -> tensor<complex<f32>>
  return
}

// -----

func.func @reduce_c3_shape(%x: tensor<2x3xf32>) {
  // expected-error@below {{'graph.reduce' op result: got tensor<3xf32>, expected tensor<2xf32> (reduce_c3)}}
  %r = graph.reduce sum, %x [1] : tensor<2x3xf32> -> tensor<3xf32>
  return
}

// -----

func.func @reduce_c3_element(%x: tensor<2x3xf16>) {
  // expected-error@below {{'graph.reduce' op result: got tensor<2xf32>, expected tensor<2xf16> (reduce_c3)}}
  %r = graph.reduce sum, %x [1] : tensor<2x3xf16> -> tensor<2xf32>
  return
}

// -----

func.func @arg_reduce_c1_range(%x: tensor<2x3xf32>) {
  // expected-error@below {{'graph.arg_reduce' op dim: got 2, expected a value in [0, 2) (arg_reduce_c1)}}
  %r = graph.arg_reduce max, %x 2 : tensor<2x3xf32> -> tensor<2xi64>
  return
}

// -----

func.func @arg_reduce_c2_kind(%x: tensor<2x3xf32>) {
  // expected-error@below {{'graph.arg_reduce' op kind: got sum, expected max or min (arg_reduce_c2)}}
  %r = graph.arg_reduce sum, %x 1 : tensor<2x3xf32> -> tensor<2xi64>
  return
}

// -----

func.func @arg_reduce_c3_shape(%x: tensor<2x3xf32>) {
  // expected-error@below {{'graph.arg_reduce' op result: got tensor<3xi64>, expected tensor<2xi64> (arg_reduce_c3)}}
  %r = graph.arg_reduce max, %x 1 : tensor<2x3xf32> -> tensor<3xi64>
  return
}

// -----

func.func @reduce_window_c1_window(%x: tensor<3x8xf32>) {
  // expected-error@below {{'graph.reduce_window' op entries of window: got 1, expected 2 (reduce_window_c1)}}
  %r = graph.reduce_window max, %x window [2] strides [1, 2] low [0, 0] high [0, 0] base_dilation [1, 1] dilation [1, 1] : tensor<3x8xf32> -> tensor<3x4xf32>
  return
}

// -----

func.func @reduce_window_c1_strides(%x: tensor<3x8xf32>) {
  // expected-error@below {{'graph.reduce_window' op entries of strides: got 1, expected 2 (reduce_window_c1)}}
  %r = graph.reduce_window max, %x window [1, 2] strides [2] low [0, 0] high [0, 0] base_dilation [1, 1] dilation [1, 1] : tensor<3x8xf32> -> tensor<3x4xf32>
  return
}

// -----

func.func @reduce_window_c1_low(%x: tensor<3x8xf32>) {
  // expected-error@below {{'graph.reduce_window' op entries of low: got 0, expected 2 (reduce_window_c1)}}
  %r = graph.reduce_window max, %x window [1, 2] strides [1, 2] low [] high [0, 0] base_dilation [1, 1] dilation [1, 1] : tensor<3x8xf32> -> tensor<3x4xf32>
  return
}

// -----

func.func @reduce_window_c1_high(%x: tensor<3x8xf32>) {
  // expected-error@below {{'graph.reduce_window' op entries of high: got 3, expected 2 (reduce_window_c1)}}
  %r = graph.reduce_window max, %x window [1, 2] strides [1, 2] low [0, 0] high [0, 0, 0] base_dilation [1, 1] dilation [1, 1] : tensor<3x8xf32> -> tensor<3x4xf32>
  return
}

// -----

func.func @reduce_window_c1_base_dilation(%x: tensor<3x8xf32>) {
  // expected-error@below {{'graph.reduce_window' op entries of base_dilation: got 1, expected 2 (reduce_window_c1)}}
  %r = graph.reduce_window max, %x window [1, 2] strides [1, 2] low [0, 0] high [0, 0] base_dilation [1] dilation [1, 1] : tensor<3x8xf32> -> tensor<3x4xf32>
  return
}

// -----

func.func @reduce_window_c1_dilation(%x: tensor<3x8xf32>) {
  // expected-error@below {{'graph.reduce_window' op entries of dilation: got 1, expected 2 (reduce_window_c1)}}
  %r = graph.reduce_window max, %x window [1, 2] strides [1, 2] low [0, 0] high [0, 0] base_dilation [1, 1] dilation [1] : tensor<3x8xf32> -> tensor<3x4xf32>
  return
}

// -----

func.func @reduce_window_c2_window(%x: tensor<3x8xf32>) {
  // expected-error@below {{'graph.reduce_window' op window: got [0, 2], expected values of at least 1 (reduce_window_c2)}}
  %r = graph.reduce_window max, %x window [0, 2] strides [1, 2] low [0, 0] high [0, 0] base_dilation [1, 1] dilation [1, 1] : tensor<3x8xf32> -> tensor<3x4xf32>
  return
}

// -----

func.func @reduce_window_c2_strides(%x: tensor<3x8xf32>) {
  // expected-error@below {{'graph.reduce_window' op strides: got [1, 0], expected values of at least 1 (reduce_window_c2)}}
  %r = graph.reduce_window max, %x window [1, 2] strides [1, 0] low [0, 0] high [0, 0] base_dilation [1, 1] dilation [1, 1] : tensor<3x8xf32> -> tensor<3x4xf32>
  return
}

// -----

func.func @reduce_window_c2_base_dilation(%x: tensor<3x8xf32>) {
  // expected-error@below {{'graph.reduce_window' op base_dilation: got [0, 1], expected values of at least 1 (reduce_window_c2)}}
  %r = graph.reduce_window max, %x window [1, 2] strides [1, 2] low [0, 0] high [0, 0] base_dilation [0, 1] dilation [1, 1] : tensor<3x8xf32> -> tensor<3x4xf32>
  return
}

// -----

func.func @reduce_window_c2_dilation(%x: tensor<3x8xf32>) {
  // expected-error@below {{'graph.reduce_window' op dilation: got [1, -1], expected values of at least 1 (reduce_window_c2)}}
  %r = graph.reduce_window max, %x window [1, 2] strides [1, 2] low [0, 0] high [0, 0] base_dilation [1, 1] dilation [1, -1] : tensor<3x8xf32> -> tensor<3x4xf32>
  return
}

// -----

func.func @reduce_window_c3_kind(%x: tensor<3x8xf32>) {
  // expected-error@below {{'graph.reduce_window' op any: got f32, expected integers or booleans (reduce_window_c3)}}
  %r = graph.reduce_window any, %x window [1, 2] strides [1, 2] low [0, 0] high [0, 0] base_dilation [1, 1] dilation [1, 1] : tensor<3x8xf32> -> tensor<3x4xf32>
  return
}

// -----

func.func @reduce_window_c4_shape(%x: tensor<3x8xf32>) {
  // expected-error@below {{'graph.reduce_window' op result: got tensor<3x5xf32>, expected tensor<3x4xf32> (reduce_window_c4)}}
  %r = graph.reduce_window max, %x window [1, 2] strides [1, 2] low [0, 0] high [0, 0] base_dilation [1, 1] dilation [1, 1] : tensor<3x8xf32> -> tensor<3x5xf32>
  return
}

// -----

func.func @cumulative_c1_range(%x: tensor<4xf32>) {
  // expected-error@below {{'graph.cumulative' op dim: got 1, expected a value in [0, 1) (cumulative_c1)}}
  %r = graph.cumulative sum, %x 1 : tensor<4xf32>
  return
}

// -----

func.func @cumulative_c2_kind(%x: tensor<4xf32>) {
  // expected-error@below {{'graph.cumulative' op parity: got f32, expected integers or booleans (cumulative_c2)}}
  %r = graph.cumulative parity, %x 0 : tensor<4xf32>
  return
}

// -----

func.func @reduce_with_c1_dims(%x: tensor<2x3xf32>, %y: tensor<2x4xf32>, %z: tensor<f32>, %d: tensor<f64>) {
  // expected-error@below {{'graph.reduce_with' op dims: got [2], expected ascending values in [0, 2) (reduce_with_c1)}}
  %r = graph.reduce_with (%x), (%z) [2] {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    graph.yield %b : tensor<f32>
  } : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  return
}

// -----

func.func @reduce_with_c2_shape(%x: tensor<2x3xf32>, %y: tensor<2x4xf32>, %z: tensor<f32>, %d: tensor<f64>) {
  // expected-error@below {{'graph.reduce_with' op operand 1: got shape [2, 4], expected shape [2, 3] (reduce_with_c2)}}
  %r:2 = graph.reduce_with (%x, %y), (%z, %z) [1] {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %e: tensor<f32>):
    graph.yield %a, %b : tensor<f32>, tensor<f32>
  } : (tensor<2x3xf32>, tensor<2x4xf32>, tensor<f32>, tensor<f32>) -> (tensor<2xf32>, tensor<2xf32>)
  return
}

// -----

func.func @reduce_with_c2_init(%x: tensor<2x3xf32>, %y: tensor<2x4xf32>, %z: tensor<f32>, %d: tensor<f64>) {
  // expected-error@below {{'graph.reduce_with' op init 0: got tensor<f64>, expected tensor<f32> (reduce_with_c2)}}
  %r = graph.reduce_with (%x), (%d) [1] {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    graph.yield %b : tensor<f32>
  } : (tensor<2x3xf32>, tensor<f64>) -> tensor<2xf32>
  return
}

// -----

func.func @reduce_with_c3_argument(%x: tensor<2x3xf32>, %y: tensor<2x4xf32>, %z: tensor<f32>, %d: tensor<f64>) {
  // expected-error@below {{'graph.reduce_with' op argument 1 of the region: got tensor<f64>, expected tensor<f32> (reduce_with_c3)}}
  %r = graph.reduce_with (%x), (%z) [1] {
  ^bb0(%a: tensor<f32>, %b: tensor<f64>):
    graph.yield %a : tensor<f32>
  } : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  return
}

// -----

func.func @reduce_with_c3_yield(%x: tensor<2x3xf32>, %y: tensor<2x4xf32>, %z: tensor<f32>, %d: tensor<f64>) {
  // expected-error@below {{'graph.reduce_with' op values that the region yields: got 2, expected 1 (reduce_with_c3)}}
  %r = graph.reduce_with (%x), (%z) [1] {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    graph.yield %a, %b : tensor<f32>, tensor<f32>
  } : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  return
}

// -----

func.func @reduce_with_c4_count(%x: tensor<2x3xf32>, %y: tensor<2x4xf32>, %z: tensor<f32>, %d: tensor<f64>) {
  // expected-error@below {{'graph.reduce_with' op number of results: got 2, expected 1 (reduce_with_c4)}}
  %r:2 = graph.reduce_with (%x), (%z) [1] {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    graph.yield %b : tensor<f32>
  } : (tensor<2x3xf32>, tensor<f32>) -> (tensor<2xf32>, tensor<2xf32>)
  return
}

// -----

func.func @reduce_with_c4_shape(%x: tensor<2x3xf32>, %y: tensor<2x4xf32>, %z: tensor<f32>, %d: tensor<f64>) {
  // expected-error@below {{'graph.reduce_with' op result 0: got tensor<3xf32>, expected tensor<2xf32> (reduce_with_c4)}}
  %r = graph.reduce_with (%x), (%z) [1] {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    graph.yield %b : tensor<f32>
  } : (tensor<2x3xf32>, tensor<f32>) -> tensor<3xf32>
  return
}

// -----

func.func @reduce_window_with_c1_length(%x: tensor<3x8xf32>, %z: tensor<f32>, %d: tensor<f64>) {
  // expected-error@below {{'graph.reduce_window_with' op entries of window: got 1, expected 2 (reduce_window_with_c1)}}
  %r = graph.reduce_window_with (%x), (%z) window [2] strides [1, 2] low [0, 0] high [0, 0] base_dilation [1, 1] dilation [1, 1] {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    graph.yield %b : tensor<f32>
  } : (tensor<3x8xf32>, tensor<f32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @reduce_window_with_c2_stride(%x: tensor<3x8xf32>, %z: tensor<f32>, %d: tensor<f64>) {
  // expected-error@below {{'graph.reduce_window_with' op strides: got [1, 0], expected values of at least 1 (reduce_window_with_c2)}}
  %r = graph.reduce_window_with (%x), (%z) window [1, 2] strides [1, 0] low [0, 0] high [0, 0] base_dilation [1, 1] dilation [1, 1] {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    graph.yield %b : tensor<f32>
  } : (tensor<3x8xf32>, tensor<f32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @reduce_window_with_c3_init(%x: tensor<3x8xf32>, %z: tensor<f32>, %d: tensor<f64>) {
  // expected-error@below {{'graph.reduce_window_with' op init 0: got tensor<f64>, expected tensor<f32> (reduce_window_with_c3)}}
  %r = graph.reduce_window_with (%x), (%d) window [1, 2] strides [1, 2] low [0, 0] high [0, 0] base_dilation [1, 1] dilation [1, 1] {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    graph.yield %b : tensor<f32>
  } : (tensor<3x8xf32>, tensor<f64>) -> tensor<3x4xf32>
  return
}

// -----

func.func @reduce_window_with_c3_yield(%x: tensor<3x8xf32>, %z: tensor<f32>, %d: tensor<f64>) {
  // expected-error@below {{'graph.reduce_window_with' op values that the region yields: got 0, expected 1 (reduce_window_with_c3)}}
  %r = graph.reduce_window_with (%x), (%z) window [1, 2] strides [1, 2] low [0, 0] high [0, 0] base_dilation [1, 1] dilation [1, 1] {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    graph.yield
  } : (tensor<3x8xf32>, tensor<f32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @reduce_window_with_c4_shape(%x: tensor<3x8xf32>, %z: tensor<f32>, %d: tensor<f64>) {
  // expected-error@below {{'graph.reduce_window_with' op result 0: got tensor<3x5xf32>, expected tensor<3x4xf32> (reduce_window_with_c4)}}
  %r = graph.reduce_window_with (%x), (%z) window [1, 2] strides [1, 2] low [0, 0] high [0, 0] base_dilation [1, 1] dilation [1, 1] {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    graph.yield %b : tensor<f32>
  } : (tensor<3x8xf32>, tensor<f32>) -> tensor<3x5xf32>
  return
}
