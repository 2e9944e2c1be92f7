// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Weights are packed into panels of columns and read back through movement.
//
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-pack-parameters{panel=16}))' | FileCheck %s -enable-var-scope
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-pack-parameters{panel=16 group=2}))' | FileCheck %s -enable-var-scope --check-prefix=GROUP
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-pack-parameters{panel=64}))' | FileCheck %s -enable-var-scope --check-prefix=WIDE

graph.param @w : tensor<8x20xf32>
graph.param @t : tensor<20x8xf32>
graph.param @b : tensor<2x8x8xf32>
graph.param @k : tensor<3x3x8x16xf32>

// CHECK-LABEL: @dot
// CHECK: %[[P:.*]] = graph.pad %{{.*}} [0, 0] [0, 12] [0, 0]
// CHECK: %[[S:.*]] = graph.reshape %[[P]] : tensor<8x32xf32> -> tensor<8x2x16xf32>
// CHECK: %[[Q:.*]] = graph.transpose %[[S]] [1, 0, 2] : tensor<8x2x16xf32> -> tensor<2x8x16xf32>
// CHECK: %[[U:.*]] = graph.transpose %[[Q]] [1, 0, 2]
// CHECK: %[[M:.*]] = graph.reshape %[[U]] : tensor<8x2x16xf32> -> tensor<8x32xf32>
// CHECK: %[[C:.*]] = graph.slice %[[M]] [0, 0] [8, 20] [1, 1]
// CHECK: graph.dot_general %{{.*}}, %[[C]]
func.func @dot(%x: tensor<?x8xf32> {graph.dims = ["n", "8"]}) -> tensor<?x20xf32> {
  %w = graph.get_param @w : tensor<8x20xf32>
  %r = graph.dot_general %x, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<?x8xf32>, tensor<8x20xf32>) -> tensor<?x20xf32>
  return %r : tensor<?x20xf32>
}

// CHECK-LABEL: @transposed_weights
// CHECK: graph.transpose %{{.*}} [1, 0] : tensor<20x8xf32> -> tensor<8x20xf32>
// CHECK: graph.dot_general %{{.*}} <batching = [] x [], contracting = [1] x [0]>
func.func @transposed_weights(%x: tensor<2x8xf32>) -> tensor<2x20xf32> {
  %w = graph.get_param @t : tensor<20x8xf32>
  %r = graph.dot_general %x, %w <batching = [] x [], contracting = [1] x [1]> : (tensor<2x8xf32>, tensor<20x8xf32>) -> tensor<2x20xf32>
  return %r : tensor<2x20xf32>
}

// CHECK-LABEL: @several_free_dims
// CHECK: graph.dot_general %{{.*}} -> tensor<?x16xf32>
// CHECK: graph.reshape %{{.*}} : tensor<?x16xf32> -> tensor<?x2x8xf32>
func.func @several_free_dims(%x: tensor<?x8xf32> {graph.dims = ["n", "8"]}) -> tensor<?x2x8xf32> {
  %w = graph.get_param @b : tensor<2x8x8xf32>
  %r = graph.dot_general %x, %w <batching = [] x [], contracting = [1] x [1]> : (tensor<?x8xf32>, tensor<2x8x8xf32>) -> tensor<?x2x8xf32>
  return %r : tensor<?x2x8xf32>
}

// CHECK-LABEL: @convolution
// CHECK: graph.reshape %{{.*}} : tensor<3x3x8x16xf32> -> tensor<72x16xf32>
// CHECK: %[[K:.*]] = graph.reshape %{{.*}} -> tensor<3x3x8x16xf32>
// CHECK: graph.convolution %{{.*}}, %[[K]]
func.func @convolution(%x: tensor<1x4x4x8xf32>) -> tensor<1x4x4x16xf32> {
  %k = graph.get_param @k : tensor<3x3x8x16xf32>
  %r = graph.convolution %x, %k <input = (0, 3, [1, 2]), kernel = (2, 3, [0, 1]), output = (0, 3, [1, 2])>
      strides [1, 1] low [1, 1] high [1, 1] input_dilation [1, 1] kernel_dilation [1, 1] groups 1
      : (tensor<1x4x4x8xf32>, tensor<3x3x8x16xf32>) -> tensor<1x4x4x16xf32>
  return %r : tensor<1x4x4x16xf32>
}

