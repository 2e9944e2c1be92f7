// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What propagates through which op, and where it stops.
//
// RUN: zenith-opt %s --zenith-propagate-shardings | FileCheck %s
// RUN: zenith-opt %s --zenith-propagate-shardings=strategy=basic | FileCheck %s --check-prefix=BASIC

graph.mesh @mesh = <["x"=2, "y"=2]>

// CHECK-LABEL: func.func @row_and_column
// CHECK-SAME: %{{.*}}: tensor<8x4xf32> {graph.sharding = #graph.sharding<@mesh, [{"x"}, {}]>
// CHECK-SAME: %{{.*}}: tensor<4x16xf32> {graph.sharding = #graph.sharding<@mesh, [{}, {"y"}]>
// CHECK-SAME: -> (tensor<8x16xf32> {graph.sharding = #graph.sharding<@mesh, [{"x"}, {"y"}]>, graph.sharding_origins = {x = "input: 0", y = "input: 1"}})
// CHECK: graph.dot_general {{.*}} {graph.sharding = [#graph.sharding<@mesh, [{"x"}, {"y"}]>]
func.func @row_and_column(%x: tensor<8x4xf32> {graph.sharding = #graph.sharding<@mesh, [{"x"}, {}]>},
                          %w: tensor<4x16xf32> {graph.sharding = #graph.sharding<@mesh, [{}, {"y"}]>}) -> tensor<8x16xf32> {
  %r = graph.dot_general %x, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<8x4xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
  return %r : tensor<8x16xf32>
}

// Both rows and columns of the result could get x: the larger operand wins; the basic step lets neither.
// CHECK-LABEL: func.func @larger_source_wins
// CHECK: graph.dot_general {{.*}} {graph.sharding = [#graph.sharding<@mesh, [{}, {"x"}]>]
// BASIC-LABEL: func.func @larger_source_wins
// BASIC-NOT: graph.dot_general {{.*}} {graph.sharding
// BASIC: return
func.func @larger_source_wins(%x: tensor<8x4xf32> {graph.sharding = #graph.sharding<@mesh, [{"x"}, {}]>},
                              %w: tensor<4x16xf32> {graph.sharding = #graph.sharding<@mesh, [{}, {"x"}]>}) -> tensor<8x16xf32> {
  %r = graph.dot_general %x, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<8x4xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
  return %r : tensor<8x16xf32>
}

// A loop's values share one sharding, also those that only its body sees.
// CHECK-LABEL: func.func @loop
// CHECK: graph.while
// CHECK: graph.add {{.*}} {graph.sharding = [#graph.sharding<@mesh, [{"x"}]>]
func.func @loop(%n: tensor<i64>, %x: tensor<8xf32> {graph.sharding = #graph.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
  %r:2 = graph.while %n, %x cond {
    ^bb0(%i: tensor<i64>, %a: tensor<8xf32>):
      %z = graph.constant dense<0> : tensor<i64>
      %c = graph.compare gt, %i, %z : tensor<i64> -> tensor<i1>
      graph.yield %c : tensor<i1>
    } do {
    ^bb0(%i: tensor<i64>, %a: tensor<8xf32>):
      %one = graph.constant dense<1> : tensor<i64>
      %next = graph.sub %i, %one : tensor<i64>
      %b = graph.add %a, %a : tensor<8xf32>
      graph.yield %next, %b : tensor<i64>, tensor<8xf32>
    } : (tensor<i64>, tensor<8xf32>) -> (tensor<i64>, tensor<8xf32>)
  return %r#1 : tensor<8xf32>
}

// Splitting a dimension splits the axis.
// CHECK-LABEL: func.func @factors_of_axes
// CHECK: graph.reshape {{.*}} {graph.sharding = [#graph.sharding<@wide, [{"z":(1)2}, {"z":(2)4}]>]
graph.mesh @wide = <["z"=8]>
func.func @factors_of_axes(%x: tensor<16xf32> {graph.sharding = #graph.sharding<@wide, [{"z"}]>}) -> tensor<2x8xf32> {
  %r = graph.reshape %x : tensor<16xf32> -> tensor<2x8xf32>
  return %r : tensor<2x8xf32>
}

// Only a closed constraint speaks for the value that it reads; an open one leaves it to its other readers.
// CHECK-LABEL: func.func @constraints_of_a_value
// CHECK: graph.abs {{.*}} {graph.sharding = [#graph.sharding<@mesh, [{}, {"x"}]>]
// CHECK: graph.neg {{.*}} {graph.sharding = [#graph.sharding<@mesh, [{"y"}, {}]>], graph.sharding_origins = [{y = "constraint_1"}]
func.func @constraints_of_a_value(%a: tensor<8x4xf32> {graph.sharding = #graph.sharding<@mesh, [{}, {"x"}]>}, %b: tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
  %open = graph.abs %a : tensor<8x4xf32>
  %c = graph.shard %open <@mesh, [{?}, {}]> : tensor<8x4xf32>
  %closed = graph.neg %b : tensor<8x4xf32>
  %d = graph.shard %closed <@mesh, [{"y"}, {}]> : tensor<8x4xf32>
  %e = graph.shard %closed <@mesh, [{"y"}, {}]> : tensor<8x4xf32>
  %f = graph.add %d, %e : tensor<8x4xf32>
  return %c, %f : tensor<8x4xf32>, tensor<8x4xf32>
}
