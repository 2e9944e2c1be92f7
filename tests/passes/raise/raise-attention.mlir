// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention as exporters spell it becomes one op; what is nearly attention
// stays.
//
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-raise-composites),canonicalize)' | FileCheck %s -enable-var-scope

// A scale on each side, as torch's scaled_dot_product_attention exports it.
// CHECK-LABEL: @scaled_operands
// CHECK-SAME: (%[[Q:.*]]: tensor<2x4x8xf32>, %[[K:.*]]: tensor<2x6x8xf32>, %[[V:.*]]: tensor<2x6x5xf32>)
// CHECK-NEXT: %[[R:.*]] = graph.attention %[[Q]], %[[K]], %[[V]] {scale = 2.500000e-01 : f64}
// CHECK-NEXT: return %[[R]]
func.func @scaled_operands(%q: tensor<2x4x8xf32>, %k: tensor<2x6x8xf32>, %v: tensor<2x6x5xf32>) -> tensor<2x4x5xf32> {
  %root = graph.constant dense<0.5> : tensor<2x4x8xf32>
  %rootk = graph.constant dense<0.5> : tensor<2x8x6xf32>
  %t = graph.transpose %k [0, 2, 1] : tensor<2x6x8xf32> -> tensor<2x8x6xf32>
  %sq = graph.mul %q, %root : tensor<2x4x8xf32>
  %sk = graph.mul %t, %rootk : tensor<2x8x6xf32>
  %s = graph.dot_general %sq, %sk <batching = [0] x [0], contracting = [2] x [1]> : (tensor<2x4x8xf32>, tensor<2x8x6xf32>) -> tensor<2x4x6xf32>
  %w = graph.softmax %s [2] : tensor<2x4x6xf32>
  %r = graph.dot_general %w, %v <batching = [0] x [0], contracting = [2] x [1]> : (tensor<2x4x6xf32>, tensor<2x6x5xf32>) -> tensor<2x4x5xf32>
  return %r : tensor<2x4x5xf32>
}

// Heads in the middle, a divided score, an added mask, dynamic
// sizes.
// CHECK-LABEL: @heads_and_mask
// CHECK-SAME: (%[[Q:.*]]: tensor<?x?x2x8xf32> {{.*}}, %[[K:.*]]: tensor<?x?x2x8xf32> {{.*}}, %[[V:.*]]: tensor<?x?x2x8xf32> {{.*}}, %[[M:.*]]: tensor<?x1x1x?xf32>
// CHECK-DAG: %[[QT:.*]] = graph.transpose %[[Q]] [0, 2, 1, 3]
// CHECK-DAG: %[[KT:.*]] = graph.transpose %[[K]] [0, 2, 1, 3]
// CHECK-DAG: %[[VT:.*]] = graph.transpose %[[V]] [0, 2, 1, 3]
// CHECK-DAG: %[[MB:.*]] = graph.broadcast %[[M]] [0, 1, 2, 3]
// CHECK: graph.attention %[[QT]], %[[KT]], %[[VT]], %[[MB]] {scale = 1.250000e-01 : f64} : (tensor<?x2x?x8xf32>, tensor<?x2x?x8xf32>, tensor<?x2x?x8xf32>, tensor<?x2x?x?xf32>) -> tensor<?x2x?x8xf32>
func.func @heads_and_mask(%q: tensor<?x?x2x8xf32> {graph.dims = ["b", "s", "2", "8"]}, %k: tensor<?x?x2x8xf32> {graph.dims = ["b", "s", "2", "8"]}, %v: tensor<?x?x2x8xf32> {graph.dims = ["b", "s", "2", "8"]}, %m: tensor<?x1x1x?xf32> {graph.dims = ["b", "1", "1", "s"]}) -> tensor<?x?x2x8xf32> {
  %b = graph.dim %q, 0 : tensor<?x?x2x8xf32>
  %n = graph.dim %q, 1 : tensor<?x?x2x8xf32>
  %eight = graph.constant dense<8.0> : tensor<f32>
  %qt = graph.transpose %q [0, 2, 1, 3] : tensor<?x?x2x8xf32> -> tensor<?x2x?x8xf32>
  %kt = graph.transpose %k [0, 2, 3, 1] : tensor<?x?x2x8xf32> -> tensor<?x2x8x?xf32>
  %vt = graph.transpose %v [0, 2, 1, 3] : tensor<?x?x2x8xf32> -> tensor<?x2x?x8xf32>
  %s = graph.dot_general %qt, %kt <batching = [0, 1] x [0, 1], contracting = [3] x [2]> : (tensor<?x2x?x8xf32>, tensor<?x2x8x?xf32>) -> tensor<?x2x?x?xf32>
  %d = graph.broadcast %eight [] [%b, %n, %n] : tensor<f32> -> tensor<?x2x?x?xf32>
  %ss = graph.div %s, %d : tensor<?x2x?x?xf32>
  %mb = graph.broadcast %m [0, 1, 2, 3] [%b, %n, %n] : tensor<?x1x1x?xf32> -> tensor<?x2x?x?xf32>
  %ms = graph.add %ss, %mb : tensor<?x2x?x?xf32>
  %w = graph.softmax %ms [3] : tensor<?x2x?x?xf32>
  %o = graph.dot_general %w, %vt <batching = [0, 1] x [0, 1], contracting = [3] x [2]> : (tensor<?x2x?x?xf32>, tensor<?x2x?x8xf32>) -> tensor<?x2x?x8xf32>
  %r = graph.transpose %o [0, 2, 1, 3] : tensor<?x2x?x8xf32> -> tensor<?x?x2x8xf32>
  return %r : tensor<?x?x2x8xf32>
}

