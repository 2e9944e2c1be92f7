// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A formula that is nearly a composite says which condition failed, at the op
// that failed it.
//
// RUN: zenith-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(zenith-raise-composites{explain=true}))' -o /dev/null

func.func @gelu_root(%x: tensor<4xf32>) -> tensor<4xf32> {
  %root = graph.constant dense<1.5> : tensor<4xf32>
  %one = graph.constant dense<1.0> : tensor<4xf32>
  %half = graph.constant dense<0.5> : tensor<4xf32>
  %s = graph.div %x, %root : tensor<4xf32>
  // expected-remark@below {{fusion: FUS201: no gelu: 'graph.erf' reads something else of x}}
  %e = graph.erf %s : tensor<4xf32>
  %a = graph.add %e, %one : tensor<4xf32>
  %m = graph.mul %x, %a : tensor<4xf32>
  %r = graph.mul %m, %half : tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func @gelu_factor(%x: tensor<4xf32>) -> tensor<4xf32> {
  %root = graph.constant dense<1.41421354> : tensor<4xf32>
  %one = graph.constant dense<1.0> : tensor<4xf32>
  %quarter = graph.constant dense<0.25> : tensor<4xf32>
  %s = graph.div %x, %root : tensor<4xf32>
  %e = graph.erf %s : tensor<4xf32>
  %a = graph.add %e, %one : tensor<4xf32>
  %m = graph.mul %x, %a : tensor<4xf32>
  // expected-remark@below {{fusion: FUS201: no gelu: the factor is 0.250000, not 0.5}}
  %r = graph.mul %m, %quarter : tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func @softmax_readers(%x: tensor<2x8xf32>) -> (tensor<2x8xf32>, tensor<2x8xf32>) {
  %max = graph.reduce max, %x [1] : tensor<2x8xf32> -> tensor<2xf32>
  %maxw = graph.broadcast %max [0] : tensor<2xf32> -> tensor<2x8xf32>
  %s = graph.sub %x, %maxw : tensor<2x8xf32>
  // expected-remark@below {{fusion: FUS202: no softmax: inner values have other readers}}
  %e = graph.exp %s : tensor<2x8xf32>
  %sum = graph.reduce sum, %e [1] : tensor<2x8xf32> -> tensor<2xf32>
  %sumw = graph.broadcast %sum [0] : tensor<2xf32> -> tensor<2x8xf32>
  %r = graph.div %e, %sumw : tensor<2x8xf32>
  return %r, %e : tensor<2x8xf32>, tensor<2x8xf32>
}

// -----

func.func @softmax_without_maximum(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  // expected-remark@below {{fusion: FUS202: no softmax: the largest element is not taken off before exp}}
  %e = graph.exp %x : tensor<2x8xf32>
  %sum = graph.reduce sum, %e [1] : tensor<2x8xf32> -> tensor<2xf32>
  %sumw = graph.broadcast %sum [0] : tensor<2xf32> -> tensor<2x8xf32>
  %r = graph.div %e, %sumw : tensor<2x8xf32>
  return %r : tensor<2x8xf32>
}

// -----

func.func @norm_of_columns(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %eps = graph.constant dense<1.0e-3> : tensor<1x8xf32>
  %count = graph.constant dense<2.0> : tensor<1x8xf32>
  %sq = graph.mul %x, %x : tensor<2x8xf32>
  // expected-remark@below {{fusion: FUS203: no norm: the sum is not over the last dimensions}}
  %sum = graph.reduce sum, %sq [0] : tensor<2x8xf32> -> tensor<8xf32>
  %kept = graph.reshape %sum : tensor<8xf32> -> tensor<1x8xf32>
  %mean = graph.div %kept, %count : tensor<1x8xf32>
  %plus = graph.add %mean, %eps : tensor<1x8xf32>
  %inv = graph.rsqrt %plus : tensor<1x8xf32>
  %wide = graph.broadcast %inv [0, 1] : tensor<1x8xf32> -> tensor<2x8xf32>
  %r = graph.mul %x, %wide : tensor<2x8xf32>
  return %r : tensor<2x8xf32>
}

// -----

func.func @norm_count(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %eps = graph.constant dense<1.0e-3> : tensor<2xf32>
  %count = graph.constant dense<7.0> : tensor<2xf32>
  %sq = graph.mul %x, %x : tensor<2x8xf32>
  %sum = graph.reduce sum, %sq [1] : tensor<2x8xf32> -> tensor<2xf32>
  // expected-remark@below {{fusion: FUS203: no norm: the sum of 8 elements is divided by another number}}
  %mean = graph.div %sum, %count : tensor<2xf32>
  %plus = graph.add %mean, %eps : tensor<2xf32>
  %inv = graph.rsqrt %plus : tensor<2xf32>
  %wide = graph.broadcast %inv [0] : tensor<2xf32> -> tensor<2x8xf32>
  %r = graph.mul %x, %wide : tensor<2x8xf32>
  return %r : tensor<2x8xf32>
}

// -----

func.func @capped_scores(%q: tensor<2x4x8xf32>, %k: tensor<2x6x8xf32>, %v: tensor<2x6x5xf32>) -> tensor<2x4x5xf32> {
  %s = graph.dot_general %q, %k <batching = [0] x [0], contracting = [2] x [2]> : (tensor<2x4x8xf32>, tensor<2x6x8xf32>) -> tensor<2x4x6xf32>
  // expected-remark@below {{fusion: FUS204: no attention: 'graph.tanh' stands between the product and the softmax}}
  %t = graph.tanh %s : tensor<2x4x6xf32>
  %w = graph.softmax %t [2] : tensor<2x4x6xf32>
  %r = graph.dot_general %w, %v <batching = [0] x [0], contracting = [2] x [1]> : (tensor<2x4x6xf32>, tensor<2x6x5xf32>) -> tensor<2x4x5xf32>
  return %r : tensor<2x4x5xf32>
}

// -----

func.func @weights_read(%q: tensor<2x4x8xf32>, %k: tensor<2x6x8xf32>, %v: tensor<2x6x5xf32>) -> (tensor<2x4x5xf32>, tensor<2x4x6xf32>) {
  %s = graph.dot_general %q, %k <batching = [0] x [0], contracting = [2] x [2]> : (tensor<2x4x8xf32>, tensor<2x6x8xf32>) -> tensor<2x4x6xf32>
  // expected-remark@below {{fusion: FUS204: no attention: the weights have other readers}}
  %w = graph.softmax %s [2] : tensor<2x4x6xf32>
  %r = graph.dot_general %w, %v <batching = [0] x [0], contracting = [2] x [1]> : (tensor<2x4x6xf32>, tensor<2x6x5xf32>) -> tensor<2x4x5xf32>
  return %r, %w : tensor<2x4x5xf32>, tensor<2x4x6xf32>
}

// -----

func.func @narrow_scores(%q: tensor<2x4x8xbf16>, %k: tensor<2x6x8xbf16>, %v: tensor<2x6x5xbf16>) -> tensor<2x4x5xbf16> {
  // expected-remark@below {{fusion: FUS204: no attention: the scores are rounded to a narrow type}}
  %s = graph.dot_general %q, %k <batching = [0] x [0], contracting = [2] x [2]> : (tensor<2x4x8xbf16>, tensor<2x6x8xbf16>) -> tensor<2x4x6xbf16>
  %w = graph.softmax %s [2] : tensor<2x4x6xbf16>
  %r = graph.dot_general %w, %v <batching = [0] x [0], contracting = [2] x [1]> : (tensor<2x4x6xbf16>, tensor<2x6x5xbf16>) -> tensor<2x4x5xbf16>
  return %r : tensor<2x4x5xbf16>
}

// -----

func.func @scaled_behind_mask(%q: tensor<2x4x8xf32>, %k: tensor<2x6x8xf32>, %v: tensor<2x6x5xf32>, %m: tensor<2x4x6xf32>) -> tensor<2x4x5xf32> {
  %half = graph.constant dense<0.5> : tensor<2x4x6xf32>
  %s = graph.dot_general %q, %k <batching = [0] x [0], contracting = [2] x [2]> : (tensor<2x4x8xf32>, tensor<2x6x8xf32>) -> tensor<2x4x6xf32>
  %a = graph.add %s, %m : tensor<2x4x6xf32>
  // expected-remark@below {{fusion: FUS204: no attention: masked scores are scaled}}
  %h = graph.mul %a, %half : tensor<2x4x6xf32>
  %w = graph.softmax %h [2] : tensor<2x4x6xf32>
  %r = graph.dot_general %w, %v <batching = [0] x [0], contracting = [2] x [1]> : (tensor<2x4x6xf32>, tensor<2x6x5xf32>) -> tensor<2x4x5xf32>
  return %r : tensor<2x4x5xf32>
}

// -----

func.func @values_per_query(%q: tensor<2x4x8xf32>, %k: tensor<2x6x8xf32>, %v: tensor<2x4x6x5xf32>) -> tensor<2x4x5xf32> {
  %s = graph.dot_general %q, %k <batching = [0] x [0], contracting = [2] x [2]> : (tensor<2x4x8xf32>, tensor<2x6x8xf32>) -> tensor<2x4x6xf32>
  %w = graph.softmax %s [2] : tensor<2x4x6xf32>
  // expected-remark@below {{fusion: FUS204: no attention: each query has its own values}}
  %r = graph.dot_general %w, %v <batching = [0, 1] x [0, 1], contracting = [2] x [2]> : (tensor<2x4x6xf32>, tensor<2x4x6x5xf32>) -> tensor<2x4x5xf32>
  return %r : tensor<2x4x5xf32>
}
