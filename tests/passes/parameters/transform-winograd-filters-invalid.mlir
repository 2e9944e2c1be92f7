// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A panel has columns, a vector lanes.
//
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-transform-winograd-filters{panel=-1}))' --verify-diagnostics
// RUN: not zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-transform-winograd-filters{lanes=-1}))' 2>&1 | FileCheck %s

// CHECK: error: lanes: got -1, expected at least 1

// expected-error @below {{panel: got -1, expected at least 1}}
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