// Batch and heads as one dimension around the matmuls, apart where the mask is
// added; the mask lowers scores by a number, so that full rows stay finite.
// CHECK-LABEL: @merged_batch
// CHECK: graph.attention %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {removed = -1.000000e+09 : f64, scale = 5.000000e-01 : f64} : (tensor<2x3x4x8xf32>, tensor<2x3x6x8xf32>, tensor<2x3x6x8xf32>, tensor<2x3x4x6xi1>) -> tensor<2x3x4x8xf32>
// CHECK: graph.reshape %{{.*}} : tensor<2x3x4x8xf32> -> tensor<6x4x8xf32>
func.func @merged_batch(%q: tensor<6x4x8xf32>, %k: tensor<6x6x8xf32>, %v: tensor<6x6x8xf32>, %m: tensor<2x3x4x6xi1>) -> tensor<6x4x8xf32> {
  %low = graph.constant dense<-1.0e9> : tensor<2x3x4x6xf32>
  %half = graph.constant dense<0.5> : tensor<6x4x6xf32>
  %s = graph.dot_general %q, %k <batching = [0] x [0], contracting = [2] x [2]> : (tensor<6x4x8xf32>, tensor<6x6x8xf32>) -> tensor<6x4x6xf32>
  %ss = graph.mul %half, %s : tensor<6x4x6xf32>
  %s4 = graph.reshape %ss : tensor<6x4x6xf32> -> tensor<2x3x4x6xf32>
  %ms = graph.select %m, %s4, %low : tensor<2x3x4x6xi1>, tensor<2x3x4x6xf32>
  %s3 = graph.reshape %ms : tensor<2x3x4x6xf32> -> tensor<6x4x6xf32>
  %w = graph.softmax %s3 [2] : tensor<6x4x6xf32>
  %r = graph.dot_general %w, %v <batching = [0] x [0], contracting = [2] x [1]> : (tensor<6x4x6xf32>, tensor<6x6x8xf32>) -> tensor<6x4x8xf32>
  return %r : tensor<6x4x8xf32>
}

// Scores that a negated condition removes.
// CHECK-LABEL: @removed_where
// CHECK: %[[N:.*]] = graph.not %{{.*}} : tensor<2x4x6xi1>
// CHECK: graph.attention %{{.*}}, %{{.*}}, %{{.*}}, %[[N]] {removed = 0xFFF0000000000000 : f64, scale = 1.000000e+00 : f64}
func.func @removed_where(%q: tensor<2x4x8xf32>, %k: tensor<2x6x8xf32>, %v: tensor<2x6x5xf32>, %m: tensor<2x4x6xi1>) -> tensor<2x4x5xf32> {
  %low = graph.constant dense<0xFF800000> : tensor<2x4x6xf32>
  %s = graph.dot_general %q, %k <batching = [0] x [0], contracting = [2] x [2]> : (tensor<2x4x8xf32>, tensor<2x6x8xf32>) -> tensor<2x4x6xf32>
  %ms = graph.select %m, %low, %s : tensor<2x4x6xi1>, tensor<2x4x6xf32>
  %w = graph.softmax %ms [2] : tensor<2x4x6xf32>
  %r = graph.dot_general %w, %v <batching = [0] x [0], contracting = [2] x [1]> : (tensor<2x4x6xf32>, tensor<2x6x5xf32>) -> tensor<2x4x5xf32>
  return %r : tensor<2x4x5xf32>
}

