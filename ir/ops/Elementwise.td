// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops whose result element depends on the same element of each operand.

#ifndef ZENITH_IR_OPS_ELEMENTWISE_TD
#define ZENITH_IR_OPS_ELEMENTWISE_TD

include "ir/GraphBase.td"

// Checks c1 and c2 of elementwise ops and names them in its message.
def ElementwiseTypes : NativeOpTrait<"ElementwiseTypes"> { let cppNamespace = "::zenith::graph"; }

// Result i of an elementwise op depends on elements i of its operands. All operands
// and the result have one shape (c1); where no op says otherwise, also one element type (c2).
class Graph_ElementwiseOp<string mnemonic, list<Trait> traits = []>
    : Graph_PureOp<mnemonic, "Elementwise", [ElementwiseTypes] # traits> {
  let hasVerifier = 0;
  let extraClassDefinition = [{
    ::zenith::graph::DimVector $cppClass::resultDims(unsigned, ::zenith::graph::DimAnalysis &analysis) {
      return ::zenith::graph::elementwiseDims(getOperation(), analysis);
    }
  }];
}

// All operands and the result have one type.
class Graph_SameTypeOp<string mnemonic, list<Trait> traits = []>
    : Graph_ElementwiseOp<mnemonic, [SameOperandsAndResultType] # traits>;

class Graph_UnaryOp<string mnemonic, Type type, string text, string example = "">
    : Graph_SameTypeOp<mnemonic> {
  let summary = text;
  let description = "Example: `%r = graph." # mnemonic # " %x : " # example # "`";
  let arguments = (ins type:$operand);
  let results = (outs type:$result);
  let assemblyFormat = "$operand attr-dict `:` type($result)";
}

