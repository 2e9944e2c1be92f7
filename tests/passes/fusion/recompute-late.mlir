// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values that the forward pass reads once more, and the backward pass long
// after: the latter computes them again from what waits anyway, or from what is
// narrower. The chains of small products stand for the ops in between.
//
// RUN: zenith-opt %s --from=fuse --to=fuse | FileCheck %s -enable-var-scope

// The rounded product waits instead of what follows from it in f32.
// CHECK-LABEL: @from_narrow
// CHECK: %[[N:.*]] = graph.fusion contraction {{.*}} -> tensor<128x128xbf16>
// CHECK: %[[R:.*]] = graph.fusion pointwise {{.*}} -> tensor<128x128xf32>
// CHECK: graph.fusion window {{.*}} = %[[R]] : tensor<128x128xf32>
// CHECK-NOT: = %[[R]] :
// CHECK: graph.fusion contraction {{.*}} = %[[N]] : tensor<128x128xbf16>
// CHECK: graph.div
// CHECK: return
func.func @from_narrow(%x: tensor<128x16xf32>, %w: tensor<16x128xf32>, %v: tensor<4x64xf32>, %u: tensor<4x128xf32>, %m: tensor<4x4xf32>) -> (tensor<128x128xf32>, tensor<128xf32>) {
  %d = graph.dot_general %x, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<128x16xf32>, tensor<16x128xf32>) -> tensor<128x128xf32>
  %n = graph.convert %d : tensor<128x128xf32> -> tensor<128x128xbf16>
  %a = graph.convert %n : tensor<128x128xbf16> -> tensor<128x128xf32>
  %t = graph.reduce sum, %a [0] : tensor<128x128xf32> -> tensor<128xf32>
  %h = graph.constant dense<0.0078125> : tensor<128xf32>
  %s = graph.mul %t, %h : tensor<128xf32>
  %b = graph.broadcast %s [1] : tensor<128xf32> -> tensor<128x128xf32>
  %o = graph.sub %a, %b : tensor<128x128xf32>
  %r = graph.div %o, %b : tensor<128x128xf32>
  %l = graph.reduce_window max, %r window [2, 2] strides [2, 2] low [0, 0] high [0, 0] base_dilation [1, 1] dilation [1, 1] : tensor<128x128xf32> -> tensor<64x64xf32>
  %e = graph.dot_general %l, %v <batching = [] x [], contracting = [1] x [1]> : (tensor<64x64xf32>, tensor<4x64xf32>) -> tensor<64x4xf32>
  %f = graph.dot_general %e, %e <batching = [] x [], contracting = [0] x [0]> : (tensor<64x4xf32>, tensor<64x4xf32>) -> tensor<4x4xf32>
  %p = graph.tanh %f : tensor<4x4xf32>
  %m0 = graph.dot_general %p, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m1 = graph.dot_general %m0, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m2 = graph.dot_general %m1, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m3 = graph.dot_general %m2, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m4 = graph.dot_general %m3, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m5 = graph.dot_general %m4, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m6 = graph.dot_general %m5, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m7 = graph.dot_general %m6, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m8 = graph.dot_general %m7, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m9 = graph.dot_general %m8, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %y = graph.dot_general %m9, %u <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x128xf32>) -> tensor<4x128xf32>
  %g = graph.dot_general %y, %y <batching = [] x [], contracting = [0] x [0]> : (tensor<4x128xf32>, tensor<4x128xf32>) -> tensor<128x128xf32>
  %k = graph.mul %g, %r : tensor<128x128xf32>
  %z = graph.mul %k, %a : tensor<128x128xf32>
  return %z, %s : tensor<128x128xf32>, tensor<128xf32>
}

