// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cheaper ops with the same bits, and fewer movement ops.
//
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-simplify-algebra))' | FileCheck %s -enable-var-scope

// CHECK-LABEL: @square
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>)
// CHECK: graph.mul %[[X]], %[[X]] : tensor<4xf32>
func.func @square(%x: tensor<4xf32>) -> tensor<4xf32> {
  %two = graph.constant dense<2.0> : tensor<4xf32>
  %r = graph.pow %x, %two : tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: @division_by_power_of_two
// CHECK: %[[C:.*]] = graph.constant dense<1.250000e-01> : tensor<f32>
// CHECK: graph.broadcast %[[C]]
// CHECK: graph.mul
func.func @division_by_power_of_two(%x: tensor<?xf32> {graph.dims = ["n"]}) -> tensor<?xf32> {
  %n = graph.dim %x, 0 : tensor<?xf32>
  %c = graph.constant dense<8.0> : tensor<f32>
  %b = graph.broadcast %c [] [%n] : tensor<f32> -> tensor<?xf32>
  %r = graph.div %x, %b : tensor<?xf32>
  return %r : tensor<?xf32>
}

// CHECK-LABEL: @division_by_three_stays
// CHECK: graph.div
func.func @division_by_three_stays(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = graph.constant dense<3.0> : tensor<4xf32>
  %r = graph.div %x, %c : tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: @positive_zero_stays
// CHECK: graph.add
func.func @positive_zero_stays(%x: tensor<?xf32> {graph.dims = ["n"]}) -> tensor<?xf32> {
  %n = graph.dim %x, 0 : tensor<?xf32>
  %c = graph.constant dense<0.0> : tensor<f32>
  %b = graph.broadcast %c [] [%n] : tensor<f32> -> tensor<?xf32>
  %r = graph.add %x, %b : tensor<?xf32>
  return %r : tensor<?xf32>
}

// CHECK-LABEL: @negative_zero_goes
// CHECK-SAME: (%[[X:.*]]: tensor<?xf32>
// CHECK-NEXT: return %[[X]]
func.func @negative_zero_goes(%x: tensor<?xf32> {graph.dims = ["n"]}) -> tensor<?xf32> {
  %n = graph.dim %x, 0 : tensor<?xf32>
  %c = graph.constant dense<-0.0> : tensor<f32>
  %b = graph.broadcast %c [] [%n] : tensor<f32> -> tensor<?xf32>
  %r = graph.add %x, %b : tensor<?xf32>
  return %r : tensor<?xf32>
}

// CHECK-LABEL: @transpose_of_units
// CHECK: graph.reshape
// CHECK-NOT: graph.transpose
// CHECK: return
func.func @transpose_of_units(%x: tensor<2x1x3xf32>) -> tensor<1x2x3xf32> {
  %r = graph.transpose %x [1, 0, 2] : tensor<2x1x3xf32> -> tensor<1x2x3xf32>
  return %r : tensor<1x2x3xf32>
}

// CHECK-LABEL: @transpose_of_broadcast
// CHECK: graph.broadcast %{{.*}} [0] : tensor<3xf32> -> tensor<3x2xf32>
// CHECK-NOT: graph.transpose
// CHECK: return
func.func @transpose_of_broadcast(%x: tensor<3xf32>) -> tensor<3x2xf32> {
  %b = graph.broadcast %x [1] : tensor<3xf32> -> tensor<2x3xf32>
  %r = graph.transpose %b [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>
  return %r : tensor<3x2xf32>
}

// CHECK-LABEL: @heads_split_before_transpose
// CHECK: graph.reshape %{{.*}} : tensor<5x2x12xf32> -> tensor<5x2x3x4xf32>
// CHECK: graph.transpose %{{.*}} [1, 2, 0, 3]
// CHECK-NOT: graph.reshape
// CHECK: return
func.func @heads_split_before_transpose(%x: tensor<5x2x12xf32>) -> tensor<2x3x5x4xf32> {
  %m = graph.reshape %x : tensor<5x2x12xf32> -> tensor<5x6x4xf32>
  %t = graph.transpose %m [1, 0, 2] : tensor<5x6x4xf32> -> tensor<6x5x4xf32>
  %r = graph.reshape %t : tensor<6x5x4xf32> -> tensor<2x3x5x4xf32>
  return %r : tensor<2x3x5x4xf32>
}

// The gradient of weights: dy . x transposed is x . dy.
// CHECK-LABEL: @exchanged_operands
// CHECK-SAME: (%[[DY:.*]]: tensor<2x3x4xf32>, %[[X:.*]]: tensor<2x3x5xf32>)
// CHECK: %[[D:.*]] = graph.dot_general %[[X]], %[[DY]] <batching = [] x [], contracting = [0, 1] x [0, 1]>
// CHECK-SAME: -> tensor<5x4xf32>
// CHECK-NEXT: return %[[D]]
func.func @exchanged_operands(%dy: tensor<2x3x4xf32>, %x: tensor<2x3x5xf32>) -> tensor<5x4xf32> {
  %d = graph.dot_general %dy, %x <batching = [] x [], contracting = [0, 1] x [0, 1]> : (tensor<2x3x4xf32>, tensor<2x3x5xf32>) -> tensor<4x5xf32>
  %t = graph.transpose %d [1, 0] : tensor<4x5xf32> -> tensor<5x4xf32>
  return %t : tensor<5x4xf32>
}

// The columns of the matmul become the innermost dimension; heads then move as whole rows.
// CHECK-LABEL: @exchanged_heads
// CHECK-SAME: (%[[V:.*]]: tensor<2x6x3x4xf32>, %[[P:.*]]: tensor<2x3x5x6xf32>)
// CHECK: %[[D:.*]] = graph.dot_general %[[P]], %[[V]] <batching = [0, 1] x [0, 2], contracting = [3] x [1]> : {{.*}} -> tensor<2x3x5x4xf32>
// CHECK: graph.transpose %[[D]] [0, 2, 1, 3] : tensor<2x3x5x4xf32> -> tensor<2x5x3x4xf32>
func.func @exchanged_heads(%v: tensor<2x6x3x4xf32>, %p: tensor<2x3x5x6xf32>) -> tensor<2x5x3x4xf32> {
  %d = graph.dot_general %v, %p <batching = [0, 2] x [0, 1], contracting = [1] x [3]> : (tensor<2x6x3x4xf32>, tensor<2x3x5x6xf32>) -> tensor<2x3x4x5xf32>
  %t = graph.transpose %d [0, 3, 1, 2] : tensor<2x3x4x5xf32> -> tensor<2x5x3x4xf32>
  return %t : tensor<2x5x3x4xf32>
}

// Parameters are packed by columns, so these matmuls stay.
// CHECK-LABEL: @columns_of_parameters
// CHECK: graph.dot_general %arg0, %{{.*}} <
// CHECK: graph.transpose
func.func @columns_of_parameters(%x: tensor<5x6x2xf32>) -> tensor<3x6x5xf32> {
  %w = graph.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %d = graph.dot_general %x, %w <batching = [] x [], contracting = [2] x [0]> : (tensor<5x6x2xf32>, tensor<2x3xf32>) -> tensor<5x6x3xf32>
  %t = graph.transpose %d [2, 1, 0] : tensor<5x6x3xf32> -> tensor<3x6x5xf32>
  return %t : tensor<3x6x5xf32>
}

// CHECK-LABEL: @exchanged_batches
// CHECK-SAME: (%[[X:.*]]: tensor<2x3x4xf32>, %[[Y:.*]]: tensor<2x4x5xf32>)
// CHECK: graph.dot_general %[[Y]], %[[X]] <batching = [0] x [0], contracting = [1] x [2]>
// CHECK-NEXT: return
func.func @exchanged_batches(%x: tensor<2x3x4xf32>, %y: tensor<2x4x5xf32>) -> tensor<2x5x3xf32> {
  %d = graph.dot_general %x, %y <batching = [0] x [0], contracting = [2] x [1]> : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  %t = graph.transpose %d [0, 2, 1] : tensor<2x3x5xf32> -> tensor<2x5x3xf32>
  return %t : tensor<2x5x3xf32>
}

// The matmul has other readers.
// CHECK-LABEL: @matmul_with_other_readers
// CHECK: graph.transpose
func.func @matmul_with_other_readers(%x: tensor<3x4xf32>, %y: tensor<4x5xf32>) -> (tensor<3x5xf32>, tensor<5x3xf32>) {
  %d = graph.dot_general %x, %y <batching = [] x [], contracting = [1] x [0]> : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
  %t = graph.transpose %d [1, 0] : tensor<3x5xf32> -> tensor<5x3xf32>
  return %d, %t : tensor<3x5xf32>, tensor<5x3xf32>
}

// Matmuls with K = 1 are elementwise.
// CHECK-LABEL: @outer_product
// CHECK-SAME: (%[[X:.*]]: tensor<?x1xf32>, %[[Y:.*]]: tensor<1x5xf32>)
// CHECK-DAG: %[[N:.*]] = graph.dim %[[X]], 0
// CHECK-DAG: %[[COLUMN:.*]] = graph.reshape %[[X]]
// CHECK-DAG: %[[ROW:.*]] = graph.reshape %[[Y]] : tensor<1x5xf32> -> tensor<5xf32>
// CHECK-DAG: %[[A:.*]] = graph.broadcast %[[COLUMN]] [0] [%[[N]]]
// CHECK-DAG: %[[B:.*]] = graph.broadcast %[[ROW]] [1] [%[[N]]]
// CHECK: graph.mul %[[A]], %[[B]] : tensor<?x5xf32>
func.func @outer_product(%x: tensor<?x1xf32>, %y: tensor<1x5xf32>) -> tensor<?x5xf32> {
  %d = graph.dot_general %x, %y <batching = [] x [], contracting = [1] x [0]> : (tensor<?x1xf32>, tensor<1x5xf32>) -> tensor<?x5xf32>
  return %d : tensor<?x5xf32>
}

// CHECK-LABEL: @outer_products_of_exchanged_batches
// CHECK: graph.broadcast %{{.*}} [2, 1, 0] : tensor<4x3x2xf64> -> tensor<2x3x4x5xf64>
// CHECK: graph.broadcast %{{.*}} [1, 0, 3] : tensor<3x2x5xf64> -> tensor<2x3x4x5xf64>
// CHECK-NOT: graph.dot_general
func.func @outer_products_of_exchanged_batches(%x: tensor<4x1x3x2xf64>, %y: tensor<3x2x5x1xf64>) -> tensor<2x3x4x5xf64> {
  %d = graph.dot_general %x, %y <batching = [3, 2] x [1, 0], contracting = [1] x [3]> : (tensor<4x1x3x2xf64>, tensor<3x2x5x1xf64>) -> tensor<2x3x4x5xf64>
  return %d : tensor<2x3x4x5xf64>
}

// The sums have a wider type than the operands.
// CHECK-LABEL: @outer_product_that_widens
// CHECK: graph.dot_general
func.func @outer_product_that_widens(%x: tensor<3x1xi8>, %y: tensor<1x5xi8>) -> tensor<3x5xi32> {
  %d = graph.dot_general %x, %y <batching = [] x [], contracting = [1] x [0]> : (tensor<3x1xi8>, tensor<1x5xi8>) -> tensor<3x5xi32>
  return %d : tensor<3x5xi32>
}

// So are those with a small K and long rows.
// CHECK-LABEL: @two_terms
// CHECK-COUNT-2: graph.slice
// CHECK-NOT: graph.dot_general
// CHECK: graph.add
func.func @two_terms(%x: tensor<?x2xf32>, %y: tensor<2x64xf32>) -> tensor<?x64xf32> {
  %d = graph.dot_general %x, %y <batching = [] x [], contracting = [1] x [0]> : (tensor<?x2xf32>, tensor<2x64xf32>) -> tensor<?x64xf32>
  return %d : tensor<?x64xf32>
}

// CHECK-LABEL: @two_terms_of_short_rows
// CHECK: graph.dot_general
func.func @two_terms_of_short_rows(%x: tensor<9x2xf32>, %y: tensor<2x8xf32>) -> tensor<9x8xf32> {
  %d = graph.dot_general %x, %y <batching = [] x [], contracting = [1] x [0]> : (tensor<9x2xf32>, tensor<2x8xf32>) -> tensor<9x8xf32>
  return %d : tensor<9x8xf32>
}

// CHECK-LABEL: @infinities
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>)
// CHECK: return %[[X]], %[[X]]
func.func @infinities(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %low = graph.constant dense<0xFF800000> : tensor<4xf32>
  %high = graph.constant dense<0x7F800000> : tensor<4xf32>
  %a = graph.max %low, %x : tensor<4xf32>
  %b = graph.min %x, %high : tensor<4xf32>
  return %a, %b : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: @truth
// CHECK-SAME: (%[[P:.*]]: tensor<4xi1>)
// CHECK: return %[[P]]
func.func @truth(%p: tensor<4xi1>) -> tensor<4xi1> {
  %true = graph.constant dense<true> : tensor<4xi1>
  %false = graph.constant dense<false> : tensor<4xi1>
  %r = graph.select %p, %true, %false : tensor<4xi1>, tensor<4xi1>
  return %r : tensor<4xi1>
}

// Indices that were unsigned do not count from the end.
// CHECK-LABEL: @never_negative
// CHECK: %[[WIDE:.*]] = graph.convert
// CHECK-NOT: graph.select
// CHECK: return %[[WIDE]]
func.func @never_negative(%x: tensor<4xui8>) -> tensor<4xi64> {
  %i = graph.convert %x : tensor<4xui8> -> tensor<4xi64>
  %zero = graph.constant dense<0> : tensor<4xi64>
  %six = graph.constant dense<6> : tensor<4xi64>
  %negative = graph.compare lt, %i, %zero : tensor<4xi64> -> tensor<4xi1>
  %behind = graph.add %i, %six : tensor<4xi64>
  %r = graph.select %negative, %behind, %i : tensor<4xi1>, tensor<4xi64>
  return %r : tensor<4xi64>
}

// CHECK-LABEL: @negative_where_narrow
// CHECK: graph.select
func.func @negative_where_narrow(%x: tensor<4xui8>) -> tensor<4xi8> {
  %i = graph.convert %x : tensor<4xui8> -> tensor<4xi8>
  %zero = graph.constant dense<0> : tensor<4xi8>
  %six = graph.constant dense<6> : tensor<4xi8>
  %negative = graph.compare lt, %i, %zero : tensor<4xi8> -> tensor<4xi1>
  %behind = graph.add %i, %six : tensor<4xi8>
  %r = graph.select %negative, %behind, %i : tensor<4xi1>, tensor<4xi8>
  return %r : tensor<4xi8>
}

// CHECK-LABEL: @padding_of_convolution
// CHECK-SAME: (%[[X:.*]]: tensor<1x8x2xf32>, %[[K:.*]]: tensor<3x2x4xf32>)
// CHECK: graph.convolution %[[X]], %[[K]] {{.*}} low [5] high [1]
func.func @padding_of_convolution(%x: tensor<1x8x2xf32>, %k: tensor<3x2x4xf32>) -> tensor<1x8x4xf32> {
  %zero = graph.constant dense<0.0> : tensor<f32>
  %p = graph.pad %x, %zero [0, 4, 0] [0, 0, 0] [0, 0, 0] : tensor<1x8x2xf32>, tensor<f32> -> tensor<1x12x2xf32>
  %r = graph.convolution %p, %k <input = (0, 2, [1]), kernel = (1, 2, [0]), output = (0, 2, [1])> strides [1]
      low [1] high [1] input_dilation [1] kernel_dilation [3] groups 1
      : (tensor<1x12x2xf32>, tensor<3x2x4xf32>) -> tensor<1x8x4xf32>
  return %r : tensor<1x8x4xf32>
}

// CHECK-LABEL: @padding_of_ones
// CHECK: graph.pad
// CHECK: graph.convolution {{.*}} low [0]
func.func @padding_of_ones(%x: tensor<1x8x2xf32>, %k: tensor<3x2x4xf32>) -> tensor<1x8x4xf32> {
  %one = graph.constant dense<1.0> : tensor<f32>
  %p = graph.pad %x, %one [0, 2, 0] [0, 0, 0] [0, 0, 0] : tensor<1x8x2xf32>, tensor<f32> -> tensor<1x10x2xf32>
  %r = graph.convolution %p, %k <input = (0, 2, [1]), kernel = (1, 2, [0]), output = (0, 2, [1])> strides [1]
      low [0] high [0] input_dilation [1] kernel_dilation [1] groups 1
      : (tensor<1x10x2xf32>, tensor<3x2x4xf32>) -> tensor<1x8x4xf32>
  return %r : tensor<1x8x4xf32>
}

// Padding of channels is no padding of a convolution.
// CHECK-LABEL: @padding_of_channels
// CHECK: graph.pad
// CHECK: graph.convolution
func.func @padding_of_channels(%x: tensor<1x8x2xf32>, %k: tensor<3x3x4xf32>) -> tensor<1x6x4xf32> {
  %zero = graph.constant dense<0.0> : tensor<f32>
  %p = graph.pad %x, %zero [0, 0, 1] [0, 0, 0] [0, 0, 0] : tensor<1x8x2xf32>, tensor<f32> -> tensor<1x8x3xf32>
  %r = graph.convolution %p, %k <input = (0, 2, [1]), kernel = (1, 2, [0]), output = (0, 2, [1])> strides [1]
      low [0] high [0] input_dilation [1] kernel_dilation [1] groups 1
      : (tensor<1x8x3xf32>, tensor<3x3x4xf32>) -> tensor<1x6x4xf32>
  return %r : tensor<1x6x4xf32>
}
