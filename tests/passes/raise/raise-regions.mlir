// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions, scatters and sort orders that a region spells out.
//
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-raise-regions))' | FileCheck %s -enable-var-scope

// CHECK-LABEL: @sum
// CHECK-SAME: (%[[X:.*]]: tensor<2x3xf32>)
// CHECK: %[[R:.*]] = graph.reduce sum, %[[X]] [1] : tensor<2x3xf32> -> tensor<2xf32>
// CHECK-NEXT: return %[[R]]
func.func @sum(%x: tensor<2x3xf32>) -> tensor<2xf32> {
  %zero = graph.constant dense<0.0> : tensor<f32>
  %r = graph.reduce_with (%x), (%zero) [1] {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = graph.add %a, %b : tensor<f32>
    graph.yield %s : tensor<f32>
  } : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  return %r : tensor<2xf32>
}

// CHECK-LABEL: @two_reductions_at_once
// CHECK: %[[M:.*]] = graph.reduce max, %{{.*}} [0] : tensor<?xf32> -> tensor<f32>
// CHECK: %[[A:.*]] = graph.reduce all, %{{.*}} [0] : tensor<?xi1> -> tensor<i1>
// CHECK: return %[[M]], %[[A]]
func.func @two_reductions_at_once(%x: tensor<?xf32> {graph.dims = ["n"]}, %p: tensor<?xi1> {graph.dims = ["n"]}) -> (tensor<f32>, tensor<i1>) {
  %low = graph.constant dense<0xFF800000> : tensor<f32>
  %true = graph.constant dense<true> : tensor<i1>
  %r:2 = graph.reduce_with (%x, %p), (%low, %true) [0] {
  ^bb0(%a: tensor<f32>, %q: tensor<i1>, %b: tensor<f32>, %r: tensor<i1>):
    %m = graph.max %b, %a : tensor<f32>
    %s = graph.and %q, %r : tensor<i1>
    graph.yield %m, %s : tensor<f32>, tensor<i1>
  } : (tensor<?xf32>, tensor<?xi1>, tensor<f32>, tensor<i1>) -> (tensor<f32>, tensor<i1>)
  return %r#0, %r#1 : tensor<f32>, tensor<i1>
}

// CHECK-LABEL: @sum_from_a_value
// CHECK-SAME: (%[[X:.*]]: tensor<2x?xi32> {{.*}}, %[[I:.*]]: tensor<i32>)
// CHECK: %[[S:.*]] = graph.reduce sum, %[[X]] [0]
// CHECK: %[[B:.*]] = graph.broadcast %[[I]]
// CHECK: graph.add %[[B]], %[[S]]
func.func @sum_from_a_value(%x: tensor<2x?xi32> {graph.dims = ["2", "n"]}, %i: tensor<i32>) -> tensor<?xi32> {
  %r = graph.reduce_with (%x), (%i) [0] {
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = graph.add %a, %b : tensor<i32>
    graph.yield %s : tensor<i32>
  } : (tensor<2x?xi32>, tensor<i32>) -> tensor<?xi32>
  return %r : tensor<?xi32>
}

// CHECK-LABEL: @difference_stays
// CHECK: graph.reduce_with
func.func @difference_stays(%x: tensor<2x3xf32>) -> tensor<2xf32> {
  %zero = graph.constant dense<0.0> : tensor<f32>
  %r = graph.reduce_with (%x), (%zero) [1] {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = graph.sub %a, %b : tensor<f32>
    graph.yield %s : tensor<f32>
  } : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  return %r : tensor<2xf32>
}

// CHECK-LABEL: @sum_of_other_values_stays
// CHECK: graph.reduce_with
func.func @sum_of_other_values_stays(%x: tensor<2x3xf32>) -> tensor<2xf32> {
  %zero = graph.constant dense<0.0> : tensor<f32>
  %r = graph.reduce_with (%x), (%zero) [1] {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = graph.add %b, %b : tensor<f32>
    graph.yield %s : tensor<f32>
  } : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  return %r : tensor<2xf32>
}

