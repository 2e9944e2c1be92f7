// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each constraint of the indexing family, broken.
//
// RUN: zenith-opt %s --split-input-file --verify-diagnostics

func.func @gather_c1_length(%t: tensor<10x4xf32>, %i: tensor<3x1xi64>) {
  // expected-error@below {{'graph.gather' op entries of slice_sizes: got 1, expected 2 (gather_c1)}}
  %r = graph.gather %t, %i <offset = [1], collapsed = [0], batching = [] x [], index_map = [0], index_vector_dim = 1> sizes [1] : (tensor<10x4xf32>, tensor<3x1xi64>) -> tensor<3x4xf32>
  return
}

// -----

func.func @gather_c1_size(%t: tensor<10x4xf32>, %i: tensor<3x1xi64>) {
  // expected-error@below {{'graph.gather' op slice size 1: got 5, expected at most 4 (gather_c1)}}
  %r = graph.gather %t, %i <offset = [1], collapsed = [0], batching = [] x [], index_map = [0], index_vector_dim = 1> sizes [1, 5] : (tensor<10x4xf32>, tensor<3x1xi64>) -> tensor<3x4xf32>
  return
}

// -----

func.func @gather_c1_negative(%t: tensor<10x4xf32>, %i: tensor<3x1xi64>) {
  // expected-error@below {{'graph.gather' op slice_sizes: got [1, -2], expected values of at least -1 (gather_c1)}}
  %r = graph.gather %t, %i <offset = [1], collapsed = [0], batching = [] x [], index_map = [0], index_vector_dim = 1> sizes [1, -2] : (tensor<10x4xf32>, tensor<3x1xi64>) -> tensor<3x4xf32>
  return
}

// -----

func.func @gather_c2_index_vector_dim(%t: tensor<10x4xf32>, %i: tensor<3x1xi64>) {
  // expected-error@below {{'graph.gather' op index_vector_dim: got 3, expected a value in [0, 3) (gather_c2)}}
  %r = graph.gather %t, %i <offset = [1], collapsed = [0], batching = [] x [], index_map = [0], index_vector_dim = 3> sizes [1, 4] : (tensor<10x4xf32>, tensor<3x1xi64>) -> tensor<3x4xf32>
  return
}

// -----

func.func @gather_c2_collapsed(%t: tensor<10x4xf32>, %i: tensor<3x1xi64>) {
  // expected-error@below {{'graph.gather' op collapsed: got [2], expected ascending values in [0, 2) (gather_c2)}}
  %r = graph.gather %t, %i <offset = [1], collapsed = [2], batching = [] x [], index_map = [0], index_vector_dim = 1> sizes [1, 4] : (tensor<10x4xf32>, tensor<3x1xi64>) -> tensor<3x4xf32>
  return
}

// -----

func.func @gather_c2_offset_count(%t: tensor<10x4xf32>, %i: tensor<3x1xi64>) {
  // expected-error@below {{'graph.gather' op number of offset dimensions: got 2, expected 1 (gather_c2)}}
  %r = graph.gather %t, %i <offset = [0, 1], collapsed = [0], batching = [] x [], index_map = [0], index_vector_dim = 1> sizes [1, 4] : (tensor<10x4xf32>, tensor<3x1xi64>) -> tensor<3x4xf32>
  return
}

// -----

func.func @gather_c2_offset_range(%t: tensor<10x4xf32>, %i: tensor<3x1xi64>) {
  // expected-error@below {{'graph.gather' op offset: got [2], expected ascending values in [0, 2) (gather_c2)}}
  %r = graph.gather %t, %i <offset = [2], collapsed = [0], batching = [] x [], index_map = [0], index_vector_dim = 1> sizes [1, 4] : (tensor<10x4xf32>, tensor<3x1xi64>) -> tensor<3x4xf32>
  return
}

// -----

func.func @gather_c2_index_map(%t: tensor<10x4xf32>, %i: tensor<3x1xi64>) {
  // expected-error@below {{'graph.gather' op index_map: got [2], expected distinct values in [0, 2) (gather_c2)}}
  %r = graph.gather %t, %i <offset = [1], collapsed = [0], batching = [] x [], index_map = [2], index_vector_dim = 1> sizes [1, 4] : (tensor<10x4xf32>, tensor<3x1xi64>) -> tensor<3x4xf32>
  return
}

// -----

