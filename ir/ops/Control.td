// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops that hold the program together: parameters, fusion regions and their end.

#ifndef ZENITH_IR_OPS_CONTROL_TD
#define ZENITH_IR_OPS_CONTROL_TD

include "ir/GraphBase.td"

def Graph_ParamOp : Graph_Op<"param", "Control", [Symbol]> {
  let summary = "declares a parameter: a named value whose bytes lie outside the program";
  let description = [{
    `source` is `#graph.external` or dense elements of `type`; absent for a parameter that the caller binds.
    c1: the type is a static tensor of graph elements; c2: an external source has exactly the type's bytes; c3: dense elements have
    the type.
    Example: `graph.param @w : tensor<2x3xf32> = #graph.external<"model.weights", 0, 24>`
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<Graph_Tensor>:$type, OptionalAttr<AnyAttr>:$source);
  let assemblyFormat = "$sym_name `:` $type (`=` $source^)? attr-dict";
}

def Graph_DerivedParamOp : Graph_Op<"derived_param", "Control", [Symbol]> {
  let summary = "declares a value that @prepare computes once from parameters";
  let description = [{
    c1: the type is a static tensor; c2: `index` is not negative. It is the result of @prepare that gives the value.
    Example: `graph.derived_param @w_packed : tensor<3x2xf32> from 0`
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<Graph_Tensor>:$type, I64Attr:$index);
  let assemblyFormat = "$sym_name `:` $type `from` $index attr-dict";
}

def Graph_GetParamOp : Graph_PureOp<"get_param", "Control", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "the value of a parameter or derived parameter";
  let description = [{
    c1: the symbol names a param or derived_param; c2: of this type.
    Example: `%w = graph.get_param @w : tensor<2x3xf32>`
  }];
  let arguments = (ins FlatSymbolRefAttr:$param);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$param attr-dict `:` type($result)";
  let hasVerifier = 0;
}

def Graph_FusionOp : Graph_Op<"fusion", "Control", [IsolatedFromAbove, Pure, SingleBlock,
    DeclareOpInterfaceMethods<RegionBranchOpInterface, ["getEntrySuccessorOperands"]>]> {
  let summary = "ops that become one kernel";
  let description = [{
    c1: one block argument per operand, of its type; c2: the region ends in yield with the result types.
    Example: `%r = graph.fusion pointwise (%a = %x : tensor<4xf32>) -> tensor<4xf32> { graph.yield %a : tensor<4xf32> }`
  }];
  let arguments = (ins Graph_FusionKindAttr:$kind, Variadic<Graph_Tensor>:$inputs);
  let results = (outs Variadic<Graph_Tensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
}

def Graph_YieldOp : Graph_Op<"yield", "Control", [Pure, Terminator, ReturnLike]> {
  let summary = "ends a region and gives its results";
  let description = "No constraints of its own. Example: `graph.yield %r : tensor<4xf32>`";
  let arguments = (ins Variadic<Graph_Tensor>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
  let hasVerifier = 0;
}

#endif // ZENITH_IR_OPS_CONTROL_TD
