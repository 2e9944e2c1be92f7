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

// -----

func.func @scatter_c1_index_vector_dim(%x: tensor<10x4xf32>, %i: tensor<3x1xi64>, %u: tensor<3x4xf32>) {
  // expected-error@below {{'graph.scatter' op index_vector_dim: got 3, expected a value in [0, 3) (scatter_c1)}}
  %r = graph.scatter sum, %x, %i, %u <window = [1], inserted = [0], batching = [] x [], index_map = [0], index_vector_dim = 3> : (tensor<10x4xf32>, tensor<3x1xi64>, tensor<3x4xf32>) -> tensor<10x4xf32>
  return
}

// -----

func.func @scatter_c1_window(%x: tensor<10x4xf32>, %i: tensor<3x1xi64>, %u: tensor<3x4xf32>) {
  // expected-error@below {{'graph.scatter' op window: got [2], expected ascending values in [0, 2) (scatter_c1)}}
  %r = graph.scatter sum, %x, %i, %u <window = [2], inserted = [0], batching = [] x [], index_map = [0], index_vector_dim = 1> : (tensor<10x4xf32>, tensor<3x1xi64>, tensor<3x4xf32>) -> tensor<10x4xf32>
  return
}

// -----

func.func @scatter_c1_inserted(%x: tensor<10x4xf32>, %i: tensor<3x1xi64>, %u: tensor<3x4xf32>) {
  // expected-error@below {{'graph.scatter' op inserted: got [2], expected ascending values in [0, 2) (scatter_c1)}}
  %r = graph.scatter sum, %x, %i, %u <window = [1], inserted = [2], batching = [] x [], index_map = [0], index_vector_dim = 1> : (tensor<10x4xf32>, tensor<3x1xi64>, tensor<3x4xf32>) -> tensor<10x4xf32>
  return
}

// -----

func.func @scatter_c1_batching(%x: tensor<10x4xf32>, %i: tensor<3x1xi64>, %u: tensor<3x4xf32>) {
  // expected-error@below {{'graph.scatter' op batching dimensions of the operand: got [5], expected ascending values in [0, 2) (scatter_c1)}}
  %r = graph.scatter sum, %x, %i, %u <window = [1], inserted = [0], batching = [5] x [0], index_map = [0], index_vector_dim = 1> : (tensor<10x4xf32>, tensor<3x1xi64>, tensor<3x4xf32>) -> tensor<10x4xf32>
  return
}

// -----

func.func @scatter_c1_disjoint(%x: tensor<10x4xf32>, %i: tensor<3x1xi64>, %u: tensor<3x4xf32>) {
  // expected-error@below {{'graph.scatter' op inserted and batching: got [0] and [0], expected lists without common values (scatter_c1)}}
  %r = graph.scatter sum, %x, %i, %u <window = [1], inserted = [0], batching = [0] x [0], index_map = [0], index_vector_dim = 1> : (tensor<10x4xf32>, tensor<3x1xi64>, tensor<3x4xf32>) -> tensor<10x4xf32>
  return
}

// -----

func.func @scatter_c1_windows(%x: tensor<10x4xf32>, %i: tensor<3x1xi64>, %u: tensor<3x4xf32>) {
  // expected-error@below {{'graph.scatter' op number of window dimensions: got 2, expected 1 (scatter_c1)}}
  %r = graph.scatter sum, %x, %i, %u <window = [0, 1], inserted = [0], batching = [] x [], index_map = [0], index_vector_dim = 1> : (tensor<10x4xf32>, tensor<3x1xi64>, tensor<3x4xf32>) -> tensor<10x4xf32>
  return
}

// -----

func.func @scatter_c1_index_map(%x: tensor<10x4xf32>, %i: tensor<3x1xi64>, %u: tensor<3x4xf32>) {
  // expected-error@below {{'graph.scatter' op index_map: got [2], expected distinct values in [0, 2) (scatter_c1)}}
  %r = graph.scatter sum, %x, %i, %u <window = [1], inserted = [0], batching = [] x [], index_map = [2], index_vector_dim = 1> : (tensor<10x4xf32>, tensor<3x1xi64>, tensor<3x4xf32>) -> tensor<10x4xf32>
  return
}

// -----

func.func @scatter_c1_mapped_batch(%x: tensor<10x4xf32>, %i: tensor<3x1xi64>, %u: tensor<3x4xf32>) {
  // expected-error@below {{'graph.scatter' op index_map and batching: got [0] and [0], expected lists without common values (scatter_c1)}}
  %r = graph.scatter sum, %x, %i, %u <window = [1], inserted = [], batching = [0] x [0], index_map = [0], index_vector_dim = 1> : (tensor<10x4xf32>, tensor<3x1xi64>, tensor<3x4xf32>) -> tensor<10x4xf32>
  return
}

// -----