func.func @gather_c2_disjoint(%t: tensor<10x4xf32>, %i: tensor<3x1xi64>) {
  // expected-error@below {{'graph.gather' op collapsed and batching: got [0] and [0], expected lists without common values (gather_c2)}}
  %r = graph.gather %t, %i <offset = [1], collapsed = [0], batching = [0] x [0], index_map = [0], index_vector_dim = 1> sizes [1, 4] : (tensor<10x4xf32>, tensor<3x1xi64>) -> tensor<3x4xf32>
  return
}

// -----

func.func @gather_c2_batching_of_indices(%t: tensor<10x4xf32>, %i: tensor<3x1xi64>) {
  // expected-error@below {{'graph.gather' op batching dimensions of start_indices and index_vector_dim: got [1] and [1], expected lists without common values (gather_c2)}}
  %r = graph.gather %t, %i <offset = [1], collapsed = [], batching = [0] x [1], index_map = [1], index_vector_dim = 1> sizes [1, 4] : (tensor<10x4xf32>, tensor<3x1xi64>) -> tensor<3x4xf32>
  return
}

// -----

func.func @gather_c3_collapsed(%t: tensor<10x4xf32>, %i: tensor<3x1xi64>) {
  // expected-error@below {{'graph.gather' op slice size 0: got 2, expected 1 (gather_c3)}}
  %r = graph.gather %t, %i <offset = [1], collapsed = [0], batching = [] x [], index_map = [0], index_vector_dim = 1> sizes [2, 4] : (tensor<10x4xf32>, tensor<3x1xi64>) -> tensor<3x4xf32>
  return
}

// -----

func.func @gather_c4_indices(%t: tensor<10x4xf32>, %i: tensor<3x2xi64>) {
  // expected-error@below {{'graph.gather' op start_indices along index_vector_dim: got 2, expected 1 (gather_c4)}}
  %r = graph.gather %t, %i <offset = [1], collapsed = [0], batching = [] x [], index_map = [0], index_vector_dim = 1> sizes [1, 4] : (tensor<10x4xf32>, tensor<3x2xi64>) -> tensor<3x4xf32>
  return
}

// -----

func.func @gather_c5_count(%t: tensor<10x4xf32>, %i: tensor<3x1xi64>) {
  // expected-error@below {{'graph.gather' op number of batching dimensions of start_indices: got 0, expected 1 (gather_c5)}}
  %r = graph.gather %t, %i <offset = [1], collapsed = [], batching = [0] x [], index_map = [1], index_vector_dim = 1> sizes [1, 4] : (tensor<10x4xf32>, tensor<3x1xi64>) -> tensor<3x4xf32>
  return
}

// -----

func.func @gather_c5_size(%t: tensor<10x4xf32>, %i: tensor<3x1xi64>) {
  // expected-error@below {{'graph.gather' op batching dimension 0 of start_indices: got 3, expected 10 (gather_c5)}}
  %r = graph.gather %t, %i <offset = [1], collapsed = [], batching = [0] x [0], index_map = [1], index_vector_dim = 1> sizes [1, 4] : (tensor<10x4xf32>, tensor<3x1xi64>) -> tensor<3x4xf32>
  return
}

// -----

func.func @gather_c6_shape(%t: tensor<10x4xf32>, %i: tensor<3x1xi64>) {
  // expected-error@below {{'graph.gather' op result: got shape [4, 3], expected shape [3, 4] (gather_c6)}}
  %r = graph.gather %t, %i <offset = [1], collapsed = [0], batching = [] x [], index_map = [0], index_vector_dim = 1> sizes [1, 4] : (tensor<10x4xf32>, tensor<3x1xi64>) -> tensor<4x3xf32>
  return
}

// -----

func.func @gather_c7_element(%t: tensor<10x4xf32>, %i: tensor<3x1xi64>) {
  // expected-error@below {{'graph.gather' op result element type: got f64, expected f32 (gather_c7)}}
  %r = graph.gather %t, %i <offset = [1], collapsed = [0], batching = [] x [], index_map = [0], index_vector_dim = 1> sizes [1, 4] : (tensor<10x4xf32>, tensor<3x1xi64>) -> tensor<3x4xf64>
  return
}

// -----

func.func @dynamic_slice_c1_count(%x: tensor<4x4xf32>, %i: tensor<i64>) {
  // expected-error@below {{'graph.dynamic_slice' op number of starts: got 1, expected 2 (dynamic_slice_c1)}}
  %r = graph.dynamic_slice %x, %i : (tensor<4x4xf32>, tensor<i64>) -> tensor<2x2xf32>
  return
}

