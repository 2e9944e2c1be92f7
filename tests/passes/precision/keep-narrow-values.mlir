// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What waits for a backward pass is narrow where it was rounded, and its
// readers widen it. Chains of small products stand for the ops in between.
//
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-form-fusions,zenith-keep-narrow-values,zenith-cheap-rematerialization))' | FileCheck %s -enable-var-scope
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-form-fusions,zenith-keep-narrow-values{explain=true}))' -o /dev/null 2>&1 | FileCheck %s --check-prefix=WHY

// The rounded product is kept for a product of its columns.
// CHECK-LABEL: @forward_and_backward
// CHECK: %[[N:.*]] = graph.fusion contraction {{.*}} -> tensor<8x8xbf16>
// CHECK: graph.fusion contraction (%[[A:.*]] = %[[N]] : tensor<8x8xbf16>
// CHECK-NEXT: %[[W:.*]] = graph.convert %[[A]] : tensor<8x8xbf16> -> tensor<8x8xf32>
// CHECK-NEXT: graph.dot_general %[[W]]
// CHECK: graph.fusion contraction (%[[B:.*]] = %[[N]] : tensor<8x8xbf16>
// CHECK-NEXT: %[[V:.*]] = graph.convert %[[B]] : tensor<8x8xbf16> -> tensor<8x8xf32>
// CHECK-NEXT: graph.dot_general %[[V]]
// WHY: fusion: FUS106: result 0 is computed again where it is read, in regions: 2
func.func @forward_and_backward(%x: tensor<8x16xf32>, %w: tensor<16x8xf32>, %m: tensor<4x4xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32>, tensor<4x4xf32>) {
  %d = graph.dot_general %x, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
  %n = graph.convert %d : tensor<8x8xf32> -> tensor<8x8xbf16>
  %a = graph.convert %n : tensor<8x8xbf16> -> tensor<8x8xf32>
  %y = graph.dot_general %a, %w <batching = [] x [], contracting = [1] x [1]> : (tensor<8x8xf32>, tensor<16x8xf32>) -> tensor<8x16xf32>
  %m0 = graph.dot_general %m, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m1 = graph.dot_general %m0, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m2 = graph.dot_general %m1, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m3 = graph.dot_general %m2, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m4 = graph.dot_general %m3, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m5 = graph.dot_general %m4, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m6 = graph.dot_general %m5, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m7 = graph.dot_general %m6, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m8 = graph.dot_general %m7, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m9 = graph.dot_general %m8, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m10 = graph.dot_general %m9, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m11 = graph.dot_general %m10, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m12 = graph.dot_general %m11, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m13 = graph.dot_general %m12, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m14 = graph.dot_general %m13, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m15 = graph.dot_general %m14, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m16 = graph.dot_general %m15, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m17 = graph.dot_general %m16, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m18 = graph.dot_general %m17, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m19 = graph.dot_general %m18, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m20 = graph.dot_general %m19, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m21 = graph.dot_general %m20, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m22 = graph.dot_general %m21, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m23 = graph.dot_general %m22, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m24 = graph.dot_general %m23, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m25 = graph.dot_general %m24, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %g = graph.dot_general %a, %y <batching = [] x [], contracting = [0] x [0]> : (tensor<8x8xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
  return %y, %g, %m25 : tensor<8x16xf32>, tensor<8x16xf32>, tensor<4x4xf32>
}

// Movement stays where it is: behind it the value is widened.
// CHECK-LABEL: @moved
// CHECK: %[[N:.*]] = graph.fusion contraction {{.*}} -> tensor<8x8xbf16>
// CHECK: graph.fusion reduction (%[[A:.*]] = %[[N]] : tensor<8x8xbf16>
// CHECK-NEXT: %[[R:.*]] = graph.reshape %[[A]] : tensor<8x8xbf16> -> tensor<8x4x2xbf16>
// CHECK-NEXT: graph.convert %[[R]] : tensor<8x4x2xbf16> -> tensor<8x4x2xf32>
// CHECK: graph.fusion contraction (%[[B:.*]] = %[[N]] : tensor<8x8xbf16>
// CHECK: %[[M:.*]] = graph.reshape %{{.*}} : tensor<8x4x2xbf16> -> tensor<8x8xbf16>
// CHECK-NEXT: %[[V:.*]] = graph.convert %[[M]] : tensor<8x8xbf16> -> tensor<8x8xf32>
// CHECK-NEXT: graph.dot_general %[[V]]
// WHY: fusion: FUS106: result 0 is computed again where it is read, in regions: 2
func.func @moved(%x: tensor<8x16xf32>, %w: tensor<16x8xf32>, %m: tensor<4x4xf32>) -> (tensor<8x4xf32>, tensor<8x16xf32>, tensor<4x4xf32>) {
  %d = graph.dot_general %x, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
  %n = graph.convert %d : tensor<8x8xf32> -> tensor<8x8xbf16>
  %a = graph.convert %n : tensor<8x8xbf16> -> tensor<8x8xf32>
  %h = graph.reshape %a : tensor<8x8xf32> -> tensor<8x4x2xf32>
  %e = graph.exp %h : tensor<8x4x2xf32>
  %s = graph.reduce sum, %e [2] : tensor<8x4x2xf32> -> tensor<8x4xf32>
  %m0 = graph.dot_general %m, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m1 = graph.dot_general %m0, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m2 = graph.dot_general %m1, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m3 = graph.dot_general %m2, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m4 = graph.dot_general %m3, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m5 = graph.dot_general %m4, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m6 = graph.dot_general %m5, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m7 = graph.dot_general %m6, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m8 = graph.dot_general %m7, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m9 = graph.dot_general %m8, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m10 = graph.dot_general %m9, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m11 = graph.dot_general %m10, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m12 = graph.dot_general %m11, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m13 = graph.dot_general %m12, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m14 = graph.dot_general %m13, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m15 = graph.dot_general %m14, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m16 = graph.dot_general %m15, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m17 = graph.dot_general %m16, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m18 = graph.dot_general %m17, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m19 = graph.dot_general %m18, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m20 = graph.dot_general %m19, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m21 = graph.dot_general %m20, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m22 = graph.dot_general %m21, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m23 = graph.dot_general %m22, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m24 = graph.dot_general %m23, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m25 = graph.dot_general %m24, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %r = graph.reshape %h : tensor<8x4x2xf32> -> tensor<8x8xf32>
  %g = graph.dot_general %r, %w <batching = [] x [], contracting = [1] x [1]> : (tensor<8x8xf32>, tensor<16x8xf32>) -> tensor<8x16xf32>
  return %s, %g, %m25 : tensor<8x4xf32>, tensor<8x16xf32>, tensor<4x4xf32>
}

// What memory holds in the narrow type already is read instead.
// CHECK-LABEL: @narrow_too
// CHECK: %[[N:[0-9a-z]+]] = graph.fusion contraction {{.*}} -> tensor<8x8xbf16>
// CHECK: graph.fusion contraction (%[[B:.*]] = %[[N]] : tensor<8x8xbf16>
// CHECK-NEXT: graph.reshape %[[B]]
// CHECK-NEXT: %[[M:.*]] = graph.transpose
// CHECK-NEXT: %[[V:.*]] = graph.convert %[[M]] : tensor<4x8x2xbf16> -> tensor<4x8x2xf32>
// CHECK-NEXT: graph.dot_general %[[V]], %[[V]]
// WHY: fusion: FUS106: result 0 is computed again where it is read, in regions: 1
func.func @narrow_too(%x: tensor<8x16xf32>, %w: tensor<16x8xf32>, %m: tensor<4x4xf32>) -> (tensor<8xbf16>, tensor<4x8x8xf32>, tensor<4x4xf32>) {
  %d = graph.dot_general %x, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
  %n = graph.convert %d : tensor<8x8xf32> -> tensor<8x8xbf16>
  %u = graph.reduce max, %n [1] : tensor<8x8xbf16> -> tensor<8xbf16>
  %a = graph.convert %n : tensor<8x8xbf16> -> tensor<8x8xf32>
  %h = graph.reshape %a : tensor<8x8xf32> -> tensor<8x4x2xf32>
  %t = graph.transpose %h [1, 0, 2] : tensor<8x4x2xf32> -> tensor<4x8x2xf32>
  %m0 = graph.dot_general %m, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m1 = graph.dot_general %m0, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m2 = graph.dot_general %m1, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m3 = graph.dot_general %m2, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m4 = graph.dot_general %m3, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m5 = graph.dot_general %m4, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m6 = graph.dot_general %m5, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m7 = graph.dot_general %m6, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m8 = graph.dot_general %m7, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m9 = graph.dot_general %m8, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m10 = graph.dot_general %m9, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m11 = graph.dot_general %m10, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m12 = graph.dot_general %m11, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m13 = graph.dot_general %m12, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m14 = graph.dot_general %m13, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m15 = graph.dot_general %m14, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m16 = graph.dot_general %m15, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m17 = graph.dot_general %m16, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m18 = graph.dot_general %m17, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m19 = graph.dot_general %m18, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m20 = graph.dot_general %m19, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m21 = graph.dot_general %m20, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m22 = graph.dot_general %m21, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m23 = graph.dot_general %m22, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m24 = graph.dot_general %m23, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m25 = graph.dot_general %m24, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %g = graph.dot_general %t, %t <batching = [0] x [0], contracting = [2] x [2]> : (tensor<4x8x2xf32>, tensor<4x8x2xf32>) -> tensor<4x8x8xf32>
  return %u, %g, %m25 : tensor<8xbf16>, tensor<4x8x8xf32>, tensor<4x4xf32>
}

// The caller reads it wide; what is read soon is not kept at all.
// CHECK-LABEL: @stays_wide
// CHECK: graph.fusion contraction {{.*}} -> tensor<8x8xf32>
// CHECK: graph.fusion contraction {{.*}} -> tensor<8x16xf32>
// CHECK: return
// WHY-NOT: FUS106
func.func @stays_wide(%x: tensor<8x16xf32>, %w: tensor<16x8xf32>, %m: tensor<4x4xf32>) -> (tensor<8x8xf32>, tensor<8x16xf32>, tensor<4x4xf32>) {
  %d = graph.dot_general %x, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
  %n = graph.convert %d : tensor<8x8xf32> -> tensor<8x8xbf16>
  %a = graph.convert %n : tensor<8x8xbf16> -> tensor<8x8xf32>
  %y = graph.dot_general %a, %w <batching = [] x [], contracting = [1] x [1]> : (tensor<8x8xf32>, tensor<16x8xf32>) -> tensor<8x16xf32>
  %m0 = graph.dot_general %m, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m1 = graph.dot_general %m0, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m2 = graph.dot_general %m1, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m3 = graph.dot_general %m2, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m4 = graph.dot_general %m3, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m5 = graph.dot_general %m4, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m6 = graph.dot_general %m5, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m7 = graph.dot_general %m6, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m8 = graph.dot_general %m7, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m9 = graph.dot_general %m8, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m10 = graph.dot_general %m9, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m11 = graph.dot_general %m10, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m12 = graph.dot_general %m11, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m13 = graph.dot_general %m12, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m14 = graph.dot_general %m13, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m15 = graph.dot_general %m14, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m16 = graph.dot_general %m15, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m17 = graph.dot_general %m16, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m18 = graph.dot_general %m17, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m19 = graph.dot_general %m18, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m20 = graph.dot_general %m19, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m21 = graph.dot_general %m20, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m22 = graph.dot_general %m21, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m23 = graph.dot_general %m22, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m24 = graph.dot_general %m23, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m25 = graph.dot_general %m24, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %g = graph.dot_general %a, %y <batching = [] x [], contracting = [0] x [0]> : (tensor<8x8xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
  return %a, %g, %m25 : tensor<8x8xf32>, tensor<8x16xf32>, tensor<4x4xf32>
}

// CHECK-LABEL: @read_soon
// CHECK: graph.fusion contraction {{.*}} -> tensor<8x8xf32>
func.func @read_soon(%x: tensor<8x16xf32>, %w: tensor<16x8xf32>) -> tensor<8x16xf32> {
  %d = graph.dot_general %x, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
  %n = graph.convert %d : tensor<8x8xf32> -> tensor<8x8xbf16>
  %a = graph.convert %n : tensor<8x8xbf16> -> tensor<8x8xf32>
  %y = graph.dot_general %a, %w <batching = [] x [], contracting = [1] x [1]> : (tensor<8x8xf32>, tensor<16x8xf32>) -> tensor<8x16xf32>
  return %y : tensor<8x16xf32>
}

// An argument is there in any case: both readers round it.
// CHECK-LABEL: @rounded_argument
// CHECK-NOT: graph.fusion pointwise
// CHECK: graph.fusion contraction ({{.*}}%[[A:[a-z0-9]+]] = %arg0 : tensor<8x16xf32>) -> tensor<8x8xf32>
// CHECK-NEXT: %[[R:.*]] = graph.convert %[[A]] : tensor<8x16xf32> -> tensor<8x16xbf16>
// CHECK-NEXT: %[[W:.*]] = graph.convert %[[R]] : tensor<8x16xbf16> -> tensor<8x16xf32>
// CHECK-NEXT: graph.dot_general %[[W]]
// CHECK-NOT: graph.fusion pointwise
// CHECK: graph.fusion contraction ({{.*}} = %arg0 : tensor<8x16xf32>) -> tensor<8x16xf32>
// CHECK: return
func.func @rounded_argument(%x: tensor<8x16xf32>, %w: tensor<16x8xf32>, %m: tensor<4x4xf32>) -> (tensor<8x16xf32>, tensor<4x4xf32>) {
  %n = graph.convert %x : tensor<8x16xf32> -> tensor<8x16xbf16>
  %a = graph.convert %n : tensor<8x16xbf16> -> tensor<8x16xf32>
  %d = graph.dot_general %a, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
  %m0 = graph.dot_general %m, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m1 = graph.dot_general %m0, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m2 = graph.dot_general %m1, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m3 = graph.dot_general %m2, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m4 = graph.dot_general %m3, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m5 = graph.dot_general %m4, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m6 = graph.dot_general %m5, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m7 = graph.dot_general %m6, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m8 = graph.dot_general %m7, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m9 = graph.dot_general %m8, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %g = graph.dot_general %d, %a <batching = [] x [], contracting = [1] x [0]> : (tensor<8x8xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
  return %g, %m9 : tensor<8x16xf32>, tensor<4x4xf32>
}

// A depthwise convolution widens what it reads, pooling does not.
// CHECK-LABEL: @window
// CHECK: graph.fusion pointwise {{.*}} -> tensor<1x6x6x8xbf16>
// CHECK: graph.fusion window
// CHECK-NEXT: %[[W:.*]] = graph.convert {{.*}} : tensor<1x6x6x8xbf16> -> tensor<1x6x6x8xf32>
// CHECK-NEXT: graph.convolution %[[W]]
// WHY: fusion: FUS106: result 0 is computed again where it is read, in regions: 1
func.func @window(%x: tensor<1x6x6x8xf32>, %w: tensor<3x3x1x8xf32>) -> tensor<1x4x4x8xf32> {
  %y = graph.abs %x : tensor<1x6x6x8xf32>
  %n = graph.convert %y : tensor<1x6x6x8xf32> -> tensor<1x6x6x8xbf16>
  %a = graph.convert %n : tensor<1x6x6x8xbf16> -> tensor<1x6x6x8xf32>
  %r = graph.convolution %a, %w <input = (0, 3, [1, 2]), kernel = (2, 3, [0, 1]), output = (0, 3, [1, 2])> strides [1, 1] low [0, 0] high [0, 0] input_dilation [1, 1] kernel_dilation [1, 1] groups 8 : (tensor<1x6x6x8xf32>, tensor<3x3x1x8xf32>) -> tensor<1x4x4x8xf32>
  return %r : tensor<1x4x4x8xf32>
}

// CHECK-LABEL: @pooling
// CHECK: graph.fusion pointwise {{.*}} -> tensor<1x6x6x8xf32>
func.func @pooling(%x: tensor<1x6x6x8xf32>) -> tensor<1x4x4x8xf32> {
  %y = graph.abs %x : tensor<1x6x6x8xf32>
  %n = graph.convert %y : tensor<1x6x6x8xf32> -> tensor<1x6x6x8xbf16>
  %a = graph.convert %n : tensor<1x6x6x8xbf16> -> tensor<1x6x6x8xf32>
  %r = graph.reduce_window max, %a window [1, 3, 3, 1] strides [1, 1, 1, 1] low [0, 0, 0, 0] high [0, 0, 0, 0] base_dilation [1, 1, 1, 1] dilation [1, 1, 1, 1] : tensor<1x6x6x8xf32> -> tensor<1x4x4x8xf32>
  return %r : tensor<1x4x4x8xf32>
}
