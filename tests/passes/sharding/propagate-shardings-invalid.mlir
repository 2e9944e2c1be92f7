// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What propagation refuses.
//
// RUN: zenith-opt %s --zenith-propagate-shardings --split-input-file --verify-diagnostics

graph.mesh @mesh = <["x"=2]>
func.func @group_of_two_shardings(%x: tensor<8x8xf32> {graph.sharding = #graph.sharding<@mesh, [{"x"}, {}]>},
                                  %y: tensor<8x8xf32> {graph.sharding = #graph.sharding<@mesh, [{}, {"x"}]>}) {
  // expected-error@below {{'graph.shard_group' op group 0: got #graph.sharding<@mesh, [{"x"}, {}]> and another one, expected one sharding for all members}}
  graph.shard_group %x {id = 0} : tensor<8x8xf32>
  graph.shard_group %y {id = 0} : tensor<8x8xf32>
  return
}
