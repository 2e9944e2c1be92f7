// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// StableHLO ops whose result element depends on the same element of each operand.

#ifndef ZENITH_FRONTENDS_STABLEHLO_DIALECT_OPS_STABLEHLOELEMENTWISE_TD
#define ZENITH_FRONTENDS_STABLEHLO_DIALECT_OPS_STABLEHLOELEMENTWISE_TD

include "frontends/stablehlo/dialect/StableHLOBase.td"

class StableHLO_UnaryOp<string mnemonic, Type type, Type resultType = type> : StableHLO_PureOp<mnemonic> {
  let arguments = (ins type:$operand);
  let results = (outs resultType:$result);
  let assemblyFormat = "$operand attr-dict `:` custom<SameOperandsAndResultType>(type($operand), type($result))";
}
class StableHLO_AccurateOp<string mnemonic, Type type> : StableHLO_UnaryOp<mnemonic, type> {
  let arguments = (ins type:$operand, OptionalAttr<StableHLO_ResultAccuracyAttr>:$result_accuracy);
}
class StableHLO_BinaryOp<string mnemonic, Type type> : StableHLO_PureOp<mnemonic> {
  let arguments = (ins type:$lhs, type:$rhs);
  let results = (outs type:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` custom<SameOperandsAndResultType>(type($lhs), type($rhs), type($result))";
}

def StableHLO_AbsOp : StableHLO_UnaryOp<"abs", HLO_NumberTensor>;
def StableHLO_CeilOp : StableHLO_UnaryOp<"ceil", HLO_FpOrQuantTensor>;
def StableHLO_ConvertOp : StableHLO_UnaryOp<"convert", HLO_Tensor>;
def StableHLO_ClzOp : StableHLO_UnaryOp<"count_leading_zeros", HLO_IntTensor>;
def StableHLO_FloorOp : StableHLO_UnaryOp<"floor", HLO_FpOrQuantTensor>;
def StableHLO_ImagOp : StableHLO_UnaryOp<"imag", HLO_FpOrComplexTensor, HLO_FpTensor>;
def StableHLO_RealOp : StableHLO_UnaryOp<"real", HLO_FpOrComplexTensor, HLO_FpTensor>;
def StableHLO_NegOp : StableHLO_UnaryOp<"negate", HLO_NumberTensor>;
def StableHLO_NotOp : StableHLO_UnaryOp<"not", HLO_PredOrIntTensor>;
def StableHLO_PopulationCountOp : StableHLO_UnaryOp<"popcnt", HLO_IntTensor>;
def StableHLO_RoundOp : StableHLO_UnaryOp<"round_nearest_afz", HLO_FpOrQuantTensor>;
def StableHLO_RoundNearestEvenOp : StableHLO_UnaryOp<"round_nearest_even", HLO_FpOrQuantTensor>;
def StableHLO_SignOp : StableHLO_UnaryOp<"sign", HLO_NumberTensor>;
def StableHLO_CbrtOp : StableHLO_AccurateOp<"cbrt", HLO_FpComplexOrQuantTensor>;
def StableHLO_CosineOp : StableHLO_AccurateOp<"cosine", HLO_FpComplexOrQuantTensor>;
def StableHLO_ExpOp : StableHLO_AccurateOp<"exponential", HLO_FpComplexOrQuantTensor>;
def StableHLO_Expm1Op : StableHLO_AccurateOp<"exponential_minus_one", HLO_FpComplexOrQuantTensor>;
def StableHLO_LogOp : StableHLO_AccurateOp<"log", HLO_FpComplexOrQuantTensor>;
def StableHLO_Log1pOp : StableHLO_AccurateOp<"log_plus_one", HLO_FpComplexOrQuantTensor>;
def StableHLO_LogisticOp : StableHLO_AccurateOp<"logistic", HLO_FpComplexOrQuantTensor>;
def StableHLO_RsqrtOp : StableHLO_AccurateOp<"rsqrt", HLO_FpComplexOrQuantTensor>;
def StableHLO_SineOp : StableHLO_AccurateOp<"sine", HLO_FpComplexOrQuantTensor>;
def StableHLO_SqrtOp : StableHLO_AccurateOp<"sqrt", HLO_FpComplexOrQuantTensor>;
def StableHLO_TanOp : StableHLO_AccurateOp<"tan", HLO_FpComplexOrQuantTensor>;
def StableHLO_TanhOp : StableHLO_AccurateOp<"tanh", HLO_FpComplexOrQuantTensor>;
def StableHLO_UniformDequantizeOp : StableHLO_UnaryOp<"uniform_dequantize", HLO_QuantTensor, HLO_FpTensor>;
def StableHLO_UniformQuantizeOp : StableHLO_UnaryOp<"uniform_quantize", HLO_FpOrQuantTensor, HLO_QuantTensor>;

def StableHLO_IsFiniteOp : StableHLO_PureOp<"is_finite"> {
  let arguments = (ins HLO_FpOrQuantTensor:$x);
  let results = (outs HLO_PredTensor:$y);
  let assemblyFormat = "$x attr-dict `:` functional-type(operands, results)";
}
def StableHLO_BitcastConvertOp : StableHLO_PureOp<"bitcast_convert"> {
  let arguments = (ins HLO_Tensor:$operand);
  let results = (outs HLO_Tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` functional-type(operands, results)";
}
def StableHLO_ReducePrecisionOp : StableHLO_PureOp<"reduce_precision"> {
  let arguments = (ins HLO_FpOrQuantTensor:$operand, I32Attr:$exponent_bits, I32Attr:$mantissa_bits);
  let results = (outs HLO_FpOrQuantTensor:$output);
  let assemblyFormat = [{
    $operand `,` `format` `=` custom<ExponentMantissa>($exponent_bits, $mantissa_bits) attr-dict
    `:` custom<SameOperandsAndResultType>(type($operand), type($output))
  }];
}

def StableHLO_AddOp : StableHLO_BinaryOp<"add", HLO_Tensor>;
def StableHLO_AndOp : StableHLO_BinaryOp<"and", HLO_PredOrIntTensor>;
def StableHLO_Atan2Op : StableHLO_BinaryOp<"atan2", HLO_FpComplexOrQuantTensor>;
def StableHLO_DivOp : StableHLO_BinaryOp<"divide", HLO_NumberTensor>;
def StableHLO_MaxOp : StableHLO_BinaryOp<"maximum", HLO_Tensor>;
def StableHLO_MinOp : StableHLO_BinaryOp<"minimum", HLO_Tensor>;
def StableHLO_MulOp : StableHLO_BinaryOp<"multiply", HLO_Tensor>;
def StableHLO_OrOp : StableHLO_BinaryOp<"or", HLO_PredOrIntTensor>;
def StableHLO_PowOp : StableHLO_BinaryOp<"power", HLO_NumberTensor>;
def StableHLO_RemOp : StableHLO_BinaryOp<"remainder", HLO_NumberTensor>;
def StableHLO_ShiftLeftOp : StableHLO_BinaryOp<"shift_left", HLO_IntTensor>;
def StableHLO_ShiftRightArithmeticOp : StableHLO_BinaryOp<"shift_right_arithmetic", HLO_IntTensor>;
def StableHLO_ShiftRightLogicalOp : StableHLO_BinaryOp<"shift_right_logical", HLO_IntTensor>;
def StableHLO_SubtractOp : StableHLO_BinaryOp<"subtract", HLO_NumberTensor>;
def StableHLO_XorOp : StableHLO_BinaryOp<"xor", HLO_PredOrIntTensor>;

def StableHLO_ComplexOp : StableHLO_PureOp<"complex"> {
  let arguments = (ins HLO_Fp32Or64Tensor:$lhs, HLO_Fp32Or64Tensor:$rhs);
  let results = (outs HLO_ComplexTensor:$result);
  let assemblyFormat = "operands attr-dict `:` custom<ComplexOpType>(type($lhs), type($rhs), type($result))";
}
def StableHLO_CompareOp : StableHLO_PureOp<"compare"> {
  let arguments = (ins HLO_Tensor:$lhs, HLO_Tensor:$rhs, StableHLO_ComparisonDirectionAttr:$comparison_direction,
    OptionalAttr<StableHLO_ComparisonTypeAttr>:$compare_type);
  let results = (outs HLO_PredTensor:$result);
  let assemblyFormat = [{
    $comparison_direction `,` $lhs `,` $rhs (`,` $compare_type^)? attr-dict `:` functional-type(operands, results)
  }];
}
def StableHLO_ClampOp : StableHLO_PureOp<"clamp"> {
  let arguments = (ins HLO_Tensor:$min, HLO_Tensor:$operand, HLO_Tensor:$max);
  let results = (outs HLO_Tensor:$result);
  let assemblyFormat = [{
    $min `,` $operand `,` $max attr-dict
    `:` custom<SameOperandsAndResultType>(type($min), type($operand), type($max), type($result))
  }];
}
def StableHLO_SelectOp : StableHLO_PureOp<"select"> {
  let arguments = (ins HLO_PredTensor:$pred, HLO_Tensor:$on_true, HLO_Tensor:$on_false);
  let results = (outs HLO_Tensor:$result);
  let assemblyFormat = "operands attr-dict `:` custom<SelectOpType>(type($pred), type($on_true), type($on_false), type($result))";
}

#endif // ZENITH_FRONTENDS_STABLEHLO_DIALECT_OPS_STABLEHLOELEMENTWISE_TD