func.func @scatter_c1_batches(%x: tensor<10x4xf32>, %i: tensor<3x1xi64>, %u: tensor<3x4xf32>) {
  // expected-error@below {{'graph.scatter' op number of batching dimensions of indices: got 0, expected 1 (scatter_c1)}}
  %r = graph.scatter sum, %x, %i, %u <window = [1], inserted = [], batching = [0] x [], index_map = [1], index_vector_dim = 1> : (tensor<10x4xf32>, tensor<3x1xi64>, tensor<3x4xf32>) -> tensor<10x4xf32>
  return
}

// -----

func.func @scatter_c1_batch_range(%x: tensor<10x4xf32>, %i: tensor<3x1xi64>, %u: tensor<3x4xf32>) {
  // expected-error@below {{'graph.scatter' op batching dimensions of indices: got [2], expected distinct values in [0, 2) (scatter_c1)}}
  %r = graph.scatter sum, %x, %i, %u <window = [1], inserted = [], batching = [0] x [2], index_map = [1], index_vector_dim = 1> : (tensor<10x4xf32>, tensor<3x1xi64>, tensor<3x4xf32>) -> tensor<10x4xf32>
  return
}

// -----

func.func @scatter_c1_batch_vector(%x: tensor<10x4xf32>, %i: tensor<3x1xi64>, %u: tensor<3x4xf32>) {
  // expected-error@below {{'graph.scatter' op batching dimensions of indices and index_vector_dim: got [1] and [1], expected lists without common values (scatter_c1)}}
  %r = graph.scatter sum, %x, %i, %u <window = [1], inserted = [], batching = [0] x [1], index_map = [1], index_vector_dim = 1> : (tensor<10x4xf32>, tensor<3x1xi64>, tensor<3x4xf32>) -> tensor<10x4xf32>
  return
}

// -----

func.func @scatter_c1_batch_size(%x: tensor<10x4xf32>, %i: tensor<3x1xi64>, %u: tensor<3x4xf32>) {
  // expected-error@below {{'graph.scatter' op batching dimension 0 of indices: got 3, expected 10 (scatter_c1)}}
  %r = graph.scatter sum, %x, %i, %u <window = [1], inserted = [], batching = [0] x [0], index_map = [1], index_vector_dim = 1> : (tensor<10x4xf32>, tensor<3x1xi64>, tensor<3x4xf32>) -> tensor<10x4xf32>
  return
}

// -----

func.func @scatter_c2_entries(%x: tensor<10x4xf32>, %i: tensor<3x2xi64>, %u: tensor<3x4xf32>) {
  // expected-error@below {{'graph.scatter' op indices along index_vector_dim: got 2, expected 1 (scatter_c2)}}
  %r = graph.scatter sum, %x, %i, %u <window = [1], inserted = [0], batching = [] x [], index_map = [0], index_vector_dim = 1> : (tensor<10x4xf32>, tensor<3x2xi64>, tensor<3x4xf32>) -> tensor<10x4xf32>
  return
}

// -----

func.func @scatter_c3_rank(%x: tensor<10x4xf32>, %i: tensor<3x1xi64>, %u: tensor<4xf32>) {
  // expected-error@below {{'graph.scatter' op rank of updates: got 1, expected 2 (scatter_c3)}}
  %r = graph.scatter sum, %x, %i, %u <window = [0], inserted = [0], batching = [] x [], index_map = [0], index_vector_dim = 1> : (tensor<10x4xf32>, tensor<3x1xi64>, tensor<4xf32>) -> tensor<10x4xf32>
  return
}

// -----

func.func @scatter_c3_scattered(%x: tensor<10x4xf32>, %i: tensor<3x1xi64>, %u: tensor<2x4xf32>) {
  // expected-error@below {{'graph.scatter' op dimension 0 of updates: got 2, expected 3 (scatter_c3)}}
  %r = graph.scatter sum, %x, %i, %u <window = [1], inserted = [0], batching = [] x [], index_map = [0], index_vector_dim = 1> : (tensor<10x4xf32>, tensor<3x1xi64>, tensor<2x4xf32>) -> tensor<10x4xf32>
  return
}

// -----

func.func @scatter_c3_large(%x: tensor<10x4xf32>, %i: tensor<3x1xi64>, %u: tensor<3x5xf32>) {
  // expected-error@below {{'graph.scatter' op dimension 1 of updates: got 5, expected at most 4 (scatter_c3)}}
  %r = graph.scatter sum, %x, %i, %u <window = [1], inserted = [0], batching = [] x [], index_map = [0], index_vector_dim = 1> : (tensor<10x4xf32>, tensor<3x1xi64>, tensor<3x5xf32>) -> tensor<10x4xf32>
  return
}

// -----

