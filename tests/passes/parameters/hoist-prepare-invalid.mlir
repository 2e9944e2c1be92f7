// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The name of the function that the pass makes must be free.
//
// RUN: zenith-opt %s --pass-pipeline='builtin.module(zenith-hoist-prepare)' --verify-diagnostics

// expected-error @below {{@prepare: got a symbol of that name, expected that the pass makes it}}
func.func @prepare(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
