// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What Shardy and GSPMD say of a program arrives as attributes and ops of GraphIR, and is written back.
//
// RUN: split-file %s %t
// RUN: zenith-translate %t/sdy.mlir --to-format=graphir -o - | FileCheck %s --check-prefix=GRAPH
// RUN: zenith-translate %t/sdy.mlir --to-format=stablehlo -o - | FileCheck %s --check-prefix=BACK
// RUN: zenith-translate %t/gspmd.mlir --to-format=graphir -o - | FileCheck %s --check-prefix=TILES
// RUN: zenith-compile %t/sdy.mlir --emit=shardings -o - | FileCheck %s --check-prefix=JSON
// RUN: zenith-compile %t/rules.mlir --emit=sharding-rules -o - | FileCheck %s --check-prefix=RULES

//--- sdy.mlir
// GRAPH: graph.mesh @mesh = <["x"=2, "y"=4], device_ids = [7, 6, 5, 4, 3, 2, 1, 0]>
// BACK: sdy.mesh @mesh = <["x"=2, "y"=4], device_ids = [7, 6, 5, 4, 3, 2, 1, 0]>
sdy.mesh @mesh = <["x"=2, "y"=4], device_ids=[7, 6, 5, 4, 3, 2, 1, 0]>
// GRAPH: func.func @main(%{{.*}}: tensor<8x8xf32> {graph.sharding = #graph.sharding<@mesh, [{"x", ?}p1, {}]>}
// BACK: func.func @main(%{{.*}}: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}p1, {}]>}
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}p1, {}]>})
    -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {?}], replicated={"y"}>}) {
  // GRAPH: %[[A:.*]] = graph.add {{.*}} {graph.sharding = [#graph.sharding<@mesh, [{"y":(1)2}, {?}]>]}
  // BACK: stablehlo.add {{.*}}{sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y":(1)2}, {?}]>]>}
  %a = stablehlo.add %x, %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y":(1)2}, {?}]>]>} : tensor<8x8xf32> loc("sum")
  // GRAPH: %[[B:.*]] = graph.shard %[[A]] <@mesh, [{"x"}, {}]>
  // BACK: sdy.sharding_constraint {{.*}} <@mesh, [{"x"}, {}]>
  %b = sdy.sharding_constraint %a <@mesh, [{"x"}, {}]> : tensor<8x8xf32>
  // GRAPH: graph.shard_group %[[B]] {id = 4 : i64}
  // BACK: sdy.sharding_group {{.*}} group_id = 4
  sdy.sharding_group %b group_id=4 : tensor<8x8xf32>
  // GRAPH: %[[C:.*]] = graph.shard_barrier %[[B]] allowed = forward
  // BACK: sdy.propagation_barrier {{.*}} allowed_direction = FORWARD
  %c = sdy.propagation_barrier %b allowed_direction=FORWARD : tensor<8x8xf32>
  // GRAPH: %[[D:.*]] = graph.manual(%[[C]]) in_shardings = [#graph.sharding<@mesh, [{"x"}, {}]>] out_shardings = [#graph.sharding<@mesh, [{"x"}, {}]>] manual_axes = ["x"]
  // BACK: sdy.manual_computation({{.*}}) in_shardings = [<@mesh, [{"x"}, {}]>] out_shardings = [<@mesh, [{"x"}, {}]>] manual_axes = {"x"}
  %d = sdy.manual_computation(%c) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%part: tensor<4x8xf32>) {
    %n = stablehlo.negate %part : tensor<4x8xf32>
    sdy.return %n : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  // A call stays one, so that shardings of its function have a place.
  // GRAPH: call @twice(%[[D]])
  %e = call @twice(%d) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %e : tensor<8x8xf32>
}
// GRAPH: func.func private @twice
func.func private @twice(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %r = stablehlo.negate %x : tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}

// JSON: "main": {
// JSON: "sum": {
// JSON: "dims": [
// JSON: "y:(1)2"

//--- rules.mlir
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %r = stablehlo.custom_call @routine(%x) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=8} need_replication={j}>} : (tensor<8x8xf32>) -> tensor<8x8xf32> loc("own")
  return %r : tensor<8x8xf32>
}
// RULES: "own": {
// RULES: "need_replication": [
// RULES-NEXT: "j"

//--- gspmd.mlir
module attributes {mhlo.num_partitions = 8 : i32} {
  // TILES: graph.mesh @mesh = <["axis_0"=2, "axis_1"=4]>
  // TILES: %{{.*}}: tensor<16x8xf32> {graph.sharding = #graph.sharding<@mesh, [{"axis_1"}, {}]>}
  // TILES: %{{.*}}: tensor<8x4xf32> {graph.sharding = #graph.sharding<@mesh, [{}, {"axis_0", "axis_1"}]>}
  func.func public @main(%x: tensor<16x8xf32> {mhlo.sharding = "{devices=[4,1,2]<=[2,4]T(1,0) last_tile_dim_replicate}"},
                         %w: tensor<8x4xf32> {mhlo.sharding = "{devices=[1,8]<=[8]}"}) -> (tensor<16x4xf32> {mhlo.sharding = "{replicated}"}) {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<16x8xf32>, tensor<8x4xf32>) -> tensor<16x4xf32>
    // TILES: graph.shard %{{.*}} <@mesh, [{"axis_0"}, {"axis_1"}]>
    %1 = stablehlo.custom_call @Sharding(%0) {mhlo.sharding = "{devices=[2,4]<=[8]}"} : (tensor<16x4xf32>) -> tensor<16x4xf32>
    return %1 : tensor<16x4xf32>
  }
}
