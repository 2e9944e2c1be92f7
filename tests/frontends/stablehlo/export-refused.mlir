// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What StableHLO has no words for is refused by name.
//
// RUN: not zenith-translate %s --to-format=stablehlo -o - 2>&1 | FileCheck %s
// RUN: %python %S/../../tools/Inputs/exit_code.py 3 zenith-translate %s --to-format=stablehlo -o %t

// CHECK: op 'graph.unique' cannot be written as StableHLO
func.func @main(%x: tensor<8xi64>) -> tensor<8xi64> {
  %r, %f, %i, %c = graph.unique %x : tensor<8xi64> -> tensor<?xi64>, tensor<?xi64>, tensor<8xi64>, tensor<?xi64>
  return %i : tensor<8xi64>
}
