// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention becomes one region with the movement around it, or core ops where
// no kernel takes it whole.
//
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-form-fusions))' | FileCheck %s -enable-var-scope
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-form-fusions{attention=false}))' | FileCheck %s --check-prefix=SPELLED
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-form-fusions{explain=true}))' -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK: fusion: FUS001: attention of {{[0-9]+}} ops: attention, add
// REMARK: fusion: FUS204: no attention: its features are too many, or known only when it runs

// Heads are split and merged, the mask is repeated, a residual is added: all of
// it inside.
// CHECK-LABEL: @heads
// CHECK: graph.fusion attention
// CHECK: graph.attention
// CHECK: graph.add
// CHECK: graph.yield
// CHECK-NOT: graph.fusion
// CHECK: return
// SPELLED-LABEL: @heads
// SPELLED-NOT: graph.attention
// SPELLED: graph.fusion contraction
// SPELLED: graph.fusion reduction
// SPELLED: graph.fusion contraction
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

// Rows of a length that shows when it runs have no place in a task's memory.
// CHECK-LABEL: @dynamic_features
// CHECK-NOT: graph.attention
// CHECK: graph.fusion contraction
// SPELLED-LABEL: @dynamic_features
func.func @dynamic_features(%q: tensor<2x5x?xf32> {graph.dims = ["2", "5", "d"]}, %k: tensor<2x7x?xf32> {graph.dims = ["2", "7", "d"]}) -> tensor<2x5x?xf32> {
  %a = graph.attention %q, %k, %k {scale = 0.5 : f64} : (tensor<2x5x?xf32>, tensor<2x7x?xf32>, tensor<2x7x?xf32>) -> tensor<2x5x?xf32>
  return %a : tensor<2x5x?xf32>
}

// One query reads a cache and what is appended to it where they lie; the joined
// keys are for the caller.
// CHECK-LABEL: @cache
// CHECK: graph.fusion copy
// CHECK: graph.concat 1,
// CHECK: graph.fusion attention (%{{.*}} = %{{.*}} : tensor<2x1x8xf32>, %[[P:.*]] = %{{.*}} : tensor<2x?x8xf32>, %[[N:.*]] = %{{.*}} : tensor<2x1x8xf32>)
// CHECK: graph.concat 1, %[[P]], %[[N]]
// CHECK: graph.attention
// CHECK: return
// SPELLED-LABEL: @cache
func.func @cache(%q: tensor<2x1x8xf32>, %past: tensor<2x?x8xf32>, %new: tensor<2x1x8xf32>) -> (tensor<2x1x8xf32>, tensor<2x?x8xf32>) {
  %k = graph.concat 1, %past, %new : (tensor<2x?x8xf32>, tensor<2x1x8xf32>) -> tensor<2x?x8xf32>
  %a = graph.attention %q, %k, %k {scale = 0.5 : f64} : (tensor<2x1x8xf32>, tensor<2x?x8xf32>, tensor<2x?x8xf32>) -> tensor<2x1x8xf32>
  return %a, %k : tensor<2x1x8xf32>, tensor<2x?x8xf32>
}

// Groups of heads share keys: the pieces are repeated instead.
// CHECK-LABEL: @cache_of_groups
// CHECK: graph.fusion copy
// CHECK: graph.fusion attention
// CHECK: graph.reshape {{.*}} : tensor<1x2x3x7x8xf32> -> tensor<1x6x7x8xf32>
// CHECK: graph.reshape {{.*}} : tensor<1x2x3x1x8xf32> -> tensor<1x6x1x8xf32>
// CHECK: graph.concat 2,
// CHECK: return
// SPELLED-LABEL: @cache_of_groups
func.func @cache_of_groups(%q: tensor<1x6x1x8xf32>, %past: tensor<1x2x7x8xf32>, %new: tensor<1x2x1x8xf32>) -> (tensor<1x6x1x8xf32>, tensor<1x2x8x8xf32>) {
  %k = graph.concat 2, %past, %new : (tensor<1x2x7x8xf32>, tensor<1x2x1x8xf32>) -> tensor<1x2x8x8xf32>
  %b = graph.broadcast %k [0, 1, 3, 4] : tensor<1x2x8x8xf32> -> tensor<1x2x3x8x8xf32>
  %h = graph.reshape %b : tensor<1x2x3x8x8xf32> -> tensor<1x6x8x8xf32>
  %a = graph.attention %q, %h, %h {scale = 0.5 : f64} : (tensor<1x6x1x8xf32>, tensor<1x6x8x8xf32>, tensor<1x6x8x8xf32>) -> tensor<1x6x1x8xf32>
  return %a, %k : tensor<1x6x1x8xf32>, tensor<1x2x8x8xf32>
}
