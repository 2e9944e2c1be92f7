// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The question that every op answers on the ground floor: what are the dimensions of my results?

#ifndef ZENITH_IR_SHAPERULE_TD
#define ZENITH_IR_SHAPERULE_TD

include "mlir/IR/OpBase.td"

def ShapeRule : OpInterface<"ShapeRule"> {
  let cppNamespace = "::zenith::graph";
  let description = [{
    Shape reification, in symbols: gives each result dimension as an expression over
    the named dimensions of the enclosing function.
  }];
  let methods = [InterfaceMethod<
    "Dimensions of result `result`; asks `analysis` for those of the operands.",
    "::zenith::graph::DimVector", "resultDims",
    (ins "unsigned":$result, "::zenith::graph::DimAnalysis &":$analysis)>];
}

#endif // ZENITH_IR_SHAPERULE_TD
