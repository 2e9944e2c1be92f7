// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// StableHLO ops of linear algebra, normalisation and randomness.

#ifndef ZENITH_FRONTENDS_STABLEHLO_DIALECT_OPS_STABLEHLOCONTRACTION_TD
#define ZENITH_FRONTENDS_STABLEHLO_DIALECT_OPS_STABLEHLOCONTRACTION_TD

include "frontends/stablehlo/dialect/StableHLOBase.td"

def StableHLO_PrecisionConfigAttr : OptionalAttr<TypedArrayAttrBase<StableHLO_PrecisionAttr, "precisions">>;

def StableHLO_DotOp : StableHLO_PureOp<"dot"> {
  let arguments = (ins HLO_Tensor:$lhs, HLO_Tensor:$rhs, StableHLO_PrecisionConfigAttr:$precision_config);
  let results = (outs HLO_Tensor:$result);
  let assemblyFormat = "$lhs `,` $rhs custom<PrecisionConfig>($precision_config) attr-dict `:` functional-type(operands, results)";
}
def StableHLO_DotGeneralOp : StableHLO_PureOp<"dot_general"> {
  let arguments = (ins HLO_Tensor:$lhs, HLO_Tensor:$rhs, StableHLO_DotDimensionNumbersAttr:$dot_dimension_numbers,
    StableHLO_PrecisionConfigAttr:$precision_config, OptionalAttr<StableHLO_DotAlgorithmAttr>:$algorithm);
  let results = (outs HLO_Tensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` custom<DotDimensions>($dot_dimension_numbers) custom<PrecisionAndAlgorithm>($precision_config, $algorithm)
    attr-dict `:` functional-type(operands, results)
  }];
}
class StableHLO_ConvolutionClass<string mnemonic> : StableHLO_PureOp<mnemonic> {
  dag windowArguments = (ins OptionalAttr<DenseI64ArrayAttr>:$lhs_dilation, OptionalAttr<DenseI64ArrayAttr>:$rhs_dilation,
    OptionalAttr<DenseBoolArrayAttr>:$window_reversal, StableHLO_ConvDimensionNumbersAttr:$dimension_numbers,
    I64Attr:$feature_group_count, I64Attr:$batch_group_count, StableHLO_PrecisionConfigAttr:$precision_config);
  let results = (outs HLO_Tensor:$result);
}
def StableHLO_ConvolutionOp : StableHLO_ConvolutionClass<"convolution"> {
  let arguments = !con((ins HLO_Tensor:$lhs, HLO_Tensor:$rhs, OptionalAttr<DenseI64ArrayAttr>:$window_strides,
    OptionalAttr<I64ElementsAttr>:$padding), windowArguments);
  let assemblyFormat = [{
    `(` operands `)` `dim_numbers` `=` custom<ConvolutionDimensions>($dimension_numbers) `,` `window` `=` `{`
    custom<WindowAttributes>($window_strides, $padding, $lhs_dilation, $rhs_dilation, $window_reversal) `}`
    attr-dict `:` functional-type(operands, results)
  }];
}
def StableHLO_DynamicConvOp : StableHLO_ConvolutionClass<"dynamic_conv"> {
  let arguments = !con((ins HLO_Tensor:$lhs, HLO_Tensor:$rhs, HLO_DimensionValue:$padding,
    OptionalAttr<DenseI64ArrayAttr>:$window_strides), windowArguments);
}
def StableHLO_EinsumOp : StableHLO_PureOp<"einsum"> {
  let arguments = (ins HLO_Tensor:$lhs, HLO_Tensor:$rhs, StrAttr:$einsum_config);
  let results = (outs HLO_Tensor:$result);
  let assemblyFormat = "$lhs `,` $rhs `,` `config` `=` $einsum_config attr-dict `:` functional-type(operands, results)";
}
def StableHLO_UnaryEinsumOp : StableHLO_PureOp<"unary_einsum"> {
  let arguments = (ins HLO_Tensor:$operand, StrAttr:$einsum_config);
  let results = (outs HLO_Tensor:$result);
  let assemblyFormat = "$operand `,` `config` `=` $einsum_config attr-dict `:` functional-type(operands, results)";
}
def StableHLO_CholeskyOp : StableHLO_PureOp<"cholesky"> {
  let arguments = (ins HLO_FpOrComplexTensor:$a, OptionalAttr<BoolAttr>:$lower);
  let results = (outs HLO_FpOrComplexTensor:$result);
  let assemblyFormat = "$a (`,` `lower` `=` $lower^)? attr-dict `:` custom<SameOperandsAndResultType>(type($a), type($result))";
}
def StableHLO_TriangularSolveOp : StableHLO_PureOp<"triangular_solve"> {
  let arguments = (ins HLO_FpOrComplexTensor:$a, HLO_FpOrComplexTensor:$b, BoolAttr:$left_side, BoolAttr:$lower, BoolAttr:$unit_diagonal,
    StableHLO_TransposeAttr:$transpose_a);
  let results = (outs HLO_FpOrComplexTensor:$result);
}
def StableHLO_FftOp : StableHLO_PureOp<"fft"> {
  let arguments = (ins HLO_FpOrComplexTensor:$operand, StableHLO_FftTypeAttr:$fft_type, DenseI64ArrayAttr:$fft_length);
  let results = (outs HLO_FpOrComplexTensor:$result);
  let assemblyFormat = [{
    $operand `,` `type` `=` $fft_type `,` `length` `=` $fft_length attr-dict `:` functional-type(operands, results)
  }];
}
def StableHLO_BatchNormInferenceOp : StableHLO_PureOp<"batch_norm_inference"> {
  let arguments = (ins HLO_FpTensor:$operand, HLO_FpTensor:$scale, HLO_FpTensor:$offset, HLO_FpTensor:$mean, HLO_FpTensor:$variance,
    F32Attr:$epsilon, I64Attr:$feature_index);
  let results = (outs HLO_FpTensor:$result);
}
def StableHLO_BatchNormTrainingOp : StableHLO_PureOp<"batch_norm_training"> {
  let arguments = (ins HLO_FpTensor:$operand, HLO_FpTensor:$scale, HLO_FpTensor:$offset, F32Attr:$epsilon, I64Attr:$feature_index);
  let results = (outs HLO_FpTensor:$output, HLO_FpTensor:$batch_mean, HLO_FpTensor:$batch_var);
}
def StableHLO_BatchNormGradOp : StableHLO_PureOp<"batch_norm_grad"> {
  let arguments = (ins HLO_FpTensor:$operand, HLO_FpTensor:$scale, HLO_FpTensor:$mean, HLO_FpTensor:$variance, HLO_FpTensor:$grad_output,
    F32Attr:$epsilon, I64Attr:$feature_index);
  let results = (outs HLO_FpTensor:$grad_operand, HLO_FpTensor:$grad_scale, HLO_FpTensor:$grad_offset);
}
def StableHLO_RngOp : StableHLO_Op<"rng"> {
  let arguments = (ins RankedTensorOf<[HLO_Pred, HLO_Int, HLO_Float]>:$a, RankedTensorOf<[HLO_Pred, HLO_Int, HLO_Float]>:$b,
    HLO_DimensionTensor:$shape, StableHLO_RngDistributionAttr:$rng_distribution);
  let results = (outs RankedTensorOf<[HLO_Pred, HLO_Int, HLO_Float]>:$result);
  let assemblyFormat = [{
    $a `,` $b `,` $shape `,` `distribution` `=` $rng_distribution attr-dict `:` functional-type(operands, results)
  }];
}
def StableHLO_RngBitGeneratorOp : StableHLO_PureOp<"rng_bit_generator"> {
  let arguments = (ins StableHLO_RngAlgorithmAttr:$rng_algorithm, RankedTensorOf<[HLO_Int, HLO_Float]>:$initial_state);
  let results = (outs RankedTensorOf<[HLO_Int, HLO_Float]>:$output_state, RankedTensorOf<[HLO_Int, HLO_Float]>:$output);
  let assemblyFormat = "$initial_state `,` `algorithm` `=` $rng_algorithm attr-dict `:` functional-type(operands, results)";
}

#endif // ZENITH_FRONTENDS_STABLEHLO_DIALECT_OPS_STABLEHLOCONTRACTION_TD
