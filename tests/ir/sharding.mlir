// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text, generic and bytecode forms of meshes, shardings and manual regions.
//
// RUN: zenith-opt %s | zenith-opt | FileCheck %s
// RUN: zenith-opt %s --mlir-print-op-generic | zenith-opt | FileCheck %s
// RUN: zenith-opt %s --emit-bytecode | zenith-opt | FileCheck %s

// CHECK: graph.mesh @mesh = <["x"=2, "y"=4]>
graph.mesh @mesh = <["x"=2, "y"=4]>
// CHECK: graph.mesh @turned = <["x"=2, "y"=2], device_ids = [0, 2, 1, 3]>
graph.mesh @turned = <["x"=2, "y"=2], device_ids = [0, 2, 1, 3]>
// CHECK: graph.mesh @one = <[], device_ids = [5]>
graph.mesh @one = <[], device_ids = [5]>

// CHECK-LABEL: @signature
// CHECK-SAME: %{{.*}}: tensor<8x4xf32> {graph.sharding = #graph.sharding<@mesh, [{"x", ?}p1, {?}]>}
// CHECK-SAME: -> (tensor<8x4xf32> {graph.sharding = #graph.sharding<@mesh, [{}, {"y":(1)2}], replicated = {"x"}, unreduced = {"y":(2)2}>})
func.func @signature(%x: tensor<8x4xf32> {graph.sharding = #graph.sharding<@mesh, [{"x", ?}p1, {?}]>})
    -> (tensor<8x4xf32> {graph.sharding = #graph.sharding<@mesh, [{}, {"y":(1)2}], replicated={"x"}, unreduced={"y":(2)2}>}) {
  return %x : tensor<8x4xf32>
}

func.func @op_sharding(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  // CHECK: graph.neg %{{.*}} {graph.sharding = [#graph.sharding<@mesh, [{"y":(2)2, "y":(1)2}, {}]>]} : tensor<8x4xf32>
  %r = graph.neg %x {graph.sharding = [#graph.sharding<@mesh, [{"y":(2)2, "y":(1)2}, {}]>]} : tensor<8x4xf32>
  return %r : tensor<8x4xf32>
}

func.func @shard(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  // CHECK: graph.shard %{{.*}} <@mesh, [{"x"}, {?}]> : tensor<8x4xf32>
  %r = graph.shard %x <@mesh, [{"x"}, {?}]> : tensor<8x4xf32>
  return %r : tensor<8x4xf32>
}

func.func @reshard(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  // CHECK: graph.reshard %{{.*}} <@mesh, [{}, {"x"}]> : tensor<8x4xf32>
  %r = graph.reshard %x <@mesh, [{}, {"x"}]> : tensor<8x4xf32>
  return %r : tensor<8x4xf32>
}

func.func @shard_group(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  // CHECK: graph.shard_group %{{.*}} {id = 3 : i64} : tensor<8x4xf32>
  graph.shard_group %x {id = 3} : tensor<8x4xf32>
  return %x : tensor<8x4xf32>
}

func.func @shard_barrier(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  // CHECK: graph.shard_barrier %{{.*}} allowed = forward : tensor<8x4xf32>
  %r = graph.shard_barrier %x allowed = forward : tensor<8x4xf32>
  return %r : tensor<8x4xf32>
}

func.func @manual(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  // CHECK: graph.manual(%{{.*}}) in_shardings = [#graph.sharding<@mesh, [{"x", "y"}, {}]>] out_shardings = [#graph.sharding<@mesh, [{"x"}, {}]>] manual_axes = ["x"] {
  // CHECK-NEXT: ^bb0(%{{.*}}: tensor<4x4xf32>):
  %r = graph.manual (%x) in_shardings = [#graph.sharding<@mesh, [{"x", "y"}, {}]>] out_shardings = [#graph.sharding<@mesh, [{"x"}, {}]>] manual_axes = ["x"] {
    ^bb0(%a: tensor<4x4xf32>):
      %b = graph.neg %a : tensor<4x4xf32>
      graph.yield %b : tensor<4x4xf32>
    } : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return %r : tensor<8x4xf32>
}
