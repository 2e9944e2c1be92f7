// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes that write types into a program: a policy's, and the scale of a loss.

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

def ScaleLossPass : PrecisionPass<"zenith-scale-loss"> {
  let summary = "Make a training step that scales its loss by a power of two that adapts";
  let description = [{
    `gradient` takes parameters, a batch and the cotangent of the loss, and gives the loss, which is not scaled, and a gradient per
    parameter; `update` takes parameters, state and gradients and gives new parameters and state. Arguments are told apart by their
    names (graph.name) and this order. The new function takes parameters, state, batch, loss_scale and good_steps and gives new
    parameters and state, the loss, loss_scale, good_steps and finite. It scales the cotangent by S and the gradients by 1/S; where
    one of their elements is not finite, parameters and state stay bit for bit. After `interval` finite steps S grows by `growth`
    while that is finite and at most `max-scale`; after another one it shrinks by `backoff` to at least `min-scale`. Both functions
    become private, so that the clean phase inlines them. Refuses signatures that do not fit, by name.
  }];
  let exampleTest = "passes/precision/scale-loss.mlir#grad";
  let options = [Option<"gradient", "gradient", "std::string", "\"grad\"", "the function that gives loss and gradients">,
                 Option<"update", "update", "std::string", "\"update\"", "the function that gives new parameters and state">,
                 Option<"step", "step", "std::string", "\"step\"", "name of the new function">,
                 Option<"growth", "growth", "double", "2", "factor after `interval` finite steps">,
                 Option<"backoff", "backoff", "double", "0.5", "factor after a step that is not finite">,
                 Option<"interval", "interval", "int64_t", "2000", "finite steps between growths">,
                 Option<"minScale", "min-scale", "double", "1", "least scale">,
                 Option<"maxScale", "max-scale", "double", "1.7014118346046923e38", "largest scale">];
}

def KeepNarrowValuesPass : Pass<"zenith-keep-narrow-values", "::mlir::func::FuncOp"> {
  let summary = "Keep rounded values in their narrow type until their readers widen them";
  let description = [{
    A kernel may end with a conversion that widens a value which it has rounded, since products take operands in f32
    (zenith-lower-precision). Where a result of bf16 or f16 that was widened so lives long, as what a forward pass keeps for the
    backward pass does, memory holds the narrow value, and each reader widens it: products in registers or while they pack it. The same
    where all readers are depthwise convolutions, which have few products for each element that they read. Runs on fused functions,
    before zenith-cheap-rematerialization, which computes other results from those that are kept. A result that some reader cannot widen
    (pooling, a scatter, the function's caller) stays as it is. With `explain` each narrow result is a remark
    "fusion: FUS106: text". Refuses nothing.
  }];
  let dependentDialects = ["::zenith::graph::GraphDialect", "::mlir::func::FuncDialect"];
  string exampleTest = "passes/precision/keep-narrow-values.mlir#forward_and_backward";
  let options = [Option<"explain", "explain", "bool", "false", "emit a remark for each result that is kept narrow">];
}

#endif // ZENITH_PASSES_PRECISION_PRECISIONPASSES_TD
