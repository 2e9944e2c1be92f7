// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each rule on the names of arguments and results, broken.
//
// RUN: zenith-opt %s --split-input-file --verify-diagnostics

// expected-error@below {{'func.func' op argument 0: graph.name: got 1 : i64, expected a string (signature_c1)}}
func.func @signature_c1_number(%x: tensor<2xf32> {graph.name = 1}) {
  return
}

// -----

// expected-error@below {{'func.func' op result 0: graph.name: got unit, expected a string (signature_c1)}}
func.func @signature_c1_result(%x: tensor<2xf32>) -> (tensor<2xf32> {graph.name}) {
  return %x : tensor<2xf32>
}

// -----

// expected-error@below {{'func.func' op argument 1: graph.dims: got ["n"], expected a list of 2 strings, one per dimension (signature_c2)}}
func.func @signature_c2_too_few(%x: tensor<2xf32>, %y: tensor<?x4xf32> {graph.dims = ["n"]}) {
  return
}

// -----

// expected-error@below {{'func.func' op argument 0: graph.dims: got ["n", 4], expected a list of 2 strings, one per dimension (signature_c2)}}
func.func @signature_c2_number(%x: tensor<?x4xf32> {graph.dims = ["n", 4]}) {
  return
}

// -----

// expected-error@below {{'func.func' op argument 0: graph.dims: got "n", expected a list of 1 strings, one per dimension (signature_c2)}}
func.func @signature_c2_no_list(%x: tensor<?xf32> {graph.dims = "n"}) {
  return
}

// -----

// expected-error@below {{'func.func' op argument 0: graph.dims: got ["n"], expected no dimensions on memref<?xf32> (signature_c2)}}
func.func @signature_c2_no_tensor(%x: memref<?xf32> {graph.dims = ["n"]}) {
  return
}

// -----

// expected-error@below {{'func.func' op argument 0: graph.dims: got "batch size", expected a number, a name or an expression (signature_c3)}}
func.func @signature_c3_blank(%x: tensor<?xf32> {graph.dims = ["batch size"]}) {
  return
}

// -----

// expected-error@below {{'func.func' op result 0: graph.dims: got "n +", expected a number, a name or an expression (signature_c3)}}
func.func @signature_c3_result(%x: tensor<?xf32>) -> (tensor<?xf32> {graph.dims = ["n +"]}) {
  return %x : tensor<?xf32>
}

// -----

// expected-error@below {{'func.func' op argument 0: graph.dims: got "3", expected "4", the size in the type (signature_c4)}}
func.func @signature_c4_other_size(%x: tensor<?x4xf32> {graph.dims = ["n", "3"]}) {
  return
}

// -----

// expected-error@below {{'func.func' op argument 0: graph.dims: got "n", expected "4", the size in the type (signature_c4)}}
func.func @signature_c4_name(%x: tensor<4xf32> {graph.dims = ["n"]}) {
  return
}

// -----

// expected-error@below {{'func.func' op argument 0: graph.dims: got "-1", expected a size of at least 0 (signature_c4)}}
func.func @signature_c4_negative(%x: tensor<?xf32> {graph.dims = ["-1"]}) {
  return
}

// -----

func.func @free(%x: tensor<?x?x6xf32> {graph.dims = ["", "2*3 + n", "2*3"], graph.note = 1}) {
  return
}

// -----

// expected-error@below {{'func.func' op argument 0: graph.dims: got "floordiv(n, 0)", expected a number, a name or an expression (signature_c3)}}
func.func @signature_c3_division_by_zero(%x: tensor<?xf32> {graph.dims = ["floordiv(n, 0)"]}) {
  return
}

// -----

// expected-error@below {{'func.func' op argument 0: graph.dims: got "n // (2 - 2)", expected a number, a name or an expression (signature_c3)}}
func.func @signature_c3_quotient_by_zero(%x: tensor<?xf32> {graph.dims = ["n // (2 - 2)"]}) {
  return
}

// -----

// expected-error @below {{'func.func' op graph.dim_bounds: got 3 : i64, expected a dictionary on a function (signature_c8)}}
func.func @signature_c8_no_dictionary(%x: tensor<?xf32> {graph.dims = ["n"]}) attributes {graph.dim_bounds = 3 : i64} {
  return
}

// -----

// expected-error @below {{expected #graph.bounds of 'n' (signature_c8)}}
func.func @signature_c8_no_bounds(%x: tensor<?xf32> {graph.dims = ["n"]}) attributes {graph.dim_bounds = {n = 3 : i64}} {
  return
}

// -----

// expected-error @below {{expected names of dimensions of arguments, not 'm' (signature_c8)}}
func.func @signature_c8_no_such_dimension(%x: tensor<?xf32> {graph.dims = ["2*n"]}) attributes {graph.dim_bounds = {m = #graph.bounds<1 to 2>}} {
  return
}

// -----

// expected-error @below {{bounds: got 5 to 4, multiple = 1, expected 0 <= low <= high and multiple >= 1 (bounds_c1)}}
func.func @bounds_c1_no_size(%x: tensor<?xf32> {graph.dims = ["n"]}) attributes {graph.dim_bounds = {n = #graph.bounds<5 to 4>}} {
  return
}

// -----

// expected-error @below {{bounds: got 17 to 30, expected a multiple of 16 between them (bounds_c2)}}
func.func @bounds_c2_no_multiple(%x: tensor<?xf32> {graph.dims = ["n"]}) attributes {graph.dim_bounds = {n = #graph.bounds<17 to 30, multiple = 16>}} {
  return
}

// -----

// expected-error @below {{panels: got 16, group = 3, expected a positive width and groups of 1, 2 or 4 (panels_c1)}}
func.func private @panels_c1_group() attributes {graph.encodings = [#graph.panels<16, group = 3>]}

// -----

// expected-error @below {{winograd: got 3, expected tiles of 2 or 4 (winograd_c1)}}
func.func private @winograd_c1_tile() attributes {graph.encodings = [#graph.winograd<3>]}
