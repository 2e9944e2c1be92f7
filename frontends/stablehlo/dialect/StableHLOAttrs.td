// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Enums, attributes and types of the StableHLO frontend, in their printed forms.

#ifndef ZENITH_FRONTENDS_STABLEHLO_DIALECT_STABLEHLOATTRS_TD
#define ZENITH_FRONTENDS_STABLEHLO_DIALECT_STABLEHLOATTRS_TD

include "frontends/stablehlo/dialect/StableHLODialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

class StableHLO_Enum<string name, string summary, list<string> words, int first = 0>
    : I32EnumAttr<name, summary, !foreach(i, !range(!size(words)), I32EnumAttrCase<words[i], !add(i, first)>)> {
  let cppNamespace = "::zenith::stablehlo";
  let genSpecializedAttr = 0;
}
// Printed as #stablehlo<mnemonic WORD>, and as WORD in the pretty form of an op.
class StableHLO_EnumAttr<StableHLO_Enum info, string mnemonic> : EnumAttr<StableHLO_Dialect, info, mnemonic>;

def StableHLO_ComparisonDirection : StableHLO_Enum<"ComparisonDirection", "comparison direction", ["EQ", "NE", "GE", "GT", "LE", "LT"]>;
def StableHLO_ComparisonDirectionAttr : StableHLO_EnumAttr<StableHLO_ComparisonDirection, "comparison_direction">;
def StableHLO_ComparisonType : StableHLO_Enum<"ComparisonType", "comparison type", ["NOTYPE", "FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED"]>;
def StableHLO_ComparisonTypeAttr : StableHLO_EnumAttr<StableHLO_ComparisonType, "comparison_type">;
def StableHLO_FftType : StableHLO_Enum<"FftType", "kind of Fourier transform", ["FFT", "IFFT", "RFFT", "IRFFT"]>;
def StableHLO_FftTypeAttr : StableHLO_EnumAttr<StableHLO_FftType, "fft_type">;
def StableHLO_Precision : StableHLO_Enum<"Precision", "precision", ["DEFAULT", "HIGH", "HIGHEST"]>;
def StableHLO_PrecisionAttr : StableHLO_EnumAttr<StableHLO_Precision, "precision">;
def StableHLO_RngAlgorithm : StableHLO_Enum<"RngAlgorithm", "random algorithm", ["DEFAULT", "THREE_FRY", "PHILOX"]>;
def StableHLO_RngAlgorithmAttr : StableHLO_EnumAttr<StableHLO_RngAlgorithm, "rng_algorithm">;
def StableHLO_RngDistribution : StableHLO_Enum<"RngDistribution", "distribution", ["UNIFORM", "NORMAL"], 1>;
def StableHLO_RngDistributionAttr : StableHLO_EnumAttr<StableHLO_RngDistribution, "rng_distribution">;
def StableHLO_Transpose : StableHLO_Enum<"Transpose", "transposition", ["TRANSPOSE_INVALID", "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"]>;
def StableHLO_TransposeAttr : StableHLO_EnumAttr<StableHLO_Transpose, "transpose">;
def StableHLO_ResultAccuracyMode : StableHLO_Enum<"ResultAccuracyMode", "accuracy mode", ["DEFAULT", "HIGHEST", "TOLERANCE"]>;
def StableHLO_ResultAccuracyModeAttr : StableHLO_EnumAttr<StableHLO_ResultAccuracyMode, "result_accuracy_mode"> {
  let assemblyFormat = "`<` $value `>`";
}

class StableHLO_Attr<string name, string attrMnemonic> : AttrDef<StableHLO_Dialect, name> {
  let mnemonic = attrMnemonic;
}
class StableHLO_DimList<string text> : OptionalArrayRefParameter<"int64_t", text>;

