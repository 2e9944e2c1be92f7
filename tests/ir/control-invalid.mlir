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

// expected-error@below {{'graph.param' op source: got real numbers, expected pairs of numbers for complex elements (param_c3)}}
graph.param @param_c3_complex : tensor<3xcomplex<f32>> = dense<1.0> : tensor<3xcomplex<f32>>

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

func.func @fusion_c3_no_product(%x: tensor<4xf32>) {
  // expected-error@below {{'graph.fusion' op ops: got no matmul and no convolution, expected one in a contraction (fusion_c3)}}
  %r = graph.fusion contraction (%a = %x : tensor<4xf32>) -> tensor<4xf32> {
    %n = graph.neg %a : tensor<4xf32>
    graph.yield %n : tensor<4xf32>
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

// -----

func.func @if_c1_shape(%p: tensor<i1>, %q: tensor<2xi1>, %x: tensor<4xf32>, %y: tensor<5xf32>, %i: tensor<i64>, %u: tensor<ui8>) {
  // expected-error@below {{'graph.if' op condition: got tensor<2xi1>, expected tensor<i1> (if_c1)}}
  %r = graph.if %q then {
    graph.yield %x : tensor<4xf32>
  } else {
    graph.yield %x : tensor<4xf32>
  } : (tensor<2xi1>) -> tensor<4xf32>
  return
}

// -----

func.func @if_c2_arguments(%p: tensor<i1>, %q: tensor<2xi1>, %x: tensor<4xf32>, %y: tensor<5xf32>, %i: tensor<i64>, %u: tensor<ui8>) {
  // expected-error@below {{'graph.if' op arguments of the then region: got 1, expected 0 (if_c2)}}
  %r = graph.if %p then {
    ^bb0(%a: tensor<4xf32>):
    graph.yield %a : tensor<4xf32>
  } else {
    graph.yield %x : tensor<4xf32>
  } : (tensor<i1>) -> tensor<4xf32>
  return
}

// -----

func.func @if_c2_count(%p: tensor<i1>, %q: tensor<2xi1>, %x: tensor<4xf32>, %y: tensor<5xf32>, %i: tensor<i64>, %u: tensor<ui8>) {
  // expected-error@below {{'graph.if' op values that the else region yields: got 0, expected 1 (if_c2)}}
  %r = graph.if %p then {
    graph.yield %x : tensor<4xf32>
  } else {
    graph.yield
  } : (tensor<i1>) -> tensor<4xf32>
  return
}

// -----

func.func @if_c2_type(%p: tensor<i1>, %q: tensor<2xi1>, %x: tensor<4xf32>, %y: tensor<5xf32>, %i: tensor<i64>, %u: tensor<ui8>) {
  // expected-error@below {{'graph.if' op value 0 that the else region yields: got tensor<5xf32>, expected tensor<4xf32> (if_c2)}}
  %r = graph.if %p then {
    graph.yield %x : tensor<4xf32>
  } else {
    graph.yield %y : tensor<5xf32>
  } : (tensor<i1>) -> tensor<4xf32>
  return
}

// -----

func.func @if_c2_end(%p: tensor<i1>, %q: tensor<2xi1>, %x: tensor<4xf32>, %y: tensor<5xf32>, %i: tensor<i64>, %u: tensor<ui8>) {
  // expected-error@below {{'graph.if' op last op of the then region: got func.return, expected graph.yield (if_c2)}}
  %r = graph.if %p then {
    func.return
  } else {
    graph.yield %x : tensor<4xf32>
  } : (tensor<i1>) -> tensor<4xf32>
  return
}

// -----

func.func @case_c1_index(%p: tensor<i1>, %q: tensor<2xi1>, %x: tensor<4xf32>, %y: tensor<5xf32>, %i: tensor<i64>, %u: tensor<ui8>) {
  // expected-error@below {{'graph.case' op index: got tensor<ui8>, expected an i32 or i64 scalar (case_c1)}}
  %r = graph.case %u {
    graph.yield %x : tensor<4xf32>
  } : (tensor<ui8>) -> tensor<4xf32>
  return
}

// -----

func.func @case_c1_none(%p: tensor<i1>, %q: tensor<2xi1>, %x: tensor<4xf32>, %y: tensor<5xf32>, %i: tensor<i64>, %u: tensor<ui8>) {
  // expected-error@below {{'graph.case' op number of regions: got 0, expected at least 1 (case_c1)}}
  "graph.case"(%i) : (tensor<i64>) -> ()
  return
}

// -----

func.func @case_c2_type(%p: tensor<i1>, %q: tensor<2xi1>, %x: tensor<4xf32>, %y: tensor<5xf32>, %i: tensor<i64>, %u: tensor<ui8>) {
  // expected-error@below {{'graph.case' op value 0 that the region 0 yields: got tensor<5xf32>, expected tensor<4xf32> (case_c2)}}
  %r = graph.case %i {
    graph.yield %y : tensor<5xf32>
  } : (tensor<i64>) -> tensor<4xf32>
  return
}

// -----

func.func @while_c1_arguments(%p: tensor<i1>, %q: tensor<2xi1>, %x: tensor<4xf32>, %y: tensor<5xf32>, %i: tensor<i64>, %u: tensor<ui8>) {
  // expected-error@below {{'graph.while' op arguments of the condition: got 2, expected 1 (while_c1)}}
  %r = graph.while %i cond {
  ^bb0(%a: tensor<i64>, %b: tensor<i64>):
    graph.yield %p : tensor<i1>
  } do {
  ^bb0(%a: tensor<i64>):
    graph.yield %a : tensor<i64>
  } : (tensor<i64>) -> tensor<i64>
  return
}

// -----

func.func @while_c1_type(%p: tensor<i1>, %q: tensor<2xi1>, %x: tensor<4xf32>, %y: tensor<5xf32>, %i: tensor<i64>, %u: tensor<ui8>) {
  // expected-error@below {{'graph.while' op argument 0 of the body: got tensor<ui8>, expected tensor<i64> (while_c1)}}
  %r = graph.while %i cond {
  ^bb0(%a: tensor<i64>):
    graph.yield %p : tensor<i1>
  } do {
  ^bb0(%a: tensor<ui8>):
    graph.yield %i : tensor<i64>
  } : (tensor<i64>) -> tensor<i64>
  return
}

// -----

func.func @while_c2_count(%p: tensor<i1>, %q: tensor<2xi1>, %x: tensor<4xf32>, %y: tensor<5xf32>, %i: tensor<i64>, %u: tensor<ui8>) {
  // expected-error@below {{'graph.while' op number of initial values: got 2, expected 1 (while_c2)}}
  %r = graph.while %i, %i cond {
  ^bb0(%a: tensor<i64>):
    graph.yield %p : tensor<i1>
  } do {
  ^bb0(%a: tensor<i64>):
    graph.yield %a : tensor<i64>
  } : (tensor<i64>, tensor<i64>) -> tensor<i64>
  return
}

// -----

func.func @while_c2_type(%p: tensor<i1>, %q: tensor<2xi1>, %x: tensor<4xf32>, %y: tensor<5xf32>, %i: tensor<i64>, %u: tensor<ui8>) {
  // expected-error@below {{'graph.while' op initial value 0: got tensor<5xf32>, expected tensor<4xf32> (while_c2)}}
  %r = graph.while %y cond {
  ^bb0(%a: tensor<4xf32>):
    graph.yield %p : tensor<i1>
  } do {
  ^bb0(%a: tensor<4xf32>):
    graph.yield %a : tensor<4xf32>
  } : (tensor<5xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @while_c3_type(%p: tensor<i1>, %q: tensor<2xi1>, %x: tensor<4xf32>, %y: tensor<5xf32>, %i: tensor<i64>, %u: tensor<ui8>) {
  // expected-error@below {{'graph.while' op value 0 that the condition yields: got tensor<i64>, expected tensor<i1> (while_c3)}}
  %r = graph.while %i cond {
  ^bb0(%a: tensor<i64>):
    graph.yield %a : tensor<i64>
  } do {
  ^bb0(%a: tensor<i64>):
    graph.yield %a : tensor<i64>
  } : (tensor<i64>) -> tensor<i64>
  return
}

// -----

func.func @while_c4_type(%p: tensor<i1>, %q: tensor<2xi1>, %x: tensor<4xf32>, %y: tensor<5xf32>, %i: tensor<i64>, %u: tensor<ui8>) {
  // expected-error@below {{'graph.while' op value 0 that the body yields: got tensor<ui8>, expected tensor<i64> (while_c4)}}
  %r = graph.while %i cond {
  ^bb0(%a: tensor<i64>):
    graph.yield %p : tensor<i1>
  } do {
  ^bb0(%a: tensor<i64>):
    graph.yield %u : tensor<ui8>
  } : (tensor<i64>) -> tensor<i64>
  return
}

// -----

func.func @barrier_c1_count(%p: tensor<i1>, %q: tensor<2xi1>, %x: tensor<4xf32>, %y: tensor<5xf32>, %i: tensor<i64>, %u: tensor<ui8>) {
  // expected-error@below {{'graph.barrier' op number of results: got 0, expected 1 (barrier_c1)}}
  graph.barrier %x : (tensor<4xf32>) -> ()
  return
}

// -----

func.func @barrier_c1_type(%p: tensor<i1>, %q: tensor<2xi1>, %x: tensor<4xf32>, %y: tensor<5xf32>, %i: tensor<i64>, %u: tensor<ui8>) {
  // expected-error@below {{'graph.barrier' op result 0: got tensor<5xf32>, expected tensor<4xf32> (barrier_c1)}}
  %r = graph.barrier %x : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @checkpoint_c1_count(%p: tensor<i1>, %q: tensor<2xi1>, %x: tensor<4xf32>, %y: tensor<5xf32>, %i: tensor<i64>, %u: tensor<ui8>) {
  // expected-error@below {{'graph.checkpoint' op arguments of the region: got 0, expected 1 (checkpoint_c1)}}
  "graph.checkpoint"(%x) <{policy = "nothing_saveable", names = [], prevent_cse = true}> ({
    graph.yield
  }) : (tensor<4xf32>) -> ()
  return
}

// -----

func.func @checkpoint_c2_type(%p: tensor<i1>, %q: tensor<2xi1>, %x: tensor<4xf32>, %y: tensor<5xf32>, %i: tensor<i64>, %u: tensor<ui8>) {
  // expected-error@below {{'graph.checkpoint' op value 0 that the region yields: got tensor<4xf32>, expected tensor<5xf32> (checkpoint_c2)}}
  %r = graph.checkpoint (%a = %x : tensor<4xf32>) -> tensor<5xf32> {
    graph.yield %a : tensor<4xf32>
  }
  return
}

// -----

func.func @checkpoint_c3_policy(%p: tensor<i1>, %q: tensor<2xi1>, %x: tensor<4xf32>, %y: tensor<5xf32>, %i: tensor<i64>, %u: tensor<ui8>) {
  // expected-error@below {{'graph.checkpoint' op policy: got 'dots_savable', expected a checkpoint policy such as 'dots_saveable' (checkpoint_c3)}}
  %r = graph.checkpoint policy = "dots_savable" (%a = %x : tensor<4xf32>) -> tensor<4xf32> {
    graph.yield %a : tensor<4xf32>
  }
  return
}

// -----

func.func @checkpoint_c4_number(%p: tensor<i1>, %q: tensor<2xi1>, %x: tensor<4xf32>, %y: tensor<5xf32>, %i: tensor<i64>, %u: tensor<ui8>) {
  // expected-error@below {{'graph.checkpoint' op name 0: got another attribute, expected a string (checkpoint_c4)}}
  %r = graph.checkpoint names = [1] (%a = %x : tensor<4xf32>) -> tensor<4xf32> {
    graph.yield %a : tensor<4xf32>
  }
  return
}

// -----

func.func @checkpoint_c5_negative(%x: tensor<4xf32>) {
  // expected-error@below {{'graph.checkpoint' op segments: got -1, expected at least 0 (checkpoint_c5)}}
  %r = graph.checkpoint segments = -1 (%a = %x : tensor<4xf32>) -> tensor<4xf32> {
    graph.yield %a : tensor<4xf32>
  }
  return
}

// -----

func.func @named_c1_empty(%p: tensor<i1>, %q: tensor<2xi1>, %x: tensor<4xf32>, %y: tensor<5xf32>, %i: tensor<i64>, %u: tensor<ui8>) {
  // expected-error@below {{'graph.named' op name: got "", expected a name (named_c1)}}
  %r = graph.named %x "" : tensor<4xf32>
  return
}

// -----

func.func @host_read_c1_vector(%p: tensor<i1>, %q: tensor<2xi1>, %x: tensor<4xf32>, %y: tensor<5xf32>, %i: tensor<i64>, %u: tensor<ui8>) {
  // expected-error@below {{'graph.host_read' op operand: got tensor<2xi1>, expected an integer scalar (host_read_c1)}}
  %r = graph.host_read %q : tensor<2xi1>
  return
}

// -----

func.func @host_read_c1_float(%p: tensor<i1>, %q: tensor<2xi1>, %x: tensor<4xf32>, %y: tensor<5xf32>, %i: tensor<i64>, %u: tensor<ui8>) {
  // expected-error@below {{'graph.host_read' op operand #0 must be}}
  %r = graph.host_read %x : tensor<4xf32>
  return
}

// -----

func.func @assert_c1_shape(%p: tensor<i1>, %q: tensor<2xi1>, %x: tensor<4xf32>, %y: tensor<5xf32>, %i: tensor<i64>, %u: tensor<ui8>) {
  // expected-error@below {{'graph.assert' op condition: got tensor<2xi1>, expected tensor<i1> (assert_c1)}}
  graph.assert %q "stop" : tensor<2xi1>
  return
}

// -----

func.func @assert_c2_detail(%p: tensor<i1>, %v: tensor<2xi64>) {
  // expected-error@below {{'graph.assert' op detail 0: got tensor<2xi64>, expected an integer scalar (assert_c2)}}
  graph.assert %p "stop" (%v) : tensor<i1>, tensor<2xi64>
  return
}

// -----

func.func @custom_call_c1_target(%p: tensor<i1>, %q: tensor<2xi1>, %x: tensor<4xf32>, %y: tensor<5xf32>, %i: tensor<i64>, %u: tensor<ui8>) {
  // expected-error@below {{'graph.custom_call' op target: got "", expected a name (custom_call_c1)}}
  %r = graph.custom_call "" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  return
}