func.func @scatter_c4_updates(%x: tensor<10x4xf32>, %i: tensor<3x1xi64>, %u: tensor<3x4xf64>) {
  // expected-error@below {{'graph.scatter' op element type of updates: got f64, expected f32 (scatter_c4)}}
  %r = graph.scatter sum, %x, %i, %u <window = [1], inserted = [0], batching = [] x [], index_map = [0], index_vector_dim = 1> : (tensor<10x4xf32>, tensor<3x1xi64>, tensor<3x4xf64>) -> tensor<10x4xf32>
  return
}

// -----

func.func @scatter_c4_result(%x: tensor<10x4xf32>, %i: tensor<3x1xi64>, %u: tensor<3x4xf32>) {
  // expected-error@below {{'graph.scatter' op result: got tensor<10x5xf32>, expected tensor<10x4xf32> (scatter_c4)}}
  %r = graph.scatter sum, %x, %i, %u <window = [1], inserted = [0], batching = [] x [], index_map = [0], index_vector_dim = 1> : (tensor<10x4xf32>, tensor<3x1xi64>, tensor<3x4xf32>) -> tensor<10x5xf32>
  return
}

// -----

func.func @scatter_c5_boolean(%x: tensor<10x4xi1>, %i: tensor<3x1xi64>, %u: tensor<3x4xi1>) {
  // expected-error@below {{'graph.scatter' op sum: got i1, expected numbers (scatter_c5)}}
  %r = graph.scatter sum, %x, %i, %u <window = [1], inserted = [0], batching = [] x [], index_map = [0], index_vector_dim = 1> : (tensor<10x4xi1>, tensor<3x1xi64>, tensor<3x4xi1>) -> tensor<10x4xi1>
  return
}

// -----

func.func @scatter_c5_complex(%x: tensor<10x4xcomplex<f32>>, %i: tensor<3x1xi64>, %u: tensor<3x4xcomplex<f32>>) {
  // expected-error@below {{'graph.scatter' op max: got complex<f32>, expected ordered elements (scatter_c5)}}
  %r = graph.scatter max, %x, %i, %u <window = [1], inserted = [0], batching = [] x [], index_map = [0], index_vector_dim = 1> : (tensor<10x4xcomplex<f32>>, tensor<3x1xi64>, tensor<3x4xcomplex<f32>>) -> tensor<10x4xcomplex<f32>>
  return
}

// -----

func.func @scatter_with_c1_inserted(%x: tensor<10xf32>, %i: tensor<3x1xi64>, %u: tensor<3xf32>, %v: tensor<2xf32>, %y: tensor<9xf32>, %d: tensor<3xf64>) {
  // expected-error@below {{'graph.scatter_with' op inserted: got [1], expected ascending values in [0, 1) (scatter_with_c1)}}
  %r = graph.scatter_with (%x), %i, (%u) <window = [], inserted = [1], batching = [] x [], index_map = [0], index_vector_dim = 1> {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    graph.yield %b : tensor<f32>
  } : (tensor<10xf32>, tensor<3x1xi64>, tensor<3xf32>) -> tensor<10xf32>
  return
}

// -----

func.func @scatter_with_c2_entries(%x: tensor<10xf32>, %i: tensor<3x1xi64>, %u: tensor<3xf32>, %v: tensor<2xf32>, %y: tensor<9xf32>, %d: tensor<3xf64>) {
  // expected-error@below {{'graph.scatter_with' op indices along index_vector_dim: got 1, expected 0 (scatter_with_c2)}}
  %r = graph.scatter_with (%x), %i, (%u) <window = [], inserted = [0], batching = [] x [], index_map = [], index_vector_dim = 1> {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    graph.yield %b : tensor<f32>
  } : (tensor<10xf32>, tensor<3x1xi64>, tensor<3xf32>) -> tensor<10xf32>
  return
}

// -----

func.func @scatter_with_c3_updates(%x: tensor<10xf32>, %i: tensor<3x1xi64>, %u: tensor<3xf32>, %v: tensor<2xf32>, %y: tensor<9xf32>, %d: tensor<3xf64>) {
  // expected-error@below {{'graph.scatter_with' op dimension 0 of updates: got 2, expected 3 (scatter_with_c3)}}
  %r = graph.scatter_with (%x), %i, (%v) <window = [], inserted = [0], batching = [] x [], index_map = [0], index_vector_dim = 1> {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    graph.yield %b : tensor<f32>
  } : (tensor<10xf32>, tensor<3x1xi64>, tensor<2xf32>) -> tensor<10xf32>
  return
}

// -----

func.func @scatter_with_c4_count(%x: tensor<10xf32>, %i: tensor<3x1xi64>, %u: tensor<3xf32>, %v: tensor<2xf32>, %y: tensor<9xf32>, %d: tensor<3xf64>) {
  // expected-error@below {{'graph.scatter_with' op number of updates: got 2, expected 1 (scatter_with_c4)}}
  %r = graph.scatter_with (%x), %i, (%u, %u) <window = [], inserted = [0], batching = [] x [], index_map = [0], index_vector_dim = 1> {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    graph.yield %b : tensor<f32>
  } : (tensor<10xf32>, tensor<3x1xi64>, tensor<3xf32>, tensor<3xf32>) -> tensor<10xf32>
  return
}

