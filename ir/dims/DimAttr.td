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

def Graph_BoundsAttr : AttrDef<Graph_Dialect, "Bounds"> {
  let mnemonic = "bounds";
  let summary = "what is known of the size of a named dimension";
  let description = [{
    Functions carry `graph.dim_bounds`, a dictionary of these by the names of dimensions: code may rely on low <= size <=
    high, and on `multiple` dividing the size. Calls are checked against them.

    Constraints:
    - bounds_c1: 0 <= low <= high, and `multiple` is at least 1.
    - bounds_c2: a multiple of `multiple` lies between low and high.

    Example: `graph.dim_bounds = {seq = #graph.bounds<1 to 512, multiple = 16>}`
  }];
  let parameters = (ins "int64_t":$low, "int64_t":$high, DefaultValuedParameter<"int64_t", "1">:$multiple);
  let assemblyFormat = "`<` $low `to` $high (`,` `multiple` `=` $multiple^)? `>`";
  let genVerifyDecl = 1;
}

def Graph_DimArrayAttr : TypedArrayAttrBase<Graph_DimAttr, "an array of dimension expressions">;

#endif // ZENITH_IR_DIMS_DIMATTR_TD
