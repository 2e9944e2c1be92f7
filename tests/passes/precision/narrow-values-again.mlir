// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a backward pass computes again is computed from a rounded value that
// only the forward pass read: then that one waits, narrow. The chain of small
// products stands for the ops in between.
//
// RUN: zenith-opt %s --from=fuse --to=fuse | FileCheck %s -enable-var-scope

// CHECK-LABEL: @centred
// CHECK: %[[N:.*]] = graph.fusion contraction {{.*}} -> tensor<8x8xbf16>
// CHECK: graph.fusion reduction (%[[A:.*]] = %[[N]] : tensor<8x8xbf16>
// CHECK-NEXT: graph.convert %[[A]] : tensor<8x8xbf16> -> tensor<8x8xf32>
// CHECK-NOT: -> tensor<8x8xf32> {
// CHECK: graph.fusion reduction {{.*}} = %[[N]] : tensor<8x8xbf16>
// CHECK: graph.sub
// CHECK: graph.tanh
// CHECK: return
func.func @centred(%x: tensor<8x16xf32>, %w: tensor<16x8xf32>, %m: tensor<4x4xf32>) -> (tensor<f32>, tensor<8xf32>, tensor<4x4xf32>) {
  %d = graph.dot_general %x, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
  %n = graph.convert %d : tensor<8x8xf32> -> tensor<8x8xbf16>
  %a = graph.convert %n : tensor<8x8xbf16> -> tensor<8x8xf32>
  %s = graph.reduce sum, %a [0, 1] : tensor<8x8xf32> -> tensor<f32>
  %b = graph.broadcast %s [] : tensor<f32> -> tensor<8x8xf32>
  %c = graph.sub %a, %b : tensor<8x8xf32>
  %q = graph.mul %c, %c : tensor<8x8xf32>
  %v = graph.reduce sum, %q [0, 1] : tensor<8x8xf32> -> tensor<f32>
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
  %t = graph.broadcast %v [] : tensor<f32> -> tensor<8x8xf32>
  %e = graph.mul %c, %t : tensor<8x8xf32>
  %z = graph.tanh %e : tensor<8x8xf32>
  %u = graph.reduce sum, %z [1] : tensor<8x8xf32> -> tensor<8xf32>
  return %v, %u, %m25 : tensor<f32>, tensor<8xf32>, tensor<4x4xf32>
}
