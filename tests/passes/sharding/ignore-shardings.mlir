// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nothing of devices is left.
//
// RUN: zenith-opt %s --zenith-ignore-shardings --split-input-file --verify-diagnostics | FileCheck %s

// expected-remark@below {{SHD001}}
graph.mesh @mesh = <["x"=2]>

// CHECK-NOT: graph.mesh
// CHECK-LABEL: func.func @constraints
// CHECK-SAME: (%[[X:.*]]: tensor<8xf32>) -> tensor<8xf32>
// CHECK-NEXT: %[[R:.*]] = graph.neg %[[X]] : tensor<8xf32>
// CHECK-NEXT: return %[[R]]
func.func @constraints(%x: tensor<8xf32> {graph.sharding = #graph.sharding<@mesh, [{"x"}]>}) -> (tensor<8xf32> {graph.sharding = #graph.sharding<@mesh, [{"x"}]>}) {
  %a = graph.shard %x <@mesh, [{"x"}]> : tensor<8xf32>
  graph.shard_group %a {id = 0} : tensor<8xf32>
  %b = graph.neg %a {graph.sharding = [#graph.sharding<@mesh, [{}]>]} : tensor<8xf32>
  %c = graph.shard_barrier %b allowed = none : tensor<8xf32>
  %d = graph.reshard %c <@mesh, [{}]> : tensor<8xf32>
  return %d : tensor<8xf32>
}

// -----

graph.mesh @single = <["x"=1]>

// CHECK-LABEL: func.func @region_of_one_device
// CHECK-NEXT: graph.neg
// CHECK-NEXT: return
func.func @region_of_one_device(%x: tensor<8xf32>) -> tensor<8xf32> {
  %r = graph.manual (%x) in_shardings = [#graph.sharding<@single, [{"x"}]>] out_shardings = [#graph.sharding<@single, [{"x"}]>] manual_axes = ["x"] {
    ^bb0(%a: tensor<8xf32>):
      %b = graph.neg %a : tensor<8xf32>
      graph.yield %b : tensor<8xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}
