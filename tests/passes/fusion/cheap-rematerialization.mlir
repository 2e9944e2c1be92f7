// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Results that their readers compute again, and epilogues that leave work to
// reductions.
//
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-keep-int8-operands,zenith-form-fusions,zenith-cheap-rematerialization))' | FileCheck %s -enable-var-scope
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-form-fusions{explain=true},zenith-cheap-rematerialization{explain=true}))' -o /dev/null 2>&1 | FileCheck %s --check-prefix=WHY

// The backward product needs t and 1 - t: only t is kept.
// CHECK-LABEL: @forward_and_backward
// CHECK: %[[F:.*]]:2 = graph.fusion contraction
// CHECK: graph.tanh
// CHECK-NOT: graph.sub
// CHECK: graph.yield
// CHECK: graph.fusion contraction
// CHECK: graph.constant dense<1.000000e+00>
// CHECK: graph.sub
// CHECK: graph.dot_general
// CHECK: graph.yield
// WHY: fusion: FUS106: result 2 is computed again where it is read, in regions: 1
func.func @forward_and_backward(%x: tensor<8x16xf32>, %w: tensor<16x8xf32>, %g: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %d = graph.dot_general %x, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
  %t = graph.tanh %d : tensor<8x8xf32>
  %one = graph.constant dense<1.0> : tensor<8x8xf32>
  %s = graph.sub %one, %t : tensor<8x8xf32>
  %q = graph.dot_general %t, %g <batching = [] x [], contracting = [1] x [0]> : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %u = graph.mul %q, %s : tensor<8x8xf32>
  %v = graph.mul %u, %t : tensor<8x8xf32>
  return %v, %d : tensor<8x8xf32>, tensor<8x8xf32>
}

// The product is written for the sums of its columns anyway: the factor of the
// second sum is no result of its own.
// CHECK-LABEL: @gradients_of_scale_and_shift
// CHECK: %{{[0-9a-z]+}} = graph.fusion contraction
// CHECK: graph.dot_general
// CHECK-NEXT: graph.yield
// CHECK: graph.fusion reduction
// CHECK: graph.mul
// WHY: FUS104: stays out of the epilogue: it reads what is reduced too
func.func @gradients_of_scale_and_shift(%x: tensor<8x16xf32>, %w: tensor<16x8xf32>, %n: tensor<8x8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %d = graph.dot_general %x, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
  %m = graph.mul %d, %n : tensor<8x8xf32>
  %a = graph.reduce sum, %d [0] : tensor<8x8xf32> -> tensor<8xf32>
  %b = graph.reduce sum, %m [0] : tensor<8x8xf32> -> tensor<8xf32>
  return %a, %b : tensor<8xf32>, tensor<8xf32>
}

// What is returned is written, and so is what a product reads.
// CHECK-LABEL: @needed_in_memory
// CHECK: graph.fusion pointwise
// CHECK: graph.add
// CHECK: graph.fusion contraction
// CHECK-NOT: graph.add
// CHECK: return
func.func @needed_in_memory(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %a = graph.add %x, %x : tensor<8x8xf32>
  %d = graph.dot_general %a, %x <batching = [] x [], contracting = [1] x [0]> : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %a, %d : tensor<8x8xf32>, tensor<8x8xf32>
}

// What is larger than caches is cheaper to compute again than to write and read, functions included.
// CHECK-LABEL: func.func @function_of_a_large_value
// CHECK: graph.fusion pointwise {{.*}} -> tensor<2048x2048xf32>
// CHECK: graph.fusion contraction
// CHECK: graph.tanh
func.func @function_of_a_large_value(%x: tensor<2048x2048xf32>, %w: tensor<2048x8xf32>) -> (tensor<2048x2048xf32>, tensor<2048x8xf32>, tensor<2048x2048xf32>) {
  %a = graph.abs %x : tensor<2048x2048xf32>
  %t = graph.tanh %a : tensor<2048x2048xf32>
  %r = graph.dot_general %a, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<2048x2048xf32>, tensor<2048x8xf32>) -> tensor<2048x8xf32>
  %g = graph.dot_general %r, %w <batching = [] x [], contracting = [1] x [1]> : (tensor<2048x8xf32>, tensor<2048x8xf32>) -> tensor<2048x2048xf32>
  %s = graph.mul %g, %t : tensor<2048x2048xf32>
  return %a, %r, %s : tensor<2048x2048xf32>, tensor<2048x8xf32>, tensor<2048x2048xf32>
}

