// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops that compare rows or elements with each other: sorting, selecting, sets.

#ifndef ZENITH_IR_OPS_ORDERING_TD
#define ZENITH_IR_OPS_ORDERING_TD

include "ir/GraphBase.td"

// Row i of a tensor is its part at index i of dimension 0. Two rows are equal where all their elements are
// equal bit for bit, except that -0 equals 0; all NaN are equal to each other.
class Graph_OrderingOp<string mnemonic, list<Trait> traits = []>
    : Graph_PureOp<mnemonic, "Ordering", traits>;

def Graph_SortOp : Graph_OrderingOp<"sort"> {
  let summary = "operands reordered along a dimension by the first ones; equal elements keep their order";
  let description = [{
    Compares by operand 0, where equal by operand 1, and so on up to `num_keys`. NaN is above all numbers, -0 equals 0;
    `descending` turns the order round.
    c1: there is an operand and all have one shape; c2: 0 <= dim < rank; c3: 1 <= num_keys <= number of operands, keys are not complex;
    c4: result types are the operand types.
    Example: `%k, %v = graph.sort %x, %i 0 keys 1 : (tensor<8xf32>, tensor<8xi64>) -> (tensor<8xf32>, tensor<8xi64>)`
  }];
  let arguments = (ins Variadic<Graph_Tensor>:$inputs, I64Attr:$dim, I64Attr:$num_keys, UnitAttr:$descending);
  let results = (outs Variadic<Graph_Tensor>:$results);
  let assemblyFormat = "$inputs $dim `keys` $num_keys (`descending` $descending^)? attr-dict `:` functional-type(operands, results)";
}

def Graph_SortWithOp : Graph_OrderingOp<"sort_with", [SingleBlock, RecursiveMemoryEffects]> {
  let summary = "operands reordered along a dimension by a comparator; stable";
  let description = [{
    The region gets two scalars of each operand (left, right, left of the next operand, ...) and yields whether left comes before right.
    c1: there is an operand and all have one shape; c2: 0 <= dim < rank; c3: the region has two scalar arguments per operand, of its element
    type, and yields one i1 scalar; c4: result types are the operand types.
    Example: `%r = graph.sort_with %x 0 {
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %c = graph.compare gt, %a, %b : tensor<f32> -> tensor<i1>
        graph.yield %c : tensor<i1>
      } : (tensor<8xf32>) -> tensor<8xf32>`
  }];
  let arguments = (ins Variadic<Graph_Tensor>:$inputs, I64Attr:$dim);
  let results = (outs Variadic<Graph_Tensor>:$results);
  let regions = (region SizedRegion<1>:$comparator);
  let assemblyFormat = "$inputs $dim $comparator attr-dict `:` functional-type(operands, results)";
}

def Graph_TopKOp : Graph_OrderingOp<"top_k"> {
  let summary = "the largest elements along a dimension, in descending order, and their indices; of equals the first";
  let description = [{
    NaN is above all numbers. `smallest` takes the smallest in ascending order. k is the size of the results along `dim`; more than the
    operand has is an error at run time.
    c1: 0 <= dim < rank; c2: other result dimensions are the operand's; c3: one `k` operand where the size along `dim` is dynamic, else none;
    c4: values have the operand's element type and the shape of indices, which are i64.
    Example: `%v, %i = graph.top_k %x 1 : (tensor<2x8xf32>) -> (tensor<2x3xf32>, tensor<2x3xi64>)`
  }];
  let arguments = (ins Graph_OrderedTensor:$operand, Optional<Graph_IndexScalar>:$k, I64Attr:$dim, UnitAttr:$smallest);
  let results = (outs Graph_OrderedTensor:$values, RankedTensorOf<[I64]>:$indices);
  let assemblyFormat = "$operand (`,` $k^)? $dim (`smallest` $smallest^)? attr-dict `:` functional-type(operands, results)";
}

def Graph_UniqueOp : Graph_OrderingOp<"unique"> {
  let summary = "each distinct row once, with its first position, the place of every row among them, and counts";
  let description = [{
    Rows come in order of first occurrence; `sorted`: in ascending lexicographic order, NaN above all numbers.
    c1: rank is at least 1; c2: rows have the operand's element type and row shape and a dynamic dimension 0; c3: first and counts are
    i64 of one dynamic dimension; c4: inverse is i64 with the operand's dimension 0.
    Example: `%r, %f, %i, %c = graph.unique %x : tensor<8x3xui8> -> tensor<?x3xui8>, tensor<?xi64>, tensor<8xi64>, tensor<?xi64>`
  }];
  let arguments = (ins Graph_Tensor:$operand, UnitAttr:$sorted);
  let results = (outs Graph_Tensor:$rows, RankedTensorOf<[I64]>:$first, RankedTensorOf<[I64]>:$inverse, RankedTensorOf<[I64]>:$counts);
  let assemblyFormat = "$operand (`sorted` $sorted^)? attr-dict `:` type($operand) `->` type($rows) `,` type($first) `,` type($inverse) `,` type($counts)";
}

