// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares the graph dialect: its invariants in prose and the families that order its ops.

#ifndef ZENITH_IR_GRAPHDIALECT_TD
#define ZENITH_IR_GRAPHDIALECT_TD

include "mlir/IR/OpBase.td"

def Graph_Dialect : Dialect {
  let name = "graph";
  let cppNamespace = "::zenith::graph";
  let summary = "models and search algorithms as dataflow over ranked tensors";
  let description = [{
    Values are builtin ranked tensors; signless integers are signed, `ui8` to
    `ui64` unsigned, `i1` is a boolean. Every op is a pure function of its
    operands unless it says otherwise. There is no implicit broadcasting: operands
    of an elementwise op have one shape, and `graph.broadcast` makes it so.

    A dynamic dimension of a result that neither the operands' shapes nor the
    attributes determine is given by an operand of type `tensor<i64>`, one for each
    `?` of the result type from left to right. `graph.dim` reads a dimension;
    DimAnalysis turns such scalars into expressions over the dimensions that the
    signature names. Arguments and results of an entry function carry
    `graph.name` (their public name) and `graph.dims` (one string per dimension:
    a number, a name or an expression such as "past + seq").
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
    void registerOps();
  }];
}

#endif // ZENITH_IR_GRAPHDIALECT_TD
