// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text, generic and bytecode forms of the ordering family.
//
// RUN: zenith-opt %s | zenith-opt | FileCheck %s
// RUN: zenith-opt %s --mlir-print-op-generic | zenith-opt | FileCheck %s
// RUN: zenith-opt %s --emit-bytecode | zenith-opt | FileCheck %s

func.func @sort(%x: tensor<8xf32>, %i: tensor<8xi64>, %y: tensor<?x4xui8>) {
  // CHECK: graph.sort %{{.*}}, %{{.*}} 0 keys 1 : (tensor<8xf32>, tensor<8xi64>) -> (tensor<8xf32>, tensor<8xi64>)
  %a:2 = graph.sort %x, %i 0 keys 1 : (tensor<8xf32>, tensor<8xi64>) -> (tensor<8xf32>, tensor<8xi64>)
  // CHECK: graph.sort %{{.*}}, %{{.*}} 0 keys 2 descending : (tensor<8xi64>, tensor<8xf32>) -> (tensor<8xi64>, tensor<8xf32>)
  %b:2 = graph.sort %i, %x 0 keys 2 descending : (tensor<8xi64>, tensor<8xf32>) -> (tensor<8xi64>, tensor<8xf32>)
  // CHECK: graph.sort %{{.*}} 1 keys 1 : (tensor<?x4xui8>) -> tensor<?x4xui8>
  %c = graph.sort %y 1 keys 1 : (tensor<?x4xui8>) -> tensor<?x4xui8>
  return
}

func.func @sort_with(%x: tensor<8xf32>, %i: tensor<8xi64>) {
  // CHECK: graph.sort_with %{{.*}}, %{{.*}} 0 {
  %a:2 = graph.sort_with %x, %i 0 {
  // CHECK-NEXT: ^bb0(%{{.*}}: tensor<f32>, %{{.*}}: tensor<f32>, %{{.*}}: tensor<i64>, %{{.*}}: tensor<i64>):
  ^bb0(%l: tensor<f32>, %r: tensor<f32>, %m: tensor<i64>, %n: tensor<i64>):
    // CHECK-NEXT: graph.compare gt, %{{.*}}, %{{.*}} : tensor<f32> -> tensor<i1>
    %c = graph.compare gt, %l, %r : tensor<f32> -> tensor<i1>
    // CHECK-NEXT: graph.yield %{{.*}} : tensor<i1>
    graph.yield %c : tensor<i1>
  // CHECK-NEXT: } : (tensor<8xf32>, tensor<8xi64>) -> (tensor<8xf32>, tensor<8xi64>)
  } : (tensor<8xf32>, tensor<8xi64>) -> (tensor<8xf32>, tensor<8xi64>)
  return
}

func.func @top_k(%x: tensor<2x8xf32>, %y: tensor<?xi32>, %k: tensor<i64>) {
  // CHECK: graph.top_k %{{.*}} 1 : (tensor<2x8xf32>) -> (tensor<2x3xf32>, tensor<2x3xi64>)
  %a:2 = graph.top_k %x 1 : (tensor<2x8xf32>) -> (tensor<2x3xf32>, tensor<2x3xi64>)
  // CHECK: graph.top_k %{{.*}}, %{{.*}} 0 smallest : (tensor<?xi32>, tensor<i64>) -> (tensor<?xi32>, tensor<?xi64>)
  %b:2 = graph.top_k %y, %k 0 smallest : (tensor<?xi32>, tensor<i64>) -> (tensor<?xi32>, tensor<?xi64>)
  return
}

func.func @unique(%x: tensor<8x3xui8>, %y: tensor<?xf32>) {
  // CHECK: graph.unique %{{.*}} : tensor<8x3xui8> -> tensor<?x3xui8>, tensor<?xi64>, tensor<8xi64>, tensor<?xi64>
  %a:4 = graph.unique %x : tensor<8x3xui8> -> tensor<?x3xui8>, tensor<?xi64>, tensor<8xi64>, tensor<?xi64>
  // CHECK: graph.unique %{{.*}} sorted : tensor<?xf32> -> tensor<?xf32>, tensor<?xi64>, tensor<?xi64>, tensor<?xi64>
  %b:4 = graph.unique %y sorted : tensor<?xf32> -> tensor<?xf32>, tensor<?xi64>, tensor<?xi64>, tensor<?xi64>
  return
}

