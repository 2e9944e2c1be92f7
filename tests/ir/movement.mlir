// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text, generic and bytecode forms of the movement family.
//
// RUN: zenith-opt %s | zenith-opt | FileCheck %s
// RUN: zenith-opt %s --mlir-print-op-generic | zenith-opt | FileCheck %s
// RUN: zenith-opt %s --emit-bytecode | zenith-opt | FileCheck %s

func.func @constant() {
  // CHECK: graph.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
  %c = graph.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
  // CHECK: graph.constant {note = 1 : i64} dense<3> : tensor<ui8>
  %d = graph.constant {note = 1 : i64} dense<3> : tensor<ui8>
  // CHECK: graph.constant dense<true> : tensor<2xi1>
  %e = graph.constant dense<true> : tensor<2xi1>
  // CHECK: graph.constant dense<> : tensor<0x3xf32>
  %z = graph.constant dense<> : tensor<0x3xf32>
  // CHECK: graph.constant dense<(1.000000e+00,2.000000e+00)> : tensor<complex<f32>>
  %w = graph.constant dense<(1.000000e+00,2.000000e+00)> : tensor<complex<f32>>
  return
}

func.func @dim(%x: tensor<?x4xf32>, %y: tensor<2x3xi1>) {
  // CHECK: graph.dim %{{.*}}, 1 : tensor<2x3xi1>
  %m = graph.dim %y, 1 : tensor<2x3xi1>
  // CHECK: graph.dim %{{.*}}, 0 : tensor<?x4xf32>
  %n = graph.dim %x, 0 : tensor<?x4xf32>
  return
}

func.func @iota(%n: tensor<i64>) {
  // CHECK: graph.iota 1 [%{{.*}}] : tensor<?x4xi64>
  %i = graph.iota 1 [%n] : tensor<?x4xi64>
  // CHECK: graph.iota 0 : tensor<4xf32>
  %j = graph.iota 0 : tensor<4xf32>
  return
}

func.func @broadcast(%x: tensor<4xf32>, %s: tensor<f32>, %n: tensor<i64>) {
  // CHECK: graph.broadcast %{{.*}} [1] [%{{.*}}] : tensor<4xf32> -> tensor<?x4xf32>
  %r = graph.broadcast %x [1] [%n] : tensor<4xf32> -> tensor<?x4xf32>
  // CHECK: graph.broadcast %{{.*}} [] : tensor<f32> -> tensor<2x3xf32>
  %t = graph.broadcast %s [] : tensor<f32> -> tensor<2x3xf32>
  // CHECK: graph.broadcast %{{.*}} [] [%{{.*}}, %{{.*}}] : tensor<f32> -> tensor<?x?xf32>
  %u = graph.broadcast %s [] [%n, %n] : tensor<f32> -> tensor<?x?xf32>
  return
}

func.func @expand(%x: tensor<?x1x4xf32>, %n: tensor<i64>) {
  // CHECK: graph.expand %{{.*}} [%{{.*}}, %{{.*}}] : tensor<?x1x4xf32> -> tensor<?x?x4xf32>
  %r = graph.expand %x [%n, %n] : tensor<?x1x4xf32> -> tensor<?x?x4xf32>
  // CHECK: graph.expand %{{.*}} : tensor<?x1x4xf32> -> tensor<2x3x4xf32>
  %s = graph.expand %x : tensor<?x1x4xf32> -> tensor<2x3x4xf32>
  return
}

func.func @reshape(%x: tensor<?x2x6xf32>, %y: tensor<4xf32>, %n: tensor<i64>) {
  // CHECK: graph.reshape %{{.*}} [%{{.*}}] : tensor<?x2x6xf32> -> tensor<?x12xf32>
  %r = graph.reshape %x [%n] : tensor<?x2x6xf32> -> tensor<?x12xf32>
  // CHECK: graph.reshape %{{.*}} : tensor<4xf32> -> tensor<2x1x2xf32>
  %s = graph.reshape %y : tensor<4xf32> -> tensor<2x1x2xf32>
  return
}

func.func @transpose(%x: tensor<2x?xf32>, %s: tensor<f32>) {
  // CHECK: graph.transpose %{{.*}} [1, 0] : tensor<2x?xf32> -> tensor<?x2xf32>
  %r = graph.transpose %x [1, 0] : tensor<2x?xf32> -> tensor<?x2xf32>
  // CHECK: graph.transpose %{{.*}} [] : tensor<f32> -> tensor<f32>
  %t = graph.transpose %s [] : tensor<f32> -> tensor<f32>
  return
}

func.func @slice(%x: tensor<?x8xf32>, %n: tensor<i64>, %s: tensor<f32>) {
  // CHECK: graph.slice %{{.*}} [0, 2] [%{{.*}}, 4] [1, 1] : tensor<?x8xf32> -> tensor<?x4xf32>
  %r = graph.slice %x [0, 2] [%n, 4] [1, 1] : tensor<?x8xf32> -> tensor<?x4xf32>
  // CHECK: graph.slice %{{.*}} [%{{.*}}, 0] [2, 4] [1, 2] : tensor<?x8xf32> -> tensor<2x4xf32>
  %t = graph.slice %x [%n, 0] [2, 4] [1, 2] : tensor<?x8xf32> -> tensor<2x4xf32>
  // CHECK: graph.slice %{{.*}} [] [] [] : tensor<f32> -> tensor<f32>
  %u = graph.slice %s [] [] [] : tensor<f32> -> tensor<f32>
  return
}

func.func @pad(%x: tensor<2x3xf32>, %v: tensor<f32>, %n: tensor<i64>) {
  // CHECK: graph.pad %{{.*}}, %{{.*}} [0, 1] [0, 1] [0, 0] : tensor<2x3xf32>, tensor<f32> -> tensor<2x5xf32>
  %r = graph.pad %x, %v [0, 1] [0, 1] [0, 0] : tensor<2x3xf32>, tensor<f32> -> tensor<2x5xf32>
  // CHECK: graph.pad %{{.*}}, %{{.*}} [-1, %{{.*}}] [0, %{{.*}}] [0, 2] : tensor<2x3xf32>, tensor<f32> -> tensor<1x?xf32>
  %s = graph.pad %x, %v [-1, %n] [0, %n] [0, 2] : tensor<2x3xf32>, tensor<f32> -> tensor<1x?xf32>
  return
}

func.func @concat(%x: tensor<2x3xf32>, %y: tensor<?x3xf32>) {
  // CHECK: graph.concat 0, %{{.*}}, %{{.*}} : (tensor<2x3xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>
  %r = graph.concat 0, %x, %y : (tensor<2x3xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>
  // CHECK: graph.concat 1, %{{.*}} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %s = graph.concat 1, %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

func.func @reverse(%x: tensor<4x?xf32>, %y: tensor<2x3xui8>) {
  // CHECK: graph.reverse %{{.*}} [0, 1] : tensor<2x3xui8>
  %s = graph.reverse %y [0, 1] : tensor<2x3xui8>
  // CHECK: graph.reverse %{{.*}} [0] : tensor<4x?xf32>
  %r = graph.reverse %x [0] : tensor<4x?xf32>
  return
}