// What outgrows the caches of a core may be divided again.
// CHECK-LABEL: func.func @quotient_of_a_medium_value
// CHECK: graph.fusion pointwise
// CHECK-NOT: graph.div
// CHECK: graph.yield
// CHECK: graph.fusion contraction
// CHECK: graph.div
func.func @quotient_of_a_medium_value(%x: tensor<512x256xf32>, %n: tensor<512xf32>, %w: tensor<256x8xf32>) -> (tensor<512x256xf32>, tensor<512x8xf32>, tensor<512x256xf32>) {
  %a = graph.abs %x : tensor<512x256xf32>
  %y = graph.broadcast %n [0] : tensor<512xf32> -> tensor<512x256xf32>
  %t = graph.div %a, %y : tensor<512x256xf32>
  %r = graph.dot_general %a, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<512x256xf32>, tensor<256x8xf32>) -> tensor<512x8xf32>
  %g = graph.dot_general %r, %w <batching = [] x [], contracting = [1] x [1]> : (tensor<512x8xf32>, tensor<256x8xf32>) -> tensor<512x256xf32>
  %s = graph.mul %g, %t : tensor<512x256xf32>
  return %a, %r, %s : tensor<512x256xf32>, tensor<512x8xf32>, tensor<512x256xf32>
}

// Weights of attention that a backward pass multiplies again are made of what else it keeps.
// CHECK-LABEL: func.func @factor_kept_long
// CHECK-NOT: graph.div
// CHECK: graph.fusion contraction {{.*}} -> tensor<2048x4xf32>
// CHECK: graph.div
// CHECK-NEXT: graph.dot_general
// CHECK: graph.fusion contraction {{.*}} -> tensor<4x4xf32>
// CHECK: graph.fusion contraction {{.*}} -> tensor<2048x4xf32>
// CHECK: graph.div
// CHECK-NEXT: graph.dot_general
func.func @factor_kept_long(%x: tensor<2048x1024xf32>, %n: tensor<2048xf32>, %w: tensor<1024x4xf32>, %m: tensor<4x4xf32>) -> (tensor<2048x1024xf32>, tensor<2048x4xf32>, tensor<2048x4xf32>) {
  %e = graph.exp %x : tensor<2048x1024xf32>
  %b = graph.broadcast %n [0] : tensor<2048xf32> -> tensor<2048x1024xf32>
  %p = graph.div %e, %b : tensor<2048x1024xf32>
  %y = graph.dot_general %p, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<2048x1024xf32>, tensor<1024x4xf32>) -> tensor<2048x4xf32>
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
  %v = graph.dot_general %w, %m25 <batching = [] x [], contracting = [1] x [0]> : (tensor<1024x4xf32>, tensor<4x4xf32>) -> tensor<1024x4xf32>
  %z = graph.dot_general %p, %v <batching = [] x [], contracting = [1] x [0]> : (tensor<2048x1024xf32>, tensor<1024x4xf32>) -> tensor<2048x4xf32>
  return %e, %y, %z : tensor<2048x1024xf32>, tensor<2048x4xf32>, tensor<2048x4xf32>
}

// Products read bytes: nobody writes what they are widened to, nor the numbers
// that these stand for, which the sum computes again.
// CHECK-LABEL: @bytes_that_are_added_too
// CHECK: %[[Q:.*]] = graph.fusion contraction {{.*}} -> tensor<8x16xui8>
// CHECK: %[[R:.*]] = graph.fusion contraction (%{{.*}} = %[[Q]] : tensor<8x16xui8>
// CHECK-NOT: %[[Q]]
// CHECK: graph.mul
// CHECK: graph.add
// CHECK: return %[[R]]
func.func @bytes_that_are_added_too(%x: tensor<8x16xui8>, %p: tensor<1x4x16x4xi8>) -> tensor<8x16xf32> {
  %t = graph.transpose %p [1, 3, 0, 2] : tensor<1x4x16x4xi8> -> tensor<4x4x1x16xi8>
  %u = graph.reshape %t : tensor<4x4x1x16xi8> -> tensor<16x16xi8>
  %w = graph.convert %u : tensor<16x16xi8> -> tensor<16x16xi32>
  %a = graph.convert %x : tensor<8x16xui8> -> tensor<8x16xi32>
  %s = graph.dot_general %a, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<8x16xi32>, tensor<16x16xi32>) -> tensor<8x16xi32>
  %f = graph.convert %s : tensor<8x16xi32> -> tensor<8x16xf32>
  %q = graph.convert %f : tensor<8x16xf32> -> tensor<8x16xui8>
  %b = graph.convert %q : tensor<8x16xui8> -> tensor<8x16xi32>
  %c = graph.dot_general %b, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<8x16xi32>, tensor<16x16xi32>) -> tensor<8x16xi32>
  %d = graph.convert %c : tensor<8x16xi32> -> tensor<8x16xf32>
  %scale = graph.constant dense<0.5> : tensor<8x16xf32>
  %e = graph.convert %b : tensor<8x16xi32> -> tensor<8x16xf32>
  %g = graph.mul %e, %scale : tensor<8x16xf32>
  %r = graph.add %d, %g : tensor<8x16xf32>
  return %r : tensor<8x16xf32>
}

