// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls that cannot be inlined.
//
// RUN: zenith-opt %s --zenith-inline-calls --split-input-file --verify-diagnostics

func.func private @elsewhere(tensor<4xf32>) -> tensor<4xf32>
func.func @without_a_body(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@below {{'func.call' op @elsewhere has no body}}
  %y = func.call @elsewhere(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @first(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = func.call @second(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
func.func @second(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@below {{'func.call' op @first calls itself, which no compiled program can}}
  %y = func.call @first(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
