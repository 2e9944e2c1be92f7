// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes that write types into a program.

#ifndef ZENITH_PASSES_PRECISION_PRECISIONPASSES_TD
#define ZENITH_PASSES_PRECISION_PRECISIONPASSES_TD

include "mlir/Pass/PassBase.td"

class PrecisionPass<string argument> : Pass<argument, "::mlir::ModuleOp"> {
  let dependentDialects = ["::zenith::graph::GraphDialect", "::mlir::func::FuncDialect"];
  // As in passes/GraphPasses.td.
  string exampleTest = "";
}

def AssignPrecisionPass : PrecisionPass<"zenith-assign-precision"> {
  let summary = "Write the types of a policy into the program";
  let description = [{
    Products take operands of the policy's type and sum in f32; ops that follow are narrow where all their operands are and the policy
    stores values so; others compute in f32 ([precision](../precision.md) has the lists and the order of the rules). Types and converts
    say all of it, so the interpreter runs the result and its meaning does not depend on the target. A value is converted once per
    type, where it is computed; parameters and what is computed of them alone take the type of what they meet, and
    zenith-hoist-prepare moves their converts. Runs after zenith-fold-batch-norm, which scales weights in f32. Without a policy, also
    in graph.precision of the module, nothing changes. Refuses a policy that it cannot read and patterns that name no op.

    With `explain` each op has one remark (PRE001 to PRE117 of [remarks](remarks.md)).
  }];
  let exampleTest = "passes/precision/assign-precision.mlir#mlp";
  let options = [Option<"policy", "policy", "std::string", "", "a preset, or KEY=VALUE,...; default: graph.precision of the module">,
                 ListOption<"keepF32", "keep-f32", "std::string", "names of ops that stay f32, with *, or op:MNEMONIC">,
                 Option<"choices", "choices", "std::string", "", "JSON with a type for products by name, as --precision-file has it">,
                 Option<"marks", "marks", "bool", "false", "write on each op that a remark is about what was decided: graph.decision">,
                 Option<"explain", "explain", "bool", "false", "emit a remark for each op">];
}

#endif // ZENITH_PASSES_PRECISION_PRECISIONPASSES_TD
