// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops without a fusion rule are refused by name.
//
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-form-fusions))' --verify-diagnostics -o /dev/null

func.func @random_bits(%s: tensor<2xui64>) -> tensor<4xui32> {
  // expected-error @below {{fusion: no fusion rule for 'graph.random_bits'}}
  %t, %r = graph.random_bits threefry, %s : tensor<2xui64> -> tensor<2xui64>, tensor<4xui32>
  return %r : tensor<4xui32>
}