// In f32 as well where the value that it follows from waits anyway.
// CHECK-LABEL: @from_what_waits
// CHECK: %[[N:.*]] = graph.fusion contraction {{.*}} -> tensor<128x128xf32>
// CHECK: %[[R:.*]] = graph.fusion pointwise {{.*}} -> tensor<128x128xf32>
// CHECK: graph.fusion window {{.*}} = %[[R]] : tensor<128x128xf32>
// CHECK-NOT: = %[[R]] :
// CHECK: graph.fusion contraction {{.*}} = %[[N]] : tensor<128x128xf32>
// CHECK: graph.div
// CHECK: return
func.func @from_what_waits(%x: tensor<128x16xf32>, %w: tensor<16x128xf32>, %v: tensor<4x64xf32>, %u: tensor<4x128xf32>, %m: tensor<4x4xf32>) -> (tensor<128x128xf32>, tensor<128xf32>) {
  %a = graph.dot_general %x, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<128x16xf32>, tensor<16x128xf32>) -> tensor<128x128xf32>
  %t = graph.reduce sum, %a [0] : tensor<128x128xf32> -> tensor<128xf32>
  %h = graph.constant dense<0.0078125> : tensor<128xf32>
  %s = graph.mul %t, %h : tensor<128xf32>
  %b = graph.broadcast %s [1] : tensor<128xf32> -> tensor<128x128xf32>
  %o = graph.sub %a, %b : tensor<128x128xf32>
  %r = graph.div %o, %b : tensor<128x128xf32>
  %l = graph.reduce_window max, %r window [2, 2] strides [2, 2] low [0, 0] high [0, 0] base_dilation [1, 1] dilation [1, 1] : tensor<128x128xf32> -> tensor<64x64xf32>
  %e = graph.dot_general %l, %v <batching = [] x [], contracting = [1] x [1]> : (tensor<64x64xf32>, tensor<4x64xf32>) -> tensor<64x4xf32>
  %f = graph.dot_general %e, %e <batching = [] x [], contracting = [0] x [0]> : (tensor<64x4xf32>, tensor<64x4xf32>) -> tensor<4x4xf32>
  %p = graph.tanh %f : tensor<4x4xf32>
  %m0 = graph.dot_general %p, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
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
  %y = graph.dot_general %m24, %u <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x128xf32>) -> tensor<4x128xf32>
  %g = graph.dot_general %y, %y <batching = [] x [], contracting = [0] x [0]> : (tensor<4x128xf32>, tensor<4x128xf32>) -> tensor<128x128xf32>
  %k = graph.mul %g, %r : tensor<128x128xf32>
  %z = graph.mul %k, %a : tensor<128x128xf32>
  return %z, %s : tensor<128x128xf32>, tensor<128xf32>
}

// But nothing would be won where that one had to wait instead.
// CHECK-LABEL: @from_what_is_as_large
// CHECK: %[[R:.*]] = graph.fusion pointwise {{.*}} -> tensor<128x128xf32>
// CHECK: graph.fusion window {{.*}} = %[[R]] : tensor<128x128xf32>
// CHECK: graph.fusion contraction {{.*}} = %[[R]] : tensor<128x128xf32>
// CHECK-NOT: graph.div
// CHECK: return
func.func @from_what_is_as_large(%x: tensor<128x16xf32>, %w: tensor<16x128xf32>, %v: tensor<4x64xf32>, %u: tensor<4x128xf32>, %m: tensor<4x4xf32>) -> (tensor<128x128xf32>, tensor<128xf32>) {
  %a = graph.dot_general %x, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<128x16xf32>, tensor<16x128xf32>) -> tensor<128x128xf32>
  %t = graph.reduce sum, %a [0] : tensor<128x128xf32> -> tensor<128xf32>
  %h = graph.constant dense<0.0078125> : tensor<128xf32>
  %s = graph.mul %t, %h : tensor<128xf32>
  %b = graph.broadcast %s [1] : tensor<128xf32> -> tensor<128x128xf32>
  %o = graph.sub %a, %b : tensor<128x128xf32>
  %r = graph.div %o, %b : tensor<128x128xf32>
  %l = graph.reduce_window max, %r window [2, 2] strides [2, 2] low [0, 0] high [0, 0] base_dilation [1, 1] dilation [1, 1] : tensor<128x128xf32> -> tensor<64x64xf32>
  %e = graph.dot_general %l, %v <batching = [] x [], contracting = [1] x [1]> : (tensor<64x64xf32>, tensor<4x64xf32>) -> tensor<64x4xf32>
  %f = graph.dot_general %e, %e <batching = [] x [], contracting = [0] x [0]> : (tensor<64x4xf32>, tensor<64x4xf32>) -> tensor<4x4xf32>
  %p = graph.tanh %f : tensor<4x4xf32>
  %m0 = graph.dot_general %p, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
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
  %y = graph.dot_general %m24, %u <batching = [] x [], contracting = [1] x [0]> : (tensor<4x4xf32>, tensor<4x128xf32>) -> tensor<4x128xf32>
  %g = graph.dot_general %y, %y <batching = [] x [], contracting = [0] x [0]> : (tensor<4x128xf32>, tensor<4x128xf32>) -> tensor<128x128xf32>
  %k = graph.mul %g, %r : tensor<128x128xf32>
  return %k, %s : tensor<128x128xf32>, tensor<128xf32>
}
