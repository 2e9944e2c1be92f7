// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Right-hand sides are packed into panels of columns and read back through movement.
//
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-pack-matmuls{panel=16}))' | FileCheck %s -enable-var-scope
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-pack-matmuls{panel=64}))' | FileCheck %s -enable-var-scope --check-prefix=WIDE

graph.param @w : tensor<8x20xf32>
graph.param @t : tensor<20x8xf32>
graph.param @b : tensor<2x8x8xf32>
graph.param @heads : tensor<64x5xf32>
graph.param @classes : tensor<64x10xf32>
graph.param @f : tensor<8x128xf32>
graph.param @w2 : tensor<8x128xf32>
graph.param @h : tensor<8x128xbf16>

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

// CHECK-LABEL: @batched_stays
// CHECK-NEXT: graph.get_param
// CHECK-NEXT: graph.dot_general
func.func @batched_stays(%x: tensor<2x4x8xf32>) -> tensor<2x4x8xf32> {
  %w = graph.get_param @b : tensor<2x8x8xf32>
  %r = graph.dot_general %x, %w <batching = [0] x [0], contracting = [2] x [1]> : (tensor<2x4x8xf32>, tensor<2x8x8xf32>) -> tensor<2x4x8xf32>
  return %r : tensor<2x4x8xf32>
}

// A few columns of a long K are transposed; more of them fill as many vectors.
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

// Small M takes half panels.
// WIDE-LABEL: @few_rows
// WIDE: graph.transpose {{.*}} -> tensor<4x8x32xf32>
// WIDE: graph.transpose {{.*}} -> tensor<2x8x64xf32>
func.func @few_rows(%x: tensor<7x2x8xf32>, %y: tensor<29x8xf32>) -> (tensor<7x2x128xf32>, tensor<29x128xf32>) {
  %w = graph.get_param @f : tensor<8x128xf32>
  %few = graph.dot_general %x, %w <batching = [] x [], contracting = [2] x [0]> : (tensor<7x2x8xf32>, tensor<8x128xf32>) -> tensor<7x2x128xf32>
  %more = graph.dot_general %y, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<29x8xf32>, tensor<8x128xf32>) -> tensor<29x128xf32>
  return %few, %more : tensor<7x2x128xf32>, tensor<29x128xf32>
}

// With dynamic M, half panels are packed, which full-width tiles read two at a time; widened weights keep full panels.
// WIDE-LABEL: @any_rows
// WIDE: graph.transpose {{.*}} -> tensor<4x8x32xf32>
// CHECK-LABEL: @any_rows
// CHECK: graph.transpose {{.*}} -> tensor<8x8x16xf32>
func.func @any_rows(%x: tensor<?x8xf32> {graph.dims = ["n", "8"]}) -> tensor<?x128xf32> {
  %w = graph.get_param @w2 : tensor<8x128xf32>
  %r = graph.dot_general %x, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<?x8xf32>, tensor<8x128xf32>) -> tensor<?x128xf32>
  return %r : tensor<?x128xf32>
}

// WIDE-LABEL: @widened_weights
// WIDE: graph.transpose {{.*}} -> tensor<2x8x64xbf16>
func.func @widened_weights(%x: tensor<?x8xf32> {graph.dims = ["n", "8"]}) -> tensor<?x128xf32> {
  %h = graph.get_param @h : tensor<8x128xbf16>
  %w = graph.convert %h : tensor<8x128xbf16> -> tensor<8x128xf32>
  %r = graph.dot_general %x, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<?x8xf32>, tensor<8x128xf32>) -> tensor<?x128xf32>
  return %r : tensor<?x128xf32>
}

