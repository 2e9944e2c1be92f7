// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs for a mesh of one device: every collective finds one member.
//
// RUN: zenith-run %s --target=interp
// RUN: zenith-run %s --target=cpu

module attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=1, "y"=1]>
  func.func public @main() {
    %x = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
    %held = sdy.sharding_constraint %x <@mesh, [{"x"}, {"y"}]> : tensor<2x2xf32>
    %sum = sdy.manual_computation(%held) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{}, {}]>] manual_axes={"x"} (%part: tensor<2x2xf32>) {
      %all = "stablehlo.all_reduce"(%part) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<0> : tensor<1x1xi64>, use_global_device_ids}> ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %s = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %s : tensor<f32>
      }) : (tensor<2x2xf32>) -> tensor<2x2xf32>
      %moved = "stablehlo.collective_permute"(%all) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, source_target_pairs = dense<0> : tensor<1x2xi64>}> : (tensor<2x2xf32>) -> tensor<2x2xf32>
      %whole = "stablehlo.all_gather"(%moved) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, replica_groups = dense<0> : tensor<1x1xi64>, use_global_device_ids}> : (tensor<2x2xf32>) -> tensor<2x2xf32>
      sdy.return %whole : tensor<2x2xf32>
    } : (tensor<2x2xf32>) -> tensor<2x2xf32>
    check.expect_eq_const %sum, dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>

    %older = "stablehlo.cross-replica-sum"(%x) {replica_groups = dense<0> : tensor<1x1xi64>} : (tensor<2x2xf32>) -> tensor<2x2xf32>
    check.expect_eq_const %older, dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>

    // Nobody sends to device 0.
    %none = "stablehlo.collective_permute"(%x) <{channel_handle = #stablehlo.channel_handle<handle = 4, type = 1>, source_target_pairs = dense<> : tensor<0x2xi64>}> : (tensor<2x2xf32>) -> tensor<2x2xf32>
    check.expect_eq_const %none, dense<0.0> : tensor<2x2xf32>
    %id = stablehlo.partition_id : tensor<ui32>
    check.expect_eq_const %id, dense<0> : tensor<ui32>

    // The older spelling.
    %marked = stablehlo.custom_call @Sharding(%x) {mhlo.sharding = "{replicated}"} : (tensor<2x2xf32>) -> tensor<2x2xf32>
    %shard = stablehlo.custom_call @SPMDFullToShardShape(%marked) {mhlo.sharding = "{manual}"} : (tensor<2x2xf32>) -> tensor<2x2xf32>
    %full = stablehlo.custom_call @SPMDShardToFullShape(%shard) {mhlo.sharding = "{devices=[1,1]<=[1]}"} : (tensor<2x2xf32>) -> tensor<2x2xf32>
    check.expect_eq_const %full, dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
    return
  }
}