class Graph_BinaryOp<string mnemonic, Type type, string text, string example = "tensor<4xf32>", list<Trait> traits = []>
    : Graph_SameTypeOp<mnemonic, traits> {
  let summary = text;
  let description = "Example: `%r = graph." # mnemonic # " %x, %y : " # example # "`";
  let arguments = (ins type:$lhs, type:$rhs);
  let results = (outs type:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($result)";
}

def Graph_AbsOp : Graph_UnaryOp<"abs", Graph_NumberTensor, "absolute value; of a complex number see graph.complex_abs", "tensor<4xf32>">;
def Graph_NegOp : Graph_UnaryOp<"neg", Graph_NumberTensor, "negation; integers wrap", "tensor<4xf32>">;
def Graph_SignOp : Graph_UnaryOp<"sign", Graph_NumberTensor, "-1, 0 or 1 by sign; keeps NaN and signed zero", "tensor<4xf32>">;
def Graph_ExpOp : Graph_UnaryOp<"exp", Graph_FloatOrComplexTensor, "e to the power of x", "tensor<4xf32>">;
def Graph_Expm1Op : Graph_UnaryOp<"expm1", Graph_FloatOrComplexTensor, "exp(x) - 1, exact near zero", "tensor<4xf32>">;
def Graph_LogOp : Graph_UnaryOp<"log", Graph_FloatOrComplexTensor, "natural logarithm", "tensor<4xf32>">;
def Graph_Log1pOp : Graph_UnaryOp<"log1p", Graph_FloatOrComplexTensor, "log(1 + x), exact near zero", "tensor<4xf32>">;
def Graph_SqrtOp : Graph_UnaryOp<"sqrt", Graph_FloatOrComplexTensor, "square root", "tensor<4xf32>">;
def Graph_RsqrtOp : Graph_UnaryOp<"rsqrt", Graph_FloatOrComplexTensor, "1 / sqrt(x)", "tensor<4xf32>">;
def Graph_CbrtOp : Graph_UnaryOp<"cbrt", Graph_FloatOrComplexTensor, "cube root", "tensor<4xf32>">;
def Graph_SinOp : Graph_UnaryOp<"sin", Graph_FloatOrComplexTensor, "sine of radians", "tensor<4xf32>">;
def Graph_CosOp : Graph_UnaryOp<"cos", Graph_FloatOrComplexTensor, "cosine of radians", "tensor<4xf32>">;
def Graph_TanOp : Graph_UnaryOp<"tan", Graph_FloatOrComplexTensor, "tangent of radians", "tensor<4xf32>">;
def Graph_AsinOp : Graph_UnaryOp<"asin", Graph_FloatTensor, "arc sine", "tensor<4xf32>">;
def Graph_AcosOp : Graph_UnaryOp<"acos", Graph_FloatTensor, "arc cosine", "tensor<4xf32>">;
def Graph_AtanOp : Graph_UnaryOp<"atan", Graph_FloatTensor, "arc tangent", "tensor<4xf32>">;
def Graph_SinhOp : Graph_UnaryOp<"sinh", Graph_FloatTensor, "hyperbolic sine", "tensor<4xf32>">;
def Graph_CoshOp : Graph_UnaryOp<"cosh", Graph_FloatTensor, "hyperbolic cosine", "tensor<4xf32>">;
def Graph_TanhOp : Graph_UnaryOp<"tanh", Graph_FloatOrComplexTensor, "hyperbolic tangent", "tensor<4xf32>">;
def Graph_AsinhOp : Graph_UnaryOp<"asinh", Graph_FloatTensor, "inverse hyperbolic sine", "tensor<4xf32>">;
def Graph_AcoshOp : Graph_UnaryOp<"acosh", Graph_FloatTensor, "inverse hyperbolic cosine", "tensor<4xf32>">;
def Graph_AtanhOp : Graph_UnaryOp<"atanh", Graph_FloatTensor, "inverse hyperbolic tangent", "tensor<4xf32>">;
def Graph_LogisticOp : Graph_UnaryOp<"logistic", Graph_FloatOrComplexTensor, "1 / (1 + exp(-x))", "tensor<4xf32>">;
def Graph_ErfOp : Graph_UnaryOp<"erf", Graph_FloatTensor, "error function", "tensor<4xf32>">;
def Graph_FloorOp : Graph_UnaryOp<"floor", Graph_FloatTensor, "largest integer at most x", "tensor<4xf32>">;
def Graph_CeilOp : Graph_UnaryOp<"ceil", Graph_FloatTensor, "smallest integer at least x", "tensor<4xf32>">;
def Graph_RoundEvenOp : Graph_UnaryOp<"round_even", Graph_FloatTensor, "nearest integer, ties to even", "tensor<4xf32>">;
def Graph_RoundAwayOp : Graph_UnaryOp<"round_away", Graph_FloatTensor, "nearest integer, ties away from zero", "tensor<4xf32>">;
def Graph_NotOp : Graph_UnaryOp<"not", Graph_IntOrBoolTensor, "bitwise complement", "tensor<4xi1>">;
def Graph_PopcountOp : Graph_UnaryOp<"popcount", Graph_IntTensor, "number of one bits", "tensor<4xui8>">;
def Graph_CountLeadingZerosOp : Graph_UnaryOp<"count_leading_zeros", Graph_IntTensor, "number of zero bits above the highest one bit", "tensor<4xui8>">;

def Graph_AddOp : Graph_BinaryOp<"add", Graph_NumberTensor,
    "sum; integers wrap", "tensor<4xf32>", [Commutative]> { let hasFolder = 1; }
def Graph_SubOp : Graph_BinaryOp<"sub", Graph_NumberTensor,
    "difference; integers wrap", "tensor<4xf32>"> { let hasFolder = 1; }
def Graph_MulOp : Graph_BinaryOp<"mul", Graph_NumberTensor,
    "product; integers wrap", "tensor<4xf32>", [Commutative]> { let hasFolder = 1; }
def Graph_DivOp : Graph_BinaryOp<"div", Graph_NumberTensor,
    "quotient; integers truncate, x/0 = -1 (all ones), min/-1 = min", "tensor<4xf32>"> { let hasFolder = 1; }
def Graph_RemOp : Graph_BinaryOp<"rem", Graph_RealTensor,
    "remainder of truncated division, sign of x; integer x rem 0 = x", "tensor<4xf32>"> { let hasFolder = 0; }
def Graph_FloorModOp : Graph_BinaryOp<"floor_mod", Graph_RealTensor,
    "remainder of floored division, sign of y; integer y = 0 gives x", "tensor<4xf32>"> { let hasFolder = 0; }
def Graph_PowOp : Graph_BinaryOp<"pow", Graph_NumberTensor,
    "x to the power of y; integer y < 0 gives 0 but for x = 1 and -1", "tensor<4xf32>"> { let hasFolder = 0; }
def Graph_MaxOp : Graph_BinaryOp<"max", Graph_OrderedTensor,
    "larger one; NaN if either is NaN; +0 over -0", "tensor<4xf32>", [Commutative]> { let hasFolder = 1; }
def Graph_MinOp : Graph_BinaryOp<"min", Graph_OrderedTensor,
    "smaller one; NaN if either is NaN; -0 under +0", "tensor<4xf32>", [Commutative]> { let hasFolder = 1; }
def Graph_Atan2Op : Graph_BinaryOp<"atan2", Graph_FloatTensor,
    "angle of the point (y, x), y first", "tensor<4xf32>"> { let hasFolder = 0; }
def Graph_AndOp : Graph_BinaryOp<"and", Graph_IntOrBoolTensor,
    "bitwise and", "tensor<4xi1>", [Commutative]> { let hasFolder = 1; }
def Graph_OrOp : Graph_BinaryOp<"or", Graph_IntOrBoolTensor,
    "bitwise or", "tensor<4xi1>", [Commutative]> { let hasFolder = 1; }
def Graph_XorOp : Graph_BinaryOp<"xor", Graph_IntOrBoolTensor,
    "bitwise exclusive or", "tensor<4xi1>", [Commutative]> { let hasFolder = 0; }
def Graph_ShiftLeftOp : Graph_BinaryOp<"shift_left", Graph_IntTensor,
    "shift to the left; 0 where y is not below the width", "tensor<4xi32>"> { let hasFolder = 0; }
def Graph_ShiftRightArithmeticOp : Graph_BinaryOp<"shift_right_arithmetic", Graph_IntTensor,
    "shift to the right by copies of the sign; y not below the width shifts by width - 1", "tensor<4xi32>"> { let hasFolder = 0; }
def Graph_ShiftRightLogicalOp : Graph_BinaryOp<"shift_right_logical", Graph_IntTensor,
    "shift to the right by zeros; 0 where y is not below the width", "tensor<4xi32>"> { let hasFolder = 0; }

def Graph_CompareOp : Graph_ElementwiseOp<"compare", [SameTypeOperands, InfersType]> {
  let summary = "order relation of two values as a boolean";
  let description = "c3: complex values compare by eq and ne only. Example: `%p = graph.compare lt, %x, %y : tensor<4xf32> -> tensor<4xi1>`";
  let arguments = (ins Graph_CompareDirectionAttr:$direction, Graph_Tensor:$lhs, Graph_Tensor:$rhs);
  let results = (outs Graph_BoolTensor:$result);
  let assemblyFormat = "custom<EnumWord>($direction) `,` $lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Graph_IsFiniteOp : Graph_ElementwiseOp<"is_finite", [InfersType]> {
  let summary = "true where x is neither infinite nor NaN";
  let description = "Example: `%p = graph.is_finite %x : tensor<4xf32> -> tensor<4xi1>`";
  let arguments = (ins Graph_FloatTensor:$operand);
  let results = (outs Graph_BoolTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `->` type($result)";
}

def Graph_SelectOp : Graph_ElementwiseOp<"select", [AllTypesMatch<["on_true", "on_false", "result"]>]> {
  let summary = "element of one value or the other by a boolean";
  let description = [{
    c1: one shape; c2: `on_true`, `on_false` and the result have one element type.
    Example: `%r = graph.select %p, %x, %y : tensor<4xi1>, tensor<4xf32>`
  }];
  let arguments = (ins Graph_BoolTensor:$pred, Graph_Tensor:$on_true, Graph_Tensor:$on_false);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$pred `,` $on_true `,` $on_false attr-dict `:` type($pred) `,` type($result)";
  let hasFolder = 1;
}

def Graph_ClampOp : Graph_SameTypeOp<"clamp"> {
  let summary = "min(max(x, low), high); NaN stays";
  let description = "Example: `%r = graph.clamp %low, %x, %high : tensor<4xf32>`";
  let arguments = (ins Graph_OrderedTensor:$low, Graph_OrderedTensor:$operand, Graph_OrderedTensor:$high);
  let results = (outs Graph_OrderedTensor:$result);
  let assemblyFormat = "$low `,` $operand `,` $high attr-dict `:` type($result)";
}

def Graph_ConvertOp : Graph_ElementwiseOp<"convert"> {
  let summary = "value in another element type";
  let description = [{
    To a float: nearest, ties to even. Float to integer: truncates; NaN gives 0 and
    values out of range saturate. Integer to narrower integer wraps. To i1: x != 0.
    `saturate`: out of range gives the largest finite value.
    c3: `saturate` only where the result is f8; c4: complex numbers convert to complex numbers only.
    Example: `%r = graph.convert %x : tensor<4xi64> -> tensor<4xf32>`
  }];
  let arguments = (ins Graph_Tensor:$operand, UnitAttr:$saturate);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$operand (`saturate` $saturate^)? attr-dict `:` type($operand) `->` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Graph_BitcastOp : Graph_ElementwiseOp<"bitcast"> {
  let summary = "the same bits as another element type of the same width";
  let description = "c2: element widths are equal. Example: `%r = graph.bitcast %x : tensor<4xf32> -> tensor<4xi32>`";
  let arguments = (ins Graph_Tensor:$operand);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `->` type($result)";
  let hasVerifier = 1;
}

def Graph_ComplexOp : Graph_ElementwiseOp<"complex", [SameTypeOperands]> {
  let summary = "complex number from its parts";
  let description = "c2: the result's parts have the operands' element type. Example: `%r = graph.complex %re, %im : tensor<4xf32> -> tensor<4xcomplex<f32>>`";
  let arguments = (ins RankedTensorOf<[F32, F64]>:$real, RankedTensorOf<[F32, F64]>:$imag);
  let results = (outs RankedTensorOf<[Graph_Complex]>:$result);
  let assemblyFormat = "$real `,` $imag attr-dict `:` type($real) `->` type($result)";
  let hasVerifier = 1;
}

def Graph_RealOp : Graph_ElementwiseOp<"real"> {
  let summary = "real part";
  let description = "c2: the result has the element type of the parts. Example: `%r = graph.real %x : tensor<4xcomplex<f32>> -> tensor<4xf32>`";
  let arguments = (ins RankedTensorOf<[Graph_Complex]>:$operand);
  let results = (outs RankedTensorOf<[F32, F64]>:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `->` type($result)";
  let hasVerifier = 1;
}

def Graph_ImagOp : Graph_ElementwiseOp<"imag"> {
  let summary = "imaginary part";
  let description = "c2: the result has the element type of the parts. Example: `%r = graph.imag %x : tensor<4xcomplex<f32>> -> tensor<4xf32>`";
  let arguments = (ins RankedTensorOf<[Graph_Complex]>:$operand);
  let results = (outs RankedTensorOf<[F32, F64]>:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `->` type($result)";
  let hasVerifier = 1;
}

def Graph_ComplexAbsOp : Graph_ElementwiseOp<"complex_abs"> {
  let summary = "absolute value of a complex number";
  let description = "c2: the result has the element type of the parts. Example: `%r = graph.complex_abs %x : tensor<4xcomplex<f32>> -> tensor<4xf32>`";
  let arguments = (ins RankedTensorOf<[Graph_Complex]>:$operand);
  let results = (outs RankedTensorOf<[F32, F64]>:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `->` type($result)";
  let hasVerifier = 1;
}

#endif // ZENITH_IR_OPS_ELEMENTWISE_TD
