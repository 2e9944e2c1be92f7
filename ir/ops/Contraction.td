// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops that multiply and sum over shared dimensions: products of matrices and convolutions.

#ifndef ZENITH_IR_OPS_CONTRACTION_TD
#define ZENITH_IR_OPS_CONTRACTION_TD

include "ir/GraphBase.td"

class Graph_ContractionOp<string mnemonic, list<Trait> traits = []>
    : Graph_PureOp<mnemonic, "Contraction", [InfersType] # traits>;

def Graph_DotGeneralOp : Graph_ContractionOp<"dot_general"> {
  let summary = "product of tensors: batches over some dimensions, sums over others";
  let description = [{
    Result dimensions: batching, free of lhs, free of rhs. Sums in f32 for f16, bf16 and f8
    operands, in the result type for integers, else in the operand type.
    c1: batching lists have one length; c2: contracting lists have one length; c3: dimension numbers are
    distinct and in range on each side; c4: batching dimensions agree; c5: contracting dimensions
    agree; c6: operands have one element type; c7: the result has the shape above and the operands' element type,
    or a wider one (i32 for integers of 8 and 16 bits, f32 for f16 and bf16).
    Example: `%r = graph.dot_general %x, %y <batching = [] x [], contracting = [1] x [0]> : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>`
  }];
  let arguments = (ins Graph_NumberTensor:$lhs, Graph_NumberTensor:$rhs, Graph_DotDimsAttr:$dims);
  let results = (outs Graph_NumberTensor:$result);
  let assemblyFormat = "$lhs `,` $rhs $dims attr-dict `:` functional-type(operands, results)";
}

def Graph_ConvolutionOp : Graph_ContractionOp<"convolution"> {
  let summary = "sums of products over a window that moves over spatial dimensions";
  let description = [{
    Window w of output position o reads padded input o * stride + w * kernel_dilation, where the
    input is first dilated by input_dilation. Sums as dot_general.
    c1: operands and result have one rank, spatial count + 2; c2: dimension numbers are permutations; c3: window
    attributes have one entry per spatial dimension; c4: strides and dilations are positive; c5: groups divide
    input and output features; c6: kernel input features are input features / groups; c7: output dimensions
    follow; c8: element types as dot_general.
    Example: `%r = graph.convolution %x, %w <input = (0, 1, [2]), kernel = (1, 0, [2]), output = (0, 1, [2])>
      strides [1] low [1] high [1] input_dilation [1] kernel_dilation [1] groups 1
      : (tensor<1x2x8xf32>, tensor<4x2x3xf32>) -> tensor<1x4x8xf32>`
  }];
  let arguments = (ins Graph_NumberTensor:$input, Graph_NumberTensor:$kernel, Graph_ConvDimsAttr:$dims,
    DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$low, DenseI64ArrayAttr:$high,
    DenseI64ArrayAttr:$input_dilation, DenseI64ArrayAttr:$kernel_dilation, I64Attr:$groups);
  let results = (outs Graph_NumberTensor:$result);
  let assemblyFormat = [{
    $input `,` $kernel $dims `strides` $strides `low` $low `high` $high `input_dilation` $input_dilation
    `kernel_dilation` $kernel_dilation `groups` $groups attr-dict `:` functional-type(operands, results)
  }];
}

#endif // ZENITH_IR_OPS_CONTRACTION_TD
