// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each constraint of meshes, shardings and manual regions, broken.
//
// RUN: zenith-opt %s --split-input-file --verify-diagnostics

// expected-error@below {{axis of a mesh: got "x"=0, expected a name and a positive size (mesh_axis_c1)}}
graph.mesh @mesh_axis_c1_size = <["x"=0]>

// -----

// expected-error@below {{axes: got "x" twice, expected distinct names (mesh_c1)}}
graph.mesh @mesh_c1_twice = <["x"=2, "x"=4]>

// -----

// expected-error@below {{axes: got sizes whose product is larger, expected at most 2147483647 devices (mesh_c1)}}
graph.mesh @mesh_c1_product = <["x"=65536, "y"=65536]>

// -----

// expected-error@below {{device_ids: got [0, 0], expected a permutation of [0, 2) (mesh_c2)}}
graph.mesh @mesh_c2_twice = <["x"=2], device_ids=[0, 0]>

// -----

// expected-error@below {{device_ids: got 2 ids without axes, expected one that is not negative (mesh_c2)}}
graph.mesh @mesh_c2_two = <[], device_ids=[0, 1]>

// -----

graph.mesh @mesh = <["x"=2, "y"=4]>
// expected-error@below {{axis: got "y":(0)2, expected a name, a positive pre-size and a size of at least 2 (axis_c1)}}
func.func private @axis_c1_before(tensor<8xf32> {graph.sharding = #graph.sharding<@mesh, [{"y":(0)2}]>})

// -----

graph.mesh @mesh = <["x"=2, "y"=4]>
// expected-error@below {{priority: got 1 on a closed dimension without axes, expected none (dim_sharding_c1)}}
func.func private @dim_sharding_c1_empty(tensor<8xf32> {graph.sharding = #graph.sharding<@mesh, [{}p1]>})

// -----

graph.mesh @mesh = <["x"=2, "y"=4]>
// expected-error@below {{sharding: got axes x and x, expected no overlap (sharding_c1)}}
func.func private @sharding_c1_twice(tensor<8x8xf32> {graph.sharding = #graph.sharding<@mesh, [{"x"}, {"x"}]>})

// -----

graph.mesh @mesh = <["x"=2, "y"=8]>
// expected-error@below {{sharding: got axes y:(1)4 and y:(2)4, expected no overlap (sharding_c1)}}
func.func private @sharding_c1_factors(tensor<8x8xf32> {graph.sharding = #graph.sharding<@mesh, [{"y":(1)4}, {"y":(2)4}]>})

// -----

graph.mesh @mesh = <["x"=2, "y"=4]>
// expected-error@below {{sharding: got neighbours y:(1)2 and y:(2)2, expected one larger factor (sharding_c1)}}
func.func private @sharding_c1_neighbours(tensor<8xf32> {graph.sharding = #graph.sharding<@mesh, [{"y":(1)2, "y":(2)2}]>})

// -----

// expected-error@below {{argument 0: graph.sharding: got @mesh, expected the name of a mesh (sharding_c2)}}
func.func private @sharding_c2_mesh(tensor<8xf32> {graph.sharding = #graph.sharding<@mesh, [{}]>})

// -----

graph.mesh @mesh = <["x"=2]>
// expected-error@below {{argument 0: graph.sharding: got axis "z", expected an axis of @mesh (sharding_c2)}}
func.func private @sharding_c2_axis(tensor<8xf32> {graph.sharding = #graph.sharding<@mesh, [{"z"}]>})

// -----

graph.mesh @mesh = <["x"=6]>
// expected-error@below {{result 0: graph.sharding: got x:(1)4, expected a factor of the 6 positions of "x" (sharding_c2)}}
func.func private @sharding_c2_factor() -> (tensor<8xf32> {graph.sharding = #graph.sharding<@mesh, [{"x":(1)4}]>})

// -----

graph.mesh @mesh = <["x"=2]>
// expected-error@below {{argument 0: graph.sharding: got 1 dimensions on tensor<8x8xf32>, expected one per dimension (sharding_c3)}}
func.func private @sharding_c3_rank(tensor<8x8xf32> {graph.sharding = #graph.sharding<@mesh, [{"x"}]>})

// -----

// expected-error@below {{argument 0: graph.sharding: got 3 : i64, expected #graph.sharding (signature_c9)}}
func.func private @signature_c9_number(tensor<8xf32> {graph.sharding = 3})

// -----

graph.mesh @mesh = <["x"=2]>
func.func @op_list(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@below {{'graph.neg' op graph.sharding: expected a list with #graph.sharding or unit for each of 1 results}}
  %r = graph.neg %x {graph.sharding = [#graph.sharding<@mesh, [{"x"}]>, unit]} : tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

graph.mesh @mesh = <["x"=2]>
func.func @shard_c1_rank(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@below {{'graph.shard' op sharding: got 2 dimensions on tensor<8xf32>, expected one per dimension (sharding_c3)}}
  %r = graph.shard %x <@mesh, [{"x"}, {}]> : tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

graph.mesh @mesh = <["x"=2]>
func.func @reshard_c1_axis(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@below {{'graph.reshard' op sharding: got axis "y", expected an axis of @mesh (sharding_c2)}}
  %r = graph.reshard %x <@mesh, [{"y"}]> : tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

func.func @shard_group_c1_negative(%x: tensor<8xf32>) {
  // expected-error@below {{'graph.shard_group' op id: got [-1], expected values of at least 0 (shard_group_c1)}}
  graph.shard_group %x {id = -1} : tensor<8xf32>
  return
}

// -----

graph.mesh @mesh = <["x"=2]>
func.func @manual_c1_count(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@below {{'graph.manual' op number of in_shardings: got 0, expected 1 (manual_c1)}}
  %r = graph.manual (%x) in_shardings = [] out_shardings = [#graph.sharding<@mesh, [{"x"}]>] manual_axes = ["x"] {
    ^bb0(%a: tensor<4xf32>):
      graph.yield %a : tensor<4xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

graph.mesh @mesh = <["x"=2]>
graph.mesh @other = <["x"=2]>
func.func @manual_c2_two_meshes(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@below {{'graph.manual' op result 0: got @other, expected @mesh (manual_c2)}}
  %r = graph.manual (%x) in_shardings = [#graph.sharding<@mesh, [{"x"}]>] out_shardings = [#graph.sharding<@other, [{"x"}]>] manual_axes = ["x"] {
    ^bb0(%a: tensor<4xf32>):
      graph.yield %a : tensor<4xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

graph.mesh @mesh = <["x"=2, "y"=2]>
func.func @manual_c3_order(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@below {{'graph.manual' op operand 0, dimension 0: got x behind a free axis, expected manual axes first (manual_c3)}}
  %r = graph.manual (%x) in_shardings = [#graph.sharding<@mesh, [{"y", "x"}]>] out_shardings = [#graph.sharding<@mesh, [{"x"}]>] manual_axes = ["x"] {
    ^bb0(%a: tensor<4xf32>):
      graph.yield %a : tensor<4xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

graph.mesh @mesh = <["x"=2]>
func.func @manual_c4_block(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@below {{'graph.manual' op block of operand 0: got tensor<8xf32>, expected tensor<4xf32> (manual_c4)}}
  %r = graph.manual (%x) in_shardings = [#graph.sharding<@mesh, [{"x"}]>] out_shardings = [#graph.sharding<@mesh, [{"x"}]>] manual_axes = ["x"] {
    ^bb0(%a: tensor<8xf32>):
      graph.yield %a : tensor<8xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

graph.mesh @mesh = <["x"=2]>
func.func @manual_c4_uneven(%x: tensor<7xf32>) -> tensor<7xf32> {
  // expected-error@below {{'graph.manual' op operand 0, dimension 0: got size 7, expected a multiple of its 2 shards (manual_c4)}}
  %r = graph.manual (%x) in_shardings = [#graph.sharding<@mesh, [{"x"}]>] out_shardings = [#graph.sharding<@mesh, [{"x"}]>] manual_axes = ["x"] {
    ^bb0(%a: tensor<4xf32>):
      graph.yield %a : tensor<4xf32>
    } : (tensor<7xf32>) -> tensor<7xf32>
  return %r : tensor<7xf32>
}

// -----

graph.mesh @mesh = <["x"=2]>
func.func @manual_c5_inside(%x: tensor<8xf32>) -> tensor<8xf32> {
  %r = graph.manual (%x) in_shardings = [#graph.sharding<@mesh, [{"x"}]>] out_shardings = [#graph.sharding<@mesh, [{"x"}]>] manual_axes = ["x"] {
    ^bb0(%a: tensor<4xf32>):
      // expected-error@below {{'graph.shard' op sharding: got manual axis "x", expected free axes (manual_c5)}}
      %b = graph.shard %a <@mesh, [{"x"}]> : tensor<4xf32>
      graph.yield %b : tensor<4xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}
