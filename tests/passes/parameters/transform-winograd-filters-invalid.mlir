// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A panel has columns, a vector lanes.
//
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-transform-winograd-filters{panel=0}))' --verify-diagnostics
// RUN: not zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-transform-winograd-filters{lanes=0}))' 2>&1 | FileCheck %s

// CHECK: error: lanes: got 0, expected at least 1

// expected-error @below {{panel: got 0, expected at least 1}}
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
