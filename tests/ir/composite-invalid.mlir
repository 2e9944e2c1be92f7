// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each constraint of the composite family, broken.
//
// RUN: zenith-opt %s --split-input-file --verify-diagnostics

func.func @softmax_c1_range(%x: tensor<2x3xf32>) {
  // expected-error@below {{'graph.softmax' op dims: got [2], expected ascending values in [0, 2) (softmax_c1)}}
  %r = graph.softmax %x [2] : tensor<2x3xf32>
  return
}

// -----

func.func @log_softmax_c1_order(%x: tensor<2x3xf32>) {
  // expected-error@below {{'graph.log_softmax' op dims: got [1, 0], expected ascending values in [0, 2) (log_softmax_c1)}}
  %r = graph.log_softmax %x [1, 0] : tensor<2x3xf32>
  return
}

// -----

func.func @layer_norm_c1_axis(%x: tensor<2x3xf32>) {
  // expected-error@below {{'graph.layer_norm' op axis: got 2, expected a value in [0, 2) (layer_norm_c1)}}
  %r = graph.layer_norm %x {axis = 2 : i64, epsilon = 1.0e-5 : f64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @layer_norm_c2_scale(%x: tensor<2x3xf32>, %s: tensor<2xf32>) {
  // expected-error@below {{'graph.layer_norm' op scale: got tensor<2xf32>, expected tensor<3xf32> (layer_norm_c2)}}
  %r = graph.layer_norm %x, %s {axis = 1 : i64, epsilon = 1.0e-5 : f64} : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @layer_norm_c2_bias(%x: tensor<2x3xf32>, %s: tensor<3xf32>, %b: tensor<3xf16>) {
  // expected-error@below {{'graph.layer_norm' op bias: got tensor<3xf16>, expected tensor<3xf32> (layer_norm_c2)}}
  %r = graph.layer_norm %x, %s, %b {axis = 1 : i64, epsilon = 1.0e-5 : f64} : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf16>) -> tensor<2x3xf32>
  return
}

// -----

func.func @layer_norm_c2_bias_alone(%x: tensor<2x3xf32>, %b: tensor<3xf32>) {
  // expected-error@below {{'graph.layer_norm' op bias: got no scale, expected a scale (layer_norm_c2)}}
  %r = "graph.layer_norm"(%x, %b) {axis = 1 : i64, epsilon = 1.0e-5 : f64, operandSegmentSizes = array<i32: 1, 0, 1>} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @layer_norm_c3_result(%x: tensor<2x3xf32>) {
  // expected-error@below {{'graph.layer_norm' op result: got tensor<2x4xf32>, expected tensor<2x3xf32> (layer_norm_c3)}}
  %r = graph.layer_norm %x {axis = 1 : i64, epsilon = 1.0e-5 : f64} : (tensor<2x3xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @rms_norm_c1_axis(%x: tensor<2x3xf32>) {
  // expected-error@below {{'graph.rms_norm' op axis: got -1, expected a value in [0, 2) (rms_norm_c1)}}
  %r = graph.rms_norm %x {axis = -1 : i64, epsilon = 1.0e-5 : f64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @rms_norm_c2_scale(%x: tensor<2x3xf32>, %s: tensor<2xf32>) {
  // expected-error@below {{'graph.rms_norm' op scale: got tensor<2xf32>, expected tensor<3xf32> (rms_norm_c2)}}
  %r = graph.rms_norm %x, %s {axis = 1 : i64, epsilon = 1.0e-5 : f64} : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @rms_norm_c3_result(%x: tensor<2x3xf32>) {
  // expected-error@below {{'graph.rms_norm' op result: got tensor<2x3xf16>, expected tensor<2x3xf32> (rms_norm_c3)}}
  %r = graph.rms_norm %x {axis = 1 : i64, epsilon = 1.0e-5 : f64} : (tensor<2x3xf32>) -> tensor<2x3xf16>
  return
}

// -----

func.func @batch_norm_c1_dim(%x: tensor<2x3xf32>, %s: tensor<3xf32>) {
  // expected-error@below {{'graph.batch_norm' op dim: got 2, expected a value in [0, 2) (batch_norm_c1)}}
  %r = graph.batch_norm %x, %s, %s, %s, %s {dim = 2 : i64, epsilon = 1.0e-5 : f64} : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @batch_norm_c2_mean(%x: tensor<2x3xf32>, %s: tensor<3xf32>, %m: tensor<2xf32>) {
  // expected-error@below {{'graph.batch_norm' op mean: got tensor<2xf32>, expected tensor<3xf32> (batch_norm_c2)}}
  %r = graph.batch_norm %x, %s, %s, %m, %s {dim = 1 : i64, epsilon = 1.0e-5 : f64} : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @batch_norm_c3_result(%x: tensor<2x3xf32>, %s: tensor<3xf32>) {
  // expected-error@below {{'graph.batch_norm' op result: got tensor<2x4xf32>, expected tensor<2x3xf32> (batch_norm_c3)}}
  %r = graph.batch_norm %x, %s, %s, %s, %s {dim = 1 : i64, epsilon = 1.0e-5 : f64} : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @unknown_gelu_form(%x: tensor<3xf32>) {
  // expected-error@below {{custom op 'graph.gelu' got sigmoid, expected one of erf tanh}}
  %r = graph.gelu sigmoid, %x : tensor<3xf32>
  return
}

// -----

func.func @attention_c1_ranks(%q: tensor<2x4x8xf32>, %k: tensor<6x8xf32>, %v: tensor<2x6x5xf32>) {
  // expected-error@below {{'graph.attention' op key: got rank 2, expected rank 3 (attention_c1)}}
  %r = graph.attention %q, %k, %v {scale = 0.125 : f64} : (tensor<2x4x8xf32>, tensor<6x8xf32>, tensor<2x6x5xf32>) -> tensor<2x4x5xf32>
  return
}

// -----

func.func @attention_c1_low(%q: tensor<8xf32>, %k: tensor<8xf32>, %v: tensor<8xf32>) {
  // expected-error@below {{'graph.attention' op query: got rank 1, expected rank 2 (attention_c1)}}
  %r = graph.attention %q, %k, %v {scale = 0.125 : f64} : (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x4x5xf32>
  return
}

// -----

func.func @attention_c2_leading(%q: tensor<2x4x8xf32>, %k: tensor<2x6x8xf32>, %v: tensor<3x6x5xf32>) {
  // expected-error@below {{'graph.attention' op value dimension 0: got 3, expected 2 (attention_c2)}}
  %r = graph.attention %q, %k, %v {scale = 0.125 : f64} : (tensor<2x4x8xf32>, tensor<2x6x8xf32>, tensor<3x6x5xf32>) -> tensor<2x4x5xf32>
  return
}

// -----

func.func @attention_c3_depth(%q: tensor<2x4x8xf32>, %k: tensor<2x6x7xf32>, %v: tensor<2x6x5xf32>) {
  // expected-error@below {{'graph.attention' op last dimension of key: got 7, expected 8 (attention_c3)}}
  %r = graph.attention %q, %k, %v {scale = 0.125 : f64} : (tensor<2x4x8xf32>, tensor<2x6x7xf32>, tensor<2x6x5xf32>) -> tensor<2x4x5xf32>
  return
}

// -----

func.func @attention_c3_positions(%q: tensor<2x4x8xf32>, %k: tensor<2x6x8xf32>, %v: tensor<2x7x5xf32>) {
  // expected-error@below {{'graph.attention' op rows of value: got 7, expected 6 (attention_c3)}}
  %r = graph.attention %q, %k, %v {scale = 0.125 : f64} : (tensor<2x4x8xf32>, tensor<2x6x8xf32>, tensor<2x7x5xf32>) -> tensor<2x4x5xf32>
  return
}

// -----

func.func @attention_c4_rows(%q: tensor<2x4x8xf32>, %k: tensor<2x6x8xf32>, %v: tensor<2x6x5xf32>, %m: tensor<2x5x6xf32>) {
  // expected-error@below {{'graph.attention' op rows of mask: got 5, expected 4 (attention_c4)}}
  %r = graph.attention %q, %k, %v, %m {scale = 0.125 : f64} : (tensor<2x4x8xf32>, tensor<2x6x8xf32>, tensor<2x6x5xf32>, tensor<2x5x6xf32>) -> tensor<2x4x5xf32>
  return
}

// -----

func.func @attention_c4_columns(%q: tensor<2x4x8xf32>, %k: tensor<2x6x8xf32>, %v: tensor<2x6x5xf32>, %m: tensor<2x4x5xf32>) {
  // expected-error@below {{'graph.attention' op columns of mask: got 5, expected 6 (attention_c4)}}
  %r = graph.attention %q, %k, %v, %m {scale = 0.125 : f64} : (tensor<2x4x8xf32>, tensor<2x6x8xf32>, tensor<2x6x5xf32>, tensor<2x4x5xf32>) -> tensor<2x4x5xf32>
  return
}

// -----

func.func @attention_c5_element(%q: tensor<2x4x8xf32>, %k: tensor<2x6x8xf32>, %v: tensor<2x6x5xf16>) {
  // expected-error@below {{'graph.attention' op value element type: got f16, expected f32 (attention_c5)}}
  %r = graph.attention %q, %k, %v {scale = 0.125 : f64} : (tensor<2x4x8xf32>, tensor<2x6x8xf32>, tensor<2x6x5xf16>) -> tensor<2x4x5xf32>
  return
}

// -----

func.func @attention_c6_result(%q: tensor<2x4x8xf32>, %k: tensor<2x6x8xf32>, %v: tensor<2x6x5xf32>) {
  // expected-error@below {{'graph.attention' op result: got tensor<2x4x8xf32>, expected tensor<2x4x5xf32> (attention_c6)}}
  %r = graph.attention %q, %k, %v {scale = 0.125 : f64} : (tensor<2x4x8xf32>, tensor<2x6x8xf32>, tensor<2x6x5xf32>) -> tensor<2x4x8xf32>
  return
}

// -----

func.func @attention_c7_removed(%q: tensor<2x4x8xf32>, %k: tensor<2x6x8xf32>, %m: tensor<2x4x6xf32>) {
  // expected-error@below {{'graph.attention' op removed: got no mask of i1, expected one (attention_c7)}}
  %r = graph.attention %q, %k, %k, %m {removed = -1.0 : f64, scale = 0.125 : f64} : (tensor<2x4x8xf32>, tensor<2x6x8xf32>, tensor<2x6x8xf32>, tensor<2x4x6xf32>) -> tensor<2x4x8xf32>
  return
}
