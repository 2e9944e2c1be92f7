// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CHLO ops: elementary functions beyond StableHLO's, ops with implicit broadcasting, and a few whole algorithms.

#ifndef ZENITH_FRONTENDS_STABLEHLO_DIALECT_OPS_CHLO_TD
#define ZENITH_FRONTENDS_STABLEHLO_DIALECT_OPS_CHLO_TD

include "frontends/stablehlo/dialect/StableHLOBase.td"

class CHLO_Op<string mnemonic, list<Trait> traits = []> : Op<CHLO_Dialect, mnemonic, [Pure] # traits>;

class CHLO_UnaryOp<string mnemonic, Type type = HLO_FpOrComplexTensor, Type resultType = type> : CHLO_Op<mnemonic> {
  let arguments = (ins type:$operand);
  let results = (outs resultType:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `->` type($result)";
}
class CHLO_BinaryOp<string mnemonic, Type type = HLO_FpTensor> : CHLO_Op<mnemonic> {
  let arguments = (ins type:$lhs, type:$rhs);
  let results = (outs type:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)";
}
class CHLO_BroadcastOp<string mnemonic> : CHLO_Op<mnemonic> {
  let arguments = (ins HLO_Tensor:$lhs, HLO_Tensor:$rhs, OptionalAttr<DenseI64ArrayAttr>:$broadcast_dimensions);
  let results = (outs HLO_Tensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` `(` type($lhs) `,` type($rhs) `)` `->` type($result)";
}

def CHLO_AcosOp : CHLO_UnaryOp<"acos">;
def CHLO_AcoshOp : CHLO_UnaryOp<"acosh">;
def CHLO_AsinOp : CHLO_UnaryOp<"asin">;
def CHLO_AsinAcosKernelOp : CHLO_UnaryOp<"_asin_acos_kernel">;
def CHLO_AsinhOp : CHLO_UnaryOp<"asinh">;
def CHLO_AtanOp : CHLO_UnaryOp<"atan">;
def CHLO_AtanhOp : CHLO_UnaryOp<"atanh">;
def CHLO_ConjOp : CHLO_UnaryOp<"conj">;
def CHLO_CoshOp : CHLO_UnaryOp<"cosh">;
def CHLO_DigammaOp : CHLO_UnaryOp<"digamma">;
def CHLO_ErfOp : CHLO_UnaryOp<"erf">;
def CHLO_ErfInvOp : CHLO_UnaryOp<"erf_inv">;
def CHLO_ErfcOp : CHLO_UnaryOp<"erfc">;
def CHLO_IsInfOp : CHLO_UnaryOp<"is_inf", HLO_FpTensor, HLO_PredTensor>;
def CHLO_IsNegInfOp : CHLO_UnaryOp<"is_neg_inf", HLO_FpTensor, HLO_PredTensor>;
def CHLO_IsPosInfOp : CHLO_UnaryOp<"is_pos_inf", HLO_FpTensor, HLO_PredTensor>;
def CHLO_LgammaOp : CHLO_UnaryOp<"lgamma">;
def CHLO_SinhOp : CHLO_UnaryOp<"sinh">;
def CHLO_SquareOp : CHLO_UnaryOp<"square", HLO_NumberTensor>;
def CHLO_TanOp : CHLO_UnaryOp<"tan">;
def CHLO_BesselI1eOp : CHLO_UnaryOp<"bessel_i1e">;
def CHLO_NextAfterOp : CHLO_BinaryOp<"next_after">;
def CHLO_PolygammaOp : CHLO_BinaryOp<"polygamma">;
def CHLO_ZetaOp : CHLO_BinaryOp<"zeta">;
def CHLO_MulhiOp : CHLO_BinaryOp<"mulhi", HLO_IntTensor>;
def CHLO_BroadcastAddOp : CHLO_BroadcastOp<"broadcast_add">;
def CHLO_BroadcastAndOp : CHLO_BroadcastOp<"broadcast_and">;
def CHLO_BroadcastAtan2Op : CHLO_BroadcastOp<"broadcast_atan2">;
def CHLO_BroadcastComplexOp : CHLO_BroadcastOp<"broadcast_complex">;
def CHLO_BroadcastDivOp : CHLO_BroadcastOp<"broadcast_divide">;
def CHLO_BroadcastMaxOp : CHLO_BroadcastOp<"broadcast_maximum">;
def CHLO_BroadcastMinOp : CHLO_BroadcastOp<"broadcast_minimum">;
def CHLO_BroadcastMulOp : CHLO_BroadcastOp<"broadcast_multiply">;
def CHLO_BroadcastNextAfterOp : CHLO_BroadcastOp<"broadcast_next_after">;
def CHLO_BroadcastOrOp : CHLO_BroadcastOp<"broadcast_or">;
def CHLO_BroadcastPolygammaOp : CHLO_BroadcastOp<"broadcast_polygamma">;
def CHLO_BroadcastPowOp : CHLO_BroadcastOp<"broadcast_power">;
def CHLO_BroadcastRemOp : CHLO_BroadcastOp<"broadcast_remainder">;
def CHLO_BroadcastShiftLeftOp : CHLO_BroadcastOp<"broadcast_shift_left">;
def CHLO_BroadcastShiftRightArithmeticOp : CHLO_BroadcastOp<"broadcast_shift_right_arithmetic">;
def CHLO_BroadcastShiftRightLogicalOp : CHLO_BroadcastOp<"broadcast_shift_right_logical">;
def CHLO_BroadcastSubOp : CHLO_BroadcastOp<"broadcast_subtract">;
def CHLO_BroadcastXorOp : CHLO_BroadcastOp<"broadcast_xor">;
def CHLO_BroadcastZetaOp : CHLO_BroadcastOp<"broadcast_zeta">;
def CHLO_BroadcastCompareOp : CHLO_Op<"broadcast_compare"> {
  let arguments = (ins HLO_Tensor:$lhs, HLO_Tensor:$rhs, OptionalAttr<DenseI64ArrayAttr>:$broadcast_dimensions,
    StableHLO_ComparisonDirectionAttr:$comparison_direction, OptionalAttr<StableHLO_ComparisonTypeAttr>:$compare_type);
  let results = (outs HLO_PredTensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` `(` type($lhs) `,` type($rhs) `)` `->` type($result)";
}
def CHLO_BroadcastSelectOp : CHLO_Op<"broadcast_select"> {
  let arguments = (ins HLO_PredTensor:$pred, HLO_Tensor:$on_true, HLO_Tensor:$on_false);
  let results = (outs HLO_Tensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}
def CHLO_ConstantOp : CHLO_Op<"constant"> {
  let arguments = (ins ElementsAttr:$value);
  let results = (outs HLO_Tensor:$output);
  let assemblyFormat = "attr-dict $value `:` type($output)";
}
def CHLO_ConstantLikeOp : CHLO_Op<"constant_like"> {
  let arguments = (ins TypedAttrInterface:$value, HLO_Tensor:$operand);
  let results = (outs HLO_Tensor:$result);
}
def CHLO_TopKOp : CHLO_Op<"top_k"> {
  let arguments = (ins HLO_Tensor:$operand, I64Attr:$k);
  let results = (outs HLO_Tensor:$values, HLO_Tensor:$indices);
  let assemblyFormat = "`(` $operand `,` `k` `=` $k `)` attr-dict `:` type($operand) `->` `(` type($values) `,` type($indices) `)`";
}
def CHLO_RaggedDotOp : CHLO_Op<"ragged_dot"> {
  let arguments = (ins HLO_Tensor:$lhs, HLO_Tensor:$rhs, HLO_Tensor:$group_sizes, AnyAttr:$ragged_dot_dimension_numbers,
    OptionalAttr<ArrayAttr>:$precision_config);
  let results = (outs HLO_Tensor:$result);
}
// Results: one stacked output per value that the body yields before the carries, then the last carries.
def CHLO_ScanOp : Op<CHLO_Dialect, "scan", [RecursiveMemoryEffects, AttrSizedOperandSegments]> {
  let arguments = (ins Variadic<HLO_Tensor>:$inputs, Variadic<HLO_Tensor>:$inits, I64Attr:$dimension, OptionalAttr<BoolAttr>:$is_reverse,
    OptionalAttr<BoolAttr>:$is_associative);
  let results = (outs Variadic<HLO_Tensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `(` $inputs `)` `inits` `(` $inits `)` `dimension` `=` $dimension attr-dict-with-keyword $body `:` functional-type(operands, results)
  }];
}

#endif // ZENITH_FRONTENDS_STABLEHLO_DIALECT_OPS_CHLO_TD