func.func @compact(%m: tensor<8xi1>, %x: tensor<8x2xf32>, %y: tensor<8xi64>) {
  // CHECK: graph.compact %{{.*}}, %{{.*}} : (tensor<8xi1>, tensor<8x2xf32>) -> tensor<?x2xf32>
  %a = graph.compact %m, %x : (tensor<8xi1>, tensor<8x2xf32>) -> tensor<?x2xf32>
  // CHECK: graph.compact %{{.*}}, %{{.*}}, %{{.*}} : (tensor<8xi1>, tensor<8x2xf32>, tensor<8xi64>) -> (tensor<?x2xf32>, tensor<?xi64>)
  %b:2 = graph.compact %m, %x, %y : (tensor<8xi1>, tensor<8x2xf32>, tensor<8xi64>) -> (tensor<?x2xf32>, tensor<?xi64>)
  return
}

func.func @searchsorted(%x: tensor<8xi64>, %q: tensor<3xi64>, %r: tensor<2x?xi64>) {
  // CHECK: graph.searchsorted %{{.*}}, %{{.*}} : (tensor<8xi64>, tensor<3xi64>) -> tensor<3xi64>
  %a = graph.searchsorted %x, %q : (tensor<8xi64>, tensor<3xi64>) -> tensor<3xi64>
  // CHECK: graph.searchsorted %{{.*}}, %{{.*}} right : (tensor<8xi64>, tensor<2x?xi64>) -> tensor<2x?xi64>
  %b = graph.searchsorted %x, %r right : (tensor<8xi64>, tensor<2x?xi64>) -> tensor<2x?xi64>
  return
}

func.func @is_in(%x: tensor<8x3xui8>, %s: tensor<5x3xui8>) {
  // CHECK: graph.is_in %{{.*}}, %{{.*}} : (tensor<8x3xui8>, tensor<5x3xui8>) -> tensor<8xi1>
  %m = graph.is_in %x, %s : (tensor<8x3xui8>, tensor<5x3xui8>) -> tensor<8xi1>
  return
}

func.func @non_max_suppression(%b: tensor<1x6x4xf32>, %s: tensor<1x2x6xf32>, %n: tensor<i64>, %t: tensor<f32>) {
  // CHECK: graph.non_max_suppression %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : (tensor<1x6x4xf32>, tensor<1x2x6xf32>, tensor<i64>, tensor<f32>) -> tensor<?x3xi64>
  %a = graph.non_max_suppression %b, %s, %n, %t : (tensor<1x6x4xf32>, tensor<1x2x6xf32>, tensor<i64>, tensor<f32>) -> tensor<?x3xi64>
  // CHECK: graph.non_max_suppression %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} center : (tensor<1x6x4xf32>, tensor<1x2x6xf32>, tensor<i64>, tensor<f32>, tensor<f32>) -> tensor<?x3xi64>
  %c = graph.non_max_suppression %b, %s, %n, %t, %t center : (tensor<1x6x4xf32>, tensor<1x2x6xf32>, tensor<i64>, tensor<f32>, tensor<f32>) -> tensor<?x3xi64>
  return
}

func.func @hash(%x: tensor<?x3xi64>, %y: tensor<8x3xui8>) {
  // CHECK: graph.hash matrix, %{{.*}} seed 7 : tensor<?x3xi64> -> tensor<?x2xi64>
  %h = graph.hash matrix, %x seed 7 : tensor<?x3xi64> -> tensor<?x2xi64>
  // CHECK: graph.hash poly32, %{{.*}} : tensor<8x3xui8> -> tensor<8x1xui32>
  %p = graph.hash poly32, %y : tensor<8x3xui8> -> tensor<8x1xui32>
  return
}