// CHECK-LABEL: @batched_stays
// CHECK-NEXT: graph.get_param
// CHECK-NEXT: graph.dot_general
func.func @batched_stays(%x: tensor<2x4x8xf32>) -> tensor<2x4x8xf32> {
  %w = graph.get_param @b : tensor<2x8x8xf32>
  %r = graph.dot_general %x, %w <batching = [0] x [0], contracting = [2] x [1]> : (tensor<2x4x8xf32>, tensor<2x8x8xf32>) -> tensor<2x4x8xf32>
  return %r : tensor<2x4x8xf32>
}

// Bytes and their zero points fit 16 bits; weights are packed as they are.
graph.param @q : tensor<8x20xi8>
// With a group, two depths of a column lie side by side.
// GROUP-LABEL: @narrow_integers
// GROUP: graph.reshape %{{.*}} : tensor<8x32xi8> -> tensor<4x2x2x16xi8>
// GROUP: %[[P:.*]] = graph.transpose %{{.*}} [2, 0, 3, 1] : tensor<4x2x2x16xi8> -> tensor<2x4x16x2xi8>
// GROUP: %[[U:.*]] = graph.transpose %[[P]] [1, 3, 0, 2] : tensor<2x4x16x2xi8> -> tensor<4x2x2x16xi8>
// GROUP: graph.reshape %[[U]] : tensor<4x2x2x16xi8> -> tensor<8x32xi8>
// CHECK-LABEL: @narrow_integers
// CHECK: %[[A:.*]] = graph.convert %{{.*}} : tensor<2x8xi32> -> tensor<2x8xi16>
// CHECK: graph.transpose %{{.*}} [1, 0, 2] : tensor<8x2x16xi8> -> tensor<2x8x16xi8>
// CHECK: %[[B:.*]] = graph.convert %{{.*}} : tensor<8x20xi8> -> tensor<8x20xi16>
// CHECK: graph.dot_general %[[A]], %[[B]] {{.*}} : (tensor<2x8xi16>, tensor<8x20xi16>) -> tensor<2x20xi32>
func.func @narrow_integers(%x: tensor<2x8xui8>, %zero: tensor<ui8>) -> tensor<2x20xi32> {
  %w = graph.get_param @q : tensor<8x20xi8>
  %a = graph.convert %x : tensor<2x8xui8> -> tensor<2x8xi32>
  %z = graph.convert %zero : tensor<ui8> -> tensor<i32>
  %zs = graph.broadcast %z [] : tensor<i32> -> tensor<2x8xi32>
  %s = graph.sub %a, %zs : tensor<2x8xi32>
  %b = graph.convert %w : tensor<8x20xi8> -> tensor<8x20xi32>
  %r = graph.dot_general %s, %b <batching = [] x [], contracting = [1] x [0]> : (tensor<2x8xi32>, tensor<8x20xi32>) -> tensor<2x20xi32>
  return %r : tensor<2x20xi32>
}

// CHECK-LABEL: @wide_integers
// CHECK: graph.dot_general {{.*}} : (tensor<2x8xi32>, tensor<8x20xi32>) -> tensor<2x20xi32>
func.func @wide_integers(%x: tensor<2x8xi32>, %y: tensor<8x20xui16>) -> tensor<2x20xi32> {
  %b = graph.convert %y : tensor<8x20xui16> -> tensor<8x20xi32>
  %r = graph.dot_general %x, %b <batching = [] x [], contracting = [1] x [0]> : (tensor<2x8xi32>, tensor<8x20xi32>) -> tensor<2x20xi32>
  return %r : tensor<2x20xi32>
}

