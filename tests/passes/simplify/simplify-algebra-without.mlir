// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Groups of rewrites can be left out; an unknown group is refused.
//
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-simplify-algebra{without=algebra}))' | FileCheck %s --check-prefix=MOVEMENT
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-simplify-algebra{without=movement,padding}))' | FileCheck %s --check-prefix=ALGEBRA
// RUN: not zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-simplify-algebra{without=sizes}))' 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// MOVEMENT: graph.pow
// MOVEMENT: graph.reshape
// MOVEMENT-NOT: graph.transpose
// ALGEBRA: graph.mul
// ALGEBRA: graph.transpose
// UNKNOWN: without: got sizes, expected algebra, movement, outer-products, padding or quantization
func.func @main(%x: tensor<1x4xf32>) -> tensor<4x1xf32> {
  %two = graph.constant dense<2.0> : tensor<1x4xf32>
  %s = graph.pow %x, %two : tensor<1x4xf32>
  %r = graph.transpose %s [1, 0] : tensor<1x4xf32> -> tensor<4x1xf32>
  return %r : tensor<4x1xf32>
}
