// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A panel has columns; K values lie alone, in pairs or in fours. Every packing pass says so.
//
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-pack-matmuls{panel=-1}))' --verify-diagnostics
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-pack-batched-matmuls{panel=-1}))' --verify-diagnostics
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-pack-filters{panel=-1}))' --verify-diagnostics
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-pack-few-outputs{panel=-1}))' --verify-diagnostics
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-pack-groups{panel=-1}))' --verify-diagnostics
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-pack-tables{panel=-1}))' --verify-diagnostics
// RUN: not zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-pack-filters{group=3}))' 2>&1 | FileCheck %s

// CHECK: error: group: got 3, expected 1, 2 or 4
// expected-error @below {{panel: got -1, expected at least 1}}
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