// Groups of as many outputs as a panel has, or several times as many, apart.
// CHECK-LABEL: @groups
// CHECK: %[[W:.*]] = graph.get_param @g
// CHECK: %[[M:.*]] = graph.reshape %[[W]] : tensor<3x3x8x64xf32> -> tensor<72x4x16xf32>
// CHECK: %[[P:.*]] = graph.transpose %[[M]] [1, 0, 2]
// CHECK: %[[T:.*]] = graph.transpose %[[P]] [1, 0, 2]
// CHECK: %[[K:.*]] = graph.reshape %[[T]] : tensor<72x4x16xf32> -> tensor<3x3x8x64xf32>
// CHECK: graph.convolution %{{.*}}, %[[K]] {{.*}} groups 2
graph.param @g : tensor<3x3x8x64xf32>
func.func @groups(%x: tensor<1x9x9x16xf32>) -> tensor<1x7x7x64xf32> {
  %w = graph.get_param @g : tensor<3x3x8x64xf32>
  %r = graph.convolution %x, %w <input = (0, 3, [1, 2]), kernel = (2, 3, [0, 1]), output = (0, 3, [1, 2])>
      strides [1, 1] low [0, 0] high [0, 0] input_dilation [1, 1] kernel_dilation [1, 1] groups 2
      : (tensor<1x9x9x16xf32>, tensor<3x3x8x64xf32>) -> tensor<1x7x7x64xf32>
  return %r : tensor<1x7x7x64xf32>
}

// Groups of eight outputs fill a vector each, or two of them one of a panel of four vectors.
// CHECK-LABEL: @vector_groups
// WIDE-LABEL: @vector_groups
// WIDE: graph.convolution {{.*}} groups 3
// CHECK: graph.reshape {{.*}} : tensor<1x1x4x48xf32> -> tensor<4x6x8xf32>
// CHECK: graph.convolution {{.*}} groups 6
graph.param @v : tensor<1x1x4x48xf32>
func.func @vector_groups(%x: tensor<1x9x9x24xf32>) -> tensor<1x9x9x48xf32> {
  %w = graph.get_param @v : tensor<1x1x4x48xf32>
  %r = graph.convolution %x, %w <input = (0, 3, [1, 2]), kernel = (2, 3, [0, 1]), output = (0, 3, [1, 2])>
      strides [1, 1] low [0, 0] high [0, 0] input_dilation [1, 1] kernel_dilation [1, 1] groups 6
      : (tensor<1x9x9x24xf32>, tensor<1x1x4x48xf32>) -> tensor<1x9x9x48xf32>
  return %r : tensor<1x9x9x48xf32>
}

// Two groups of four outputs share a vector: each keeps zeros for the other's inputs.
// CHECK-LABEL: @small_groups
// CHECK: graph.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<1x2x8x3x2x4xi1>, tensor<1x2x8x3x2x4xf32>
// CHECK: graph.convolution {{.*}} groups 3
// CHECK-SAME: (tensor<1x9x9x48xf32>, tensor<1x1x16x24xf32>)
graph.param @s : tensor<1x1x8x24xf32>
func.func @small_groups(%x: tensor<1x9x9x48xf32>) -> tensor<1x9x9x24xf32> {
  %w = graph.get_param @s : tensor<1x1x8x24xf32>
  %r = graph.convolution %x, %w <input = (0, 3, [1, 2]), kernel = (2, 3, [0, 1]), output = (0, 3, [1, 2])>
      strides [1, 1] low [0, 0] high [0, 0] input_dilation [1, 1] kernel_dilation [1, 1] groups 6
      : (tensor<1x9x9x48xf32>, tensor<1x1x8x24xf32>) -> tensor<1x9x9x24xf32>
  return %r : tensor<1x9x9x24xf32>
}