// -----

func.func @dynamic_slice_c1_rank(%x: tensor<4xf32>, %i: tensor<1xi64>) {
  // expected-error@below {{'graph.dynamic_slice' op start 0: got tensor<1xi64>, expected a scalar (dynamic_slice_c1)}}
  %r = graph.dynamic_slice %x, %i : (tensor<4xf32>, tensor<1xi64>) -> tensor<2xf32>
  return
}

// -----

func.func @dynamic_slice_c1_types(%x: tensor<4x4xf32>, %i: tensor<i64>, %j: tensor<i32>) {
  // expected-error@below {{'graph.dynamic_slice' op start 1: got tensor<i32>, expected tensor<i64> (dynamic_slice_c1)}}
  %r = graph.dynamic_slice %x, %i, %j : (tensor<4x4xf32>, tensor<i64>, tensor<i32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @dynamic_slice_c2_dynamic(%x: tensor<4xf32>, %i: tensor<i64>) {
  // expected-error@below {{'graph.dynamic_slice' op result: got tensor<?xf32>, expected a static shape of rank 1 (dynamic_slice_c2)}}
  %r = graph.dynamic_slice %x, %i : (tensor<4xf32>, tensor<i64>) -> tensor<?xf32>
  return
}

// -----

func.func @dynamic_slice_c2_size(%x: tensor<4xf32>, %i: tensor<i64>) {
  // expected-error@below {{'graph.dynamic_slice' op result dimension 0: got 5, expected at most 4 (dynamic_slice_c2)}}
  %r = graph.dynamic_slice %x, %i : (tensor<4xf32>, tensor<i64>) -> tensor<5xf32>
  return
}

// -----

func.func @dynamic_slice_c3_element(%x: tensor<4xf32>, %i: tensor<i64>) {
  // expected-error@below {{'graph.dynamic_slice' op result element type: got f64, expected f32 (dynamic_slice_c3)}}
  %r = graph.dynamic_slice %x, %i : (tensor<4xf32>, tensor<i64>) -> tensor<2xf64>
  return
}

// -----

func.func @dynamic_update_slice_c1_count(%x: tensor<4xf32>, %u: tensor<2xf32>) {
  // expected-error@below {{'graph.dynamic_update_slice' op number of starts: got 0, expected 1 (dynamic_update_slice_c1)}}
  %r = graph.dynamic_update_slice %x, %u : (tensor<4xf32>, tensor<2xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @dynamic_update_slice_c2_rank(%x: tensor<4xf32>, %u: tensor<2x1xf32>, %i: tensor<i64>) {
  // expected-error@below {{'graph.dynamic_update_slice' op rank of update: got 2, expected 1 (dynamic_update_slice_c2)}}
  %r = graph.dynamic_update_slice %x, %u, %i : (tensor<4xf32>, tensor<2x1xf32>, tensor<i64>) -> tensor<4xf32>
  return
}

// -----

func.func @dynamic_update_slice_c2_element(%x: tensor<4xf32>, %u: tensor<2xf64>, %i: tensor<i64>) {
  // expected-error@below {{'graph.dynamic_update_slice' op update element type: got f64, expected f32 (dynamic_update_slice_c2)}}
  %r = graph.dynamic_update_slice %x, %u, %i : (tensor<4xf32>, tensor<2xf64>, tensor<i64>) -> tensor<4xf32>
  return
}

// -----

func.func @dynamic_update_slice_c2_size(%x: tensor<4xf32>, %u: tensor<5xf32>, %i: tensor<i64>) {
  // expected-error@below {{'graph.dynamic_update_slice' op update dimension 0: got 5, expected at most 4 (dynamic_update_slice_c2)}}
  %r = graph.dynamic_update_slice %x, %u, %i : (tensor<4xf32>, tensor<5xf32>, tensor<i64>) -> tensor<4xf32>
  return
}

// -----

func.func @dynamic_update_slice_c3_result(%x: tensor<4xf32>, %u: tensor<2xf32>, %i: tensor<i64>) {
  // expected-error@below {{'graph.dynamic_update_slice' op result: got tensor<5xf32>, expected tensor<4xf32> (dynamic_update_slice_c3)}}
  %r = graph.dynamic_update_slice %x, %u, %i : (tensor<4xf32>, tensor<2xf32>, tensor<i64>) -> tensor<5xf32>
  return
}
