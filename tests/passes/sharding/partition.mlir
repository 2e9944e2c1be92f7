// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which collectives a program of one device has, and what it computes on blocks.
//
// RUN: zenith-opt %s --zenith-propagate-shardings --zenith-partition | FileCheck %s

graph.mesh @mesh = <["x"=2, "y"=4]>

// CHECK-LABEL: func.func @contracting_dimension
// CHECK-SAME: tensor<4x3xf32> {graph.block = {sharding = #graph.sharding<@mesh, [{}, {"x"}]>, whole = tensor<4x6xf32>}}
// CHECK: %[[TERMS:.*]] = graph.dot_general {{.*}} : (tensor<4x3xf32>, tensor<3x8xf32>) -> tensor<4x8xf32>
// CHECK: graph.all_reduce(%[[TERMS]]) kind <sum> axes @mesh ["x"]
func.func @contracting_dimension(%x: tensor<4x6xf32> {graph.sharding = #graph.sharding<@mesh, [{}, {"x"}]>},
    %w: tensor<6x8xf32> {graph.sharding = #graph.sharding<@mesh, [{"x"}, {}]>})
    -> (tensor<4x8xf32> {graph.sharding = #graph.sharding<@mesh, [{}, {}]>}) {
  %r = graph.dot_general %x, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<4x6xf32>, tensor<6x8xf32>) -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// The sum of terms goes to its owner, not to all.
// CHECK-LABEL: func.func @scatters_terms
// CHECK-NOT: all_reduce
// CHECK: graph.reduce_scatter(%{{.*}}) dim 0 kind <sum> axes @mesh ["y"] {{.*}} -> tensor<2xf32>
func.func @scatters_terms(%x: tensor<16x8xf32> {graph.sharding = #graph.sharding<@mesh, [{"y"}, {}]>})
    -> (tensor<8xf32> {graph.sharding = #graph.sharding<@mesh, [{"y"}]>}) {
  %r = graph.reduce sum, %x [0] : tensor<16x8xf32> -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// CHECK-LABEL: func.func @moves_axes_at_once
// CHECK-NOT: all_gather
// CHECK: graph.all_to_all(%{{.*}}) split 0 concat 0 count 8 axes @mesh ["x", "y"]
// CHECK-NOT: graph.all
func.func @moves_axes_at_once(%x: tensor<16x16x16xf32> {graph.sharding = #graph.sharding<@mesh, [{"y"}, {}, {"x"}]>})
    -> (tensor<16x16x16xf32> {graph.sharding = #graph.sharding<@mesh, [{}, {"x", "y"}, {}]>}) {
  %0 = graph.reshard %x <@mesh, [{}, {"x", "y"}, {}]> : tensor<16x16x16xf32>
  return %0 : tensor<16x16x16xf32>
}

// Each device lacks one row of its neighbour.
// CHECK-LABEL: func.func @shifts_one_row
// CHECK: graph.collective_permute(%{{.*}}) {{.*}} axes @mesh ["y"] : (tensor<1x2xf32>) -> tensor<1x2xf32>
// CHECK-NOT: tensor<16x2xf32>
// CHECK: return
func.func @shifts_one_row(%x: tensor<16x2xf32> {graph.sharding = #graph.sharding<@mesh, [{"y"}, {}]>})
    -> (tensor<16x2xf32> {graph.sharding = #graph.sharding<@mesh, [{"y"}, {}]>}) {
  %zero = graph.constant dense<0.0> : tensor<f32>
  %r = graph.pad %x, %zero [1, 0] [-1, 0] [0, 0] : tensor<16x2xf32>, tensor<f32> -> tensor<16x2xf32>
  return %r : tensor<16x2xf32>
}

// CHECK-LABEL: func.func @owner_sends_its_rows
// CHECK: graph.collective_broadcast(%{{.*}}) source 1 axes @mesh ["y"] : (tensor<2x2xf32>) -> tensor<2x2xf32>
func.func @owner_sends_its_rows(%x: tensor<16x2xf32> {graph.sharding = #graph.sharding<@mesh, [{"y"}, {}]>})
    -> (tensor<2x2xf32> {graph.sharding = #graph.sharding<@mesh, [{}, {}]>}) {
  %r = graph.slice %x [5, 0] [2, 2] [1, 1] : tensor<16x2xf32> -> tensor<2x2xf32>
  return %r : tensor<2x2xf32>
}

// Uneven blocks: what pads them counts as the lowest number.
// CHECK-LABEL: func.func @masks_padding
// CHECK: graph.constant dense<0xFF800000> : tensor<f32>
// CHECK: graph.select
// CHECK: graph.reduce max
// CHECK: graph.all_reduce(%{{.*}}) kind <max> axes @mesh ["y"]
func.func @masks_padding(%x: tensor<10xf32>) -> (tensor<f32> {graph.sharding = #graph.sharding<@mesh, []>}) {
  %0 = graph.shard %x <@mesh, [{"y"}]> : tensor<10xf32>
  %1 = graph.neg %0 : tensor<10xf32>
  %r = graph.reduce max, %1 [0] : tensor<10xf32> -> tensor<f32>
  return %r : tensor<f32>
}

// Sums over the same devices travel as one; what needs the first waits for it.
// CHECK-LABEL: func.func @one_message
// CHECK: %[[PRODUCT:.*]] = graph.dot_general
// CHECK: %[[ROWS:.*]] = graph.reduce sum
// CHECK: %[[SUMS:.*]]:2 = graph.all_reduce(%[[PRODUCT]], %[[ROWS]]) kind <sum> axes @mesh ["x"]
// CHECK: graph.sub %{{.*}}, %[[SUMS]]#0
// CHECK: graph.sub %{{.*}}, %[[SUMS]]#1
func.func @one_message(%x: tensor<16x8xf32> {graph.sharding = #graph.sharding<@mesh, [{"x"}, {}]>}, %w: tensor<8x4xf32>, %b: tensor<4xf32>,
    %g: tensor<16x4xf32> {graph.sharding = #graph.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x4xf32>, tensor<4xf32>) {
  %0 = graph.dot_general %x, %g <batching = [] x [], contracting = [0] x [0]> : (tensor<16x8xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  %1 = graph.sub %w, %0 : tensor<8x4xf32>
  %2 = graph.reduce sum, %g [0] : tensor<16x4xf32> -> tensor<4xf32>
  %3 = graph.sub %b, %2 : tensor<4xf32>
  return %1, %3 : tensor<8x4xf32>, tensor<4xf32>
}

// A sum that needs another one is a message of its own.
// CHECK-LABEL: func.func @two_messages
// CHECK: graph.all_reduce(%{{[0-9]+}}) kind <sum>
// CHECK: graph.all_reduce(%{{[0-9]+}}) kind <sum>
func.func @two_messages(%x: tensor<16x8xf32> {graph.sharding = #graph.sharding<@mesh, [{"x"}, {}]>}) -> tensor<f32> {
  %0 = graph.reduce sum, %x [0, 1] : tensor<16x8xf32> -> tensor<f32>
  %1 = graph.broadcast %0 [] : tensor<f32> -> tensor<16x8xf32>
  %2 = graph.sub %x, %1 : tensor<16x8xf32>
  %3 = graph.exp %2 : tensor<16x8xf32>
  %4 = graph.reduce sum, %3 [0, 1] : tensor<16x8xf32> -> tensor<f32>
  return %4 : tensor<f32>
}

// Of a strided convolution along rows each device lacks one row of a neighbour.
// CHECK-LABEL: func.func @strided_convolution
// CHECK-NOT: all_gather
// CHECK: graph.collective_permute(%{{.*}}) {{.*}} axes @mesh ["y"] : (tensor<1x2x1x8xf32>) -> tensor<1x2x1x8xf32>
// CHECK-NOT: graph.collective_permute
// CHECK: return
func.func @strided_convolution(%x: tensor<1x2x16x8xf32> {graph.sharding = #graph.sharding<@mesh, [{}, {}, {"y"}, {}]>}, %w: tensor<4x2x3x3xf32>)
    -> (tensor<1x4x8x4xf32> {graph.sharding = #graph.sharding<@mesh, [{}, {}, {"y"}, {}]>}) {
  %r = graph.convolution %x, %w <input = (0, 1, [2, 3]), kernel = (1, 0, [2, 3]), output = (0, 1, [2, 3])> strides [2, 2] low [1, 1] high [0, 0] input_dilation [1, 1] kernel_dilation [1, 1] groups 1 : (tensor<1x2x16x8xf32>, tensor<4x2x3x3xf32>) -> tensor<1x4x8x4xf32>
  return %r : tensor<1x4x8x4xf32>
}

// Its gradients: by the input, whose rows are spread, and by the kernel, whose terms are those of each device's rows.
// CHECK-LABEL: func.func @strided_convolution_by_input
// CHECK-NOT: all_gather
// CHECK: graph.collective_permute(%{{.*}}) {{.*}} axes @mesh ["y"] : (tensor<1x4x1x4xf32>) -> tensor<1x4x1x4xf32>
// CHECK: graph.convolution {{.*}} input_dilation [2, 2]
// CHECK-NOT: all_gather
// CHECK: return
func.func @strided_convolution_by_input(%ct: tensor<1x4x8x4xf32> {graph.sharding = #graph.sharding<@mesh, [{}, {}, {"y"}, {}]>}, %w: tensor<4x2x3x3xf32>)
    -> (tensor<1x2x16x8xf32> {graph.sharding = #graph.sharding<@mesh, [{}, {}, {"y"}, {}]>}) {
  %r = graph.convolution %ct, %w <input = (0, 1, [2, 3]), kernel = (0, 1, [2, 3]), output = (0, 1, [2, 3])> strides [1, 1] low [1, 1] high [2, 2] input_dilation [2, 2] kernel_dilation [1, 1] groups 1 : (tensor<1x4x8x4xf32>, tensor<4x2x3x3xf32>) -> tensor<1x2x16x8xf32>
  return %r : tensor<1x2x16x8xf32>
}

// CHECK-LABEL: func.func @strided_convolution_by_kernel
// CHECK-NOT: all_gather
// CHECK: graph.collective_permute(%{{.*}}) {{.*}} axes @mesh ["y"] : (tensor<1x2x1x8xf32>) -> tensor<1x2x1x8xf32>
// CHECK: graph.convolution {{.*}} kernel_dilation [2, 2]
// CHECK: graph.all_reduce(%{{.*}}) kind <sum> axes @mesh ["y"]
// CHECK-NOT: all_gather
// CHECK: return
func.func @strided_convolution_by_kernel(%x: tensor<1x2x16x8xf32> {graph.sharding = #graph.sharding<@mesh, [{}, {}, {"y"}, {}]>},
    %ct: tensor<1x4x8x4xf32> {graph.sharding = #graph.sharding<@mesh, [{}, {}, {"y"}, {}]>})
    -> (tensor<2x4x3x3xf32> {graph.sharding = #graph.sharding<@mesh, [{}, {}, {}, {}]>}) {
  %r = graph.convolution %x, %ct <input = (1, 0, [2, 3]), kernel = (0, 1, [2, 3]), output = (0, 1, [2, 3])> strides [1, 1] low [1, 1] high [0, 0] input_dilation [1, 1] kernel_dilation [2, 2] groups 1 : (tensor<1x2x16x8xf32>, tensor<1x4x8x4xf32>) -> tensor<2x4x3x3xf32>
  return %r : tensor<2x4x3x3xf32>
}

// Every other row: each device has its own.
// CHECK-LABEL: func.func @every_other_row
// CHECK-NOT: graph.collective
// CHECK-NOT: all_gather
// CHECK: return
func.func @every_other_row(%x: tensor<16x2xf32> {graph.sharding = #graph.sharding<@mesh, [{"y"}, {}]>})
    -> (tensor<8x2xf32> {graph.sharding = #graph.sharding<@mesh, [{"y"}, {}]>}) {
  %r = graph.slice %x [1, 0] [8, 2] [2, 1] : tensor<16x2xf32> -> tensor<8x2xf32>
  return %r : tensor<8x2xf32>
}

// CHECK-LABEL: func.func @spreads_rows
// CHECK-NOT: graph.collective
// CHECK-NOT: all_gather
// CHECK: graph.pad %{{.*}}, %{{.*}} [0, 0] [1, 0] [1, 0]
func.func @spreads_rows(%x: tensor<8x2xf32> {graph.sharding = #graph.sharding<@mesh, [{"y"}, {}]>})
    -> (tensor<16x2xf32> {graph.sharding = #graph.sharding<@mesh, [{"y"}, {}]>}) {
  %zero = graph.constant dense<0.0> : tensor<f32>
  %r = graph.pad %x, %zero [0, 0] [1, 0] [1, 0] : tensor<8x2xf32>, tensor<f32> -> tensor<16x2xf32>
  return %r : tensor<16x2xf32>
}