// Four devices multiply by one argument: it is packed once, where packing for each of them would be the same work again.
// CHECK-LABEL: @shared
// CHECK-COUNT-4: graph.transpose %{{.*}} : tensor<32x8x16xf32> -> tensor<8x32x16xf32>
// CHECK: return
func.func @shared(%a: tensor<48x32xf32>, %b: tensor<48x32xf32>, %c: tensor<48x32xf32>, %d: tensor<48x32xf32>, %w: tensor<32x128xf32>) -> (tensor<48x128xf32>, tensor<48x128xf32>, tensor<48x128xf32>, tensor<48x128xf32>) {
  %p = graph.dot_general %a, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<48x32xf32>, tensor<32x128xf32>) -> tensor<48x128xf32>
  %q = graph.dot_general %b, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<48x32xf32>, tensor<32x128xf32>) -> tensor<48x128xf32>
  %r = graph.dot_general %c, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<48x32xf32>, tensor<32x128xf32>) -> tensor<48x128xf32>
  %s = graph.dot_general %d, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<48x32xf32>, tensor<32x128xf32>) -> tensor<48x128xf32>
  return %p, %q, %r, %s : tensor<48x128xf32>, tensor<48x128xf32>, tensor<48x128xf32>, tensor<48x128xf32>
}

// Three readers alike, a fourth that contracts the other dimension, and rows too few for a copy.
// CHECK-LABEL: @not_shared
// CHECK-NOT: graph.transpose
// CHECK: return
func.func @not_shared(%a: tensor<48x128xf32>, %b: tensor<48x128xf32>, %c: tensor<48x128xf32>, %d: tensor<48x128xf32>, %w: tensor<128x128xf32>, %v: tensor<128x128xf32>) -> (tensor<48x128xf32>, tensor<48x128xf32>, tensor<48x128xf32>, tensor<48x128xf32>, tensor<4x128xf32>) {
  %p = graph.dot_general %a, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<48x128xf32>, tensor<128x128xf32>) -> tensor<48x128xf32>
  %q = graph.dot_general %b, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<48x128xf32>, tensor<128x128xf32>) -> tensor<48x128xf32>
  %r = graph.dot_general %c, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<48x128xf32>, tensor<128x128xf32>) -> tensor<48x128xf32>
  %s = graph.dot_general %d, %w <batching = [] x [], contracting = [1] x [1]> : (tensor<48x128xf32>, tensor<128x128xf32>) -> tensor<48x128xf32>
  %x0 = graph.slice %a [0, 0] [4, 128] [1, 1] : tensor<48x128xf32> -> tensor<4x128xf32>
  %y0 = graph.dot_general %x0, %v <batching = [] x [], contracting = [1] x [0]> : (tensor<4x128xf32>, tensor<128x128xf32>) -> tensor<4x128xf32>
  %x1 = graph.slice %b [0, 0] [4, 128] [1, 1] : tensor<48x128xf32> -> tensor<4x128xf32>
  %y1 = graph.dot_general %x1, %v <batching = [] x [], contracting = [1] x [0]> : (tensor<4x128xf32>, tensor<128x128xf32>) -> tensor<4x128xf32>
  %x2 = graph.slice %c [0, 0] [4, 128] [1, 1] : tensor<48x128xf32> -> tensor<4x128xf32>
  %y2 = graph.dot_general %x2, %v <batching = [] x [], contracting = [1] x [0]> : (tensor<4x128xf32>, tensor<128x128xf32>) -> tensor<4x128xf32>
  %x3 = graph.slice %d [0, 0] [4, 128] [1, 1] : tensor<48x128xf32> -> tensor<4x128xf32>
  %y3 = graph.dot_general %x3, %v <batching = [] x [], contracting = [1] x [0]> : (tensor<4x128xf32>, tensor<128x128xf32>) -> tensor<4x128xf32>
  %z0 = graph.add %y0, %y1 : tensor<4x128xf32>
  %z1 = graph.add %y2, %y3 : tensor<4x128xf32>
  %z = graph.add %z0, %z1 : tensor<4x128xf32>
  return %p, %q, %r, %s, %z : tensor<48x128xf32>, tensor<48x128xf32>, tensor<48x128xf32>, tensor<48x128xf32>, tensor<4x128xf32>
}