// Indices are compared; rows without keys count as zeros.
// CHECK-LABEL: @causal_guarded
// CHECK: graph.attention %{{.*}}, %{{.*}}, %{{.*}} {causal, guarded, scale = 1.000000e+00 : f64}
func.func @causal_guarded(%q: tensor<2x4x8xf32>, %k: tensor<2x6x8xf32>, %v: tensor<2x6x5xf32>) -> tensor<2x4x5xf32> {
  %low = graph.constant dense<-3.40282347E+38> : tensor<2x4x6xf32>
  %zero = graph.constant dense<0.0> : tensor<2x4x6xf32>
  %two = graph.constant dense<2> : tensor<4xi64>
  %i = graph.iota 0 : tensor<4xi64>
  %row = graph.add %i, %two : tensor<4xi64>
  %rows = graph.broadcast %row [0] : tensor<4xi64> -> tensor<4x6xi64>
  %columns = graph.iota 1 : tensor<4x6xi64>
  %c = graph.compare ge, %rows, %columns : tensor<4x6xi64> -> tensor<4x6xi1>
  %visible = graph.broadcast %c [1, 2] : tensor<4x6xi1> -> tensor<2x4x6xi1>
  %s = graph.dot_general %q, %k <batching = [0] x [0], contracting = [2] x [2]> : (tensor<2x4x8xf32>, tensor<2x6x8xf32>) -> tensor<2x4x6xf32>
  %ms = graph.select %visible, %s, %low : tensor<2x4x6xi1>, tensor<2x4x6xf32>
  %w = graph.softmax %ms [2] : tensor<2x4x6xf32>
  %nan = graph.compare ne, %w, %w : tensor<2x4x6xf32> -> tensor<2x4x6xi1>
  %g = graph.select %nan, %zero, %w : tensor<2x4x6xi1>, tensor<2x4x6xf32>
  %r = graph.dot_general %g, %v <batching = [0] x [0], contracting = [2] x [1]> : (tensor<2x4x6xf32>, tensor<2x6x5xf32>) -> tensor<2x4x5xf32>
  return %r : tensor<2x4x5xf32>
}