// -----

func.func @scatter_with_c4_results(%x: tensor<10xf32>, %i: tensor<3x1xi64>, %u: tensor<3xf32>, %v: tensor<2xf32>, %y: tensor<9xf32>, %d: tensor<3xf64>) {
  // expected-error@below {{'graph.scatter_with' op number of results: got 0, expected 1 (scatter_with_c4)}}
  graph.scatter_with (%x), %i, (%u) <window = [], inserted = [0], batching = [] x [], index_map = [0], index_vector_dim = 1> {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    graph.yield %b : tensor<f32>
  } : (tensor<10xf32>, tensor<3x1xi64>, tensor<3xf32>) -> ()
  return
}

// -----

func.func @scatter_with_c4_shape(%x: tensor<10xf32>, %i: tensor<3x1xi64>, %u: tensor<3xf32>, %v: tensor<2xf32>, %y: tensor<9xf32>, %d: tensor<3xf64>) {
  // expected-error@below {{'graph.scatter_with' op operand 1: got shape [9], expected shape [10] (scatter_with_c4)}}
  %r:2 = graph.scatter_with (%x, %y), %i, (%u, %u) <window = [], inserted = [0], batching = [] x [], index_map = [0], index_vector_dim = 1> {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %e: tensor<f32>):
    graph.yield %a, %b : tensor<f32>, tensor<f32>
  } : (tensor<10xf32>, tensor<9xf32>, tensor<3x1xi64>, tensor<3xf32>, tensor<3xf32>) -> (tensor<10xf32>, tensor<9xf32>)
  return
}

// -----

func.func @scatter_with_c4_element(%x: tensor<10xf32>, %i: tensor<3x1xi64>, %u: tensor<3xf32>, %v: tensor<2xf32>, %y: tensor<9xf32>, %d: tensor<3xf64>) {
  // expected-error@below {{'graph.scatter_with' op element type of update 0: got f64, expected f32 (scatter_with_c4)}}
  %r = graph.scatter_with (%x), %i, (%d) <window = [], inserted = [0], batching = [] x [], index_map = [0], index_vector_dim = 1> {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    graph.yield %b : tensor<f32>
  } : (tensor<10xf32>, tensor<3x1xi64>, tensor<3xf64>) -> tensor<10xf32>
  return
}

// -----

func.func @scatter_with_c4_type(%x: tensor<10xf32>, %i: tensor<3x1xi64>, %u: tensor<3xf32>, %v: tensor<2xf32>, %y: tensor<9xf32>, %d: tensor<3xf64>) {
  // expected-error@below {{'graph.scatter_with' op result 0: got tensor<9xf32>, expected tensor<10xf32> (scatter_with_c4)}}
  %r = graph.scatter_with (%x), %i, (%u) <window = [], inserted = [0], batching = [] x [], index_map = [0], index_vector_dim = 1> {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    graph.yield %b : tensor<f32>
  } : (tensor<10xf32>, tensor<3x1xi64>, tensor<3xf32>) -> tensor<9xf32>
  return
}

// -----

func.func @scatter_with_c5_arguments(%x: tensor<10xf32>, %i: tensor<3x1xi64>, %u: tensor<3xf32>, %v: tensor<2xf32>, %y: tensor<9xf32>, %d: tensor<3xf64>) {
  // expected-error@below {{'graph.scatter_with' op arguments of the region: got 1, expected 2 (scatter_with_c5)}}
  %r = graph.scatter_with (%x), %i, (%u) <window = [], inserted = [0], batching = [] x [], index_map = [0], index_vector_dim = 1> {
  ^bb0(%a: tensor<f32>):
    graph.yield %a : tensor<f32>
  } : (tensor<10xf32>, tensor<3x1xi64>, tensor<3xf32>) -> tensor<10xf32>
  return
}

// -----

func.func @scatter_with_c5_yield(%x: tensor<10xf32>, %i: tensor<3x1xi64>, %u: tensor<3xf32>, %v: tensor<2xf32>, %y: tensor<9xf32>, %d: tensor<3xf64>) {
  // expected-error@below {{'graph.scatter_with' op values that the region yields: got 0, expected 1 (scatter_with_c5)}}
  %r = graph.scatter_with (%x), %i, (%u) <window = [], inserted = [0], batching = [] x [], index_map = [0], index_vector_dim = 1> {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    graph.yield
  } : (tensor<10xf32>, tensor<3x1xi64>, tensor<3xf32>) -> tensor<10xf32>
  return
}
