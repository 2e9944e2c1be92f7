// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One program that does the work of all devices.
//
// RUN: zenith-opt %s --zenith-unroll-devices | FileCheck %s

graph.mesh @mesh = <["x"=2]>

// CHECK-LABEL: func.func @sum_of_two(
// CHECK-SAME: tensor<8xf32>) -> tensor<4xf32>
// CHECK: %[[A:.*]] = graph.slice %{{.*}} [0] [4] [1]
// CHECK: %[[B:.*]] = graph.slice %{{.*}} [4] [4] [1]
// CHECK: %[[R:.*]] = graph.add %[[A]], %[[B]]
// CHECK: return %[[R]]
func.func @sum_of_two(%x: tensor<4xf32> {graph.block = {sharding = #graph.sharding<@mesh, [{"x"}]>, whole = tensor<8xf32>}})
    -> (tensor<4xf32> {graph.block = {sharding = #graph.sharding<@mesh, [{}]>, whole = tensor<4xf32>}}) {
  %r = graph.all_reduce (%x) kind <sum> axes @mesh ["x"] : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// What all devices have is computed once.
// CHECK-LABEL: func.func @shares_equal_work(
// CHECK: graph.neg
// CHECK-NOT: graph.neg
// CHECK: return
func.func @shares_equal_work(%x: tensor<4xf32> {graph.block = {sharding = #graph.sharding<@mesh, [{}]>, whole = tensor<4xf32>}})
    -> (tensor<4xf32> {graph.block = {sharding = #graph.sharding<@mesh, [{}]>, whole = tensor<4xf32>}}) {
  %r = graph.neg %x : tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @device_numbers(
// CHECK-DAG: graph.constant dense<0> : tensor<i64>
// CHECK-DAG: graph.constant dense<1> : tensor<i64>
// CHECK: graph.concat 0
func.func @device_numbers() -> (tensor<1xi64> {graph.block = {sharding = #graph.sharding<@mesh, [{"x"}]>, whole = tensor<2xi64>}}) {
  %i = graph.axis_index axes @mesh ["x"] : tensor<i64>
  %r = graph.reshape %i : tensor<i64> -> tensor<1xi64>
  return %r : tensor<1xi64>
}