// A few outputs of long sums are not worth a panel: each lies by itself.
graph.param @few : tensor<3x3x32x3xf32>
// CHECK-LABEL: @few_outputs
// CHECK: %[[T:.*]] = graph.transpose %{{.*}} [3, 0, 1, 2] : tensor<3x3x32x3xf32> -> tensor<3x3x3x32xf32>
// CHECK-NEXT: %[[K:.*]] = graph.transpose %[[T]] [1, 2, 3, 0] : tensor<3x3x3x32xf32> -> tensor<3x3x32x3xf32>
// CHECK: graph.convolution %{{.*}}, %[[K]]
func.func @few_outputs(%x: tensor<1x4x4x32xf32>) -> tensor<1x4x4x3xf32> {
  %k = graph.get_param @few : tensor<3x3x32x3xf32>
  %r = graph.convolution %x, %k <input = (0, 3, [1, 2]), kernel = (2, 3, [0, 1]), output = (0, 3, [1, 2])>
      strides [1, 1] low [1, 1] high [1, 1] input_dilation [1, 1] kernel_dilation [1, 1] groups 1
      : (tensor<1x4x4x32xf32>, tensor<3x3x32x3xf32>) -> tensor<1x4x4x3xf32>
  return %r : tensor<1x4x4x3xf32>
}

// So do a few columns of long products; more of them fill as many vectors.
graph.param @heads : tensor<64x5xf32>
graph.param @classes : tensor<64x10xf32>
// CHECK-LABEL: @few_columns
// CHECK: %[[T:.*]] = graph.transpose %{{.*}} [1, 0] : tensor<64x5xf32> -> tensor<5x64xf32>
// CHECK: graph.dot_general %{{.*}}, %[[T]] <batching = [] x [], contracting = [1] x [1]>
// WIDE-LABEL: @few_columns
// WIDE: graph.transpose %{{.*}} : tensor<64x1x16xf32> -> tensor<1x64x16xf32>
func.func @few_columns(%x: tensor<50x64xf32>) -> (tensor<50x5xf32>, tensor<50x10xf32>) {
  %h = graph.get_param @heads : tensor<64x5xf32>
  %c = graph.get_param @classes : tensor<64x10xf32>
  %r = graph.dot_general %x, %h <batching = [] x [], contracting = [1] x [0]> : (tensor<50x64xf32>, tensor<64x5xf32>) -> tensor<50x5xf32>
  %s = graph.dot_general %x, %c <batching = [] x [], contracting = [1] x [0]> : (tensor<50x64xf32>, tensor<64x10xf32>) -> tensor<50x10xf32>
  return %r, %s : tensor<50x5xf32>, tensor<50x10xf32>
}

graph.param @table : tensor<10x7x192xf32>
graph.param @small : tensor<20x192xf32>
graph.param @odd : tensor<100x100xf32>

// Rows that are added are read in blocks of columns, each with all rows.
// CHECK-LABEL: @summed_rows
// CHECK: %[[M:.*]] = graph.reshape %{{.*}} : tensor<10x7x192xf32> -> tensor<70x192xf32>
// CHECK: %[[S:.*]] = graph.reshape %[[M]] : tensor<70x192xf32> -> tensor<70x3x64xf32>
// CHECK: %[[Q:.*]] = graph.transpose %[[S]] [1, 0, 2] : tensor<70x3x64xf32> -> tensor<3x70x64xf32>
// CHECK: %[[U:.*]] = graph.transpose %[[Q]] [1, 0, 2]
// CHECK: %[[V:.*]] = graph.reshape %[[U]] : tensor<70x3x64xf32> -> tensor<70x192xf32>
// CHECK: %[[T:.*]] = graph.reshape %[[V]] : tensor<70x192xf32> -> tensor<10x7x192xf32>
// CHECK: graph.gather %[[T]]
func.func @summed_rows(%x: tensor<5x10x1xui8>) -> tensor<5x192xf32> {
  %w = graph.get_param @table : tensor<10x7x192xf32>
  %g = graph.gather %w, %x <offset = [2], collapsed = [1], batching = [0] x [1], index_map = [1], index_vector_dim = 2> sizes [1, 1, 192] : (tensor<10x7x192xf32>, tensor<5x10x1xui8>) -> tensor<5x10x192xf32>
  %r = graph.reduce sum, %g [1] : tensor<5x10x192xf32> -> tensor<5x192xf32>
  return %r : tensor<5x192xf32>
}

