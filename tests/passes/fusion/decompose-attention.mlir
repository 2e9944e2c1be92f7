// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention that no kernel computes whole becomes core ops.
//
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-decompose-attention))' | FileCheck %s
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-decompose-attention{all=true}))' | FileCheck %s --check-prefix=ALL
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-decompose-attention{explain=true}))' -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK-NOT: FUS204
// REMARK: decompose-attention.mlir:{{.*}}: remark: fusion: FUS204: no attention: its features are too many, or known only when it runs
// REMARK-NOT: FUS204

// A target with the kernel keeps it.
// CHECK-LABEL: @heads
// CHECK: graph.attention
// ALL-LABEL: @heads
// ALL-NOT: graph.attention
// ALL: graph.dot_general
// ALL: graph.dot_general
// ALL: return
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

// A task keeps a query on its stack, so head sizes must be static.
// CHECK-LABEL: @dynamic_head_size
// CHECK-NOT: graph.attention
// CHECK: graph.dot_general
// CHECK: graph.dot_general
// CHECK: return
// ALL-LABEL: @dynamic_head_size
func.func @dynamic_head_size(%q: tensor<2x5x?xf32> {graph.dims = ["2", "5", "d"]}, %k: tensor<2x7x?xf32> {graph.dims = ["2", "7", "d"]}) -> tensor<2x5x?xf32> {
  %a = graph.attention %q, %k, %k {scale = 0.5 : f64} : (tensor<2x5x?xf32>, tensor<2x7x?xf32>, tensor<2x7x?xf32>) -> tensor<2x5x?xf32>
  return %a : tensor<2x5x?xf32>
}