// CHECK-LABEL: @running_maximum
// CHECK: graph.cumulative max, %{{.*}} 1 reverse : tensor<2x4xf32>
func.func @running_maximum(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %low = graph.constant dense<0xFF800000> : tensor<f32>
  %r = graph.reduce_window_with (%x), (%low) window [1, 4] strides [1, 1] low [0, 0] high [0, 3] base_dilation [1, 1] dilation [1, 1] {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = graph.max %a, %b : tensor<f32>
    graph.yield %s : tensor<f32>
  } : (tensor<2x4xf32>, tensor<f32>) -> tensor<2x4xf32>
  return %r : tensor<2x4xf32>
}

// CHECK-LABEL: @window_over_a_whole_feature_map
// CHECK: %[[SUM:.*]] = graph.reduce sum, %{{.*}} [2, 3] : tensor<?x6x7x5xf32> -> tensor<?x6xf32>
// CHECK: graph.reshape %[[SUM]] {{.*}} -> tensor<?x6x1x1xf32>
func.func @window_over_a_whole_feature_map(%x: tensor<?x6x7x5xf32>) -> tensor<?x6x1x1xf32> {
  %r = graph.reduce_window sum, %x window [1, 1, 7, 5] strides [1, 1, 7, 1] low [0, 0, 0, 0] high [0, 0, 0, 0] base_dilation [1, 1, 1, 1] dilation [1, 1, 1, 1] : tensor<?x6x7x5xf32> -> tensor<?x6x1x1xf32>
  return %r : tensor<?x6x1x1xf32>
}

// CHECK-LABEL: @windows_that_move_or_are_padded
// CHECK-COUNT-3: graph.reduce_window max
func.func @windows_that_move_or_are_padded(%x: tensor<2x7xf32>) -> (tensor<2x2xf32>, tensor<2x1xf32>, tensor<2x1xf32>) {
  %a = graph.reduce_window max, %x window [1, 6] strides [1, 1] low [0, 0] high [0, 0] base_dilation [1, 1] dilation [1, 1] : tensor<2x7xf32> -> tensor<2x2xf32>
  %b = graph.reduce_window max, %x window [1, 7] strides [1, 2] low [0, 1] high [0, 0] base_dilation [1, 1] dilation [1, 1] : tensor<2x7xf32> -> tensor<2x1xf32>
  %c = graph.reduce_window max, %x window [1, 4] strides [1, 1] low [0, 0] high [0, 0] base_dilation [1, 1] dilation [1, 2] : tensor<2x7xf32> -> tensor<2x1xf32>
  return %a, %b, %c : tensor<2x2xf32>, tensor<2x1xf32>, tensor<2x1xf32>
}

// Rounded at every step, unlike reduce_window.
//
// CHECK-LABEL: @sums_of_small_floats
// CHECK: graph.cumulative sum, %{{.*}} 0 : tensor<4xbf16>
// CHECK: graph.reduce_window_with
func.func @sums_of_small_floats(%x: tensor<4xbf16>) -> (tensor<4xbf16>, tensor<2xbf16>) {
  %zero = graph.constant dense<0.0> : tensor<bf16>
  %r = graph.reduce_window_with (%x), (%zero) window [4] strides [1] low [3] high [0] base_dilation [1] dilation [1] {
  ^bb0(%a: tensor<bf16>, %b: tensor<bf16>):
    %s = graph.add %a, %b : tensor<bf16>
    graph.yield %s : tensor<bf16>
  } : (tensor<4xbf16>, tensor<bf16>) -> tensor<4xbf16>
  %p = graph.reduce_window_with (%x), (%zero) window [2] strides [2] low [0] high [0] base_dilation [1] dilation [1] {
  ^bb0(%a: tensor<bf16>, %b: tensor<bf16>):
    %s = graph.add %a, %b : tensor<bf16>
    graph.yield %s : tensor<bf16>
  } : (tensor<4xbf16>, tensor<bf16>) -> tensor<2xbf16>
  return %r, %p : tensor<4xbf16>, tensor<2xbf16>
}