// CHECK-LABEL: @chosen_rows
// CHECK-NOT: graph.transpose
// CHECK: return
func.func @chosen_rows(%x: tensor<5x10x1xui8>) -> tensor<5x10x192xf32> {
  %w = graph.get_param @table : tensor<10x7x192xf32>
  %g = graph.gather %w, %x <offset = [2], collapsed = [1], batching = [0] x [1], index_map = [1], index_vector_dim = 2> sizes [1, 1, 192] : (tensor<10x7x192xf32>, tensor<5x10x1xui8>) -> tensor<5x10x192xf32>
  return %g : tensor<5x10x192xf32>
}

// Each row gives one number.
// CHECK-LABEL: @sums_along_rows
// CHECK-NOT: graph.transpose
// CHECK: return
func.func @sums_along_rows(%x: tensor<5x10x1xui8>) -> tensor<5x10xf32> {
  %w = graph.get_param @table : tensor<10x7x192xf32>
  %g = graph.gather %w, %x <offset = [2], collapsed = [1], batching = [0] x [1], index_map = [1], index_vector_dim = 2> sizes [1, 1, 192] : (tensor<10x7x192xf32>, tensor<5x10x1xui8>) -> tensor<5x10x192xf32>
  %r = graph.reduce sum, %g [2] : tensor<5x10x192xf32> -> tensor<5x10xf32>
  return %r : tensor<5x10xf32>
}

// CHECK-LABEL: @small_table
// CHECK-NOT: graph.transpose
// CHECK: return
func.func @small_table(%x: tensor<5x10x1xui8>) -> tensor<5x192xf32> {
  %w = graph.get_param @small : tensor<20x192xf32>
  %g = graph.gather %w, %x <offset = [2], collapsed = [0], batching = [] x [], index_map = [0], index_vector_dim = 2> sizes [1, 192] : (tensor<20x192xf32>, tensor<5x10x1xui8>) -> tensor<5x10x192xf32>
  %r = graph.reduce sum, %g [1] : tensor<5x10x192xf32> -> tensor<5x192xf32>
  return %r : tensor<5x192xf32>
}

// No block divides the columns.
// CHECK-LABEL: @odd_rows
// CHECK-NOT: graph.transpose
// CHECK: return
func.func @odd_rows(%x: tensor<5x10x1xui8>) -> tensor<5x100xf32> {
  %w = graph.get_param @odd : tensor<100x100xf32>
  %g = graph.gather %w, %x <offset = [2], collapsed = [0], batching = [] x [], index_map = [0], index_vector_dim = 2> sizes [1, 100] : (tensor<100x100xf32>, tensor<5x10x1xui8>) -> tensor<5x10x100xf32>
  %r = graph.reduce sum, %g [1] : tensor<5x10x100xf32> -> tensor<5x100xf32>
  return %r : tensor<5x100xf32>
}

// Rows that fit two tiles of two vectors of columns take narrow panels.
// WIDE-LABEL: @few_rows
// WIDE: graph.transpose {{.*}} -> tensor<4x8x32xf32>
// WIDE: graph.transpose {{.*}} -> tensor<2x8x64xf32>
graph.param @f : tensor<8x128xf32>
func.func @few_rows(%x: tensor<7x2x8xf32>, %y: tensor<29x8xf32>) -> (tensor<7x2x128xf32>, tensor<29x128xf32>) {
  %w = graph.get_param @f : tensor<8x128xf32>
  %few = graph.dot_general %x, %w <batching = [] x [], contracting = [2] x [0]> : (tensor<7x2x8xf32>, tensor<8x128xf32>) -> tensor<7x2x128xf32>
  %more = graph.dot_general %y, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<29x8xf32>, tensor<8x128xf32>) -> tensor<29x128xf32>
  return %few, %more : tensor<7x2x128xf32>, tensor<29x128xf32>
}

