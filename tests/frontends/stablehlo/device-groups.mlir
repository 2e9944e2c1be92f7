// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Groups of collectives: by axes of a mesh, and of a program that does not say how many devices it runs on.
//
// RUN: split-file %s %t
// RUN: zenith-translate %t/axes.mlir --to-format=graphir -o - | FileCheck %s --check-prefix=AXES
// RUN: zenith-compile %t/unstated.mlir --emit=sharding-rules -o - | FileCheck %s --check-prefix=RULES
// RUN: %python %source/tests/tools/Inputs/exit_code.py 3 zenith-run %t/unstated.mlir --random-inputs=1 2>&1 | FileCheck %s --check-prefix=ALONE
// RUN: %python %source/tests/tools/Inputs/exit_code.py 2 zenith-translate %t/no-mesh.mlir --to-format=graphir -o - 2>&1 | FileCheck %s --check-prefix=NOMESH
// RUN: %python %source/tests/tools/Inputs/exit_code.py 2 zenith-translate %t/no-axis.mlir --to-format=graphir -o - 2>&1 | FileCheck %s --check-prefix=NOAXIS
// RUN: %python %source/tests/tools/Inputs/exit_code.py 2 zenith-translate %t/other-count.mlir --to-format=graphir -o - 2>&1 | FileCheck %s --check-prefix=COUNT

//--- axes.mlir
module attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func @main(%x: tensor<2xf32>) -> (tensor<8xf32>, tensor<4xf32>) {
    // AXES: graph.all_gather({{.*}}) dim 0 groups dense<{{\[}}[0, 1, 2, 3], [4, 5, 6, 7]]>
    %a = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "y">]>, use_global_device_ids}> : (tensor<2xf32>) -> tensor<8xf32>
    // AXES: graph.all_gather({{.*}}) dim 0 groups dense<{{\[}}[0, 1], [2, 3], [4, 5], [6, 7]]>
    %b = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 2, type = 0>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "y", sub_axis_info = (2)2>]>, use_global_device_ids}> : (tensor<2xf32>) -> tensor<4xf32>
    return %a, %b : tensor<8xf32>, tensor<4xf32>
  }
}

//--- unstated.mlir
// RULES: "need_replication": [
// RULES-NEXT: "j",
// RULES-NEXT: "k"
// ALONE: 'graph.all_gather' of a program without a mesh is not supported
func.func @main(%x: tensor<2x2xi64>) -> tensor<2x4xi64> {
  %a = "stablehlo.all_gather"(%x) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2x2xi64>) -> tensor<2x4xi64> loc("v0")
  return %a : tensor<2x4xi64>
}

//--- no-mesh.mlir
// NOMESH: mesh symbol 'mesh' not found
func.func @main(%x: tensor<2xf32>) -> tensor<8xf32> {
  %a = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "y">]>}> : (tensor<2xf32>) -> tensor<8xf32>
  return %a : tensor<8xf32>
}

//--- no-axis.mlir
// NOAXIS: of which the mesh has no axis z
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%x: tensor<2xf32>) -> tensor<8xf32> {
  %a = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "z">]>}> : (tensor<2xf32>) -> tensor<8xf32>
  return %a : tensor<8xf32>
}

//--- other-count.mlir
// COUNT: a mesh of 8 devices, and the program runs on 4
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func @main(%x: tensor<2xf32>) -> tensor<8xf32> {
    %a = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "y">]>}> : (tensor<2xf32>) -> tensor<8xf32>
    return %a : tensor<8xf32>
  }
}
