// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops that fold many elements into one: over dimensions, over windows, and running folds.

#ifndef ZENITH_IR_OPS_REDUCTION_TD
#define ZENITH_IR_OPS_REDUCTION_TD

include "ir/GraphBase.td"

class Graph_ReductionOp<string mnemonic, list<Trait> traits = []>
    : Graph_PureOp<mnemonic, "Reduction", traits>;

def Graph_ReduceOp : Graph_ReductionOp<"reduce", [InfersType]> {
  let summary = "folds elements along dimensions, which disappear";
  let description = [{
    An empty fold gives the neutral element (0, 1, -inf or lowest, +inf or highest, true, false,
    false). f16, bf16 and f8 sums and products accumulate in f32. max and min return NaN if any element is NaN.
    c1: `dims` are ascending, distinct, in range; c2: all, any and parity need integers or booleans and are bitwise,
    sum and prod need numbers, max and min need anything but complex numbers; c3: the result has the operand's element type and the remaining dimensions.
    Example: `%r = graph.reduce sum, %x [1] : tensor<2x3xf32> -> tensor<2xf32>`
  }];
  let arguments = (ins Graph_ReduceKindAttr:$kind, Graph_Tensor:$operand, DenseI64ArrayAttr:$dims);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "custom<EnumWord>($kind) `,` $operand $dims attr-dict `:` type($operand) `->` type($result)";
  let hasFolder = 1;
}

def Graph_ArgReduceOp : Graph_ReductionOp<"arg_reduce"> {
  let summary = "index of the largest or smallest element along a dimension; the first of equals, NaN first of all";
  let description = [{
    c1: 0 <= dim < rank; c2: `kind` is max or min; c3: the result is i64 or i32 with the remaining
    dimensions; `last` takes the last of equals. The dimension is not empty at run time.
    Example: `%r = graph.arg_reduce max, %x 1 : tensor<2x3xf32> -> tensor<2xi64>`
  }];
  let arguments = (ins Graph_ReduceKindAttr:$kind, Graph_OrderedTensor:$operand, I64Attr:$dim, UnitAttr:$last);
  let results = (outs RankedTensorOf<[I32, I64]>:$result);
  let assemblyFormat = "custom<EnumWord>($kind) `,` $operand $dim (`last` $last^)? attr-dict `:` type($operand) `->` type($result)";
}

def Graph_ReduceWindowOp : Graph_ReductionOp<"reduce_window", [InfersType]> {
  let summary = "folds the elements of a window that moves over all dimensions";
  let description = [{
    Padding counts as the neutral element. Output position o folds padded input
    o * stride + w * dilation over w below `window`, the input first dilated by `base_dilation`.
    c1: every attribute has one entry per dimension; c2: window, strides and dilations are positive; c3: kinds
    as in reduce; c4: result dimensions are floor((padded - reach) / stride) + 1, reach = (window - 1) * dilation + 1.
    Example: `%r = graph.reduce_window max, %x window [1, 2] strides [1, 2] low [0, 0] high [0, 0]
      base_dilation [1, 1] dilation [1, 1] : tensor<3x8xf32> -> tensor<3x4xf32>`
  }];
  let arguments = (ins Graph_ReduceKindAttr:$kind, Graph_Tensor:$operand, DenseI64ArrayAttr:$window,
    DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$low, DenseI64ArrayAttr:$high,
    DenseI64ArrayAttr:$base_dilation, DenseI64ArrayAttr:$dilation);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = [{
    custom<EnumWord>($kind) `,` $operand `window` $window `strides` $strides `low` $low `high` $high
    `base_dilation` $base_dilation `dilation` $dilation attr-dict `:` type($operand) `->` type($result)
  }];
}

def Graph_CumulativeOp : Graph_ReductionOp<"cumulative", [SameOperandsAndResultType]> {
  let summary = "running fold along a dimension: element i folds elements 0 to i";
  let description = [{
    `exclusive` leaves element i itself out; `reverse` runs from the end.
    c1: 0 <= dim < rank; c2: kinds as in reduce.
    Example: `%r = graph.cumulative sum, %x 0 : tensor<4xf32>`
  }];
  let arguments = (ins Graph_ReduceKindAttr:$kind, Graph_Tensor:$operand, I64Attr:$dim, UnitAttr:$exclusive, UnitAttr:$reverse);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "custom<EnumWord>($kind) `,` $operand $dim (`exclusive` $exclusive^)? (`reverse` $reverse^)? attr-dict `:` type($result)";
}

#endif // ZENITH_IR_OPS_REDUCTION_TD
