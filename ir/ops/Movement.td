// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops whose result elements are elements of their operands, found by an index map that depends on shapes only.

#ifndef ZENITH_IR_OPS_MOVEMENT_TD
#define ZENITH_IR_OPS_MOVEMENT_TD

include "ir/GraphBase.td"

class Graph_MovementOp<string mnemonic, list<Trait> traits = []>
    : Graph_PureOp<mnemonic, "Movement", traits>;

def Graph_ConstantOp : Graph_MovementOp<"constant", [ConstantLike]> {
  let summary = "a value written in the program";
  let description = [{
    c1: the attribute's type is the result type, which is static.
    Example: `%c = graph.constant dense<[1.0, 2.0]> : tensor<2xf32>`
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Graph_Tensor:$result);
  let hasCustomAssemblyFormat = 1;
  let builders = [OpBuilder<(ins "::mlir::ElementsAttr":$value), [{
    build($_builder, $_state, ::llvm::cast<::mlir::Type>(value.getShapedType()), value);
  }]>];
  let hasFolder = 1;
}

def Graph_DimOp : Graph_MovementOp<"dim"> {
  let summary = "size of one dimension";
  let description = "c1: 0 <= dim < rank. Example: `%n = graph.dim %x, 0 : tensor<?x4xf32>`";
  let arguments = (ins Graph_Tensor:$operand, I64Attr:$dim);
  let results = (outs Graph_IndexScalar:$result);
  let assemblyFormat = "$operand `,` $dim attr-dict `:` type($operand)";
  let builders = [OpBuilder<(ins "::mlir::Value":$operand, "int64_t":$dim)>];
  let hasFolder = 1;
}

def Graph_IotaOp : Graph_MovementOp<"iota"> {
  let summary = "element = its own index along one dimension";
  let description = [{
    c1: 0 <= dim < rank; c2: one `dims` operand for each dynamic dimension of the result.
    Example: `%i = graph.iota 1 [%n] : tensor<?x4xi64>`
  }];
  let arguments = (ins I64Attr:$dim, Variadic<Graph_IndexScalar>:$dims);
  let results = (outs Graph_NumberTensor:$result);
  let assemblyFormat = "$dim (` ` `[` $dims^ `]`)? attr-dict `:` type($result)";
}

def Graph_BroadcastOp : Graph_MovementOp<"broadcast"> {
  let summary = "repeats elements along new dimensions and along dimensions of size 1";
  let description = [{
    Operand dimension i becomes result dimension `mapping[i]`.
    c1: `mapping` has one entry per operand dimension; c2: entries are distinct and below the
    result's rank; c3: a static operand dimension is 1 or equals the result dimension; a dynamic one
    equals it at run time (never repeats); c4: one `dims` operand for each dynamic dimension of the
    result; c5: element types are equal.
    Example: `%r = graph.broadcast %x [1] [%n] : tensor<4xf32> -> tensor<?x4xf32>`
  }];
  let arguments = (ins Graph_Tensor:$operand, DenseI64ArrayAttr:$mapping, Variadic<Graph_IndexScalar>:$dims);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$operand $mapping (` ` `[` $dims^ `]`)? attr-dict `:` type($operand) `->` type($result)";
  let hasFolder = 1;
}

def Graph_ExpandOp : Graph_MovementOp<"expand"> {
  let summary = "repeats elements along dimensions that turn out to be of size 1 at run time";
  let description = [{
    A dimension of the operand has size 1 or the size of the result's. Where the analysis proves which, passes write a
    broadcast, or nothing; else a kernel's stride is 0 or not, as the run finds.
    c1: operand and result have one rank; c2: a static operand dimension is 1 or equals the result dimension; c3: one `dims`
    operand for each dynamic dimension of the result; c4: element types are equal. A dynamic operand dimension that is neither 1
    nor equal is an error at run time.
    Example: `%r = graph.expand %x [%n] : tensor<?x4xf32> -> tensor<?x4xf32>`
  }];
  let arguments = (ins Graph_Tensor:$operand, Variadic<Graph_IndexScalar>:$dims);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$operand (` ` `[` $dims^ `]`)? attr-dict `:` type($operand) `->` type($result)";
  let hasFolder = 1;
}

def Graph_ReshapeOp : Graph_MovementOp<"reshape"> {
  let summary = "the same elements in row-major order under another shape";
  let description = [{
    c1: element counts are equal where both are static; c2: one `dims` operand for each dynamic
    dimension of the result; c3: element types are equal.
    Example: `%r = graph.reshape %x [%n] : tensor<?x2x6xf32> -> tensor<?x12xf32>`
  }];
  let arguments = (ins Graph_Tensor:$operand, Variadic<Graph_IndexScalar>:$dims);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$operand (` ` `[` $dims^ `]`)? attr-dict `:` type($operand) `->` type($result)";
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Graph_TransposeOp : Graph_MovementOp<"transpose", [InfersType]> {
  let summary = "permutes dimensions: result dimension i is operand dimension permutation[i]";
  let description = [{
    c1: `permutation` is a permutation of the operand's dimensions; c2: the result type is the permuted one.
    Example: `%r = graph.transpose %x [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>`
  }];
  let arguments = (ins Graph_Tensor:$operand, DenseI64ArrayAttr:$permutation);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$operand $permutation attr-dict `:` type($operand) `->` type($result)";
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Graph_SliceOp : Graph_MovementOp<"slice", [AttrSizedOperandSegments]> {
  let summary = "a regular part: element i along a dimension is operand element start + i * stride";
  let description = [{
    c1: starts, sizes and strides have one entry per dimension; c2: strides are positive; c3: a static
    part lies inside the operand; c4: `starts` operands stand for the dynamic entries of
    `static_starts`, `sizes` operands for the dynamic dimensions of the result; c5: sizes equal the
    result's dimensions; c6: element types are equal. A dynamic part that leaves the operand is an error at run time.
    Example: `%r = graph.slice %x [0, 2] [%n, 4] [1, 1] : tensor<?x8xf32> -> tensor<?x4xf32>`
  }];
  let arguments = (ins Graph_Tensor:$operand, Variadic<Graph_IndexScalar>:$starts,
                       Variadic<Graph_IndexScalar>:$sizes, DenseI64ArrayAttr:$static_starts,
                       DenseI64ArrayAttr:$static_sizes, DenseI64ArrayAttr:$strides);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = [{
    $operand custom<MixedIndexList>($starts, $static_starts) custom<MixedIndexList>($sizes, $static_sizes) $strides
    attr-dict `:` type($operand) `->` type($result)
  }];
  let hasFolder = 1;
}

def Graph_PadOp : Graph_MovementOp<"pad", [AttrSizedOperandSegments]> {
  let summary = "adds copies of one value before, after and between elements; negative low or high removes";
  let description = [{
    c1: low, high, interior have one entry per dimension; c2: interior is not negative; c3: `value` is a
    scalar of the operand's element type; c4: dynamic entries of low and high have an operand each;
    c5: static result dimensions are low + (n - 1) * (interior + 1) + 1 + high, or low + high where n = 0;
    c6: element types are equal.
    Example: `%r = graph.pad %x, %v [0, 1] [0, 1] [0, 0] : tensor<2x3xf32>, tensor<f32> -> tensor<2x5xf32>`
  }];
  let arguments = (ins Graph_Tensor:$operand, Graph_Tensor:$value, Variadic<Graph_IndexScalar>:$low,
                       Variadic<Graph_IndexScalar>:$high, DenseI64ArrayAttr:$static_low,
                       DenseI64ArrayAttr:$static_high, DenseI64ArrayAttr:$interior);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` $value custom<MixedIndexList>($low, $static_low) custom<MixedIndexList>($high, $static_high) $interior
    attr-dict `:` type($operand) `,` type($value) `->` type($result)
  }];
}

def Graph_ConcatOp : Graph_MovementOp<"concat", [InfersType]> {
  let summary = "joins values along one dimension";
  let description = [{
    c1: at least one operand; c2: 0 <= dim < rank; c3: operands have one rank and element type; c4: all
    dimensions but `dim` agree; c5: the result's `dim` is the sum.
    Example: `%r = graph.concat 0, %x, %y : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<3x3xf32>`
  }];
  let arguments = (ins I64Attr:$dim, Variadic<Graph_Tensor>:$operands);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$dim `,` $operands attr-dict `:` functional-type($operands, results)";
  let hasFolder = 1;
}

def Graph_ReverseOp : Graph_MovementOp<"reverse", [SameOperandsAndResultType]> {
  let summary = "reverses the order of elements along dimensions";
  let description = [{
    c1: `dims` are distinct and in range.
    Example: `%r = graph.reverse %x [0] : tensor<4xf32>`
  }];
  let arguments = (ins Graph_Tensor:$operand, DenseI64ArrayAttr:$dims);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$operand $dims attr-dict `:` type($result)";
}

#endif // ZENITH_IR_OPS_MOVEMENT_TD
