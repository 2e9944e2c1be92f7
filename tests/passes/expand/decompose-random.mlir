// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random numbers as arithmetic. That they are right is in the meaning test.
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

// CHECK-LABEL: @keys
// CHECK-NOT: graph.{{split_key|fold_in}}
// CHECK: return
func.func @keys(%k: tensor<2xui32>, %p: tensor<4xui32>, %i: tensor<i64>) -> (tensor<3x2xui32>, tensor<3x4xui32>, tensor<2xui32>, tensor<4xui32>) {
  %a = graph.split_key %k : tensor<2xui32> -> tensor<3x2xui32>
  %b = graph.split_key %p : tensor<4xui32> -> tensor<3x4xui32>
  %c = graph.fold_in %k, %i : tensor<2xui32>, tensor<i64>
  %d = graph.fold_in %p, %i : tensor<4xui32>, tensor<i64>
  return %a, %b, %c, %d : tensor<3x2xui32>, tensor<3x4xui32>, tensor<2xui32>, tensor<4xui32>
}

// CHECK-LABEL: @floats
// CHECK-NOT: graph.random
// CHECK: return
func.func @floats(%k: tensor<2xui32>, %p: tensor<4xui32>) -> (tensor<3x5xf32>, tensor<7xf64>, tensor<6xf16>, tensor<6xbf16>, tensor<9xf32>, tensor<5xf64>, tensor<8xf32>, tensor<8xf32>) {
  %a = graph.random_uniform %k {low = -2.5 : f64, high = 3.25 : f64} : tensor<2xui32> -> tensor<3x5xf32>
  %b = graph.random_uniform %p : tensor<4xui32> -> tensor<7xf64>
  %c = graph.random_uniform %k {low = -1.0 : f64} : tensor<2xui32> -> tensor<6xf16>
  %d = graph.random_uniform %p {low = -1.0 : f64} : tensor<4xui32> -> tensor<6xbf16>
  %e = graph.random_normal %k : tensor<2xui32> -> tensor<9xf32>
  %f = graph.random_normal %p : tensor<4xui32> -> tensor<5xf64>
  %g = graph.random_truncated_normal %k {lower = -2.0 : f64, upper = 0.5 : f64} : tensor<2xui32> -> tensor<8xf32>
  %h = graph.random_truncated_normal %p {lower = 0xFFF0000000000000 : f64, upper = 0.5 : f64} : tensor<4xui32> -> tensor<8xf32>
  return %a, %b, %c, %d, %e, %f, %g, %h : tensor<3x5xf32>, tensor<7xf64>, tensor<6xf16>, tensor<6xbf16>, tensor<9xf32>, tensor<5xf64>, tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: @draws
// CHECK-NOT: graph.{{random|dropout}}
// CHECK: return
func.func @draws(%k: tensor<2xui32>, %p: tensor<4xui32>, %x: tensor<4x3xf32>) -> (tensor<6xi1>, tensor<10xi32>, tensor<1x3xi32>, tensor<4xi64>, tensor<4x3xf32>) {
  %a = graph.random_bernoulli %p {probability = 0.3 : f64} : tensor<4xui32> -> tensor<6xi1>
  %b = graph.random_permutation %k : tensor<2xui32> -> tensor<10xi32>
  %m = graph.random_permutation %p : tensor<4xui32> -> tensor<2000xi32>
  %c = graph.slice %m [0] [3] [1] : tensor<2000xi32> -> tensor<3xi32>
  %d = graph.reshape %c : tensor<3xi32> -> tensor<1x3xi32>
  %e = graph.random_categorical %k, %x {axis = 1 : i64} : (tensor<2xui32>, tensor<4x3xf32>) -> tensor<4xi64>
  %f = graph.dropout %x, %k {rate = 0.4 : f64} : tensor<4x3xf32>, tensor<2xui32>
  return %a, %b, %d, %e, %f : tensor<6xi1>, tensor<10xi32>, tensor<1x3xi32>, tensor<4xi64>, tensor<4x3xf32>
}

// CHECK-LABEL: @dynamic_sizes
// CHECK-NOT: graph.{{random|dropout}}
// CHECK: return
func.func @dynamic_sizes(%k: tensor<2xui32>, %p: tensor<4xui32>, %x: tensor<?x3xf32> {graph.dims = ["n", "3"]}) -> (tensor<?x2xf32>, tensor<?xf64>, tensor<?x3xf32>) {
  %n = graph.dim %x, 0 : tensor<?x3xf32>
  %a = graph.random_uniform %k [%n] : tensor<2xui32> -> tensor<?x2xf32>
  %b = graph.random_uniform %p [%n] : tensor<4xui32> -> tensor<?xf64>
  %c = graph.dropout %x, %p {rate = 0.4 : f64} : tensor<?x3xf32>, tensor<4xui32>
  return %a, %b, %c : tensor<?x2xf32>, tensor<?xf64>, tensor<?x3xf32>
}
