// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// StableHLO ops that move elements: by shapes, by data, and to sizes given as values.

#ifndef ZENITH_FRONTENDS_STABLEHLO_DIALECT_OPS_STABLEHLOMOVEMENT_TD
#define ZENITH_FRONTENDS_STABLEHLO_DIALECT_OPS_STABLEHLOMOVEMENT_TD

include "frontends/stablehlo/dialect/StableHLOBase.td"

def StableHLO_ConstantOp : StableHLO_PureOp<"constant"> {
  let arguments = (ins ElementsAttr:$value);
  let results = (outs HLO_Tensor:$output);
  let hasCustomAssemblyFormat = 1;
}
def StableHLO_IotaOp : StableHLO_PureOp<"iota"> {
  let arguments = (ins I64Attr:$iota_dimension);
  let results = (outs HLO_NumberTensor:$output);
  let assemblyFormat = "`dim` `=` $iota_dimension attr-dict `:` type($output)";
}
def StableHLO_DynamicIotaOp : StableHLO_PureOp<"dynamic_iota"> {
  let arguments = (ins HLO_DimensionTensor:$output_shape, I64Attr:$iota_dimension);
  let results = (outs HLO_NumberTensor:$result);
  let assemblyFormat = "$output_shape `,` `dim` `=` $iota_dimension attr-dict `:` functional-type(operands, results)";
}
def StableHLO_BroadcastOp : StableHLO_PureOp<"broadcast"> {
  let arguments = (ins HLO_Tensor:$operand, DenseI64ArrayAttr:$broadcast_sizes);
  let results = (outs HLO_Tensor:$result);
  let assemblyFormat = "$operand `,` `sizes` `=` $broadcast_sizes attr-dict `:` functional-type(operands, results)";
}
def StableHLO_BroadcastInDimOp : StableHLO_PureOp<"broadcast_in_dim"> {
  let arguments = (ins HLO_Tensor:$operand, DenseI64ArrayAttr:$broadcast_dimensions);
  let results = (outs HLO_Tensor:$result);
  let assemblyFormat = "$operand `,` `dims` `=` $broadcast_dimensions attr-dict `:` functional-type(operands, results)";
}
def StableHLO_DynamicBroadcastInDimOp : StableHLO_PureOp<"dynamic_broadcast_in_dim"> {
  let arguments = (ins HLO_Tensor:$operand, HLO_DimensionTensor:$output_dimensions, DenseI64ArrayAttr:$broadcast_dimensions,
    OptionalAttr<DenseI64ArrayAttr>:$known_expanding_dimensions, OptionalAttr<DenseI64ArrayAttr>:$known_nonexpanding_dimensions);
  let results = (outs HLO_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` $output_dimensions `,` `dims` `=` $broadcast_dimensions attr-dict `:` functional-type(operands, results)
  }];
}
def StableHLO_ReshapeOp : StableHLO_PureOp<"reshape"> {
  let arguments = (ins HLO_Tensor:$operand);
  let results = (outs HLO_Tensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}
def StableHLO_DynamicReshapeOp : StableHLO_PureOp<"dynamic_reshape"> {
  let arguments = (ins HLO_Tensor:$operand, HLO_DimensionTensor:$output_shape);
  let results = (outs HLO_Tensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}
def StableHLO_TransposeOp : StableHLO_PureOp<"transpose"> {
  let arguments = (ins HLO_Tensor:$operand, DenseI64ArrayAttr:$permutation);
  let results = (outs HLO_Tensor:$result);
  let assemblyFormat = "$operand `,` `dims` `=` $permutation attr-dict `:` functional-type(operands, results)";
}
def StableHLO_ReverseOp : StableHLO_PureOp<"reverse"> {
  let arguments = (ins HLO_Tensor:$operand, DenseI64ArrayAttr:$dimensions);
  let results = (outs HLO_Tensor:$result);
  let assemblyFormat = "$operand `,` `dims` `=` $dimensions attr-dict `:` custom<SameOperandsAndResultType>(type($operand), type($result))";
}
def StableHLO_SliceOp : StableHLO_PureOp<"slice"> {
  let arguments = (ins HLO_Tensor:$operand, DenseI64ArrayAttr:$start_indices, DenseI64ArrayAttr:$limit_indices, DenseI64ArrayAttr:$strides);
  let results = (outs HLO_Tensor:$result);
  let assemblyFormat = [{
    $operand custom<SliceRanges>($start_indices, $limit_indices, $strides) attr-dict `:` functional-type(operands, results)
  }];
}
def StableHLO_RealDynamicSliceOp : StableHLO_PureOp<"real_dynamic_slice"> {
  let arguments = (ins HLO_Tensor:$operand, HLO_DimensionTensor:$start_indices, HLO_DimensionTensor:$limit_indices, HLO_DimensionTensor:$strides);
  let results = (outs HLO_Tensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}
def StableHLO_DynamicSliceOp : StableHLO_PureOp<"dynamic_slice"> {
  let arguments = (ins HLO_Tensor:$operand, Variadic<HLO_DimensionValue>:$start_indices, DenseI64ArrayAttr:$slice_sizes);
  let results = (outs HLO_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` custom<VariadicOperandWithAttribute>($start_indices) `sizes` `=` $slice_sizes attr-dict
    `:` functional-type(operands, results)
  }];
}
def StableHLO_DynamicUpdateSliceOp : StableHLO_PureOp<"dynamic_update_slice"> {
  let arguments = (ins HLO_Tensor:$operand, HLO_Tensor:$update, Variadic<HLO_DimensionValue>:$start_indices);
  let results = (outs HLO_Tensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}
def StableHLO_PadOp : StableHLO_PureOp<"pad"> {
  let arguments = (ins HLO_Tensor:$operand, HLO_Tensor:$padding_value, DenseI64ArrayAttr:$edge_padding_low,
    DenseI64ArrayAttr:$edge_padding_high, DenseI64ArrayAttr:$interior_padding);
  let results = (outs HLO_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` $padding_value `,` `low` `=` $edge_padding_low `,` `high` `=` $edge_padding_high
    `,` `interior` `=` $interior_padding attr-dict `:` functional-type(operands, results)
  }];
}
def StableHLO_DynamicPadOp : StableHLO_PureOp<"dynamic_pad"> {
  let arguments = (ins HLO_Tensor:$operand, HLO_Tensor:$padding_value, HLO_DimensionTensor:$edge_padding_low,
    HLO_DimensionTensor:$edge_padding_high, HLO_DimensionTensor:$interior_padding);
  let results = (outs HLO_Tensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}
def StableHLO_ConcatenateOp : StableHLO_PureOp<"concatenate"> {
  let arguments = (ins Variadic<HLO_Tensor>:$inputs, I64Attr:$dimension);
  let results = (outs HLO_Tensor:$result);
  let assemblyFormat = "custom<VariadicOperandWithAttribute>($inputs) `dim` `=` $dimension attr-dict `:` functional-type(operands, results)";
}
def StableHLO_GatherOp : StableHLO_PureOp<"gather"> {
  let arguments = (ins HLO_Tensor:$operand, HLO_IndexTensor:$start_indices, StableHLO_GatherDimensionNumbersAttr:$dimension_numbers,
    DenseI64ArrayAttr:$slice_sizes, OptionalAttr<BoolAttr>:$indices_are_sorted);
  let results = (outs HLO_Tensor:$result);
}
def StableHLO_DynamicGatherOp : StableHLO_PureOp<"dynamic_gather"> {
  let arguments = (ins HLO_Tensor:$operand, HLO_IndexTensor:$start_indices, HLO_DimensionTensor:$slice_sizes,
    StableHLO_GatherDimensionNumbersAttr:$dimension_numbers, OptionalAttr<BoolAttr>:$indices_are_sorted);
  let results = (outs HLO_Tensor:$result);
}
def StableHLO_TorchIndexSelectOp : StableHLO_PureOp<"torch_index_select"> {
  let arguments = (ins HLO_Tensor:$operand, HLO_Tensor:$index, I64Attr:$dim, I64Attr:$batch_dims);
  let results = (outs HLO_Tensor:$result);
}
def StableHLO_GetDimensionSizeOp : StableHLO_PureOp<"get_dimension_size"> {
  let arguments = (ins HLO_Tensor:$operand, I64Attr:$dimension);
  let results = (outs HLO_Tensor:$result);
  let assemblyFormat = "$operand `,` `dim` `=` $dimension attr-dict `:` functional-type(operands, results)";
}
def StableHLO_SetDimensionSizeOp : StableHLO_PureOp<"set_dimension_size"> {
  let arguments = (ins HLO_Tensor:$operand, HLO_Tensor:$size, I64Attr:$dimension);
  let results = (outs HLO_Tensor:$result);
  let assemblyFormat = "operands `,` `dim` `=` $dimension attr-dict `:` functional-type(operands, results)";
}

#endif // ZENITH_FRONTENDS_STABLEHLO_DIALECT_OPS_STABLEHLOMOVEMENT_TD