def Graph_CompactOp : Graph_OrderingOp<"compact"> {
  let summary = "the rows of each operand whose mask is true, in order";
  let description = [{
    c1: the mask has rank 1; c2: there is an operand and each has the mask's size as dimension 0; c3: results have a dynamic dimension 0 and
    the operands' row shapes and element types.
    Example: `%r = graph.compact %m, %x : (tensor<8xi1>, tensor<8x2xf32>) -> tensor<?x2xf32>`
  }];
  let arguments = (ins Graph_BoolTensor:$mask, Variadic<Graph_Tensor>:$inputs);
  let results = (outs Variadic<Graph_Tensor>:$results);
  let assemblyFormat = "$mask `,` $inputs attr-dict `:` functional-type(operands, results)";
}

def Graph_SearchSortedOp : Graph_OrderingOp<"searchsorted"> {
  let summary = "how many elements of an ascending list are below each query";
  let description = [{
    `right` counts elements that equal the query too. NaN is above all numbers.
    c1: the list has rank 1; c2: queries have its element type; c3: the result is i64 with the queries' shape.
    Example: `%r = graph.searchsorted %list, %q : (tensor<8xi64>, tensor<3xi64>) -> tensor<3xi64>`
  }];
  let arguments = (ins Graph_OrderedTensor:$list, Graph_OrderedTensor:$queries, UnitAttr:$right);
  let results = (outs RankedTensorOf<[I64]>:$result);
  let assemblyFormat = "$list `,` $queries (`right` $right^)? attr-dict `:` functional-type(operands, results)";
}

def Graph_IsInOp : Graph_OrderingOp<"is_in"> {
  let summary = "whether each row of the first operand is a row of the second";
  let description = [{
    c1: both have at least rank 1, one element type and one row shape; c2: the result has the first operand's dimension 0.
    Example: `%m = graph.is_in %x, %set : (tensor<8x3xui8>, tensor<5x3xui8>) -> tensor<8xi1>`
  }];
  let arguments = (ins Graph_Tensor:$operand, Graph_Tensor:$set);
  let results = (outs Graph_BoolTensor:$result);
  let assemblyFormat = "$operand `,` $set attr-dict `:` functional-type(operands, results)";
}

def Graph_HashOp : Graph_OrderingOp<"hash"> {
  let summary = "a hash of each row of integers, or several";
  let description = [{
    `matrix`: lane k of row x is the sum of x[i] * m[i, k] modulo 2^31 - 1, in 0 to 2^31 - 2, exact for all integers; m is
    jax.random.bits(PRNGKey(seed), (width, lanes), uint32) modulo 2^31 - 1 (jax_threefry_partitionable). `poly32`: h = 0, then for each x[i]
    h = h * 0x01000193 + x[i] + 1 modulo 2^32. `seed` has the bits of a ui64; absent: 0.
    c1: the operand has rank 2, a static width and integers of 8 bits or more; c2: the result has the operand's rows, of matrix static lanes of i64, at least one, of
    poly32 one lane of ui32; c3: poly32 has no seed.
    Example: `%h = graph.hash matrix, %x seed 7 : tensor<8x3xi64> -> tensor<8x2xi64>`
  }];
  let arguments = (ins Graph_HashKindAttr:$kind, Graph_IntTensor:$operand, OptionalAttr<I64Attr>:$seed);
  let results = (outs Graph_IntTensor:$result);
  let assemblyFormat = "custom<EnumWord>($kind) `,` $operand (`seed` $seed^)? attr-dict `:` type($operand) `->` type($result)";
}

def Graph_NonMaxSuppressionOp : Graph_OrderingOp<"non_max_suppression"> {
  let summary = "per batch and class, boxes in order of falling score that overlap no chosen one too much";
  let description = [{
    Rows of the result are (batch, class, box), in order of batch, then class, then choice. A box is chosen where its score is above
    `score_threshold` (if given) and its intersection over union with each box chosen before is at most `iou_threshold`; at most
    `max_per_class` per batch and class; of equal scores the first. Boxes are two opposite corners (y1, x1, y2, x2) in any order, or with
    `center` (x, y, width, height).
    c1: boxes are batch x boxes x 4 of f32; c2: scores are batch x classes x boxes of f32; c3: the result is i64, dynamic x 3.
    Example: `%r = graph.non_max_suppression %b, %s, %n, %iou : (tensor<1x6x4xf32>, tensor<1x2x6xf32>, tensor<i64>, tensor<f32>) -> tensor<?x3xi64>`
  }];
  let arguments = (ins RankedTensorOf<[F32]>:$boxes, RankedTensorOf<[F32]>:$scores, Graph_IndexScalar:$max_per_class,
    0DTensorOf<[F32]>:$iou_threshold, Optional<0DTensorOf<[F32]>>:$score_threshold, UnitAttr:$center);
  let results = (outs RankedTensorOf<[I64]>:$result);
  let assemblyFormat = [{
    $boxes `,` $scores `,` $max_per_class `,` $iou_threshold (`,` $score_threshold^)? (`center` $center^)? attr-dict
    `:` functional-type(operands, results)
  }];
}

#endif // ZENITH_IR_OPS_ORDERING_TD
