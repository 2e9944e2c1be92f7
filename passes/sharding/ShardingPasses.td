// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes that deal programs over devices.

#ifndef ZENITH_PASSES_SHARDING_SHARDINGPASSES_TD
#define ZENITH_PASSES_SHARDING_SHARDINGPASSES_TD

include "mlir/Pass/PassBase.td"

class ShardingPass<string argument> : Pass<argument, "::mlir::ModuleOp"> {
  let dependentDialects = ["::zenith::graph::GraphDialect", "::mlir::func::FuncDialect"];
  // As in passes/GraphPasses.td.
  string exampleTest = "";
}

def PropagateShardingsPass : ShardingPass<"zenith-propagate-shardings"> {
  let summary = "Find the sharding of every value from the few that the program states";
  let description = [{
    Shardy's propagation: factors of ops (ShardingRule) carry axes between operands and results, loops, branches, calls and manual
    regions between the values that share one sharding. `strategy` says how far the hierarchy goes: basic, aggressive (conflicts concern
    single values), op-priority (five rounds by kinds of ops), user-priority (rounds by the priorities of dimensions), full (also what is
    done before and after: constraints on inputs, one copy of constants for each use, groups, dimensions that their axes don't
    divide). Runs after the clean phase, which leaves few ops between the values that users name, and before the partitioner, which
    reads `graph.sharding` of every value. Leaves a program without a mesh alone. Refuses groups whose members state different
    shardings.
  }];
  let exampleTest = "passes/sharding/propagate-shardings.mlir#row_and_column";
  let options = [
    Option<"strategy", "strategy", "std::string", "\"full\"", "basic, aggressive, op-priority, user-priority or full">,
    Option<"conservativePropagation", "conservative", "bool", "false", "no factors of axes, no dimensions that their axes don't divide">];
}

def IgnoreShardingsPass : ShardingPass<"zenith-ignore-shardings"> {
  let summary = "Remove what a program says about devices, to run it whole";
  let description = [{
    Constraints and barriers of shardings become their operands; attributes, groups and meshes go. Runs instead of
    zenith-propagate-shardings where there is one device. Refuses manual regions over several devices, which are no program of one.
  }];
  let exampleTest = "passes/sharding/ignore-shardings.mlir#constraints";
}

#endif // ZENITH_PASSES_SHARDING_SHARDINGPASSES_TD