// Panels of each entry of a batch follow each other; few rows and single panels
// gain nothing.
// CHECK-LABEL: @batched
// CHECK: %[[T:.*]] = graph.transpose %{{.*}} [0, 2, 1] : tensor<2x32x8xf32> -> tensor<2x8x32xf32>
// CHECK: %[[S:.*]] = graph.reshape %[[T]] : tensor<2x8x32xf32> -> tensor<2x8x2x16xf32>
// CHECK: %[[P:.*]] = graph.transpose %[[S]] [0, 2, 1, 3] : tensor<2x8x2x16xf32> -> tensor<2x2x8x16xf32>
// CHECK: %[[R:.*]] = graph.dot_general %{{.*}}, %[[P]] <batching = [0] x [0], contracting = [2] x [2]> : (tensor<2x?x8xf32>, tensor<2x2x8x16xf32>) -> tensor<2x?x2x16xf32>
// CHECK: graph.reshape %[[R]]
// CHECK: graph.dot_general {{.*}} -> tensor<2x7x32xf32>
// CHECK: graph.dot_general {{.*}} -> tensor<2x?x8xf32>
graph.param @experts : tensor<2x32x8xf32>
func.func @batched(%x: tensor<2x?x8xf32>, %y: tensor<2x7x8xf32>) -> (tensor<2x?x32xf32>, tensor<2x7x32xf32>, tensor<2x?x8xf32>) {
  %w = graph.get_param @experts : tensor<2x32x8xf32>
  %b = graph.get_param @b : tensor<2x8x8xf32>
  %many = graph.dot_general %x, %w <batching = [0] x [0], contracting = [2] x [2]> : (tensor<2x?x8xf32>, tensor<2x32x8xf32>) -> tensor<2x?x32xf32>
  %few = graph.dot_general %y, %w <batching = [0] x [0], contracting = [2] x [2]> : (tensor<2x7x8xf32>, tensor<2x32x8xf32>) -> tensor<2x7x32xf32>
  %one = graph.dot_general %x, %b <batching = [0] x [0], contracting = [2] x [1]> : (tensor<2x?x8xf32>, tensor<2x8x8xf32>) -> tensor<2x?x8xf32>
  return %many, %few, %one : tensor<2x?x32xf32>, tensor<2x7x32xf32>, tensor<2x?x8xf32>
}

// A single column is a sum along rows that are computed here.
// CHECK-LABEL: @single_column
// CHECK: graph.dot_general %{{.*}} : (tensor<?x8xf32>, tensor<8x1xf32>) -> tensor<?x1xf32>
// CHECK: %[[R:.*]] = graph.tanh
// CHECK: %[[P:.*]] = graph.mul %[[R]], %{{.*}} : tensor<?x8xf32>
// CHECK: %[[S:.*]] = graph.reduce sum, %[[P]] [1] : tensor<?x8xf32> -> tensor<?xf32>
// CHECK: graph.reshape %[[S]] {{.*}} -> tensor<?x1xf32>
graph.param @column : tensor<8x1xf32>
func.func @single_column(%x: tensor<?x8xf32>) -> (tensor<?x1xf32>, tensor<?x1xf32>) {
  %w = graph.get_param @column : tensor<8x1xf32>
  %read = graph.dot_general %x, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<?x8xf32>, tensor<8x1xf32>) -> tensor<?x1xf32>
  %rows = graph.tanh %x : tensor<?x8xf32>
  %computed = graph.dot_general %rows, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<?x8xf32>, tensor<8x1xf32>) -> tensor<?x1xf32>
  return %read, %computed : tensor<?x1xf32>, tensor<?x1xf32>
}
