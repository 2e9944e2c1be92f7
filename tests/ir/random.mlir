// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text, generic and bytecode forms of the random family.
//
// RUN: zenith-opt %s | zenith-opt | FileCheck %s
// RUN: zenith-opt %s --mlir-print-op-generic | zenith-opt | FileCheck %s
// RUN: zenith-opt %s --emit-bytecode | zenith-opt | FileCheck %s

func.func @random_bits(%s: tensor<2xui64>, %t: tensor<3xui64>) {
  // CHECK: graph.random_bits threefry, %{{.*}} : tensor<2xui64> -> tensor<2xui64>, tensor<4x8xui32>
  %a:2 = graph.random_bits threefry, %s : tensor<2xui64> -> tensor<2xui64>, tensor<4x8xui32>
  // CHECK: graph.random_bits philox, %{{.*}} : tensor<2xui64> -> tensor<2xui64>, tensor<5xui8>
  %b:2 = graph.random_bits philox, %s : tensor<2xui64> -> tensor<2xui64>, tensor<5xui8>
  // CHECK: graph.random_bits philox, %{{.*}} : tensor<3xui64> -> tensor<3xui64>, tensor<0xi64>
  %c:2 = graph.random_bits philox, %t : tensor<3xui64> -> tensor<3xui64>, tensor<0xi64>
  return
}

func.func @keys(%k: tensor<2xui32>, %p: tensor<4xui32>, %i: tensor<i64>) {
  // CHECK: graph.split_key %{{.*}} : tensor<2xui32> -> tensor<3x2xui32>
  %a = graph.split_key %k : tensor<2xui32> -> tensor<3x2xui32>
  // CHECK: graph.split_key %{{.*}} : tensor<4xui32> -> tensor<0x4xui32>
  %b = graph.split_key %p : tensor<4xui32> -> tensor<0x4xui32>
  // CHECK: graph.fold_in %{{.*}}, %{{.*}} : tensor<2xui32>, tensor<i64>
  %c = graph.fold_in %k, %i : tensor<2xui32>, tensor<i64>
  return
}

func.func @samples(%k: tensor<2xui32>, %p: tensor<4xui32>, %n: tensor<i64>) {
  // CHECK: graph.random_uniform %{{.*}} : tensor<2xui32> -> tensor<3xf32>
  %a = graph.random_uniform %k : tensor<2xui32> -> tensor<3xf32>
  // CHECK: graph.random_uniform %{{.*}} [%{{.*}}] {low = -1.000000e+00 : f64} : tensor<4xui32> -> tensor<?x3xf64>
  %b = graph.random_uniform %p [%n] {low = -1.0 : f64} : tensor<4xui32> -> tensor<?x3xf64>
  // CHECK: graph.random_normal %{{.*}} : tensor<2xui32> -> tensor<bf16>
  %c = graph.random_normal %k : tensor<2xui32> -> tensor<bf16>
  // CHECK: graph.random_truncated_normal %{{.*}} {lower = -2.000000e+00 : f64, upper = 2.000000e+00 : f64} : tensor<2xui32> -> tensor<4xf16>
  %d = graph.random_truncated_normal %k {lower = -2.0 : f64, upper = 2.0 : f64} : tensor<2xui32> -> tensor<4xf16>
  // CHECK: graph.random_bernoulli %{{.*}} [%{{.*}}] {probability = 2.500000e-01 : f64} : tensor<2xui32> -> tensor<?xi1>
  %e = graph.random_bernoulli %k [%n] {probability = 0.25 : f64} : tensor<2xui32> -> tensor<?xi1>
  return
}

func.func @draws(%k: tensor<2xui32>, %x: tensor<4x?xf32>) {
  // CHECK: graph.random_permutation %{{.*}} : tensor<2xui32> -> tensor<10xi32>
  %a = graph.random_permutation %k : tensor<2xui32> -> tensor<10xi32>
  // CHECK: graph.random_categorical %{{.*}}, %{{.*}} {axis = 1 : i64} : (tensor<2xui32>, tensor<4x?xf32>) -> tensor<4xi32>
  %b = graph.random_categorical %k, %x {axis = 1 : i64} : (tensor<2xui32>, tensor<4x?xf32>) -> tensor<4xi32>
  // CHECK: graph.dropout %{{.*}}, %{{.*}} {rate = 1.000000e-01 : f64} : tensor<4x?xf32>, tensor<2xui32>
  %c = graph.dropout %x, %k {rate = 0.1 : f64} : tensor<4x?xf32>, tensor<2xui32>
  return
}