def StableHLO_DotDimensionNumbersAttr : StableHLO_Attr<"DotDimensionNumbers", "dot"> {
  let summary = "which dimensions a dot_general batches over and contracts";
  let parameters = (ins
    StableHLO_DimList<"">:$lhsBatchingDimensions, StableHLO_DimList<"">:$rhsBatchingDimensions,
    StableHLO_DimList<"">:$lhsContractingDimensions, StableHLO_DimList<"">:$rhsContractingDimensions);
  let hasCustomAssemblyFormat = 1;
}
def StableHLO_DotAlgorithmAttr : StableHLO_Attr<"DotAlgorithm", "dot_algorithm"> {
  let summary = "the arithmetic of a dot_general";
  let parameters = (ins "::mlir::Type":$lhsPrecisionType, "::mlir::Type":$rhsPrecisionType, "::mlir::Type":$accumulationType,
    "int64_t":$lhsComponentCount, "int64_t":$rhsComponentCount, "int64_t":$numPrimitiveOperations, "bool":$allowImpreciseAccumulation);
  let hasCustomAssemblyFormat = 1;
}
def StableHLO_GatherDimensionNumbersAttr : StableHLO_Attr<"GatherDimensionNumbers", "gather"> {
  let summary = "how a gather maps start indices and slices to dimensions";
  let parameters = (ins
    StableHLO_DimList<"">:$offsetDims, StableHLO_DimList<"">:$collapsedSliceDims, StableHLO_DimList<"">:$operandBatchingDims,
    StableHLO_DimList<"">:$startIndicesBatchingDims, StableHLO_DimList<"">:$startIndexMap, "int64_t":$indexVectorDim);
  let hasCustomAssemblyFormat = 1;
}
def StableHLO_ScatterDimensionNumbersAttr : StableHLO_Attr<"ScatterDimensionNumbers", "scatter"> {
  let summary = "how a scatter maps indices and windows of updates to dimensions";
  let parameters = (ins
    StableHLO_DimList<"">:$updateWindowDims, StableHLO_DimList<"">:$insertedWindowDims, StableHLO_DimList<"">:$inputBatchingDims,
    StableHLO_DimList<"">:$scatterIndicesBatchingDims, StableHLO_DimList<"">:$scatterDimsToOperandDims, "int64_t":$indexVectorDim);
  let hasCustomAssemblyFormat = 1;
}
def StableHLO_ConvDimensionNumbersAttr : StableHLO_Attr<"ConvDimensionNumbers", "conv"> {
  let summary = "the meaning of each dimension of a convolution's operands and result";
  let parameters = (ins
    "int64_t":$inputBatchDimension, "int64_t":$inputFeatureDimension, StableHLO_DimList<"">:$inputSpatialDimensions,
    "int64_t":$kernelInputFeatureDimension, "int64_t":$kernelOutputFeatureDimension, StableHLO_DimList<"">:$kernelSpatialDimensions,
    "int64_t":$outputBatchDimension, "int64_t":$outputFeatureDimension, StableHLO_DimList<"">:$outputSpatialDimensions);
  let hasCustomAssemblyFormat = 1;
}
def StableHLO_ChannelHandleAttr : StableHLO_Attr<"ChannelHandle", "channel_handle"> {
  let parameters = (ins "int64_t":$handle, "int64_t":$type);
  let assemblyFormat = "`<` struct(params) `>`";
}
def StableHLO_OutputOperandAliasAttr : StableHLO_Attr<"OutputOperandAlias", "output_operand_alias"> {
  let summary = "a result that shares the bytes of an operand";
  let parameters = (ins StableHLO_DimList<"">:$outputTupleIndices, "int64_t":$operandIndex, StableHLO_DimList<"">:$operandTupleIndices);
  let hasCustomAssemblyFormat = 1;
}
def StableHLO_ResultAccuracyAttr : StableHLO_Attr<"ResultAccuracy", "result_accuracy"> {
  let summary = "how exact an elementary function has to be";
  let parameters = (ins "::llvm::APFloat":$atol, "::llvm::APFloat":$rtol, "int64_t":$ulps, "::zenith::stablehlo::ResultAccuracyModeAttr":$mode);
  let hasCustomAssemblyFormat = 1;
}
def StableHLO_TypeExtensionsAttr : StableHLO_Attr<"TypeExtensions", "bounds"> {
  let summary = "largest sizes of dynamic dimensions";
  let parameters = (ins StableHLO_DimList<"">:$bounds);
  let hasCustomAssemblyFormat = 1;
}
// Its text begins after the dialect's name: sharding<@mesh, [{"x"}]>.
class StableHLO_TextAttrDef<Dialect dialect> : AttrDef<dialect, "Text"> {
  let summary = "an attribute that the frontend only passes on";
  let parameters = (ins StringRefParameter<"">:$text);
  let attrName = dialect.name # ".text";
}
def StableHLO_TextAttr : StableHLO_TextAttrDef<StableHLO_Dialect>;
def CHLO_TextAttr : StableHLO_TextAttrDef<CHLO_Dialect>;
def Sdy_TextAttr : StableHLO_TextAttrDef<Sdy_Dialect>;

class StableHLO_TypeClass<string name, string typeMnemonic> : TypeDef<StableHLO_Dialect, name> { let mnemonic = typeMnemonic; }
def StableHLO_Token : StableHLO_TypeClass<"Token", "token"> { let summary = "order of effects"; }
def StableHLO_Future : StableHLO_TypeClass<"Future", "future"> {
  let summary = "results of an asynchronous op";
  let parameters = (ins ArrayRefParameter<"::mlir::Type">:$types);
  let assemblyFormat = "`<` $types `>`";
}
def StableHLO_NarrowFloat : StableHLO_TypeClass<"NarrowFloat", "narrow"> {
  let summary = "a float that MLIR lacks, by the name that StableHLO gives it";
  let parameters = (ins StringRefParameter<"f8E3M4 and the like">:$name);
  let assemblyFormat = "`<` $name `>`";
  let genVerifyDecl = 1;
}

#endif // ZENITH_FRONTENDS_STABLEHLO_DIALECT_STABLEHLOATTRS_TD
