// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Well-known formulas kept whole: softmax, norms, gelu, attention.

#ifndef ZENITH_IR_OPS_COMPOSITE_TD
#define ZENITH_IR_OPS_COMPOSITE_TD

include "ir/GraphBase.td"

// One op for a well-known formula, with one decomposition into the core
// (passes/expand/DecomposeComposites.cpp). The formula is the meaning; f16 and bf16 compute in f32.
class Graph_CompositeOp<string mnemonic, list<Trait> traits = []>
    : Graph_PureOp<mnemonic, "Composite", traits>;

def Graph_SoftmaxOp : Graph_CompositeOp<"softmax", [SameOperandsAndResultType]> {
  let summary = "exp(x - max) / sum(exp(x - max)) along dimensions";
  let description = [{
    c1: `dims` are ascending, distinct, in range.
    Example: `%r = graph.softmax %x [1] : tensor<2x3xf32>`
  }];
  let arguments = (ins Graph_FloatTensor:$operand, DenseI64ArrayAttr:$dims);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat = "$operand $dims attr-dict `:` type($result)";
}

def Graph_LogSoftmaxOp : Graph_CompositeOp<"log_softmax", [SameOperandsAndResultType]> {
  let summary = "(x - max) - log(sum(exp(x - max))) along dimensions";
  let description = [{
    c1: `dims` are ascending, distinct, in range.
    Example: `%r = graph.log_softmax %x [1] : tensor<2x3xf32>`
  }];
  let arguments = (ins Graph_FloatTensor:$operand, DenseI64ArrayAttr:$dims);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat = "$operand $dims attr-dict `:` type($result)";
}

def Graph_LayerNormOp : Graph_CompositeOp<"layer_norm", [InfersType, AttrSizedOperandSegments]> {
  let summary = "(x - mean) / sqrt(variance + epsilon) over the dimensions from axis on, times scale, plus bias";
  let description = [{
    c1: 0 <= axis < rank; c2: scale and bias, where present, have the shape of the dimensions from axis on and the operand's
    element type; bias only with scale; c3: the result has the operand's type.
    Example: `%r = graph.layer_norm %x, %s, %b {axis = 1 : i64, epsilon = 1.0e-5 : f64} : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>`
  }];
  let arguments = (ins Graph_FloatTensor:$operand, Optional<Graph_FloatTensor>:$scale, Optional<Graph_FloatTensor>:$bias, I64Attr:$axis, F64Attr:$epsilon);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat = "$operand (`,` $scale^)? (`,` $bias^)? attr-dict `:` functional-type(operands, results)";
}

def Graph_RmsNormOp : Graph_CompositeOp<"rms_norm", [InfersType]> {
  let summary = "x / sqrt(mean(x^2) + epsilon) over the dimensions from axis on, times scale";
  let description = [{
    c1: 0 <= axis < rank; c2: scale, where present, has the shape of the dimensions from axis on and the operand's element type;
    c3: the result has the operand's type.
    Example: `%r = graph.rms_norm %x, %s {axis = 1 : i64, epsilon = 1.0e-5 : f64} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>`
  }];
  let arguments = (ins Graph_FloatTensor:$operand, Optional<Graph_FloatTensor>:$scale, I64Attr:$axis, F64Attr:$epsilon);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat = "$operand (`,` $scale^)? attr-dict `:` functional-type(operands, results)";
}

def Graph_BatchNormOp : Graph_CompositeOp<"batch_norm", [InfersType]> {
  let summary = "(x - mean) / sqrt(variance + epsilon) * scale + bias, each a vector along one dimension";
  let description = [{
    c1: 0 <= dim < rank; c2: scale, bias, mean and variance are vectors of the operand's size along dim and its element type;
    c3: the result has the operand's type.
    Example: `%r = graph.batch_norm %x, %s, %b, %m, %v {dim = 1 : i64, epsilon = 1.0e-5 : f64} : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>`
  }];
  let arguments = (ins Graph_FloatTensor:$operand, Graph_FloatTensor:$scale, Graph_FloatTensor:$bias, Graph_FloatTensor:$mean, Graph_FloatTensor:$variance, I64Attr:$dim, F64Attr:$epsilon);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat = "$operand `,` $scale `,` $bias `,` $mean `,` $variance attr-dict `:` functional-type(operands, results)";
}

def Graph_GeluOp : Graph_CompositeOp<"gelu", [SameOperandsAndResultType]> {
  let summary = "x times the normal distribution function of x, exact or by tanh";
  let description = [{
    No constraints beyond the types.
    Example: `%r = graph.gelu erf, %x : tensor<4xf32>`
  }];
  let arguments = (ins Graph_GeluFormAttr:$form, Graph_FloatTensor:$operand);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat = "custom<EnumWord>($form) `,` $operand attr-dict `:` type($result)";
}

def Graph_FloatOrBoolTensor : RankedTensorOf<[Graph_Float, Graph_Bool]>;

def Graph_AttentionOp : Graph_CompositeOp<"attention", [InfersType]> {
  let summary = "softmax(q k^T * scale + mask) v over the last two dimensions";
  let description = [{
    q: [..., S, D], k: [..., T, D], v: [..., T, E], mask: [..., S, T], result [..., S, E]. A mask of floats is added to
    the scores; where one of booleans is false the score becomes `removed`, or -inf without it. `causal` gives key
    positions after query position + T - S the score -inf. A row of nothing but -inf has weights of NaN; `guarded` makes
    zeros of weights that are NaN.
    c1: all have one rank of at least 2; c2: leading dimensions agree; c3: D agrees, T agrees; c4: mask has shape
    [..., S, T]; c5: one element type, but for a mask of i1; c6: the result has the shape above; c7: `removed` goes
    with a mask of i1.
    Example: `%r = graph.attention %q, %k, %v {scale = 0.125 : f64} : (tensor<2x4x8xf32>, tensor<2x6x8xf32>, tensor<2x6x8xf32>) -> tensor<2x4x8xf32>`
  }];
  let arguments = (ins Graph_FloatTensor:$query, Graph_FloatTensor:$key, Graph_FloatTensor:$value, Optional<Graph_FloatOrBoolTensor>:$mask, F64Attr:$scale, UnitAttr:$causal, OptionalAttr<F64Attr>:$removed, UnitAttr:$guarded);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat = "$query `,` $key `,` $value (`,` $mask^)? attr-dict `:` functional-type(operands, results)";
}

#endif // ZENITH_IR_OPS_COMPOSITE_TD
