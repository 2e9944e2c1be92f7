// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program that touches every family; damage.py damages it too.
//
// RUN: zenith-run %s --target=interp --random-inputs
module @steps {
  func.func public @main(%x: tensor<4x6xf32>, %w: tensor<6x3xf32>, %k: tensor<2xui32>) -> (tensor<4x3xf32>, tensor<4xi32>, tensor<3xf32>) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %index = stablehlo.constant dense<[[1], [0]]> : tensor<2x1xi32>
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x6xf32>, tensor<6x3xf32>) -> tensor<4x3xf32>
    %1 = stablehlo.reduce(%0 init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<4x3xf32>, tensor<f32>) -> tensor<4xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<4xf32>) -> tensor<4x3xf32>
    %3 = stablehlo.subtract %0, %2 : tensor<4x3xf32>
    %4 = stablehlo.exponential %3 : tensor<4x3xf32>
    %5 = stablehlo.iota dim = 0 : tensor<4xi32>
    %6:2 = "stablehlo.sort"(%1, %5) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>, %i: tensor<i32>, %j: tensor<i32>):
      %less = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %less : tensor<i1>
    }) {dimension = 0 : i64, is_stable = true} : (tensor<4xf32>, tensor<4xi32>) -> (tensor<4xf32>, tensor<4xi32>)
    %7 = "stablehlo.gather"(%4, %index) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>} : (tensor<4x3xf32>, tensor<2x1xi32>) -> tensor<2x3xf32>
    %8 = "stablehlo.scatter"(%4, %index, %7) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %sum = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %sum : tensor<f32>
    }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<4x3xf32>, tensor<2x1xi32>, tensor<2x3xf32>) -> tensor<4x3xf32>
    %9:2 = stablehlo.while(%n = %one, %v = %8) : tensor<i32>, tensor<4x3xf32>
    cond {
      %end = stablehlo.constant dense<4> : tensor<i32>
      %more = stablehlo.compare LT, %n, %end, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %next = stablehlo.add %n, %one : tensor<i32>
      %half = stablehlo.tanh %v : tensor<4x3xf32>
      stablehlo.return %next, %half : tensor<i32>, tensor<4x3xf32>
    }
    %10 = "stablehlo.reduce_window"(%9#1, %zero) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %sum = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %sum : tensor<f32>
    }) {window_dimensions = array<i64: 2, 1>, padding = dense<[[1, 0], [0, 0]]> : tensor<2x2xi64>} : (tensor<4x3xf32>, tensor<f32>) -> tensor<4x3xf32>
    %11 = stablehlo.slice %10 [0:1, 0:3] : (tensor<4x3xf32>) -> tensor<1x3xf32>
    %12 = stablehlo.reshape %11 : (tensor<1x3xf32>) -> tensor<3xf32>
    %13 = stablehlo.pad %12, %zero, low = [1], high = [-1], interior = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
    %14 = stablehlo.bitcast_convert %13 : (tensor<3xf32>) -> tensor<3xui32>
    %15 = stablehlo.slice %k [0:1] : (tensor<2xui32>) -> tensor<1xui32>
    %16 = stablehlo.broadcast_in_dim %15, dims = [0] : (tensor<1xui32>) -> tensor<3xui32>
    %17 = stablehlo.xor %14, %16 : tensor<3xui32>
    %18 = stablehlo.bitcast_convert %17 : (tensor<3xui32>) -> tensor<3xf32>
    return %10, %6#1, %18 : tensor<4x3xf32>, tensor<4xi32>, tensor<3xf32>
  }
}
