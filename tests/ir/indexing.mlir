// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text, generic and bytecode forms of the indexing family.
//
// RUN: zenith-opt %s | zenith-opt | FileCheck %s
// RUN: zenith-opt %s --mlir-print-op-generic | zenith-opt | FileCheck %s
// RUN: zenith-opt %s --emit-bytecode | zenith-opt | FileCheck %s

func.func @gather(%t: tensor<10x4xf32>, %i: tensor<3x1xi64>, %b: tensor<?x10x4xf32>, %j: tensor<?x3xi32>) {
  // CHECK: graph.gather %{{.*}}, %{{.*}} <offset = [1], collapsed = [0], batching = [] x [], index_map = [0], index_vector_dim = 1> sizes [1, 4] : (tensor<10x4xf32>, tensor<3x1xi64>) -> tensor<3x4xf32>
  %r = graph.gather %t, %i <offset = [1], collapsed = [0], batching = [] x [], index_map = [0], index_vector_dim = 1> sizes [1, 4] : (tensor<10x4xf32>, tensor<3x1xi64>) -> tensor<3x4xf32>
  // CHECK: graph.gather %{{.*}}, %{{.*}} <offset = [2], collapsed = [1], batching = [0] x [0], index_map = [1], index_vector_dim = 2> sizes [1, 1, 4] : (tensor<?x10x4xf32>, tensor<?x3xi32>) -> tensor<?x3x4xf32>
  %s = graph.gather %b, %j <offset = [2], collapsed = [1], batching = [0] x [0], index_map = [1], index_vector_dim = 2> sizes [1, 1, 4] : (tensor<?x10x4xf32>, tensor<?x3xi32>) -> tensor<?x3x4xf32>
  return
}

func.func @dynamic_slice(%x: tensor<4x4xf32>, %i: tensor<i64>, %s: tensor<f32>) {
  // CHECK: graph.dynamic_slice %{{.*}}, %{{.*}}, %{{.*}} : (tensor<4x4xf32>, tensor<i64>, tensor<i64>) -> tensor<2x2xf32>
  %r = graph.dynamic_slice %x, %i, %i : (tensor<4x4xf32>, tensor<i64>, tensor<i64>) -> tensor<2x2xf32>
  // CHECK: graph.dynamic_slice %{{.*}} : (tensor<f32>) -> tensor<f32>
  %t = graph.dynamic_slice %s : (tensor<f32>) -> tensor<f32>
  return
}

func.func @dynamic_update_slice(%x: tensor<?xf32>, %u: tensor<2xf32>, %i: tensor<i32>, %y: tensor<4xf32>) {
  // CHECK: graph.dynamic_update_slice %{{.*}}, %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<2xf32>, tensor<i32>) -> tensor<4xf32>
  %s = graph.dynamic_update_slice %y, %u, %i : (tensor<4xf32>, tensor<2xf32>, tensor<i32>) -> tensor<4xf32>
  // CHECK: graph.dynamic_update_slice %{{.*}}, %{{.*}}, %{{.*}} : (tensor<?xf32>, tensor<2xf32>, tensor<i32>) -> tensor<?xf32>
  %r = graph.dynamic_update_slice %x, %u, %i : (tensor<?xf32>, tensor<2xf32>, tensor<i32>) -> tensor<?xf32>
  return
}

