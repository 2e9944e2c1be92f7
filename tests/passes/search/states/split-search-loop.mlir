// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: zenith-opt --zenith-split-search-loop --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: zenith-opt --zenith-split-search-loop --split-input-file --verify-diagnostics %s | zenith-opt --split-input-file -o /dev/null

// Constants are made again; arguments that the loop or the results read are a part of the state, behind what it carries.
// Steps take over what the loop carries.
// CHECK-LABEL: func.func @init(
// CHECK-SAME: %[[LIMIT:[a-z0-9]+]]: tensor<i64> {graph.name = "limit"}
// CHECK-SAME: -> (tensor<0xi64>, tensor<i64>, tensor<i64>)
// CHECK-LABEL: func.func @step(
// CHECK-SAME: %[[LIST:[a-z0-9]+]]: tensor<?xi64> {graph.dims = ["s0"], graph.donated, graph.name = "carried0"}
// CHECK-SAME: %[[COUNT:[a-z0-9]+]]: tensor<i64> {graph.dims = [], graph.donated, graph.name = "carried1"}
// CHECK-SAME: %[[MOST:[a-z0-9]+]]: tensor<i64> {graph.dims = [], graph.name = "captured0"}
// CHECK-SAME: -> (tensor<i1>, tensor<?xi64>, tensor<i64>, tensor<i64>)
// CHECK-NOT: graph.while
// CHECK: %[[NEXT:.*]] = graph.add %[[COUNT]],
// CHECK: %[[MORE:.*]] = graph.compare lt, %[[NEXT]], %[[MOST]]
// CHECK: return %[[MORE]], %{{.*}}, %[[NEXT]], %[[MOST]]
// CHECK-LABEL: func.func @run(
// CHECK-SAME: {graph.dims = ["s0"], graph.donated, graph.name = "carried0"}
// CHECK-SAME: %[[STEPS:[a-z0-9]+]]: tensor<i64> {graph.name = "limit"})
// CHECK: %[[LAST:.*]]:3 = graph.while
// CHECK: graph.compare lt, %{{.*}}, %[[STEPS]]
// CHECK: return %{{.*}}, %[[LAST]]#0, %[[LAST]]#1,
// CHECK-LABEL: func.func @results(
// CHECK-SAME: %{{[a-z0-9]+}}: tensor<?xi64> {graph.dims = ["s0"], graph.name = "carried0"}
// CHECK-SAME: -> (tensor<?xi64> {graph.name = "list"})
// CHECK-NOT: @main
func.func @main(%limit: tensor<i64> {graph.name = "limit"}) -> (tensor<?xi64> {graph.name = "list"})
    attributes {search.entries = ["init", "step", "run", "results"]} {
  %none = graph.constant dense<> : tensor<0xi64>
  %zero = graph.constant dense<0> : tensor<i64>
  %one = graph.constant dense<1> : tensor<i64>
  %last:2 = graph.while %none, %zero cond {
  ^bb0(%list: tensor<?xi64>, %count: tensor<i64>):
    %c = graph.compare lt, %count, %limit : tensor<i64> -> tensor<i1>
    graph.yield %c : tensor<i1>
  } do {
  ^bb0(%list: tensor<?xi64>, %count: tensor<i64>):
    %row = graph.reshape %count : tensor<i64> -> tensor<1xi64>
    %more = graph.concat 0, %list, %row : (tensor<?xi64>, tensor<1xi64>) -> tensor<?xi64>
    %next = graph.add %count, %one : tensor<i64>
    graph.yield %more, %next : tensor<?xi64>, tensor<i64>
  } : (tensor<0xi64>, tensor<i64>) -> (tensor<?xi64>, tensor<i64>)
  return %last#0 : tensor<?xi64>
}

// -----

// Programs that nobody wants in parts stay.
// CHECK-LABEL: func.func @main(
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

// expected-error @+1 {{has no loop to be run step by step}}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> attributes {search.entries = ["init"]} {
  return %x : tensor<4xf32>
}
