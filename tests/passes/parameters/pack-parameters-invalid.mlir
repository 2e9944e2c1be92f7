// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A panel has columns; depths lie alone, in pairs or in fours.
//
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-pack-parameters{panel=-1}))' --verify-diagnostics

// expected-error @below {{panel: got -1, expected at least 1}}
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
