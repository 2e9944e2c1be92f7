// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// StableHLO ops with regions: reductions, windows, sorting, scatter, control.

#ifndef ZENITH_FRONTENDS_STABLEHLO_DIALECT_OPS_STABLEHLOREGIONS_TD
#define ZENITH_FRONTENDS_STABLEHLO_DIALECT_OPS_STABLEHLOREGIONS_TD

include "frontends/stablehlo/dialect/StableHLOBase.td"

def StableHLO_ReturnOp : StableHLO_PureOp<"return", [Terminator]> {
  let arguments = (ins Variadic<AnyType>:$results);
  let assemblyFormat = "($results^)? attr-dict (`:` type($results)^)?";
}
def StableHLO_ReduceOp : StableHLO_Op<"reduce", [RecursiveMemoryEffects, SameVariadicOperandSize]> {
  let arguments = (ins Variadic<HLO_Tensor>:$inputs, Variadic<HLO_Tensor>:$init_values, DenseI64ArrayAttr:$dimensions);
  let results = (outs Variadic<HLO_Tensor>);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
}
def StableHLO_ReduceWindowOp : StableHLO_Op<"reduce_window", [RecursiveMemoryEffects, SameVariadicOperandSize]> {
  let arguments = (ins Variadic<HLO_Tensor>:$inputs, Variadic<HLO_Tensor>:$init_values, DenseI64ArrayAttr:$window_dimensions,
    OptionalAttr<DenseI64ArrayAttr>:$window_strides, OptionalAttr<DenseI64ArrayAttr>:$base_dilations,
    OptionalAttr<DenseI64ArrayAttr>:$window_dilations, OptionalAttr<I64ElementsAttr>:$padding);
  let results = (outs Variadic<HLO_Tensor>);
  let regions = (region SizedRegion<1>:$body);
}
def StableHLO_SelectAndScatterOp : StableHLO_Op<"select_and_scatter", [RecursiveMemoryEffects]> {
  let arguments = (ins HLO_Tensor:$operand, HLO_Tensor:$source, HLO_Tensor:$init_value, OptionalAttr<DenseI64ArrayAttr>:$window_dimensions,
    OptionalAttr<DenseI64ArrayAttr>:$window_strides, OptionalAttr<I64ElementsAttr>:$padding);
  let results = (outs HLO_Tensor:$result);
  let regions = (region SizedRegion<1>:$select, SizedRegion<1>:$scatter);
}
def StableHLO_ScatterOp : StableHLO_Op<"scatter", [RecursiveMemoryEffects, SameVariadicOperandSize]> {
  let arguments = (ins Variadic<HLO_Tensor>:$inputs, HLO_IndexTensor:$scatter_indices, Variadic<HLO_Tensor>:$updates,
    StableHLO_ScatterDimensionNumbersAttr:$scatter_dimension_numbers, OptionalAttr<BoolAttr>:$indices_are_sorted,
    OptionalAttr<BoolAttr>:$unique_indices);
  let results = (outs Variadic<HLO_Tensor>);
  let regions = (region SizedRegion<1>:$update_computation);
}
def StableHLO_SortOp : StableHLO_Op<"sort", [RecursiveMemoryEffects]> {
  let arguments = (ins Variadic<HLO_Tensor>:$inputs, OptionalAttr<I64Attr>:$dimension, OptionalAttr<BoolAttr>:$is_stable);
  let results = (outs Variadic<HLO_Tensor>);
  let regions = (region SizedRegion<1>:$comparator);
}
def StableHLO_MapOp : StableHLO_Op<"map", [RecursiveMemoryEffects]> {
  let arguments = (ins Variadic<HLO_Tensor>:$inputs, DenseI64ArrayAttr:$dimensions);
  let results = (outs HLO_Tensor:$result);
  let regions = (region SizedRegion<1>:$computation);
}
def StableHLO_WhileOp : StableHLO_Op<"while", [RecursiveMemoryEffects]> {
  let arguments = (ins Variadic<HLO_TensorOrTuple>:$operand);
  let results = (outs Variadic<HLO_TensorOrTuple>);
  let regions = (region SizedRegion<1>:$cond, SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
}
def StableHLO_IfOp : StableHLO_Op<"if", [RecursiveMemoryEffects]> {
  let arguments = (ins HLO_PredTensor:$pred);
  let results = (outs Variadic<HLO_TensorOrTuple>);
  let regions = (region SizedRegion<1>:$true_branch, SizedRegion<1>:$false_branch);
}
def StableHLO_CaseOp : StableHLO_Op<"case", [RecursiveMemoryEffects]> {
  let arguments = (ins RankedTensorOf<[I32]>:$index);
  let results = (outs Variadic<HLO_TensorOrTuple>);
  let regions = (region VariadicRegion<SizedRegion<1>>:$branches);
}
def StableHLO_OptimizationBarrierOp : StableHLO_PureOp<"optimization_barrier"> {
  let arguments = (ins Variadic<HLO_TensorOrTuple>:$operand);
  let results = (outs Variadic<HLO_TensorOrTuple>:$result);
  let assemblyFormat = "attr-dict ($operand^ `:` custom<PairwiseOpType>(type($operand), type($result))):(`(` `)`)?";
}
def StableHLO_TupleOp : StableHLO_PureOp<"tuple"> {
  let arguments = (ins Variadic<HLO_TensorOrTuple>:$val);
  let results = (outs AnyTuple:$result);
  let assemblyFormat = "$val attr-dict `:` custom<TupleOpType>(type($val), type($result))";
}
def StableHLO_GetTupleElementOp : StableHLO_PureOp<"get_tuple_element"> {
  let arguments = (ins AnyTuple:$operand, I32Attr:$index);
  let results = (outs HLO_TensorOrTuple);
  let assemblyFormat = "$operand `[` $index `]` attr-dict `:` functional-type(operands, results)";
}
def StableHLO_CustomCallOp : StableHLO_Op<"custom_call"> {
  let arguments = (ins Variadic<HLO_CallValue>:$inputs, StrAttr:$call_target_name, OptionalAttr<BoolAttr>:$has_side_effect,
    OptionalAttr<AnyAttrOf<[StrAttr, DictionaryAttr]>>:$backend_config, OptionalAttr<I32Attr>:$api_version,
    OptionalAttr<ArrayAttr>:$called_computations, OptionalAttr<ArrayAttr>:$operand_layouts, OptionalAttr<ArrayAttr>:$result_layouts,
    OptionalAttr<ArrayAttr>:$output_operand_aliases);
  let results = (outs Variadic<HLO_CallValue>);
  let assemblyFormat = "custom<CustomCallTarget>($call_target_name) `(` $inputs `)` attr-dict `:` functional-type(operands, results)";
}
def StableHLO_CompositeOp : StableHLO_Op<"composite"> {
  let arguments = (ins Variadic<HLO_Value>:$inputs, StrAttr:$name, OptionalAttr<DictionaryAttr>:$composite_attributes,
    FlatSymbolRefAttr:$decomposition, OptionalAttr<I32Attr>:$version);
  let results = (outs Variadic<HLO_Value>);
  let assemblyFormat = "$name $inputs attr-dict `:` functional-type(operands, results)";
}

#endif // ZENITH_FRONTENDS_STABLEHLO_DIALECT_OPS_STABLEHLOREGIONS_TD