func.func @scatter(%x: tensor<10x4xf32>, %i: tensor<3x1xi64>, %u: tensor<3x4xf32>, %b: tensor<?x10x4xf32>, %j: tensor<?x3xi32>, %v: tensor<?x3x4xf32>) {
  // CHECK: graph.scatter set, %{{.*}}, %{{.*}}, %{{.*}} <window = [1], inserted = [0], batching = [] x [], index_map = [0], index_vector_dim = 1> : (tensor<10x4xf32>, tensor<3x1xi64>, tensor<3x4xf32>) -> tensor<10x4xf32>
  %r0 = graph.scatter set, %x, %i, %u <window = [1], inserted = [0], batching = [] x [], index_map = [0], index_vector_dim = 1> : (tensor<10x4xf32>, tensor<3x1xi64>, tensor<3x4xf32>) -> tensor<10x4xf32>
  // CHECK: graph.scatter sum, %{{.*}}, %{{.*}}, %{{.*}} <window = [1], inserted = [0], batching = [] x [], index_map = [0], index_vector_dim = 1> unique : (tensor<10x4xf32>, tensor<3x1xi64>, tensor<3x4xf32>) -> tensor<10x4xf32>
  %r1 = graph.scatter sum, %x, %i, %u <window = [1], inserted = [0], batching = [] x [], index_map = [0], index_vector_dim = 1> unique : (tensor<10x4xf32>, tensor<3x1xi64>, tensor<3x4xf32>) -> tensor<10x4xf32>
  // CHECK: graph.scatter prod, %{{.*}}, %{{.*}}, %{{.*}} <window = [1], inserted = [0], batching = [] x [], index_map = [0], index_vector_dim = 1> : (tensor<10x4xf32>, tensor<3x1xi64>, tensor<3x4xf32>) -> tensor<10x4xf32>
  %r2 = graph.scatter prod, %x, %i, %u <window = [1], inserted = [0], batching = [] x [], index_map = [0], index_vector_dim = 1> : (tensor<10x4xf32>, tensor<3x1xi64>, tensor<3x4xf32>) -> tensor<10x4xf32>
  // CHECK: graph.scatter max, %{{.*}}, %{{.*}}, %{{.*}} <window = [1], inserted = [0], batching = [] x [], index_map = [0], index_vector_dim = 1> : (tensor<10x4xf32>, tensor<3x1xi64>, tensor<3x4xf32>) -> tensor<10x4xf32>
  %r3 = graph.scatter max, %x, %i, %u <window = [1], inserted = [0], batching = [] x [], index_map = [0], index_vector_dim = 1> : (tensor<10x4xf32>, tensor<3x1xi64>, tensor<3x4xf32>) -> tensor<10x4xf32>
  // CHECK: graph.scatter min, %{{.*}}, %{{.*}}, %{{.*}} <window = [2], inserted = [1], batching = [0] x [0], index_map = [1], index_vector_dim = 2> : (tensor<?x10x4xf32>, tensor<?x3xi32>, tensor<?x3x4xf32>) -> tensor<?x10x4xf32>
  %r4 = graph.scatter min, %b, %j, %v <window = [2], inserted = [1], batching = [0] x [0], index_map = [1], index_vector_dim = 2> : (tensor<?x10x4xf32>, tensor<?x3xi32>, tensor<?x3x4xf32>) -> tensor<?x10x4xf32>
  return
}

func.func @scatter_with(%x: tensor<10xf32>, %y: tensor<10xi64>, %i: tensor<3x1xi64>, %u: tensor<3xf32>, %v: tensor<3xi64>) {
  // CHECK: graph.scatter_with(%{{.*}}, %{{.*}}), %{{.*}}, (%{{.*}}, %{{.*}}) <window = [], inserted = [0], batching = [] x [], index_map = [0], index_vector_dim = 1> unique {
  %r:2 = graph.scatter_with (%x, %y), %i, (%u, %v) <window = [], inserted = [0], batching = [] x [], index_map = [0], index_vector_dim = 1> unique {
  // CHECK-NEXT: ^bb0(%{{.*}}: tensor<f32>, %{{.*}}: tensor<i64>, %{{.*}}: tensor<f32>, %{{.*}}: tensor<i64>):
  ^bb0(%a: tensor<f32>, %b: tensor<i64>, %c: tensor<f32>, %d: tensor<i64>):
    // CHECK-NEXT: graph.sub %{{.*}}, %{{.*}} : tensor<f32>
    %s = graph.sub %a, %c : tensor<f32>
    // CHECK-NEXT: graph.yield %{{.*}}, %{{.*}} : tensor<f32>, tensor<i64>
    graph.yield %s, %d : tensor<f32>, tensor<i64>
  // CHECK-NEXT: } : (tensor<10xf32>, tensor<10xi64>, tensor<3x1xi64>, tensor<3xf32>, tensor<3xi64>) -> (tensor<10xf32>, tensor<10xi64>)
  } : (tensor<10xf32>, tensor<10xi64>, tensor<3x1xi64>, tensor<3xf32>, tensor<3xi64>) -> (tensor<10xf32>, tensor<10xi64>)
  return
}