// CHECK-LABEL: @window_maximum_from_zero
// CHECK: %[[W:.*]] = graph.reduce_window max
// CHECK: graph.max %[[W]], %{{.*}}
func.func @window_maximum_from_zero(%x: tensor<2x4xf32>) -> tensor<2x3xf32> {
  %zero = graph.constant dense<0.0> : tensor<f32>
  %r = graph.reduce_window_with (%x), (%zero) window [1, 2] strides [1, 2] low [0, 1] high [0, 1] base_dilation [1, 1] dilation [1, 1] {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = graph.max %a, %b : tensor<f32>
    graph.yield %s : tensor<f32>
  } : (tensor<2x4xf32>, tensor<f32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: @window_sum_from_one_stays
// CHECK: graph.reduce_window_with
func.func @window_sum_from_one_stays(%x: tensor<2x4xf32>) -> tensor<2x3xf32> {
  %one = graph.constant dense<1.0> : tensor<f32>
  %r = graph.reduce_window_with (%x), (%one) window [1, 2] strides [1, 2] low [0, 1] high [0, 1] base_dilation [1, 1] dilation [1, 1] {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = graph.add %a, %b : tensor<f32>
    graph.yield %s : tensor<f32>
  } : (tensor<2x4xf32>, tensor<f32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: @scatters
// CHECK: graph.scatter set, {{.*}} unique : (tensor<10xf32>
// CHECK: graph.scatter prod, {{.*}} unique : (tensor<10xi64>
func.func @scatters(%x: tensor<10xf32>, %y: tensor<10xi64>, %u: tensor<3xf32>, %v: tensor<3xi64>) -> (tensor<10xf32>, tensor<10xi64>) {
  %i = graph.constant dense<[[1], [7], [10]]> : tensor<3x1xi64>
  %r:2 = graph.scatter_with (%x, %y), %i, (%u, %v) <window = [], inserted = [0], batching = [] x [], index_map = [0], index_vector_dim = 1> unique {
  ^bb0(%a: tensor<f32>, %b: tensor<i64>, %c: tensor<f32>, %d: tensor<i64>):
    %p = graph.mul %b, %d : tensor<i64>
    graph.yield %c, %p : tensor<f32>, tensor<i64>
  } : (tensor<10xf32>, tensor<10xi64>, tensor<3x1xi64>, tensor<3xf32>, tensor<3xi64>) -> (tensor<10xf32>, tensor<10xi64>)
  return %r#0, %r#1 : tensor<10xf32>, tensor<10xi64>
}

// CHECK-LABEL: @sort_by_two_keys
// CHECK-SAME: (%[[X:.*]]: tensor<5xf32>, %[[I:.*]]: tensor<5xi32>, %[[J:.*]]: tensor<5xui8>)
// CHECK: %[[R:.*]]:3 = graph.sort %[[J]], %[[I]], %[[X]] 0 keys 2 descending
// CHECK: return %[[R]]#2, %[[R]]#1, %[[R]]#0
func.func @sort_by_two_keys(%x: tensor<5xf32>, %i: tensor<5xi32>, %j: tensor<5xui8>) -> (tensor<5xf32>, tensor<5xi32>, tensor<5xui8>) {
  %r:3 = graph.sort_with %x, %i, %j 0 {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>, %e: tensor<ui8>, %f: tensor<ui8>):
    %first = graph.compare gt, %e, %f : tensor<ui8> -> tensor<i1>
    %equal = graph.compare eq, %f, %e : tensor<ui8> -> tensor<i1>
    %second = graph.compare lt, %d, %c : tensor<i32> -> tensor<i1>
    %rest = graph.and %equal, %second : tensor<i1>
    %before = graph.or %rest, %first : tensor<i1>
    graph.yield %before : tensor<i1>
  } : (tensor<5xf32>, tensor<5xi32>, tensor<5xui8>) -> (tensor<5xf32>, tensor<5xi32>, tensor<5xui8>)
  return %r#0, %r#1, %r#2 : tensor<5xf32>, tensor<5xi32>, tensor<5xui8>
}

// CHECK-LABEL: @sort_by_floats_stays
// CHECK: graph.sort_with
func.func @sort_by_floats_stays(%x: tensor<5xf32>) -> tensor<5xf32> {
  %r = graph.sort_with %x 0 {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %p = graph.compare lt, %a, %b : tensor<f32> -> tensor<i1>
    graph.yield %p : tensor<i1>
  } : (tensor<5xf32>) -> tensor<5xf32>
  return %r : tensor<5xf32>
}

// The comparator and the reducer as JAX writes them.
// CHECK-LABEL: @sort_in_total_order
// CHECK-SAME: (%[[X:.*]]: tensor<5xf32>, %[[I:.*]]: tensor<5xi32>)
// CHECK: graph.sort %[[X]], %[[I]] 0 keys 1 :
func.func @sort_in_total_order(%x: tensor<5xf32>, %i: tensor<5xi32>) -> (tensor<5xf32>, tensor<5xi32>) {
  %zero = graph.constant dense<0.0> : tensor<f32>
  %nan = graph.constant dense<0x7FC00000> : tensor<f32>
  %none = graph.constant dense<0> : tensor<i32>
  %mask = graph.constant dense<2147483647> : tensor<i32>
  %r:2 = graph.sort_with %x, %i 0 {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>):
    %a0 = graph.compare eq, %a, %zero : tensor<f32> -> tensor<i1>
    %a1 = graph.select %a0, %zero, %a : tensor<i1>, tensor<f32>
    %a2 = graph.compare ne, %a, %a : tensor<f32> -> tensor<i1>
    %a3 = graph.select %a2, %nan, %a1 : tensor<i1>, tensor<f32>
    %a4 = graph.bitcast %a3 : tensor<f32> -> tensor<i32>
    %a5 = graph.compare lt, %a4, %none : tensor<i32> -> tensor<i1>
    %a6 = graph.xor %a4, %mask : tensor<i32>
    %a7 = graph.select %a5, %a6, %a4 : tensor<i1>, tensor<i32>
    %b0 = graph.compare eq, %b, %zero : tensor<f32> -> tensor<i1>
    %b1 = graph.select %b0, %zero, %b : tensor<i1>, tensor<f32>
    %b2 = graph.compare ne, %b, %b : tensor<f32> -> tensor<i1>
    %b3 = graph.select %b2, %nan, %b1 : tensor<i1>, tensor<f32>
    %b4 = graph.bitcast %b3 : tensor<f32> -> tensor<i32>
    %b5 = graph.compare lt, %b4, %none : tensor<i32> -> tensor<i1>
    %b6 = graph.xor %b4, %mask : tensor<i32>
    %b7 = graph.select %b5, %b6, %b4 : tensor<i1>, tensor<i32>
    %p = graph.compare lt, %a7, %b7 : tensor<i32> -> tensor<i1>
    graph.yield %p : tensor<i1>
  } : (tensor<5xf32>, tensor<5xi32>) -> (tensor<5xf32>, tensor<5xi32>)
  return %r#0, %r#1 : tensor<5xf32>, tensor<5xi32>
}

// CHECK-LABEL: @index_of_the_largest
// CHECK-SAME: (%[[X:.*]]: tensor<2x5xf32>)
// CHECK: graph.arg_reduce max, %[[X]] 1 : tensor<2x5xf32> -> tensor<2xi32>
// CHECK-NOT: graph.reduce_with
// CHECK: return
func.func @index_of_the_largest(%x: tensor<2x5xf32>) -> tensor<2xi32> {
  %i = graph.iota 1 : tensor<2x5xi32>
  %low = graph.constant dense<0xFF800000> : tensor<f32>
  %zero = graph.constant dense<0> : tensor<i32>
  %r:2 = graph.reduce_with (%x, %i), (%low, %zero) [1] {
  ^bb0(%a: tensor<f32>, %p: tensor<i32>, %b: tensor<f32>, %q: tensor<i32>):
    %0 = graph.compare gt, %a, %b : tensor<f32> -> tensor<i1>
    %1 = graph.compare ne, %a, %a : tensor<f32> -> tensor<i1>
    %2 = graph.or %0, %1 : tensor<i1>
    %3 = graph.compare eq, %a, %b : tensor<f32> -> tensor<i1>
    %4 = graph.compare lt, %p, %q : tensor<i32> -> tensor<i1>
    %5 = graph.and %3, %4 : tensor<i1>
    %6 = graph.or %2, %5 : tensor<i1>
    %7 = graph.select %2, %a, %b : tensor<i1>, tensor<f32>
    %8 = graph.select %6, %p, %q : tensor<i1>, tensor<i32>
    graph.yield %7, %8 : tensor<f32>, tensor<i32>
  } : (tensor<2x5xf32>, tensor<2x5xi32>, tensor<f32>, tensor<i32>) -> (tensor<2xf32>, tensor<2xi32>)
  return %r#1 : tensor<2xi32>
}

// CHECK-LABEL: @largest_of_each_row
// CHECK-SAME: (%[[X:.*]]: tensor<?x5x3xf32>)
// CHECK: %[[PLACE:.*]] = graph.arg_reduce max, %[[X]] 1 : tensor<?x5x3xf32> -> tensor<?x3xi64>
// CHECK: graph.gather %[[X]], %[[PLACE]]
// CHECK-NOT: graph.top_k
// CHECK: return
func.func @largest_of_each_row(%x: tensor<?x5x3xf32>) -> (tensor<?x1x3xf32>, tensor<?x1x3xi64>) {
  %v, %i = graph.top_k %x 1 : (tensor<?x5x3xf32>) -> (tensor<?x1x3xf32>, tensor<?x1x3xi64>)
  return %v, %i : tensor<?x1x3xf32>, tensor<?x1x3xi64>
}

// CHECK-LABEL: @largest_of_no_rows
// CHECK: graph.gather
func.func @largest_of_no_rows(%x: tensor<0x5xf32>) -> (tensor<0x1xf32>, tensor<0x1xi64>) {
  %v, %i = graph.top_k %x 1 : (tensor<0x5xf32>) -> (tensor<0x1xf32>, tensor<0x1xi64>)
  return %v, %i : tensor<0x1xf32>, tensor<0x1xi64>
}

// NaN comes last among the smallest; a list is a single row.
// CHECK-LABEL: @stays_top_k
// CHECK-COUNT-3: graph.top_k
// CHECK: return
func.func @stays_top_k(%x: tensor<4x5xf32>, %l: tensor<9xf32>) -> (tensor<4x1xi64>, tensor<1xi64>, tensor<4x2xi64>) {
  %v0, %i0 = graph.top_k %x 1 smallest : (tensor<4x5xf32>) -> (tensor<4x1xf32>, tensor<4x1xi64>)
  %v1, %i1 = graph.top_k %l 0 : (tensor<9xf32>) -> (tensor<1xf32>, tensor<1xi64>)
  %v2, %i2 = graph.top_k %x 1 : (tensor<4x5xf32>) -> (tensor<4x2xf32>, tensor<4x2xi64>)
  return %i0, %i1, %i2 : tensor<4x1xi64>, tensor<1xi64>, tensor<4x2xi64>
}

// The region rounds at every step, reduce once.
// CHECK-LABEL: @sum_of_small_floats
// CHECK: graph.reduce_with
// CHECK-NOT: graph.reduce sum
// CHECK: return
func.func @sum_of_small_floats(%x: tensor<2x3xbf16>) -> tensor<2xbf16> {
  %zero = graph.constant dense<0.0> : tensor<bf16>
  %r = graph.reduce_with (%x), (%zero) [1] {
  ^bb0(%a: tensor<bf16>, %b: tensor<bf16>):
    %s = graph.add %a, %b : tensor<bf16>
    graph.yield %s : tensor<bf16>
  } : (tensor<2x3xbf16>, tensor<bf16>) -> tensor<2xbf16>
  return %r : tensor<2xbf16>
}
