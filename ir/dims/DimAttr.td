// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A dimension expression as an attribute.

#ifndef ZENITH_IR_DIMS_DIMATTR_TD
#define ZENITH_IR_DIMS_DIMATTR_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/CommonAttrConstraints.td"
include "ir/GraphDialect.td"

def Graph_DimExprParameter : AttrParameter<"::zenith::graph::DimExpr", "a polynomial over named dimensions",
                                            "const ::zenith::graph::DimExpr &">;

def Graph_DimAttr : AttrDef<Graph_Dialect, "Dim"> {
  let mnemonic = "dim";
  let summary = "a size, offset or count as an expression over named dimensions";
  let description = [{
    The text is parsed once, into the canonical polynomial, so equal expressions are one attribute. Text that is no
    expression is an error at its location. Ops that hold such attributes write the text alone.
    Example: `#graph.dim<"4*batch">`
  }];
  let parameters = (ins Graph_DimExprParameter:$expr);
  let assemblyFormat = "`<` custom<DimExprText>($expr) `>`";
}

def Graph_DimArrayAttr : TypedArrayAttrBase<Graph_DimAttr, "an array of dimension expressions">;

#endif // ZENITH_IR_DIMS_DIMATTR_TD