// What a backward pass finds in f32 anyway is not kept in bf16 too: neither
// what a forward product gives, nor weights, which products round as they pack.
// CHECK-LABEL: func.func @kept_in_two_types
// CHECK: %[[D:.*]] = graph.fusion contraction {{.*}} -> tensor<16x8xf32>
// CHECK: graph.convert {{.*}} tensor<32x8xf32> -> tensor<32x8xbf16>
// CHECK: graph.dot_general
// CHECK: graph.fusion reduction (%{{.*}} = %[[D]] : tensor<16x8xf32>
// CHECK: graph.convert {{.*}} tensor<16x8xf32> -> tensor<16x8xbf16>
// CHECK: graph.fusion contraction {{.*}} -> tensor<8x8xf32>
// CHECK: graph.fusion pointwise {{.*}} = %[[D]] : tensor<16x8xf32>{{.*}} -> tensor<16x8xbf16>
// CHECK: graph.sub
// CHECK: graph.fusion contraction {{.*}} -> tensor<16x32xf32>
// CHECK: graph.convert {{.*}} tensor<32x8xf32> -> tensor<32x8xbf16>
func.func @kept_in_two_types(%x: tensor<16x32xbf16>, %w: tensor<32x8xf32>, %n: tensor<8xbf16>, %m: tensor<8x8xf32>) -> tensor<16x32xf32> {
  %h = graph.convert %w : tensor<32x8xf32> -> tensor<32x8xbf16>
  %d = graph.dot_general %x, %h <batching = [] x [], contracting = [1] x [0]> : (tensor<16x32xbf16>, tensor<32x8xbf16>) -> tensor<16x8xf32>
  %e = graph.convert %d : tensor<16x8xf32> -> tensor<16x8xbf16>
  %b = graph.broadcast %n [1] : tensor<8xbf16> -> tensor<16x8xbf16>
  %c = graph.sub %e, %b : tensor<16x8xbf16>
  %o = graph.reduce sum, %c [0] : tensor<16x8xbf16> -> tensor<8xbf16>
  %f = graph.convert %o : tensor<8xbf16> -> tensor<8xf32>
  %k = graph.broadcast %f [0] : tensor<8xf32> -> tensor<8x8xf32>
  %m0 = graph.dot_general %k, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %m1 = graph.dot_general %m0, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %m2 = graph.dot_general %m1, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %m3 = graph.dot_general %m2, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %m4 = graph.dot_general %m3, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %m5 = graph.dot_general %m4, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %m6 = graph.dot_general %m5, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %m7 = graph.dot_general %m6, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %m8 = graph.dot_general %m7, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %m9 = graph.dot_general %m8, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %m10 = graph.dot_general %m9, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %m11 = graph.dot_general %m10, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %m12 = graph.dot_general %m11, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %m13 = graph.dot_general %m12, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %m14 = graph.dot_general %m13, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %m15 = graph.dot_general %m14, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %m16 = graph.dot_general %m15, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %m17 = graph.dot_general %m16, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %m18 = graph.dot_general %m17, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %m19 = graph.dot_general %m18, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %m20 = graph.dot_general %m19, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %m21 = graph.dot_general %m20, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %m22 = graph.dot_general %m21, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %m23 = graph.dot_general %m22, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %m24 = graph.dot_general %m23, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %m25 = graph.dot_general %m24, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %q = graph.reduce sum, %m25 [0] : tensor<8x8xf32> -> tensor<8xf32>
  %r = graph.broadcast %q [1] : tensor<8xf32> -> tensor<16x8xf32>
  %s = graph.mul %d, %r : tensor<16x8xf32>
  %t = graph.convert %s : tensor<16x8xf32> -> tensor<16x8xbf16>
  %u = graph.mul %t, %c : tensor<16x8xbf16>
  %v = graph.dot_general %u, %h <batching = [] x [], contracting = [1] x [1]> : (tensor<16x8xbf16>, tensor<32x8xbf16>) -> tensor<16x32xf32>
  return %v : tensor<16x32xf32>
}
