// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Type constraints and op classes that the op files of the frontend share.

#ifndef ZENITH_FRONTENDS_STABLEHLO_DIALECT_STABLEHLOBASE_TD
#define ZENITH_FRONTENDS_STABLEHLO_DIALECT_STABLEHLOBASE_TD

include "frontends/stablehlo/dialect/StableHLOAttrs.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def HLO_Pred : AnyTypeOf<[I<1>], "boolean">;
def HLO_Int : AnyTypeOf<[I<2>, I<4>, I8, I16, I32, I64, UI<2>, UI<4>, UI8, UI16, UI32, UI64], "integer">;
def HLO_NarrowFloat : Type<CPred<"::llvm::isa<::zenith::stablehlo::NarrowFloatType>($_self)">, "narrow float">;
def HLO_Float : AnyTypeOf<[F16, BF16, F32, F64, F8E4M3FN, F8E5M2, F8E4M3, F8E4M3FNUZ, F8E5M2FNUZ, F8E4M3B11FNUZ, TF32,
  HLO_NarrowFloat], "float">;
def HLO_Complex : AnyTypeOf<[Complex<F32>, Complex<F64>], "complex">;
def HLO_Quant : Type<CPred<"::zenith::stablehlo::isQuantized($_self)">, "quantized">;

def HLO_Tensor : RankedTensorOf<[HLO_Pred, HLO_Int, HLO_Float, HLO_Complex, HLO_Quant, Index]>;
def HLO_PredTensor : RankedTensorOf<[HLO_Pred]>;
def HLO_IntTensor : RankedTensorOf<[HLO_Int]>;
def HLO_PredOrIntTensor : RankedTensorOf<[HLO_Pred, HLO_Int]>;
def HLO_FpTensor : RankedTensorOf<[HLO_Float]>;
def HLO_FpOrQuantTensor : RankedTensorOf<[HLO_Float, HLO_Quant]>;
def HLO_FpOrComplexTensor : RankedTensorOf<[HLO_Float, HLO_Complex]>;
def HLO_FpComplexOrQuantTensor : RankedTensorOf<[HLO_Float, HLO_Complex, HLO_Quant]>;
def HLO_FpOrIntTensor : RankedTensorOf<[HLO_Float, HLO_Int, HLO_Quant]>;
def HLO_NumberTensor : RankedTensorOf<[HLO_Int, HLO_Float, HLO_Complex, HLO_Quant]>;
def HLO_ComplexTensor : RankedTensorOf<[HLO_Complex]>;
def HLO_Fp32Or64Tensor : RankedTensorOf<[F32, F64]>;
def HLO_QuantTensor : RankedTensorOf<[HLO_Quant]>;
// Shapes and sizes given as values.
def HLO_DimensionTensor : 1DTensorOf<[Index, HLO_Int]>;
def HLO_DimensionValue : RankedTensorOf<[Index, HLO_Int]>;
def HLO_IndexTensor : RankedTensorOf<[HLO_Int, Index]>;
def HLO_Token : Type<CPred<"::llvm::isa<::zenith::stablehlo::TokenType>($_self)">, "token">;
def HLO_Value : AnyTypeOf<[HLO_Tensor, HLO_Token, AnyTuple, AnyMemRef, Type<CPred<"::llvm::isa<::zenith::stablehlo::FutureType>($_self)">, "future">]>;
// Calls by name may say nothing about ranks.
def HLO_CallValue : AnyTypeOf<[HLO_Value, UnrankedTensorOf<[HLO_Pred, HLO_Int, HLO_Float, HLO_Complex, HLO_Quant, Index]>]>;
def HLO_TensorOrTuple : AnyTypeOf<[HLO_Tensor, HLO_Token, AnyTuple]>;

// The specification's constraints of each op are in Verify<Family>.cpp, by op name.
def HasConstraints : NativeOpTrait<"HasConstraints"> { let cppNamespace = "::zenith::stablehlo"; }

class StableHLO_Op<string mnemonic, list<Trait> traits = []> : Op<StableHLO_Dialect, mnemonic, [HasConstraints] # traits>;
class StableHLO_PureOp<string mnemonic, list<Trait> traits = []> : StableHLO_Op<mnemonic, [Pure] # traits>;

#endif // ZENITH_FRONTENDS_STABLEHLO_DIALECT_STABLEHLOBASE_TD
