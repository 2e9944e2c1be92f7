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
