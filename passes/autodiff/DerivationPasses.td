// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes that make functions from functions.

#ifndef ZENITH_PASSES_AUTODIFF_DERIVATIONPASSES_TD
#define ZENITH_PASSES_AUTODIFF_DERIVATIONPASSES_TD

include "mlir/Pass/PassBase.td"

class DerivationPass<string argument> : Pass<argument, "::mlir::ModuleOp"> {
  let dependentDialects = ["::zenith::graph::GraphDialect", "::mlir::func::FuncDialect"];
  // As in passes/GraphPasses.td.
  string exampleTest = "";
}

def DerivePass : DerivationPass<"zenith-derive"> {
  let summary = "Fill functions that say what they are derived from, callees first";
  let description = [{
    A function without a body and with `graph.derive = {rule = "vjp", of = @f, options = "wrt=0"}` becomes the function that the rule
    makes of `@f`. The first pass of the clean phase, which simplifies what it makes. Where there is something to derive, the passes of
    the clean phase up to zenith-raise-composites run before it, because composites have derivatives of their own that are stable.
    Calls of functions with graph.custom_jvp or graph.custom_vjp are kept until then. Leaves no graph.stop_gradient, and nothing about
    derivatives on functions. Refuses functions that are derived from each other, signatures other than the derived one, and ops
    without a rule, by name.
  }];
  let exampleTest = "passes/autodiff/derive.mlir#calls_gradient";
  let options = [
    Option<"budgetBytes", "budget-bytes", "int64_t", "0", "memory that a run may allocate: loops whose trips depend on data store what fits; 0: any">];
}

class RulePass<string argument> : DerivationPass<argument> {
  list<Option> named = [
    Option<"entry", "entry", "std::string", "", "the function; default: the only public one, else main">,
    Option<"name", "name", "std::string", "", "name of the new function; default: that of the function and the rule">];
}

class DifferentiationPass<string argument> : RulePass<argument> {
  list<Option> chosen = [
    ListOption<"wrt", "wrt", "std::string", "indices or names of arguments, @NAME of a parameter, @* for all of floats; default: all arguments of floats">,
    ListOption<"of", "of", "std::string", "indices of results; default: all of floats, of grad 0">];
  list<Option> taped = [
    Option<"tape", "tape", "std::string", "\"store\"", "what a loop whose trips depend on data keeps of each: store or sqrt">];
}

def VjpPass : DifferentiationPass<"zenith-vjp"> {
  let summary = "Make a function that also gives gradients for cotangents of its results";
  let description = [{
    Reverse mode. The new function takes the arguments, then a cotangent per result in `of`, and gives the results, then a gradient per
    entry of `wrt`. It becomes the entry. Runs on demand only, what `--transform` of the tools does. Refuses ops without a rule, by
    name.
  }];
  let exampleTest = "passes/autodiff/vjp.mlir#product";
  let options = named # chosen # taped;
}

def GradPass : DifferentiationPass<"zenith-grad"> {
  let summary = "Make a function that also gives the gradient of a scalar result";
  let description = [{
    Reverse mode with the cotangent 1. The new function takes the arguments and gives the results, then a gradient per entry of `wrt`.
    Runs on demand only. Refuses a result that is no scalar of floats, and ops without a rule, by name.
  }];
  let exampleTest = "passes/autodiff/grad.mlir#square";
  let options = named # chosen # taped;
}

def JvpPass : DifferentiationPass<"zenith-jvp"> {
  let summary = "Make a function that also gives tangents of its results for tangents of its arguments";
  let description = [{
    Forward mode. The new function takes the arguments, then a tangent per entry of `wrt`, and gives the results, then a tangent per
    result in `of`. Runs on demand only. Refuses ops without a rule, by name.
  }];
  let exampleTest = "passes/autodiff/jvp.mlir#product";
  let options = named # chosen;
}

def VmapPass : RulePass<"zenith-vmap"> {
  let summary = "Make a function that maps another one over a dimension of its arguments";
  let description = [{
    `in` has per argument the dimension to map over, or `_`; `out` says where it is in the results, one number for all or one for each.
    Runs on demand only. Refuses ops without a rule, by name.
  }];
  let exampleTest = "passes/batching/vmap.mlir#product";
  let options = named # [
    ListOption<"in", "in", "std::string", "per argument the dimension to map over, or _">,
    ListOption<"out", "out", "std::string", "where the dimension is in the results; default: 0">];
}

def RaiseCheckpointsPass : Pass<"zenith-raise-checkpoints", "::mlir::func::FuncOp"> {
  let summary = "Leave out barriers behind which nothing is computed again";
  let description = [{
    A checkpoint of JAX arrives differentiated: ops, a barrier over what they read, what was saved and the cotangents, and the ops
    again on what comes out. An op behind a barrier that equals one in front, seen through barriers, is a recomputation. A barrier
    without one only keeps ops apart from what they could be merged or fused with, and is left out (REM006 of
    [remarks](remarks.md)). `mode` off leaves out all barriers, so that equal ops are merged and each value is computed once; auto
    those of the function's block, since zenith-rematerialize chooses again what is computed twice. Other barriers in loops stay:
    what a loop computes again stands in another one. Checkpoints become their regions, names and places go; with `offload` a value
    that the program places on the host and back gets a barrier with `graph.offload`, which zenith-offload-values looks for. Runs
    in the clean phase, before composites are raised. Refuses nothing.
  }];
  let dependentDialects = ["::zenith::graph::GraphDialect", "::mlir::func::FuncDialect"];
  string exampleTest = "passes/remat/raise-checkpoints.mlir#nothing_behind";
  let options = [Option<"mode", "mode", "std::string", "\"policy\"", "off, policy or auto">,
                 Option<"offload", "offload", "bool", "false", "values that are placed on the host may wait in a file">,
                 Option<"explain", "explain", "bool", "false", "emit a remark for each barrier that is left out">];
}

def RecomputeCheapStacksPass : Pass<"zenith-recompute-cheap-stacks", "::mlir::func::FuncOp"> {
  let summary = "Let loops stack no elementwise functions of what they stack";
  let description = [{
    A counted loop that writes a row of stacks in each trip, which later loops read row by row, as a scan of JAX does for its
    derivative, often stacks a value and what a few elementwise ops make of it: tanh(u) and 1 - tanh(u) beside u. Stacks of the latter
    go, and the later loops compute the rows again, which costs less than writing and reading them. Of stacks of one value one stays.
    Runs last in the clean phase, with and without a budget, so that results have the same bits. Refuses nothing: other stacks stay.

    Before and after (tests/passes/remat/recompute-cheap-stacks.mlir @scan):
    ```mlir
    %u = graph.dynamic_update_slice %s, %x, %i ... %v = graph.dynamic_update_slice %t, %tanh, %i ... %n = graph.dynamic_slice %f#3, %l ...
    %u = graph.dynamic_update_slice %s, %x, %i ... %m = graph.dynamic_slice %f#2, %l ... %n = graph.tanh %m
    ```
  }];
}

#endif // ZENITH_PASSES_AUTODIFF_DERIVATIONPASSES_TD
