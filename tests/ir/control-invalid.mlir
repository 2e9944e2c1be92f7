// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each constraint of parameters and fusion regions, broken.
//
// RUN: zenith-opt %s --split-input-file --verify-diagnostics

// expected-error@below {{'graph.param' op type: got tensor<?xf32>, expected a static shape (param_c1)}}
graph.param @param_c1_dynamic : tensor<?xf32>

// -----

// expected-error@below {{'graph.param' op length in bytes: got 4, expected 8 (param_c2)}}
graph.param @param_c2_length : tensor<2xf32> = #graph.external<"w", 0, 4>

// -----

// expected-error@below {{'graph.param' op offset: got -8, expected at least 0 (param_c2)}}
graph.param @param_c2_offset : tensor<2xf32> = #graph.external<"w", -8, 8>

// -----

// expected-error@below {{'graph.param' op type: got tensor<4294967296x4294967296xf32>, expected a size that fits 63 bits (param_c2)}}
graph.param @param_c2_size : tensor<4294967296x4294967296xf32> = #graph.external<"w", 0, 8>

// -----

// expected-error@below {{'graph.param' op source: got tensor<3xf32>, expected tensor<2xf32> (param_c3)}}
graph.param @param_c3_type : tensor<2xf32> = dense<1.0> : tensor<3xf32>

// -----

// expected-error@below {{'graph.param' op source: got another attribute, expected #graph.external or elements (param_c3)}}
graph.param @param_c3_kind : tensor<2xf32> = "w"

// -----

// expected-error@below {{'graph.derived_param' op type: got tensor<?xf32>, expected a static shape (derived_param_c1)}}
graph.derived_param @derived_param_c1_dynamic : tensor<?xf32> from 0

// -----

// expected-error@below {{'graph.derived_param' op index: got -1, expected at least 0 (derived_param_c2)}}
graph.derived_param @derived_param_c2_index : tensor<2xf32> from -1

// -----

func.func @get_param_c1_missing() {
  // expected-error@below {{'graph.get_param' op param: got @w, expected the name of a param or derived_param (get_param_c1)}}
  %w = graph.get_param @w : tensor<2xf32>
  return
}

// -----

func.func @get_param_c1_function() {
  // expected-error@below {{'graph.get_param' op param: got @get_param_c1_function, expected the name of a param or derived_param (get_param_c1)}}
  %w = graph.get_param @get_param_c1_function : tensor<2xf32>
  return
}

// -----

graph.param @w : tensor<2xf32>
func.func @get_param_c2_type() {
  // expected-error@below {{'graph.get_param' op result: got tensor<3xf32>, expected tensor<2xf32> (get_param_c2)}}
  %w = graph.get_param @w : tensor<3xf32>
  return
}

// -----

func.func @fusion_c1_count(%x: tensor<4xf32>) {
  // expected-error@below {{'graph.fusion' op number of block arguments: got 2, expected 1 (fusion_c1)}}
  %r = "graph.fusion"(%x) ({
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    graph.yield %a : tensor<4xf32>
  }) {kind = #graph.fusion_kind<pointwise>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @fusion_c1_type(%x: tensor<4xf32>) {
  // expected-error@below {{'graph.fusion' op block argument 0: got tensor<5xf32>, expected tensor<4xf32> (fusion_c1)}}
  %r = "graph.fusion"(%x) ({
  ^bb0(%a: tensor<5xf32>):
    graph.yield %a : tensor<5xf32>
  }) {kind = #graph.fusion_kind<pointwise>} : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @fusion_c2_end(%x: tensor<4xf32>) {
  // expected-error@below {{'graph.fusion' op last op: got func.return, expected graph.yield (fusion_c2)}}
  %r = graph.fusion pointwise (%a = %x : tensor<4xf32>) -> tensor<4xf32> {
    func.return %a : tensor<4xf32>
  }
  return
}

// -----

func.func @fusion_c2_count(%x: tensor<4xf32>) {
  // expected-error@below {{'graph.fusion' op yielded values: got 2, expected 1 (fusion_c2)}}
  %r = graph.fusion pointwise (%a = %x : tensor<4xf32>) -> tensor<4xf32> {
    graph.yield %a, %a : tensor<4xf32>, tensor<4xf32>
  }
  return
}

// -----

func.func @fusion_c2_type(%x: tensor<4xf32>) {
  // expected-error@below {{'graph.fusion' op yielded value 0: got tensor<4xf32>, expected tensor<5xf32> (fusion_c2)}}
  %r = graph.fusion pointwise (%a = %x : tensor<4xf32>) -> tensor<5xf32> {
    graph.yield %a : tensor<4xf32>
  }
  return
}

// -----

func.func @uses_from_above(%x: tensor<4xf32>) {
  // expected-note@below {{required by region isolation constraints}}
  %r = graph.fusion pointwise () -> tensor<4xf32> {
    // expected-error@below {{'graph.yield' op using value defined outside the region}}
    graph.yield %x : tensor<4xf32>
  }
  return
}
