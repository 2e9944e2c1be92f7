// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each constraint of the ordering family, broken.
//
// RUN: zenith-opt %s --split-input-file --verify-diagnostics

func.func @sort_c1_none(%x: tensor<8xf32>, %i: tensor<8xi64>, %y: tensor<7xf32>, %z: tensor<8xcomplex<f32>>) {
  // expected-error@below {{'graph.sort' op number of operands: got 0, expected at least 1 (sort_c1)}}
  "graph.sort"() {dim = 0 : i64, num_keys = 1 : i64} : () -> ()
  return
}

// -----

func.func @sort_c1_shape(%x: tensor<8xf32>, %i: tensor<8xi64>, %y: tensor<7xf32>, %z: tensor<8xcomplex<f32>>) {
  // expected-error@below {{'graph.sort' op operand 1: got shape [7], expected shape [8] (sort_c1)}}
  %r:2 = graph.sort %x, %y 0 keys 1 : (tensor<8xf32>, tensor<7xf32>) -> (tensor<8xf32>, tensor<7xf32>)
  return
}

// -----

func.func @sort_c2_dim(%x: tensor<8xf32>, %i: tensor<8xi64>, %y: tensor<7xf32>, %z: tensor<8xcomplex<f32>>) {
  // expected-error@below {{'graph.sort' op dim: got 1, expected a value in [0, 1) (sort_c2)}}
  %r = graph.sort %x 1 keys 1 : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @sort_c3_count(%x: tensor<8xf32>, %i: tensor<8xi64>, %y: tensor<7xf32>, %z: tensor<8xcomplex<f32>>) {
  // expected-error@below {{'graph.sort' op num_keys: got 2, expected a value in [1, 2) (sort_c3)}}
  %r = graph.sort %x 0 keys 2 : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @sort_c3_complex(%x: tensor<8xf32>, %i: tensor<8xi64>, %y: tensor<7xf32>, %z: tensor<8xcomplex<f32>>) {
  // expected-error@below {{'graph.sort' op key: got tensor<8xcomplex<f32>>, expected ordered elements (sort_c3)}}
  %r = graph.sort %z 0 keys 1 : (tensor<8xcomplex<f32>>) -> tensor<8xcomplex<f32>>
  return
}

// -----

func.func @sort_c4_count(%x: tensor<8xf32>, %i: tensor<8xi64>, %y: tensor<7xf32>, %z: tensor<8xcomplex<f32>>) {
  // expected-error@below {{'graph.sort' op number of results: got 1, expected 2 (sort_c4)}}
  %r = graph.sort %x, %i 0 keys 1 : (tensor<8xf32>, tensor<8xi64>) -> tensor<8xf32>
  return
}

// -----

func.func @sort_c4_type(%x: tensor<8xf32>, %i: tensor<8xi64>, %y: tensor<7xf32>, %z: tensor<8xcomplex<f32>>) {
  // expected-error@below {{'graph.sort' op result 0: got tensor<8xi64>, expected tensor<8xf32> (sort_c4)}}
  %r = graph.sort %x 0 keys 1 : (tensor<8xf32>) -> tensor<8xi64>
  return
}

// -----

func.func @sort_with_c1_shape(%x: tensor<8xf32>, %i: tensor<8xi64>, %y: tensor<7xf32>, %z: tensor<8xcomplex<f32>>) {
  // expected-error@below {{'graph.sort_with' op operand 1: got shape [7], expected shape [8] (sort_with_c1)}}
  %r:2 = graph.sort_with %x, %y 0 {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %l: tensor<f32>, %m: tensor<f32>):
    %c = graph.compare gt, %a, %b : tensor<f32> -> tensor<i1>
    graph.yield %c : tensor<i1>
  } : (tensor<8xf32>, tensor<7xf32>) -> (tensor<8xf32>, tensor<7xf32>)
  return
}

// -----

func.func @sort_with_c2_dim(%x: tensor<8xf32>, %i: tensor<8xi64>, %y: tensor<7xf32>, %z: tensor<8xcomplex<f32>>) {
  // expected-error@below {{'graph.sort_with' op dim: got -1, expected a value in [0, 1) (sort_with_c2)}}
  %r = graph.sort_with %x -1 {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = graph.compare gt, %a, %b : tensor<f32> -> tensor<i1>
    graph.yield %c : tensor<i1>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @sort_with_c3_arguments(%x: tensor<8xf32>, %i: tensor<8xi64>, %y: tensor<7xf32>, %z: tensor<8xcomplex<f32>>) {
  // expected-error@below {{'graph.sort_with' op arguments of the comparator: got 1, expected 2 (sort_with_c3)}}
  %r = graph.sort_with %x 0 {
  ^bb0(%a: tensor<f32>):
    %c = graph.compare gt, %a, %a : tensor<f32> -> tensor<i1>
    graph.yield %c : tensor<i1>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @sort_with_c3_argument(%x: tensor<8xf32>, %i: tensor<8xi64>, %y: tensor<7xf32>, %z: tensor<8xcomplex<f32>>) {
  // expected-error@below {{'graph.sort_with' op argument 1 of the comparator: got tensor<i64>, expected tensor<f32> (sort_with_c3)}}
  %r = graph.sort_with %x 0 {
  ^bb0(%a: tensor<f32>, %b: tensor<i64>):
    %c = graph.compare gt, %a, %a : tensor<f32> -> tensor<i1>
    graph.yield %c : tensor<i1>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @sort_with_c3_yield(%x: tensor<8xf32>, %i: tensor<8xi64>, %y: tensor<7xf32>, %z: tensor<8xcomplex<f32>>) {
  // expected-error@below {{'graph.sort_with' op value 0 that the comparator yields: got tensor<f32>, expected tensor<i1> (sort_with_c3)}}
  %r = graph.sort_with %x 0 {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    graph.yield %a : tensor<f32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @sort_with_c3_end(%x: tensor<8xf32>, %i: tensor<8xi64>, %y: tensor<7xf32>, %z: tensor<8xcomplex<f32>>) {
  // expected-error@below {{'graph.sort_with' op last op of the comparator: got func.return, expected graph.yield (sort_with_c3)}}
  %r = graph.sort_with %x 0 {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    func.return %a : tensor<f32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @sort_with_c4_type(%x: tensor<8xf32>, %i: tensor<8xi64>, %y: tensor<7xf32>, %z: tensor<8xcomplex<f32>>) {
  // expected-error@below {{'graph.sort_with' op result 0: got tensor<8xf64>, expected tensor<8xf32> (sort_with_c4)}}
  %r = graph.sort_with %x 0 {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = graph.compare gt, %a, %b : tensor<f32> -> tensor<i1>
    graph.yield %c : tensor<i1>
  } : (tensor<8xf32>) -> tensor<8xf64>
  return
}

// -----

func.func @top_k_c1_dim(%x: tensor<2x8xf32>, %k: tensor<i64>) {
  // expected-error@below {{'graph.top_k' op dim: got 2, expected a value in [0, 2) (top_k_c1)}}
  %v, %i = graph.top_k %x 2 : (tensor<2x8xf32>) -> (tensor<2x3xf32>, tensor<2x3xi64>)
  return
}

// -----

func.func @top_k_c2_rank(%x: tensor<2x8xf32>, %k: tensor<i64>) {
  // expected-error@below {{'graph.top_k' op rank of values: got 1, expected 2 (top_k_c2)}}
  %v, %i = graph.top_k %x 1 : (tensor<2x8xf32>) -> (tensor<3xf32>, tensor<3xi64>)
  return
}

// -----

func.func @top_k_c2_other(%x: tensor<2x8xf32>, %k: tensor<i64>) {
  // expected-error@below {{'graph.top_k' op dimension 0 of values: got 1, expected 2 (top_k_c2)}}
  %v, %i = graph.top_k %x 1 : (tensor<2x8xf32>) -> (tensor<1x3xf32>, tensor<1x3xi64>)
  return
}

// -----

func.func @top_k_c2_size(%x: tensor<2x8xf32>, %k: tensor<i64>) {
  // expected-error@below {{'graph.top_k' op dimension 1 of values: got 9, expected at most 8 (top_k_c2)}}
  %v, %i = graph.top_k %x 1 : (tensor<2x8xf32>) -> (tensor<2x9xf32>, tensor<2x9xi64>)
  return
}

// -----

func.func @top_k_c3_missing(%x: tensor<2x8xf32>, %k: tensor<i64>) {
  // expected-error@below {{'graph.top_k' op number of k operands: got 0, expected 1 (top_k_c3)}}
  %v, %i = graph.top_k %x 1 : (tensor<2x8xf32>) -> (tensor<2x?xf32>, tensor<2x?xi64>)
  return
}

// -----

func.func @top_k_c3_extra(%x: tensor<2x8xf32>, %k: tensor<i64>) {
  // expected-error@below {{'graph.top_k' op number of k operands: got 1, expected 0 (top_k_c3)}}
  %v, %i = graph.top_k %x, %k 1 : (tensor<2x8xf32>, tensor<i64>) -> (tensor<2x3xf32>, tensor<2x3xi64>)
  return
}

// -----

func.func @top_k_c4_type(%x: tensor<2x8xf32>, %k: tensor<i64>) {
  // expected-error@below {{'graph.top_k' op element type of values: got f64, expected f32 (top_k_c4)}}
  %v, %i = graph.top_k %x 1 : (tensor<2x8xf32>) -> (tensor<2x3xf64>, tensor<2x3xi64>)
  return
}

// -----

func.func @top_k_c4_indices(%x: tensor<2x8xf32>, %k: tensor<i64>) {
  // expected-error@below {{'graph.top_k' op indices: got shape [2, 4], expected shape [2, 3] (top_k_c4)}}
  %v, %i = graph.top_k %x 1 : (tensor<2x8xf32>) -> (tensor<2x3xf32>, tensor<2x4xi64>)
  return
}

// -----

func.func @unique_c1_rank(%x: tensor<ui8>) {
  // expected-error@below {{'graph.unique' op rank: got 0, expected at least 1 (unique_c1)}}
  %r, %f, %i, %c = graph.unique %x : tensor<ui8> -> tensor<ui8>, tensor<?xi64>, tensor<8xi64>, tensor<?xi64>
  return
}

// -----

func.func @unique_c2_static(%x: tensor<8x3xui8>) {
  // expected-error@below {{'graph.unique' op rows: got tensor<8x3xui8>, expected a dynamic dimension 0 (unique_c2)}}
  %r, %f, %i, %c = graph.unique %x : tensor<8x3xui8> -> tensor<8x3xui8>, tensor<?xi64>, tensor<8xi64>, tensor<?xi64>
  return
}

// -----

func.func @unique_c2_rows(%x: tensor<8x3xui8>) {
  // expected-error@below {{'graph.unique' op rows: got tensor<?x4xui8>, expected tensor<?x3xui8> (unique_c2)}}
  %r, %f, %i, %c = graph.unique %x : tensor<8x3xui8> -> tensor<?x4xui8>, tensor<?xi64>, tensor<8xi64>, tensor<?xi64>
  return
}

// -----

func.func @unique_c3_first(%x: tensor<8x3xui8>) {
  // expected-error@below {{'graph.unique' op first: got tensor<8xi64>, expected tensor<?xi64> (unique_c3)}}
  %r, %f, %i, %c = graph.unique %x : tensor<8x3xui8> -> tensor<?x3xui8>, tensor<8xi64>, tensor<8xi64>, tensor<?xi64>
  return
}

// -----

func.func @unique_c3_counts(%x: tensor<8x3xui8>) {
  // expected-error@below {{'graph.unique' op counts: got tensor<?x1xi64>, expected tensor<?xi64> (unique_c3)}}
  %r, %f, %i, %c = graph.unique %x : tensor<8x3xui8> -> tensor<?x3xui8>, tensor<?xi64>, tensor<8xi64>, tensor<?x1xi64>
  return
}

// -----

func.func @unique_c4_inverse(%x: tensor<8x3xui8>) {
  // expected-error@below {{'graph.unique' op inverse: got tensor<7xi64>, expected tensor<8xi64> (unique_c4)}}
  %r, %f, %i, %c = graph.unique %x : tensor<8x3xui8> -> tensor<?x3xui8>, tensor<?xi64>, tensor<7xi64>, tensor<?xi64>
  return
}

// -----

func.func @compact_c1_rank(%m: tensor<2x4xi1>, %x: tensor<2x4xf32>) {
  // expected-error@below {{'graph.compact' op rank of the mask: got 2, expected 1 (compact_c1)}}
  %r = graph.compact %m, %x : (tensor<2x4xi1>, tensor<2x4xf32>) -> tensor<?x4xf32>
  return
}

// -----

func.func @compact_c2_none(%m: tensor<4xi1>) {
  // expected-error@below {{'graph.compact' op number of operands: got 0, expected at least 1 (compact_c2)}}
  "graph.compact"(%m) : (tensor<4xi1>) -> ()
  return
}

// -----

func.func @compact_c2_scalar(%m: tensor<4xi1>, %x: tensor<f32>) {
  // expected-error@below {{'graph.compact' op rank of operand 0: got 0, expected at least 1 (compact_c2)}}
  %r = graph.compact %m, %x : (tensor<4xi1>, tensor<f32>) -> tensor<?xf32>
  return
}

// -----

func.func @compact_c2_size(%m: tensor<4xi1>, %x: tensor<5xf32>) {
  // expected-error@below {{'graph.compact' op dimension 0 of operand 0: got 5, expected 4 (compact_c2)}}
  %r = graph.compact %m, %x : (tensor<4xi1>, tensor<5xf32>) -> tensor<?xf32>
  return
}

// -----

func.func @compact_c3_count(%m: tensor<4xi1>, %x: tensor<4xf32>) {
  // expected-error@below {{'graph.compact' op number of results: got 1, expected 2 (compact_c3)}}
  %r = graph.compact %m, %x, %x : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<?xf32>
  return
}

// -----

func.func @compact_c3_static(%m: tensor<4xi1>, %x: tensor<4xf32>) {
  // expected-error@below {{'graph.compact' op result 0: got tensor<4xf32>, expected a dynamic dimension 0 (compact_c3)}}
  %r = graph.compact %m, %x : (tensor<4xi1>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @compact_c3_rows(%m: tensor<4xi1>, %x: tensor<4x2xf32>) {
  // expected-error@below {{'graph.compact' op result 0: got tensor<?x3xf32>, expected tensor<?x2xf32> (compact_c3)}}
  %r = graph.compact %m, %x : (tensor<4xi1>, tensor<4x2xf32>) -> tensor<?x3xf32>
  return
}

// -----

func.func @searchsorted_c1_rank(%x: tensor<2x4xi64>, %q: tensor<3xi64>) {
  // expected-error@below {{'graph.searchsorted' op rank of the list: got 2, expected 1 (searchsorted_c1)}}
  %r = graph.searchsorted %x, %q : (tensor<2x4xi64>, tensor<3xi64>) -> tensor<3xi64>
  return
}

// -----

func.func @searchsorted_c2_type(%x: tensor<4xi64>, %q: tensor<3xi32>) {
  // expected-error@below {{'graph.searchsorted' op element type of queries: got i32, expected i64 (searchsorted_c2)}}
  %r = graph.searchsorted %x, %q : (tensor<4xi64>, tensor<3xi32>) -> tensor<3xi64>
  return
}

// -----

func.func @searchsorted_c3_shape(%x: tensor<4xi64>, %q: tensor<3xi64>) {
  // expected-error@below {{'graph.searchsorted' op result: got tensor<4xi64>, expected tensor<3xi64> (searchsorted_c3)}}
  %r = graph.searchsorted %x, %q : (tensor<4xi64>, tensor<3xi64>) -> tensor<4xi64>
  return
}

// -----

func.func @is_in_c1_scalar(%x: tensor<ui8>, %s: tensor<ui8>) {
  // expected-error@below {{'graph.is_in' op rank: got 0, expected at least 1 (is_in_c1)}}
  %r = graph.is_in %x, %s : (tensor<ui8>, tensor<ui8>) -> tensor<1xi1>
  return
}

// -----

func.func @is_in_c1_rank(%x: tensor<8x3xui8>, %s: tensor<5xui8>) {
  // expected-error@below {{'graph.is_in' op rank of the set: got 1, expected 2 (is_in_c1)}}
  %r = graph.is_in %x, %s : (tensor<8x3xui8>, tensor<5xui8>) -> tensor<8xi1>
  return
}

// -----

func.func @is_in_c1_type(%x: tensor<8xui8>, %s: tensor<5xi8>) {
  // expected-error@below {{'graph.is_in' op element type of the set: got i8, expected ui8 (is_in_c1)}}
  %r = graph.is_in %x, %s : (tensor<8xui8>, tensor<5xi8>) -> tensor<8xi1>
  return
}

// -----

func.func @is_in_c1_rows(%x: tensor<8x3xui8>, %s: tensor<5x4xui8>) {
  // expected-error@below {{'graph.is_in' op dimension 1 of the set: got 4, expected 3 (is_in_c1)}}
  %r = graph.is_in %x, %s : (tensor<8x3xui8>, tensor<5x4xui8>) -> tensor<8xi1>
  return
}

// -----

func.func @is_in_c2_result(%x: tensor<8x3xui8>, %s: tensor<5x3xui8>) {
  // expected-error@below {{'graph.is_in' op result: got tensor<5xi1>, expected tensor<8xi1> (is_in_c2)}}
  %r = graph.is_in %x, %s : (tensor<8x3xui8>, tensor<5x3xui8>) -> tensor<5xi1>
  return
}

// -----

func.func @non_max_suppression_c1_boxes(%b: tensor<6x4xf32>, %s: tensor<1x2x6xf32>, %n: tensor<i64>, %t: tensor<f32>) {
  // expected-error@below {{'graph.non_max_suppression' op rank of boxes: got 2, expected 3 (non_max_suppression_c1)}}
  %r = graph.non_max_suppression %b, %s, %n, %t : (tensor<6x4xf32>, tensor<1x2x6xf32>, tensor<i64>, tensor<f32>) -> tensor<?x3xi64>
  return
}

// -----

func.func @non_max_suppression_c1_corners(%b: tensor<1x6x5xf32>, %s: tensor<1x2x6xf32>, %n: tensor<i64>, %t: tensor<f32>) {
  // expected-error@below {{'graph.non_max_suppression' op dimension 2 of boxes: got 5, expected 4 (non_max_suppression_c1)}}
  %r = graph.non_max_suppression %b, %s, %n, %t : (tensor<1x6x5xf32>, tensor<1x2x6xf32>, tensor<i64>, tensor<f32>) -> tensor<?x3xi64>
  return
}

// -----

func.func @non_max_suppression_c2_scores(%b: tensor<1x6x4xf32>, %s: tensor<2x6xf32>, %n: tensor<i64>, %t: tensor<f32>) {
  // expected-error@below {{'graph.non_max_suppression' op rank of scores: got 2, expected 3 (non_max_suppression_c2)}}
  %r = graph.non_max_suppression %b, %s, %n, %t : (tensor<1x6x4xf32>, tensor<2x6xf32>, tensor<i64>, tensor<f32>) -> tensor<?x3xi64>
  return
}

// -----

func.func @non_max_suppression_c2_batches(%b: tensor<1x6x4xf32>, %s: tensor<2x2x6xf32>, %n: tensor<i64>, %t: tensor<f32>) {
  // expected-error@below {{'graph.non_max_suppression' op batches of scores: got 2, expected 1 (non_max_suppression_c2)}}
  %r = graph.non_max_suppression %b, %s, %n, %t : (tensor<1x6x4xf32>, tensor<2x2x6xf32>, tensor<i64>, tensor<f32>) -> tensor<?x3xi64>
  return
}

// -----

func.func @non_max_suppression_c2_count(%b: tensor<1x6x4xf32>, %s: tensor<1x2x5xf32>, %n: tensor<i64>, %t: tensor<f32>) {
  // expected-error@below {{'graph.non_max_suppression' op boxes of scores: got 5, expected 6 (non_max_suppression_c2)}}
  %r = graph.non_max_suppression %b, %s, %n, %t : (tensor<1x6x4xf32>, tensor<1x2x5xf32>, tensor<i64>, tensor<f32>) -> tensor<?x3xi64>
  return
}

// -----

func.func @non_max_suppression_c3_result(%b: tensor<1x6x4xf32>, %s: tensor<1x2x6xf32>, %n: tensor<i64>, %t: tensor<f32>) {
  // expected-error@below {{'graph.non_max_suppression' op result: got tensor<4x3xi64>, expected tensor<?x3xi64> (non_max_suppression_c3)}}
  %r = graph.non_max_suppression %b, %s, %n, %t : (tensor<1x6x4xf32>, tensor<1x2x6xf32>, tensor<i64>, tensor<f32>) -> tensor<4x3xi64>
  return
}

// -----

func.func @hash_c1_rank(%x: tensor<8xi64>) {
  // expected-error@below {{'graph.hash' op rank: got 1, expected 2 (hash_c1)}}
  %h = graph.hash matrix, %x : tensor<8xi64> -> tensor<8x1xi64>
  return
}

// -----

func.func @hash_c1_width(%x: tensor<8x?xi64>) {
  // expected-error@below {{'graph.hash' op width: got a dynamic one, expected a static one (hash_c1)}}
  %h = graph.hash matrix, %x : tensor<8x?xi64> -> tensor<8x1xi64>
  return
}

// -----

func.func @hash_c2_element(%x: tensor<8x3xi64>) {
  // expected-error@below {{'graph.hash' op element type of the result: got ui32, expected i64 (hash_c2)}}
  %h = graph.hash matrix, %x : tensor<8x3xi64> -> tensor<8x1xui32>
  return
}

// -----

func.func @hash_c2_lanes(%x: tensor<8x3xi64>) {
  // expected-error@below {{'graph.hash' op lanes: got 2, expected 1 (hash_c2)}}
  %h = graph.hash poly32, %x : tensor<8x3xi64> -> tensor<8x2xui32>
  return
}

// -----

func.func @hash_c3(%x: tensor<8x3xi64>) {
  // expected-error@below {{'graph.hash' op seed: got 7, expected none (hash_c3)}}
  %h = graph.hash poly32, %x seed 7 : tensor<8x3xi64> -> tensor<8x1xui32>
  return
}
