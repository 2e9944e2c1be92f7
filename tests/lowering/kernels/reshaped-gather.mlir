// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An index into rows that are read as one list is the position in memory: no quotient and remainder are put together again.
//
// RUN: zenith-opt %s --to=kernels --target=cpu:x86-64-v3 | FileCheck %s
// RUN: zenith-run %s --compare=interp --random-inputs --print=0
//
// CHECK: func.func @k0_pointwise
// CHECK: %[[INSIDE:.*]] = arith.maxsi
// CHECK: %[[INDEX:.*]] = arith.addi %{{.*}}, %[[INSIDE]]
// CHECK: vector.gather %{{.*}}[%{{.*}}] [%[[INDEX]]]
func.func @main(%rows: tensor<7x13xi64>, %at: tensor<1000xi64>) -> tensor<1000xi64> {
  %list = graph.reshape %rows : tensor<7x13xi64> -> tensor<91xi64>
  %column = graph.reshape %at : tensor<1000xi64> -> tensor<1000x1xi64>
  %r = graph.gather %list, %column <offset = [], collapsed = [0], batching = [] x [], index_map = [0], index_vector_dim = 1> sizes [1] : (tensor<91xi64>, tensor<1000x1xi64>) -> tensor<1000xi64>
  return %r : tensor<1000xi64>
}
