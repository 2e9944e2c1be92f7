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
    false). Sums and products of up to 16 terms are rounded term by term in row-major order, longer ones wider;
    f16, bf16 and f8 accumulate in f32. max and min return NaN if any element is NaN.
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
    `exclusive` leaves element i itself out; `reverse` runs from the end. f16, bf16 and f8 are rounded at every
    element, so each result follows from its neighbour.
    c1: 0 <= dim < rank; c2: kinds as in reduce.
    Example: `%r = graph.cumulative sum, %x 0 : tensor<4xf32>`
  }];
  let arguments = (ins Graph_ReduceKindAttr:$kind, Graph_Tensor:$operand, I64Attr:$dim, UnitAttr:$exclusive, UnitAttr:$reverse);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "custom<EnumWord>($kind) `,` $operand $dim (`exclusive` $exclusive^)? (`reverse` $reverse^)? attr-dict `:` type($result)";
}

def Graph_ReduceWithOp : Graph_ReductionOp<"reduce_with", [SingleBlock, RecursiveMemoryEffects, SameVariadicOperandSize]> {
  let summary = "folds elements of several operands along dimensions with a region";
  let description = [{
    The region gets one scalar per operand (what is folded so far), then one per operand (the next elements), and yields the new ones. Starts
    from `inits` and runs in row-major order of the folded dimensions.
    c1: `dims` are ascending, distinct, in range; c2: operands have one shape, each init is a scalar of its operand's element type; c3: the
    region has these arguments and yields one scalar per operand; c4: results have the remaining dimensions and the operands' element types.
    Example: `%r = graph.reduce_with (%x), (%zero) [1] {
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %s = graph.sub %a, %b : tensor<f32>
        graph.yield %s : tensor<f32>
      } : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>`
  }];
  let arguments = (ins Variadic<Graph_Tensor>:$inputs, Variadic<Graph_Tensor>:$inits, DenseI64ArrayAttr:$dims);
  let results = (outs Variadic<Graph_Tensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "`(` $inputs `)` `,` `(` $inits `)` $dims $body attr-dict `:` functional-type(operands, results)";
}

def Graph_ReduceWindowWithOp : Graph_ReductionOp<"reduce_window_with", [SingleBlock, RecursiveMemoryEffects, SameVariadicOperandSize]> {
  let summary = "as reduce_window, on several operands at once, with a region";
  let description = [{
    Region and order as in reduce_with; padding and the gaps of base_dilation count as `inits`.
    c1: every attribute has one entry per dimension; c2: window, strides and dilations are positive; c3: operands have one shape, inits and
    region as in reduce_with; c4: results have the dimensions that reduce_window gives and the operands' element types.
    Example: `%r = graph.reduce_window_with (%x), (%zero) window [1, 2] strides [1, 2] low [0, 0] high [0, 0] base_dilation [1, 1] dilation [1, 1] {
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %s = graph.add %a, %b : tensor<f32>
        graph.yield %s : tensor<f32>
      } : (tensor<3x8xf32>, tensor<f32>) -> tensor<3x4xf32>`
  }];
  let arguments = (ins Variadic<Graph_Tensor>:$inputs, Variadic<Graph_Tensor>:$inits, DenseI64ArrayAttr:$window,
    DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$low, DenseI64ArrayAttr:$high,
    DenseI64ArrayAttr:$base_dilation, DenseI64ArrayAttr:$dilation);
  let results = (outs Variadic<Graph_Tensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `(` $inputs `)` `,` `(` $inits `)` `window` $window `strides` $strides `low` $low `high` $high
    `base_dilation` $base_dilation `dilation` $dilation $body attr-dict `:` functional-type(operands, results)
  }];
}

#endif // ZENITH_IR_OPS_REDUCTION_TD
