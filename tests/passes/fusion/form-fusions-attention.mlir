// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention becomes one region with the movement around it.
//
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-form-fusions))' | FileCheck %s -enable-var-scope
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-form-fusions{explain=true}))' -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK: fusion: FUS001: attention of {{[0-9]+}} ops: attention, add

// Heads are split and merged, the mask is repeated, a residual is added: all of
// it inside.
// CHECK-LABEL: @heads
// CHECK: graph.fusion attention
// CHECK: graph.attention
// CHECK: graph.add
// CHECK: graph.yield
// CHECK-NOT: graph.fusion
// CHECK: return
func.func @heads(%q: tensor<?x5x24xf32> {graph.dims = ["b", "5", "24"]}, %k: tensor<?x7x24xf32> {graph.dims = ["b", "7", "24"]}, %m: tensor<5x7xi1>, %x: tensor<?x5x24xf32> {graph.dims = ["b", "5", "24"]}) -> tensor<?x5x24xf32> {
  %b = graph.dim %q, 0 : tensor<?x5x24xf32>
  %qs = graph.reshape %q [%b] : tensor<?x5x24xf32> -> tensor<?x5x3x8xf32>
  %qh = graph.transpose %qs [0, 2, 1, 3] : tensor<?x5x3x8xf32> -> tensor<?x3x5x8xf32>
  %ks = graph.reshape %k [%b] : tensor<?x7x24xf32> -> tensor<?x7x3x8xf32>
  %kh = graph.transpose %ks [0, 2, 1, 3] : tensor<?x7x3x8xf32> -> tensor<?x3x7x8xf32>
  %mh = graph.broadcast %m [2, 3] [%b] : tensor<5x7xi1> -> tensor<?x3x5x7xi1>
  %a = graph.attention %qh, %kh, %kh, %mh {scale = 0.5 : f64} : (tensor<?x3x5x8xf32>, tensor<?x3x7x8xf32>, tensor<?x3x7x8xf32>, tensor<?x3x5x7xi1>) -> tensor<?x3x5x8xf32>
  %t = graph.transpose %a [0, 2, 1, 3] : tensor<?x3x5x8xf32> -> tensor<?x5x3x8xf32>
  %r = graph.reshape %t [%b] : tensor<?x5x3x8xf32> -> tensor<?x5x24xf32>
  %s = graph.add %r, %x : tensor<?x5x24xf32>
  return %s : tensor<?x5x24xf32>
}

// A concatenation of attention's own is read segment by segment, and the joined
// keys are copied for the caller.
// CHECK-LABEL: @cache
// CHECK: graph.fusion copy
// CHECK: graph.concat 1,
// CHECK: graph.fusion attention (%{{.*}} = %{{.*}} : tensor<2x1x8xf32>, %[[P:.*]] = %{{.*}} : tensor<2x?x8xf32>, %[[N:.*]] = %{{.*}} : tensor<2x1x8xf32>)
// CHECK: graph.concat 1, %[[P]], %[[N]]
// CHECK: graph.attention
// CHECK: return
func.func @cache(%q: tensor<2x1x8xf32>, %past: tensor<2x?x8xf32>, %new: tensor<2x1x8xf32>) -> (tensor<2x1x8xf32>, tensor<2x?x8xf32>) {
  %k = graph.concat 1, %past, %new : (tensor<2x?x8xf32>, tensor<2x1x8xf32>) -> tensor<2x?x8xf32>
  %ak = graph.concat 1, %past, %new : (tensor<2x?x8xf32>, tensor<2x1x8xf32>) -> tensor<2x?x8xf32>
  %av = graph.concat 1, %past, %new : (tensor<2x?x8xf32>, tensor<2x1x8xf32>) -> tensor<2x?x8xf32>
  %a = graph.attention %q, %ak, %av {scale = 0.5 : f64} : (tensor<2x1x8xf32>, tensor<2x?x8xf32>, tensor<2x?x8xf32>) -> tensor<2x1x8xf32>
  return %a, %k : tensor<2x1x8xf32>, tensor<2x?x8xf32>
}

// Rounded queries and keys stay narrow in memory: keys are widened where they
// are read, queries where a task copies them.
// CHECK-LABEL: @rounded_queries
// CHECK: %[[Q:.*]] = graph.fusion pointwise {{.*}} -> tensor<2x20x32xbf16>
// CHECK: graph.fusion attention (%[[A:.*]] = %[[Q]] : tensor<2x20x32xbf16>, %[[K:.*]] = %{{.*}} : tensor<2x20x32xbf16>, %[[V:.*]] = %{{.*}} : tensor<2x20x32xf32>)
// CHECK-DAG: %[[AW:.*]] = graph.convert %[[A]] : tensor<2x20x32xbf16> -> tensor<2x20x32xf32>
// CHECK-DAG: %[[KW:.*]] = graph.convert %[[K]] : tensor<2x20x32xbf16> -> tensor<2x20x32xf32>
// CHECK: graph.attention %[[AW]], %[[KW]], %[[V]]
func.func @rounded_queries(%x: tensor<2x20x32xf32>, %k: tensor<2x20x32xbf16>, %v: tensor<2x20x32xf32>) -> (tensor<2x20x32xf32>, tensor<2x20x32xbf16>) {
  %t = graph.tanh %x : tensor<2x20x32xf32>
  %q = graph.convert %t : tensor<2x20x32xf32> -> tensor<2x20x32xbf16>
  %qw = graph.convert %q : tensor<2x20x32xbf16> -> tensor<2x20x32xf32>
  %kw = graph.convert %k : tensor<2x20x32xbf16> -> tensor<2x20x32xf32>
  %r = graph.attention %qw, %kw, %v {scale = 0.5 : f64} : (tensor<2x20x32xf32>, tensor<2x20x32xf32>, tensor<2x20x32xf32>) -> tensor<2x20x32xf32>
  return %r, %q : tensor<2x20x32xf32>, tensor<2x20x32xbf16>
}
