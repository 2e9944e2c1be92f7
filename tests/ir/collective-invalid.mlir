// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each constraint of the collective family, broken.
//
// RUN: zenith-opt %s --split-input-file --verify-diagnostics

func.func @all_reduce_c1_neither(%x: tensor<4xf32>) {
  // expected-error@below {{devices: got neither, expected axes of a mesh or groups (all_reduce_c1)}}
  %r = graph.all_reduce (%x) kind <sum> : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @all_reduce_c2_twice(%x: tensor<4xf32>) {
  // expected-error@below {{groups: got 0, expected distinct devices, and -1 to fill rows up (all_reduce_c2)}}
  %r = graph.all_reduce (%x) kind <sum> groups dense<[[0, 0]]> : tensor<1x2xi64> : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @all_reduce_c2_rank(%x: tensor<4xf32>) {
  // expected-error@below {{rank of groups: got 1, expected 2 (all_reduce_c2)}}
  %r = graph.all_reduce (%x) kind <sum> groups dense<[0, 1]> : tensor<2xi64> : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @all_reduce_c3_no_fold(%x: tensor<4xf32>) {
  // expected-error@below {{fold: got neither, expected a kind or a region (all_reduce_c3)}}
  %r = graph.all_reduce (%x) groups dense<[[0, 1]]> : tensor<1x2xi64> : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @all_reduce_c4_type(%x: tensor<4xf32>) {
  // expected-error@below {{result 0: got tensor<5xf32>, expected tensor<4xf32> (all_reduce_c4)}}
  %r = graph.all_reduce (%x) kind <sum> groups dense<[[0, 1]]> : tensor<1x2xi64> : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @all_reduce_c5_kind(%x: tensor<4xi1>) {
  // expected-error@below {{sum: got i1, expected numbers (all_reduce_c5)}}
  %r = graph.all_reduce (%x) kind <sum> groups dense<[[0, 1]]> : tensor<1x2xi64> : (tensor<4xi1>) -> tensor<4xi1>
  return
}

// -----

func.func @all_gather_c3_dim(%x: tensor<4xf32>) {
  // expected-error@below {{dim: got 1, expected a value in [0, 1) (all_gather_c3)}}
  %r = graph.all_gather (%x) dim 1 groups dense<[[0, 1]]> : tensor<1x2xi64> : (tensor<4xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @all_gather_c4_size(%x: tensor<4xf32>) {
  // expected-error@below {{result: got tensor<12xf32>, expected tensor<8xf32> (all_gather_c4)}}
  %r = graph.all_gather (%x) dim 0 groups dense<[[0, 1]]> : tensor<1x2xi64> : (tensor<4xf32>) -> tensor<12xf32>
  return
}

// -----

func.func @reduce_scatter_c4_dim(%x: tensor<4xf32>) {
  // expected-error@below {{dim: got 1, expected a value in [0, 1) (reduce_scatter_c4)}}
  %r = graph.reduce_scatter (%x) dim 1 kind <sum> groups dense<[[0, 1]]> : tensor<1x2xi64> : (tensor<4xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @reduce_scatter_c5_size(%x: tensor<4xf32>) {
  // expected-error@below {{result dimension 0: got 4, expected a part of 4 (reduce_scatter_c5)}}
  %r = graph.reduce_scatter (%x) dim 0 kind <sum> groups dense<[[0, 1]]> : tensor<1x2xi64> : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @all_to_all_c3_dim(%x: tensor<2x4xf32>) {
  // expected-error@below {{split: got 2, expected a value in [0, 2) (all_to_all_c3)}}
  %r = graph.all_to_all (%x) split 2 concat 0 count 2 groups dense<[[0, 1]]> : tensor<1x2xi64> : (tensor<2x4xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @all_to_all_c4_count(%x: tensor<2x4xf32>) {
  // expected-error@below {{count: got 4, expected the devices of a group, a divisor of 4 (all_to_all_c4)}}
  %r = graph.all_to_all (%x) split 1 concat 0 count 4 groups dense<[[0, 1]]> : tensor<1x2xi64> : (tensor<2x4xf32>) -> tensor<8x1xf32>
  return
}

// -----

func.func @all_to_all_c5_type(%x: tensor<2x4xf32>) {
  // expected-error@below {{result: got tensor<4x4xf32>, expected tensor<4x2xf32> (all_to_all_c5)}}
  %r = graph.all_to_all (%x) split 1 concat 0 count 2 groups dense<[[0, 1]]> : tensor<1x2xi64> : (tensor<2x4xf32>) -> tensor<4x4xf32>
  return
}

// -----

func.func @collective_permute_c1_rows(%x: tensor<4xf32>) {
  // expected-error@below {{pairs: got tensor<1x3xi64>, expected rows of two (collective_permute_c1)}}
  %r = graph.collective_permute (%x) pairs dense<[[0, 1, 2]]> : tensor<1x3xi64> : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @collective_permute_c2_two_sources(%x: tensor<4xf32>) {
  // expected-error@below {{targets: got 1, expected distinct devices (collective_permute_c2)}}
  %r = graph.collective_permute (%x) pairs dense<[[0, 1], [2, 1]]> : tensor<2x2xi64> : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @collective_permute_c3_type(%x: tensor<4xf32>) {
  // expected-error@below {{result: got tensor<5xf32>, expected tensor<4xf32> (collective_permute_c3)}}
  %r = graph.collective_permute (%x) pairs dense<[[0, 1]]> : tensor<1x2xi64> : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @collective_broadcast_c3_type(%x: tensor<4xf32>) {
  // expected-error@below {{result 0: got tensor<5xf32>, expected tensor<4xf32> (collective_broadcast_c3)}}
  %r = graph.collective_broadcast (%x) source 0 groups dense<[[0, 1]]> : tensor<1x2xi64> : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @collective_broadcast_c4_source(%x: tensor<4xf32>) {
  // expected-error@below {{source: got [-1], expected values of at least 0 (collective_broadcast_c4)}}
  %r = graph.collective_broadcast (%x) source -1 groups dense<[[0, 1]]> : tensor<1x2xi64> : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @axis_index_c1_neither() {
  // expected-error@below {{devices: got neither, expected axes of a mesh or groups (axis_index_c1)}}
  %r = graph.axis_index : tensor<i64>
  return
}

// -----

func.func @axis_index_c3_rank() {
  // expected-error@below {{rank of the result: got 1, expected 0 (axis_index_c3)}}
  %r = graph.axis_index groups dense<[[0, 1]]> : tensor<1x2xi64> : tensor<2xi64>
  return
}

// -----

func.func @all_gather_c1_neither(%x: tensor<4xf32>) {
  // expected-error@below {{devices: got neither, expected axes of a mesh or groups (all_gather_c1)}}
  %r = graph.all_gather (%x) dim 0 : (tensor<4xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @all_gather_c2_twice(%x: tensor<4xf32>) {
  // expected-error@below {{groups: got 0, expected distinct devices, and -1 to fill rows up (all_gather_c2)}}
  %r = graph.all_gather (%x) dim 0 groups dense<[[0, 0]]> : tensor<1x2xi64> : (tensor<4xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @reduce_scatter_c1_neither(%x: tensor<4xf32>) {
  // expected-error@below {{devices: got neither, expected axes of a mesh or groups (reduce_scatter_c1)}}
  %r = graph.reduce_scatter (%x) dim 0 kind <sum> : (tensor<4xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @reduce_scatter_c2_twice(%x: tensor<4xf32>) {
  // expected-error@below {{groups: got 0, expected distinct devices, and -1 to fill rows up (reduce_scatter_c2)}}
  %r = graph.reduce_scatter (%x) dim 0 kind <sum> groups dense<[[0, 0]]> : tensor<1x2xi64> : (tensor<4xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @all_to_all_c1_neither(%x: tensor<2x4xf32>) {
  // expected-error@below {{devices: got neither, expected axes of a mesh or groups (all_to_all_c1)}}
  %r = graph.all_to_all (%x) split 1 concat 0 count 2 : (tensor<2x4xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @all_to_all_c2_twice(%x: tensor<2x4xf32>) {
  // expected-error@below {{groups: got 0, expected distinct devices, and -1 to fill rows up (all_to_all_c2)}}
  %r = graph.all_to_all (%x) split 1 concat 0 count 2 groups dense<[[0, 0]]> : tensor<1x2xi64> : (tensor<2x4xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @collective_broadcast_c1_neither(%x: tensor<4xf32>) {
  // expected-error@below {{devices: got neither, expected axes of a mesh or groups (collective_broadcast_c1)}}
  %r = graph.collective_broadcast (%x) source 0 : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @collective_broadcast_c2_twice(%x: tensor<4xf32>) {
  // expected-error@below {{groups: got 0, expected distinct devices, and -1 to fill rows up (collective_broadcast_c2)}}
  %r = graph.collective_broadcast (%x) source 0 groups dense<[[0, 0]]> : tensor<1x2xi64> : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @axis_index_c2_twice() {
  // expected-error@below {{groups: got 0, expected distinct devices, and -1 to fill rows up (axis_index_c2)}}
  %r = graph.axis_index groups dense<[[0, 0]]> : tensor<1x2xi64> : tensor<i64>
  return
}

// -----

func.func @reduce_scatter_c3_no_fold(%x: tensor<4xf32>) {
  // expected-error@below {{fold: got neither, expected a kind or a region (reduce_scatter_c3)}}
  %r = graph.reduce_scatter (%x) dim 0 groups dense<[[0, 1]]> : tensor<1x2xi64> : (tensor<4xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @reduce_scatter_c6_kind(%x: tensor<4xi1>) {
  // expected-error@below {{sum: got i1, expected numbers (reduce_scatter_c6)}}
  %r = graph.reduce_scatter (%x) dim 0 kind <sum> groups dense<[[0, 1]]> : tensor<1x2xi64> : (tensor<4xi1>) -> tensor<2xi1>
  return
}
