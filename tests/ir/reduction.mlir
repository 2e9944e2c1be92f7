// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text, generic and bytecode forms of the reduction family.
//
// RUN: zenith-opt %s | zenith-opt | FileCheck %s
// RUN: zenith-opt %s --mlir-print-op-generic | zenith-opt | FileCheck %s
// RUN: zenith-opt %s --emit-bytecode | zenith-opt | FileCheck %s

func.func @reduce(%x: tensor<2x3xf32>, %b: tensor<?xi1>) {
  // CHECK: graph.reduce sum, %{{.*}} [1] : tensor<2x3xf32> -> tensor<2xf32>
  %r0 = graph.reduce sum, %x [1] : tensor<2x3xf32> -> tensor<2xf32>
  // CHECK: graph.reduce prod, %{{.*}} [1] : tensor<2x3xf32> -> tensor<2xf32>
  %r1 = graph.reduce prod, %x [1] : tensor<2x3xf32> -> tensor<2xf32>
  // CHECK: graph.reduce max, %{{.*}} [1] : tensor<2x3xf32> -> tensor<2xf32>
  %r2 = graph.reduce max, %x [1] : tensor<2x3xf32> -> tensor<2xf32>
  // CHECK: graph.reduce min, %{{.*}} [1] : tensor<2x3xf32> -> tensor<2xf32>
  %r3 = graph.reduce min, %x [1] : tensor<2x3xf32> -> tensor<2xf32>
  // CHECK: graph.reduce all, %{{.*}} [0] : tensor<?xi1> -> tensor<i1>
  %s0 = graph.reduce all, %b [0] : tensor<?xi1> -> tensor<i1>
  // CHECK: graph.reduce any, %{{.*}} [0] : tensor<?xi1> -> tensor<i1>
  %s1 = graph.reduce any, %b [0] : tensor<?xi1> -> tensor<i1>
  // CHECK: graph.reduce parity, %{{.*}} [0] : tensor<?xi1> -> tensor<i1>
  %s2 = graph.reduce parity, %b [0] : tensor<?xi1> -> tensor<i1>
  // CHECK: graph.reduce sum, %{{.*}} [] : tensor<2x3xf32> -> tensor<2x3xf32>
  %t = graph.reduce sum, %x [] : tensor<2x3xf32> -> tensor<2x3xf32>
  return
}

func.func @arg_reduce(%x: tensor<2x3xf32>) {
  // CHECK: graph.arg_reduce max, %{{.*}} 1 : tensor<2x3xf32> -> tensor<2xi64>
  %r = graph.arg_reduce max, %x 1 : tensor<2x3xf32> -> tensor<2xi64>
  // CHECK: graph.arg_reduce min, %{{.*}} 0 last : tensor<2x3xf32> -> tensor<3xi32>
  %s = graph.arg_reduce min, %x 0 last : tensor<2x3xf32> -> tensor<3xi32>
  return
}

func.func @reduce_window(%x: tensor<3x8xf32>) {
  // CHECK: graph.reduce_window max, %{{.*}} window [1, 2] strides [1, 2] low [0, 0] high [0, 0] base_dilation [1, 1] dilation [1, 1] : tensor<3x8xf32> -> tensor<3x4xf32>
  %r = graph.reduce_window max, %x window [1, 2] strides [1, 2] low [0, 0] high [0, 0] base_dilation [1, 1] dilation [1, 1] : tensor<3x8xf32> -> tensor<3x4xf32>
  return
}

func.func @cumulative(%x: tensor<4xf32>) {
  // CHECK: graph.cumulative sum, %{{.*}} 0 : tensor<4xf32>
  %r = graph.cumulative sum, %x 0 : tensor<4xf32>
  // CHECK: graph.cumulative prod, %{{.*}} 0 exclusive reverse : tensor<4xf32>
  %s = graph.cumulative prod, %x 0 exclusive reverse : tensor<4xf32>
  // CHECK: graph.cumulative max, %{{.*}} 0 reverse : tensor<4xf32>
  %t = graph.cumulative max, %x 0 reverse : tensor<4xf32>
  return
}

func.func @reduce_with(%x: tensor<2x3xf32>, %y: tensor<2x3xi64>, %zero: tensor<f32>, %one: tensor<i64>) {
  // CHECK: graph.reduce_with(%{{.*}}, %{{.*}}), (%{{.*}}, %{{.*}}) [1] {
  %r:2 = graph.reduce_with (%x, %y), (%zero, %one) [1] {
  // CHECK-NEXT: ^bb0(%{{.*}}: tensor<f32>, %{{.*}}: tensor<i64>, %{{.*}}: tensor<f32>, %{{.*}}: tensor<i64>):
  ^bb0(%a: tensor<f32>, %b: tensor<i64>, %c: tensor<f32>, %d: tensor<i64>):
    // CHECK-NEXT: graph.sub %{{.*}}, %{{.*}} : tensor<f32>
    %s = graph.sub %a, %c : tensor<f32>
    // CHECK-NEXT: graph.yield %{{.*}}, %{{.*}} : tensor<f32>, tensor<i64>
    graph.yield %s, %d : tensor<f32>, tensor<i64>
  // CHECK-NEXT: } : (tensor<2x3xf32>, tensor<2x3xi64>, tensor<f32>, tensor<i64>) -> (tensor<2xf32>, tensor<2xi64>)
  } : (tensor<2x3xf32>, tensor<2x3xi64>, tensor<f32>, tensor<i64>) -> (tensor<2xf32>, tensor<2xi64>)
  return
}

func.func @reduce_window_with(%x: tensor<3x8xf32>, %zero: tensor<f32>) {
  // CHECK: graph.reduce_window_with(%{{.*}}), (%{{.*}}) window [1, 2] strides [1, 2] low [0, 0] high [0, 0] base_dilation [1, 1] dilation [1, 1] {
  %r = graph.reduce_window_with (%x), (%zero) window [1, 2] strides [1, 2] low [0, 0] high [0, 0] base_dilation [1, 1] dilation [1, 1] {
  // CHECK-NEXT: ^bb0(%{{.*}}: tensor<f32>, %{{.*}}: tensor<f32>):
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    // CHECK-NEXT: graph.sub %{{.*}}, %{{.*}} : tensor<f32>
    %s = graph.sub %a, %b : tensor<f32>
    // CHECK-NEXT: graph.yield %{{.*}} : tensor<f32>
    graph.yield %s : tensor<f32>
  // CHECK-NEXT: } : (tensor<3x8xf32>, tensor<f32>) -> tensor<3x4xf32>
  } : (tensor<3x8xf32>, tensor<f32>) -> tensor<3x4xf32>
  return
}
