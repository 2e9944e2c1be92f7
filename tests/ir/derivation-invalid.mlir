// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each rule on what functions say about derivatives, broken.
//
// RUN: zenith-opt %s --split-input-file --verify-diagnostics

// expected-error@below {{'func.func' op graph.derive: got "vjp", expected {rule = "NAME", of = @FUNCTION, options = "TEXT"} (custom_c1)}}
func.func private @custom_c1_text(tensor<2xf32>) -> tensor<2xf32> attributes {graph.derive = "vjp"}

// -----

func.func private @f(tensor<2xf32>) -> tensor<2xf32>
// expected-error@below {{expected {rule = "NAME", of = @FUNCTION, options = "TEXT"} (custom_c1)}}
func.func private @custom_c1_options(tensor<2xf32>) -> tensor<2xf32> attributes {graph.derive = {rule = "vjp", of = @f, options = 3}}

// -----

func.func @custom_c1_op(%x: tensor<2xf32>) {
  // expected-error@below {{'graph.neg' op graph.custom_jvp: is an attribute of functions (custom_c1)}}
  %r = graph.neg %x {graph.custom_jvp = @g} : tensor<2xf32>
  return
}

// -----

func.func private @f(tensor<2xf32>) -> tensor<2xf32>
// expected-error@below {{'func.func' op graph.derive: got a function with a body, expected one without (custom_c2)}}
func.func @custom_c2_body(%x: tensor<2xf32>) -> tensor<2xf32> attributes {graph.derive = {rule = "vjp", of = @f}} {
  return %x : tensor<2xf32>
}

// -----

// expected-error@below {{'func.func' op graph.derive: got @f, expected the name of a function (custom_c3)}}
func.func private @custom_c3_unknown(tensor<2xf32>) -> tensor<2xf32> attributes {graph.derive = {rule = "vjp", of = @f}}

// -----

// expected-error@below {{'func.func' op graph.custom_jvp: got unit, expected @FUNCTION (custom_c4)}}
func.func private @custom_c4_unit(tensor<2xf32>) -> tensor<2xf32> attributes {graph.custom_jvp}

// -----

// expected-error@below {{'func.func' op graph.custom_vjp: got @g, expected {forward = @FUNCTION, backward = @FUNCTION} (custom_c4)}}
func.func private @custom_c4_symbol(tensor<2xf32>) -> tensor<2xf32> attributes {graph.custom_vjp = @g}

// -----

// expected-error@below {{'func.func' op graph.custom_jvp: got @g, expected the name of a function (custom_c5)}}
func.func private @custom_c5_unknown(tensor<2xf32>) -> tensor<2xf32> attributes {graph.custom_jvp = @g}

// -----

func.func private @a(tensor<2xf32>) -> tensor<2xf32>
// expected-error@below {{'func.func' op graph.custom_vjp: got @b, expected the name of a function (custom_c5)}}
func.func private @custom_c5_backward(tensor<2xf32>) -> tensor<2xf32> attributes {graph.custom_vjp = {forward = @a, backward = @b}}

// -----

func.func private @g(tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
// expected-error@below {{'func.func' op graph.custom_jvp: got @g of (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>), expected (tensor<2xf32>, tensor<i64>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) (custom_c6)}}
func.func private @custom_c6_results(tensor<2xf32>, tensor<i64>) -> tensor<2xf32> attributes {graph.custom_jvp = @g}

// -----

func.func private @a(tensor<2xf32>) -> tensor<3xf32>
func.func private @b(tensor<2xf32>) -> tensor<2xf32>
// expected-error@below {{'func.func' op graph.custom_vjp: got forward of (tensor<2xf32>) -> (tensor<3xf32>), expected (tensor<2xf32>) -> (tensor<2xf32>) with residuals after the results (custom_c7)}}
func.func private @custom_c7_result(tensor<2xf32>) -> tensor<2xf32> attributes {graph.custom_vjp = {forward = @a, backward = @b}}

// -----

func.func private @a(tensor<2xf32>) -> (tensor<2xf32>, tensor<3xf32>)
func.func private @b(tensor<2xf32>) -> tensor<2xf32>
// expected-error@below {{'func.func' op graph.custom_vjp: got backward of (tensor<2xf32>) -> (tensor<2xf32>), expected (tensor<3xf32>, tensor<2xf32>) -> (tensor<2xf32>) (custom_c8)}}
func.func private @custom_c8_residual(tensor<2xf32>) -> tensor<2xf32> attributes {graph.custom_vjp = {forward = @a, backward = @b}}
