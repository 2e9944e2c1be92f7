// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Folds: kinds and regions, initial values, windows, select_and_scatter, scatter, sort.
//
// RUN: zenith-run %s --target=interp

func.func @main() {
  %x = stablehlo.constant dense<[[3, 1, 2], [6, 5, 4]]> : tensor<2x3xi32>
  %ten = stablehlo.constant dense<10> : tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %sums = stablehlo.reduce(%x init: %ten) applies stablehlo.add across dimensions = [1] : (tensor<2x3xi32>, tensor<i32>) -> tensor<2xi32>
  check.expect_eq_const %sums, dense<[16, 25]> : tensor<2xi32>

  // The largest element of a row and its place.
  %places = stablehlo.iota dim = 1 : tensor<2x3xi32>
  %least = stablehlo.constant dense<-2147483648> : tensor<i32>
  %best:2 = stablehlo.reduce(%x init: %least), (%places init: %zero) across dimensions = [1]
      : (tensor<2x3xi32>, tensor<2x3xi32>, tensor<i32>, tensor<i32>) -> (tensor<2xi32>, tensor<2xi32>)
   reducer(%v: tensor<i32>, %w: tensor<i32>) (%i: tensor<i32>, %j: tensor<i32>) {
    %more = stablehlo.compare GE, %v, %w, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %value = stablehlo.select %more, %v, %w : tensor<i1>, tensor<i32>
    %place = stablehlo.select %more, %i, %j : tensor<i1>, tensor<i32>
    stablehlo.return %value, %place : tensor<i32>, tensor<i32>
  }
  check.expect_eq_const %best#0, dense<[3, 6]> : tensor<2xi32>
  check.expect_eq_const %best#1, dense<[0, 0]> : tensor<2xi32>

  // Padding counts as the initial value.
  %windows = "stablehlo.reduce_window"(%x, %ten) <{padding = dense<[[0, 0], [1, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 1, 2>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<2x3xi32>, tensor<i32>) -> tensor<2x3xi32>
  check.expect_eq_const %windows, dense<[[23, 14, 13], [26, 21, 19]]> : tensor<2x3xi32>

  %source = stablehlo.constant dense<[[1, 2]]> : tensor<1x2xi32>
  %back = "stablehlo.select_and_scatter"(%x, %source, %zero) <{window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 1, 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %keep = stablehlo.compare GE, %a, %b, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %keep : tensor<i1>
  }, {
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<2x3xi32>, tensor<1x2xi32>, tensor<i32>) -> tensor<2x3xi32>
  check.expect_eq_const %back, dense<[[0, 0, 0], [1, 2, 0]]> : tensor<2x3xi32>

  // Updates meet elements in order; the one that leaves is skipped.
  %at = stablehlo.constant dense<[[1], [1], [7]]> : tensor<3x1xi32>
  %updates = stablehlo.constant dense<[10, 20, 30]> : tensor<3xi32>
  %row = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %scattered = "stablehlo.scatter"(%row, %at, %updates) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.subtract %b, %a : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<3xi32>, tensor<3x1xi32>, tensor<3xi32>) -> tensor<3xi32>
  check.expect_eq_const %scattered, dense<[1, 12, 3]> : tensor<3xi32>

  %sorted:2 = "stablehlo.sort"(%x, %places) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<i32>, %d: tensor<i32>):
    %before = stablehlo.compare LT, %a, %b, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %before : tensor<i1>
  }) : (tensor<2x3xi32>, tensor<2x3xi32>) -> (tensor<2x3xi32>, tensor<2x3xi32>)
  check.expect_eq_const %sorted#0, dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  check.expect_eq_const %sorted#1, dense<[[1, 2, 0], [2, 1, 0]]> : tensor<2x3xi32>
  return
}
