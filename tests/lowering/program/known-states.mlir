// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The list and the index that a loop carries stay where they are until they grow: the body takes their memory over.
// After forty rows the candidates are known.
//
// RUN: zenith-opt %s --to=kernels --target=cpu:x86-64-v3 | FileCheck %s
// RUN: zenith-run %s --compare=interp --print=0
//
// CHECK: host.program @main_while0_body
// CHECK-DAG: host.alloc <result, 0, "0"> bytes {{.*}} reuses
// CHECK-DAG: host.alloc <result, 1, "0"> bytes {{.*}} reuses
// CHECK: host.launch @kernels::@{{k[0-9]+_routine}} pointers [#host.buffer<argument, 1
func.func @main() -> (tensor<i64>, tensor<?x1xi64>) {
  %n = graph.constant dense<100> : tensor<i64>
  %step = graph.constant dense<7> : tensor<i64>
  %rounds = graph.constant dense<40> : tensor<i64>
  %zero = graph.constant dense<0> : tensor<i64>
  %one = graph.constant dense<1> : tensor<i64>
  %two = graph.constant dense<2> : tensor<i64>
  %four = graph.constant dense<4> : tensor<i64>
  %index = graph.constant dense<> : tensor<0xui64>
  %none = graph.constant dense<> : tensor<0x1xi64>
  %r:4 = graph.while %index, %none, %zero, %zero cond {
    ^bb0(%i: tensor<?xui64>, %l: tensor<?x1xi64>, %count: tensor<i64>, %k: tensor<i64>):
      %more = graph.compare lt, %k, %n : tensor<i64> -> tensor<i1>
      graph.yield %more : tensor<i1>
    } do {
    ^bb0(%i: tensor<?xui64>, %l: tensor<?x1xi64>, %count: tensor<i64>, %k: tensor<i64>):
      %turn = graph.rem %k, %rounds : tensor<i64>
      %at = graph.mul %turn, %step : tensor<i64>
      %row = graph.reshape %at : tensor<i64> -> tensor<1x1xi64>
      %rows = graph.dim %l, 0 : tensor<?x1xi64>
      %need = graph.add %count, %one : tensor<i64>
      %full = graph.compare gt, %need, %rows : tensor<i64> -> tensor<i1>
      %twice = graph.mul %need, %two : tensor<i64>
      %size = graph.select %full, %twice, %rows : tensor<i1>, tensor<i64>
      %cells = graph.mul %size, %four : tensor<i64>
      %i2, %l2, %c2 = search.append_new %i, (%l), (%row) count %count rows %size cells %cells : (tensor<?xui64>, tensor<?x1xi64>, tensor<1x1xi64>, tensor<i64>, tensor<i64>, tensor<i64>) -> (tensor<?xui64>, tensor<?x1xi64>, tensor<i64>)
      %next = graph.add %k, %one : tensor<i64>
      graph.yield %i2, %l2, %c2, %next : tensor<?xui64>, tensor<?x1xi64>, tensor<i64>, tensor<i64>
    } : (tensor<0xui64>, tensor<0x1xi64>, tensor<i64>, tensor<i64>) -> (tensor<?xui64>, tensor<?x1xi64>, tensor<i64>, tensor<i64>)
  %all = graph.slice %r#1 [0, 0] [%r#2, 1] [1, 1] : tensor<?x1xi64> -> tensor<?x1xi64>
  return %r#2, %all : tensor<i64>, tensor<?x1xi64>
}
