// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each constraint of the elementwise family, broken.
//
// RUN: zenith-opt %s --split-input-file --verify-diagnostics

func.func @add_c1_shape(%x: tensor<4xf32>, %y: tensor<5xf32>) {
  // expected-error@below {{'graph.add' op operand 1: got shape [5], expected shape [4] (add_c1)}}
  %r = "graph.add"(%x, %y) : (tensor<4xf32>, tensor<5xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @add_c1_dynamic_and_static(%x: tensor<?xf32>, %y: tensor<5xf32>) {
  // expected-error@below {{'graph.add' op operand 1: got shape [5], expected shape [?] (add_c1)}}
  %r = "graph.add"(%x, %y) : (tensor<?xf32>, tensor<5xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @exp_c1_result(%x: tensor<4xf32>) {
  // expected-error@below {{'graph.exp' op result 0: got shape [4, 1], expected shape [4] (exp_c1)}}
  %r = "graph.exp"(%x) : (tensor<4xf32>) -> tensor<4x1xf32>
  return
}

// -----

func.func @convert_c1_shape(%x: tensor<4xf32>) {
  // expected-error@below {{'graph.convert' op result 0: got shape [5], expected shape [4] (convert_c1)}}
  %r = graph.convert %x : tensor<4xf32> -> tensor<5xi32>
  return
}

// -----

func.func @select_c1_shape(%p: tensor<3xi1>, %x: tensor<4xf32>) {
  // expected-error@below {{'graph.select' op operand 1: got shape [4], expected shape [3] (select_c1)}}
  %r = graph.select %p, %x, %x : tensor<3xi1>, tensor<4xf32>
  return
}

// -----

func.func @compare_c1_result(%x: tensor<4xf32>) {
  // expected-error@below {{'graph.compare' op result 0: got shape [3], expected shape [4] (compare_c1)}}
  %r = graph.compare lt, %x, %x : tensor<4xf32> -> tensor<3xi1>
  return
}

// -----

func.func @add_c2_element(%x: tensor<4xf32>, %y: tensor<4xf64>) {
  // expected-error@below {{'graph.add' op operand 1: got f64, expected f32 (add_c2)}}
  %r = "graph.add"(%x, %y) : (tensor<4xf32>, tensor<4xf64>) -> tensor<4xf32>
  return
}

// -----

func.func @clamp_c2_element(%x: tensor<4xf32>, %y: tensor<4xf64>) {
  // expected-error@below {{'graph.clamp' op operand 1: got f64, expected f32 (clamp_c2)}}
  %r = "graph.clamp"(%x, %y, %x) : (tensor<4xf32>, tensor<4xf64>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @compare_c2_element(%x: tensor<4xf32>, %y: tensor<4xf64>) {
  // expected-error@below {{'graph.compare' op operand 1: got f64, expected f32 (compare_c2)}}
  %r = "graph.compare"(%x, %y) {direction = #graph.compare<lt>} : (tensor<4xf32>, tensor<4xf64>) -> tensor<4xi1>
  return
}

// -----

func.func @select_c2_element(%p: tensor<4xi1>, %x: tensor<4xf32>, %y: tensor<4xf64>) {
  // expected-error@below {{'graph.select' op failed to verify that all of {on_true, on_false, result} have same type}}
  %r = "graph.select"(%p, %x, %y) : (tensor<4xi1>, tensor<4xf32>, tensor<4xf64>) -> tensor<4xf32>
  return
}

// -----

func.func @compare_c3_complex(%x: tensor<4xcomplex<f32>>) {
  // expected-error@below {{'graph.compare' op direction: got lt, expected eq or ne for complex numbers (compare_c3)}}
  %r = graph.compare lt, %x, %x : tensor<4xcomplex<f32>> -> tensor<4xi1>
  return
}

// -----

func.func @convert_c3_saturate(%x: tensor<4xf32>) {
  // expected-error@below {{'graph.convert' op saturate: got f16, expected an f8 result (convert_c3)}}
  %r = graph.convert %x saturate : tensor<4xf32> -> tensor<4xf16>
  return
}

// -----

func.func @convert_c4_complex(%x: tensor<4xcomplex<f32>>) {
  // expected-error@below {{'graph.convert' op result: got f32, expected a complex type (convert_c4)}}
  %r = graph.convert %x : tensor<4xcomplex<f32>> -> tensor<4xf32>
  return
}

// -----

func.func @bitcast_c2_width(%x: tensor<4xf32>) {
  // expected-error@below {{'graph.bitcast' op result: got 64 bits, expected 32 bits (bitcast_c2)}}
  %r = graph.bitcast %x : tensor<4xf32> -> tensor<4xi64>
  return
}

// -----

func.func @complex_c2_parts(%x: tensor<4xf32>) {
  // expected-error@below {{'graph.complex' op parts: got f32, expected f64 (complex_c2)}}
  %r = graph.complex %x, %x : tensor<4xf32> -> tensor<4xcomplex<f64>>
  return
}

// -----

func.func @real_c2_parts(%x: tensor<4xcomplex<f32>>) {
  // expected-error@below {{'graph.real' op parts: got f64, expected f32 (real_c2)}}
  %r = graph.real %x : tensor<4xcomplex<f32>> -> tensor<4xf64>
  return
}

// -----

func.func @imag_c2_parts(%x: tensor<4xcomplex<f32>>) {
  // expected-error@below {{'graph.imag' op parts: got f64, expected f32 (imag_c2)}}
  %r = graph.imag %x : tensor<4xcomplex<f32>> -> tensor<4xf64>
  return
}

// -----

func.func @complex_abs_c2_parts(%x: tensor<4xcomplex<f32>>) {
  // expected-error@below {{'graph.complex_abs' op parts: got f64, expected f32 (complex_abs_c2)}}
  %r = graph.complex_abs %x : tensor<4xcomplex<f32>> -> tensor<4xf64>
  return
}

// -----

func.func @exp_of_integers(%x: tensor<4xi32>) {
  // expected-error@below {{'graph.exp' op operand #0 must be ranked tensor of float or complex values, but got 'tensor<4xi32>'}}
  %r = graph.exp %x : tensor<4xi32>
  return
}

// -----

func.func @add_of_booleans(%x: tensor<4xi1>) {
  // expected-error@below {{'graph.add' op operand #0 must be ranked tensor of float or integer or complex values, but got 'tensor<4xi1>'}}
  %r = graph.add %x, %x : tensor<4xi1>
  return
}

// -----

func.func @unknown_direction(%x: tensor<4xf32>) {
  // expected-error@below {{custom op 'graph.compare' got less, expected one of eq ne lt le gt ge}}
  %r = graph.compare less, %x, %x : tensor<4xf32> -> tensor<4xi1>
  return
}