// The same triangle as a constant; a later row of it is none.
// CHECK-LABEL: @causal_constant
// CHECK: graph.attention %{{.*}}, %{{.*}}, %{{.*}} {causal, scale = 1.000000e+00 : f64}
func.func @causal_constant(%q: tensor<2x3x8xf32>, %k: tensor<2x3x8xf32>, %v: tensor<2x3x5xf32>) -> tensor<2x3x5xf32> {
  %low = graph.constant dense<0xFF800000> : tensor<2x3x3xf32>
  %c = graph.constant dense<[[true, false, false], [true, true, false], [true, true, true]]> : tensor<3x3xi1>
  %visible = graph.broadcast %c [1, 2] : tensor<3x3xi1> -> tensor<2x3x3xi1>
  %s = graph.dot_general %q, %k <batching = [0] x [0], contracting = [2] x [2]> : (tensor<2x3x8xf32>, tensor<2x3x8xf32>) -> tensor<2x3x3xf32>
  %ms = graph.select %visible, %s, %low : tensor<2x3x3xi1>, tensor<2x3x3xf32>
  %w = graph.softmax %ms [2] : tensor<2x3x3xf32>
  %r = graph.dot_general %w, %v <batching = [0] x [0], contracting = [2] x [1]> : (tensor<2x3x3xf32>, tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  return %r : tensor<2x3x5xf32>
}

// jax.nn.dot_product_attention with grouped queries: batch, keys' heads, groups
// of queries; values are the first operand of the second matmul.
// CHECK-LABEL: @grouped_queries
// CHECK: graph.attention %{{.*}}, %{{.*}}, %{{.*}} {scale = 1.000000e+00 : f64} : (tensor<2x3x2x4x8xf32>, tensor<2x3x2x6x8xf32>, tensor<2x3x2x6x5xf32>) -> tensor<2x3x2x4x5xf32>
func.func @grouped_queries(%q: tensor<2x4x3x2x8xf32>, %k: tensor<2x6x3x8xf32>, %v: tensor<2x6x3x5xf32>) -> tensor<2x3x5x2x4xf32> {
  %s = graph.dot_general %q, %k <batching = [0, 2] x [0, 2], contracting = [4] x [3]> : (tensor<2x4x3x2x8xf32>, tensor<2x6x3x8xf32>) -> tensor<2x3x4x2x6xf32>
  %t = graph.transpose %s [0, 1, 3, 2, 4] : tensor<2x3x4x2x6xf32> -> tensor<2x3x2x4x6xf32>
  %w = graph.softmax %t [4] : tensor<2x3x2x4x6xf32>
  %r = graph.dot_general %v, %w <batching = [0, 2] x [0, 1], contracting = [1] x [4]> : (tensor<2x6x3x5xf32>, tensor<2x3x2x4x6xf32>) -> tensor<2x3x5x2x4xf32>
  return %r : tensor<2x3x5x2x4xf32>
}

// Keys and values repeated for the heads that share them.
// CHECK-LABEL: @repeated_heads
// CHECK: graph.attention %{{.*}}, %{{.*}}, %{{.*}} {scale = 1.000000e+00 : f64} : (tensor<1x4x3x8xf32>, tensor<1x4x?x8xf32>, tensor<1x4x?x8xf32>) -> tensor<1x4x3x8xf32>
func.func @repeated_heads(%q: tensor<1x4x3x8xf32>, %k: tensor<1x2x?x8xf32> {graph.dims = ["1", "2", "t", "8"]}, %v: tensor<1x2x?x8xf32> {graph.dims = ["1", "2", "t", "8"]}) -> tensor<1x4x3x8xf32> {
  %t = graph.dim %k, 2 : tensor<1x2x?x8xf32>
  %kb = graph.broadcast %k [0, 1, 3, 4] [%t] : tensor<1x2x?x8xf32> -> tensor<1x2x2x?x8xf32>
  %kr = graph.reshape %kb [%t] : tensor<1x2x2x?x8xf32> -> tensor<1x4x?x8xf32>
  %vb = graph.broadcast %v [0, 1, 3, 4] [%t] : tensor<1x2x?x8xf32> -> tensor<1x2x2x?x8xf32>
  %vr = graph.reshape %vb [%t] : tensor<1x2x2x?x8xf32> -> tensor<1x4x?x8xf32>
  %s = graph.dot_general %q, %kr <batching = [0, 1] x [0, 1], contracting = [3] x [3]> : (tensor<1x4x3x8xf32>, tensor<1x4x?x8xf32>) -> tensor<1x4x3x?xf32>
  %w = graph.softmax %s [3] : tensor<1x4x3x?xf32>
  %r = graph.dot_general %w, %vr <batching = [0, 1] x [0, 1], contracting = [3] x [2]> : (tensor<1x4x3x?xf32>, tensor<1x4x?x8xf32>) -> tensor<1x4x3x8xf32>
  return %r : tensor<1x4x3x8xf32>
}

// Narrow operands, scores and softmax in f32, weights rounded like the result.
// CHECK-LABEL: @wide_scores
// CHECK: graph.attention %{{.*}}, %{{.*}}, %{{.*}} {scale = 1.000000e+00 : f64} : (tensor<2x4x8xf32>, tensor<2x6x8xf32>, tensor<2x6x5xf32>) -> tensor<2x4x5xf32>
// CHECK: graph.convert %{{.*}} : tensor<2x4x5xf32> -> tensor<2x4x5xbf16>
func.func @wide_scores(%q: tensor<2x4x8xbf16>, %k: tensor<2x6x8xbf16>, %v: tensor<2x6x5xbf16>) -> tensor<2x4x5xbf16> {
  %s = graph.dot_general %q, %k <batching = [0] x [0], contracting = [2] x [2]> : (tensor<2x4x8xbf16>, tensor<2x6x8xbf16>) -> tensor<2x4x6xf32>
  %w = graph.softmax %s [2] : tensor<2x4x6xf32>
  %n = graph.convert %w : tensor<2x4x6xf32> -> tensor<2x4x6xbf16>
  %r = graph.dot_general %n, %v <batching = [0] x [0], contracting = [2] x [1]> : (tensor<2x4x6xbf16>, tensor<2x6x5xbf16>) -> tensor<2x4x5xbf16>
  return %r : tensor<2x4x5xbf16>
}

// No keys, and one query.
// CHECK-LABEL: @empty
// CHECK: graph.attention %{{.*}}, %{{.*}}, %{{.*}} {scale = 1.000000e+00 : f64} : (tensor<2x1x8xf32>, tensor<2x0x8xf32>, tensor<2x0x5xf32>) -> tensor<2x1x5xf32>
func.func @empty(%q: tensor<2x1x8xf32>, %k: tensor<2x0x8xf32>, %v: tensor<2x0x5xf32>) -> tensor<2x1x5xf32> {
  %s = graph.dot_general %q, %k <batching = [0] x [0], contracting = [2] x [2]> : (tensor<2x1x8xf32>, tensor<2x0x8xf32>) -> tensor<2x1x0xf32>
  %w = graph.softmax %s [2] : tensor<2x1x0xf32>
  %r = graph.dot_general %w, %v <batching = [0] x [0], contracting = [2] x [1]> : (tensor<2x1x0xf32>, tensor<2x0x5xf32>) -> tensor<2x1x5xf32>
  return %r : tensor<2x1x5xf32>
}

// A layer of weights before a softmax is no attention.
// CHECK-LABEL: @layer_of_weights
// CHECK-NOT: graph.attention
func.func @layer_of_weights(%x: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %w = graph.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %u = graph.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
  %s = graph.dot_general %x, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<4x2xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  %p = graph.softmax %s [1] : tensor<4x3xf32>
  %r = graph.dot_general %p, %u <batching = [] x [], contracting = [1] x [0]> : (tensor<4x3xf32>, tensor<3x2xf32>) -> tensor<4x2xf32>
  return %r : tensor<4x2xf32>
}

// A mask may have more batches than the scores: queries and keys repeat.
// CHECK-LABEL: @mask_with_batches_of_its_own
// CHECK: %[[ALL:.*]] = graph.select
// CHECK-DAG: %[[MASK:.*]] = graph.expand %arg3 [%[[ALL]]]
// CHECK-DAG: %[[V:.*]] = graph.expand %arg2 [%[[ALL]]]
// CHECK-DAG: %[[Q:.*]] = graph.expand %arg0 [%[[ALL]]]
// CHECK-DAG: %[[K:.*]] = graph.expand %arg1 [%[[ALL]]]
// CHECK: graph.attention %[[Q]], %[[K]], %[[V]], %[[MASK]] {scale = 5.000000e-01 : f64}
func.func @mask_with_batches_of_its_own(%q: tensor<?x4x8xf32> {graph.dims = ["b", "4", "8"]}, %k: tensor<?x6x8xf32> {graph.dims = ["b", "6", "8"]},
    %v: tensor<?x6x5xf32> {graph.dims = ["b", "6", "5"]}, %m: tensor<?x4x6xf32> {graph.dims = ["c", "4", "6"]}) -> tensor<?x4x5xf32> {
  %one = graph.constant dense<1> : tensor<i64>
  %b = graph.dim %q, 0 : tensor<?x4x8xf32>
  %c = graph.dim %m, 0 : tensor<?x4x6xf32>
  %single = graph.compare eq, %b, %one : tensor<i64> -> tensor<i1>
  %all = graph.select %single, %c, %b : tensor<i1>, tensor<i64>
  %half = graph.constant dense<0.5> : tensor<f32>
  %scale = graph.broadcast %half [] [%b] : tensor<f32> -> tensor<?x4x6xf32>
  %s = graph.dot_general %q, %k <batching = [0] x [0], contracting = [2] x [2]> : (tensor<?x4x8xf32>, tensor<?x6x8xf32>) -> tensor<?x4x6xf32>
  %t = graph.mul %s, %scale : tensor<?x4x6xf32>
  %wide = graph.expand %t [%all] : tensor<?x4x6xf32> -> tensor<?x4x6xf32>
  %mask = graph.expand %m [%all] : tensor<?x4x6xf32> -> tensor<?x4x6xf32>
  %u = graph.add %wide, %mask : tensor<?x4x6xf32>
  %w = graph.softmax %u [2] : tensor<?x4x6xf32>
  %values = graph.expand %v [%all] : tensor<?x6x5xf32> -> tensor<?x6x5xf32>
  %r = graph.dot_general %w, %values <batching = [0] x [0], contracting = [2] x [1]> : (tensor<?x4x6xf32>, tensor<?x6x5xf32>) -> tensor<?x4x5xf32>
  return %r : tensor<?x4x5xf32>
}
