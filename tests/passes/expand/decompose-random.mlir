// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random bits as arithmetic. That the bits are right is in the meaning test.
//
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-decompose-random))' | FileCheck %s -enable-var-scope

// CHECK-LABEL: @threefry
// CHECK-NOT: graph.random_bits
// CHECK: graph.xor
// CHECK: return
func.func @threefry(%s: tensor<2xui64>) -> (tensor<2xui64>, tensor<3x5xui32>, tensor<ui32>, tensor<5x2xui8>, tensor<3xi64>, tensor<0x3xui16>) {
  %n0, %a = graph.random_bits threefry, %s : tensor<2xui64> -> tensor<2xui64>, tensor<3x5xui32>
  %n1, %b = graph.random_bits threefry, %n0 : tensor<2xui64> -> tensor<2xui64>, tensor<ui32>
  %n2, %c = graph.random_bits threefry, %n1 : tensor<2xui64> -> tensor<2xui64>, tensor<5x2xui8>
  %n3, %d = graph.random_bits threefry, %n2 : tensor<2xui64> -> tensor<2xui64>, tensor<3xi64>
  %n4, %e = graph.random_bits threefry, %n3 : tensor<2xui64> -> tensor<2xui64>, tensor<0x3xui16>
  return %n4, %a, %b, %c, %d, %e : tensor<2xui64>, tensor<3x5xui32>, tensor<ui32>, tensor<5x2xui8>, tensor<3xi64>, tensor<0x3xui16>
}

// CHECK-LABEL: @philox
// CHECK-NOT: graph.random_bits
// CHECK: graph.mul {{.*}} : tensor<4xui64>
// CHECK: return
func.func @philox(%s: tensor<2xui64>) -> (tensor<2xui64>, tensor<3x5xui32>, tensor<ui32>, tensor<3xi64>) {
  %n0, %a = graph.random_bits philox, %s : tensor<2xui64> -> tensor<2xui64>, tensor<3x5xui32>
  %n1, %b = graph.random_bits philox, %n0 : tensor<2xui64> -> tensor<2xui64>, tensor<ui32>
  %n2, %c = graph.random_bits philox, %n1 : tensor<2xui64> -> tensor<2xui64>, tensor<3xi64>
  return %n2, %a, %b, %c : tensor<2xui64>, tensor<3x5xui32>, tensor<ui32>, tensor<3xi64>
}

// CHECK-LABEL: @philox_with_a_wide_counter_that_wraps
// CHECK-NOT: graph.random_bits
// CHECK: return
func.func @philox_with_a_wide_counter_that_wraps() -> (tensor<3xui64>, tensor<9xi16>) {
  %s = graph.constant dense<[5, 18446744073709551614, 7]> : tensor<3xui64>
  %n, %a = graph.random_bits philox, %s : tensor<3xui64> -> tensor<3xui64>, tensor<9xi16>
  return %n, %a : tensor<3xui64>, tensor<9xi16>
}
