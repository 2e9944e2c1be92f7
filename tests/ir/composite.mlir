// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text, generic and bytecode forms of the composite family.
//
// RUN: zenith-opt %s | zenith-opt | FileCheck %s
// RUN: zenith-opt %s --mlir-print-op-generic | zenith-opt | FileCheck %s
// RUN: zenith-opt %s --emit-bytecode | zenith-opt | FileCheck %s

func.func @softmax(%x: tensor<2x?xf32>, %y: tensor<2x3xf64>) {
  // CHECK: graph.softmax %{{.*}} [0] : tensor<2x3xf64>
  %s = graph.softmax %y [0] : tensor<2x3xf64>
  // CHECK: graph.softmax %{{.*}} [1] : tensor<2x?xf32>
  %r = graph.softmax %x [1] : tensor<2x?xf32>
  return
}

func.func @log_softmax(%x: tensor<2x?xf16>, %y: tensor<2x3xf64>) {
  // CHECK: graph.log_softmax %{{.*}} [0] : tensor<2x3xf64>
  %s = graph.log_softmax %y [0] : tensor<2x3xf64>
  // CHECK: graph.log_softmax %{{.*}} [0, 1] : tensor<2x?xf16>
  %r = graph.log_softmax %x [0, 1] : tensor<2x?xf16>
  return
}

func.func @layer_norm(%x: tensor<2x3xf32>, %s: tensor<3xf32>) {
  // CHECK: graph.layer_norm %{{.*}}, %{{.*}}, %{{.*}} {axis = 1 : i64, epsilon = 1.000000e-05 : f64} : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %r = graph.layer_norm %x, %s, %s {axis = 1 : i64, epsilon = 1.000000e-05 : f64} : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK: graph.layer_norm %{{.*}}, %{{.*}} {axis = 1 : i64, epsilon = 1.000000e-05 : f64} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %t = graph.layer_norm %x, %s {axis = 1 : i64, epsilon = 1.000000e-05 : f64} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK: graph.layer_norm %{{.*}} {axis = 0 : i64, epsilon = 1.000000e-05 : f64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %u = graph.layer_norm %x {axis = 0 : i64, epsilon = 1.000000e-05 : f64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

func.func @rms_norm(%x: tensor<2x3xf32>, %s: tensor<3xf32>) {
  // CHECK: graph.rms_norm %{{.*}}, %{{.*}} {axis = 1 : i64, epsilon = 1.000000e-05 : f64} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %r = graph.rms_norm %x, %s {axis = 1 : i64, epsilon = 1.000000e-05 : f64} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK: graph.rms_norm %{{.*}} {axis = 1 : i64, epsilon = 1.000000e-05 : f64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %u = graph.rms_norm %x {axis = 1 : i64, epsilon = 1.000000e-05 : f64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

func.func @batch_norm(%x: tensor<2x3xf32>, %s: tensor<3xf32>) {
  // CHECK: graph.batch_norm %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {dim = 1 : i64, epsilon = 1.000000e-05 : f64} : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %r = graph.batch_norm %x, %s, %s, %s, %s {dim = 1 : i64, epsilon = 1.000000e-05 : f64} : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return
}

func.func @gelu(%x: tensor<4xf32>) {
  // CHECK: graph.gelu erf, %{{.*}} : tensor<4xf32>
  %r = graph.gelu erf, %x : tensor<4xf32>
  // CHECK: graph.gelu tanh, %{{.*}} : tensor<4xf32>
  %s = graph.gelu tanh, %x : tensor<4xf32>
  return
}

func.func @attention(%q: tensor<2x4x8xf32>, %k: tensor<2x?x8xf32>, %m: tensor<2x4x?xf32>, %b: tensor<2x4x?xi1>, %l: tensor<2x6x8xf32>) {
  // CHECK: graph.attention %{{.*}}, %{{.*}}, %{{.*}} {scale = 1.250000e-01 : f64} : (tensor<2x4x8xf32>, tensor<2x6x8xf32>, tensor<2x6x8xf32>) -> tensor<2x4x8xf32>
  %t = graph.attention %q, %l, %l {scale = 1.250000e-01 : f64} : (tensor<2x4x8xf32>, tensor<2x6x8xf32>, tensor<2x6x8xf32>) -> tensor<2x4x8xf32>
  // CHECK: graph.attention %{{.*}}, %{{.*}}, %{{.*}} {scale = 1.250000e-01 : f64} : (tensor<2x4x8xf32>, tensor<2x?x8xf32>, tensor<2x?x8xf32>) -> tensor<2x4x8xf32>
  %r = graph.attention %q, %k, %k {scale = 1.250000e-01 : f64} : (tensor<2x4x8xf32>, tensor<2x?x8xf32>, tensor<2x?x8xf32>) -> tensor<2x4x8xf32>
  // CHECK: graph.attention %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {causal, scale = 1.250000e-01 : f64} : (tensor<2x4x8xf32>, tensor<2x?x8xf32>, tensor<2x?x8xf32>, tensor<2x4x?xf32>) -> tensor<2x4x8xf32>
  %s = graph.attention %q, %k, %k, %m {causal, scale = 1.250000e-01 : f64} : (tensor<2x4x8xf32>, tensor<2x?x8xf32>, tensor<2x?x8xf32>, tensor<2x4x?xf32>) -> tensor<2x4x8xf32>
  // CHECK: graph.attention %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {guarded, removed = -1.000000e+09 : f64, scale = 1.250000e-01 : f64} : (tensor<2x4x8xf32>, tensor<2x?x8xf32>, tensor<2x?x8xf32>, tensor<2x4x?xi1>) -> tensor<2x4x8xf32>
  %u = graph.attention %q, %k, %k, %b {guarded, removed = -1.0e9 : f64, scale = 1.250000e-01 : f64} : (tensor<2x4x8xf32>, tensor<2x?x8xf32>, tensor<2x?x8xf32>, tensor<2x4x?xi1>) -> tensor<2x4x8xf32>
  return
}
