// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The question: what does an op cost, per element and in all?

#ifndef ZENITH_PASSES_COST_COSTRULE_TD
#define ZENITH_PASSES_COST_COSTRULE_TD

include "mlir/IR/OpBase.td"

def CostRule : OpInterface<"CostRule"> {
  let cppNamespace = "::zenith::cost";
  let description = [{
    Estimates by which passes choose between recomputing and reading, and by which reports compare a run with
    what the machine can do. Answered per family in <Family>Costs.cpp.
  }];
  let methods = [
    InterfaceMethod<"Instructions that one element of a result takes, an addition = 1; 0 where it is only found elsewhere.",
                    "unsigned", "elementCost", (ins)>,
    InterfaceMethod<"Arithmetic of the whole op: a multiplication and an addition each count one.",
                    "::zenith::graph::DimExpr", "flops", (ins "::zenith::graph::DimAnalysis &":$dims)>
  ];
}

#endif // ZENITH_PASSES_COST_COSTRULE_TD
