// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes that make the program of one device, and one program for all devices of that.

#ifndef ZENITH_PASSES_SHARDING_PARTITION_PARTITIONPASSES_TD
#define ZENITH_PASSES_SHARDING_PARTITION_PARTITIONPASSES_TD

include "mlir/Pass/PassBase.td"

class PartitionPassBase<string argument> : Pass<argument, "::mlir::ModuleOp"> {
  let dependentDialects = ["::zenith::graph::GraphDialect", "::mlir::func::FuncDialect"];
  // As in passes/GraphPasses.td.
  string exampleTest = "";
}

def PartitionPass : PartitionPassBase<"zenith-partition"> {
  let summary = "Make of a program with shardings the one that each device runs on its blocks";
  let description = [{
    Every value gets the layout that propagation found; an op runs on blocks where the factors of ShardingRule let it, by the axes that keep
    most devices at work and then send the fewest bytes; neighbours' rows travel for parts, joins and windows, owners act where data give
    the position, and what is left is gathered. Small sums over
    one group of devices, none of which needs another, travel as one all_reduce. Blocks are ceil(size / shards) long; folds see neutral elements in the padding. Arguments and
    results get graph.block; no graph.sharding is left. Needs zenith-propagate-shardings before it, and calls inlined.
    With `explain`, remarks SHD101 to SHD104 say what travels and pads, and whose shardings ask for it.
  }];
  let exampleTest = "passes/sharding/partition.mlir#contracting_dimension";
  let options = [Option<"explain", "explain", "bool", "false", "emit a remark for each value that travels">];
}

def UnrollDevicesPass : PartitionPassBase<"zenith-unroll-devices"> {
  let summary = "Make one program that does the work of all devices in lock step";
  let description = [{
    Each op once for each device whose operands differ, collectives as ops on the values of their groups, in the group's order. Arguments and
    results are whole again. Runs after zenith-partition, so that all later passes and targets see one program.
  }];
  let exampleTest = "passes/sharding/unroll-devices.mlir#sum_of_two";
}

#endif // ZENITH_PASSES_SHARDING_PARTITION_PARTITIONPASSES_TD
