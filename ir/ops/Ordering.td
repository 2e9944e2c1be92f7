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

// Keys are the elements of tensor<?xui64>, or of several of them side by side.
def Graph_WordList : RankedTensorOf<[UI64]>;

def Graph_FreshKeysOp : Graph_OrderingOp<"fresh_keys", [AttrSizedOperandSegments]> {
  let summary = "each key among the candidates once, without those known; equal keys are joined by or";
  let description = [{
    `key` has a number per word of a key: the bits that tell keys apart. Candidates are lists of keys, each as so many operands as a key
    has words; so are the known. Keys are equal where all their words are in the bits of `key`; other bits of a result are those of all
    candidates with its key together. A candidate whose word 0 is `absent` is none. The order of the results follows from the operands,
    but is not said: programs must not depend on it.
    With images a key stands for several, and the least of a candidate's images takes its place: less in the bits of `key`, word 0 first.
    `image_parts` has shape [images, words, parts], `image_bits` the same and 2^b: b bits of each word after the other make the word's
    parts, from bit 0 on, and word w of image i is the or, over j, of `image_bits`[i, w, j, p], p the part with the number
    `image_parts`[i, w, j] among those of all words (none: 0). Images with the least one's key join by or, and so does their number
    less 1 in the last word, from bit `ties` on.
    c1: `key` is not empty; c2: there are candidates, as many operands as words divide; so for the known; c3: operands have rank 1, and those
    of all candidates one size, those of one list of the known one size; c4: there is a result per word, a list of dynamic size; c5: image
    parts, image bits and `ties` come together, with such shapes that are static, at least one image, b from 1 to 8 and `ties` below 64.
    Example: `%r = graph.fresh_keys (%a, %b) known (%k) key [255] : (tensor<8xui64>, tensor<8xui64>, tensor<5xui64>) -> tensor<?xui64>`
  }];
  let arguments = (ins Variadic<Graph_WordList>:$candidates, Variadic<Graph_WordList>:$known, Optional<RankedTensorOf<[UI16]>>:$image_parts,
    Optional<RankedTensorOf<[UI64]>>:$image_bits, DenseI64ArrayAttr:$key, OptionalAttr<I64Attr>:$absent, OptionalAttr<I64Attr>:$ties);
  let results = (outs Variadic<Graph_WordList>:$results);
  let assemblyFormat = [{
    `(` $candidates `)` (`known` `(` $known^ `)`)? (`images` `(` $image_parts^ `,` $image_bits `)`)? `key` $key (`absent` $absent^)?
    (`ties` $ties^)? attr-dict `:` functional-type(operands, results)
  }];
  let extraClassDeclaration = [{
    /// Bits of a part of a word: image bits have 2^b entries for each.
    unsigned partBits();
    /// Words of a key.
    unsigned words() { return getKey().size(); }
    /// Lists of candidates, and of the known.
    unsigned candidateLists() { return getCandidates().size() / words(); }
    unsigned knownLists() { return getKnown().size() / words(); }
  }];
}

def Graph_BitPositionsOp : Graph_OrderingOp<"bit_positions"> {
  let summary = "positions of the bits that are set, ascending";
  let description = [{
    Bit b of word w is position 64 * w + b.
    c1: the operand has rank 1; c2: the result has rank 1 and a dynamic size.
    Example: `%r = graph.bit_positions %x : tensor<8xui64> -> tensor<?xui64>`
  }];
  let arguments = (ins Graph_WordList:$operand);
  let results = (outs Graph_WordList:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `->` type($result)";
}

def Graph_FreshBitsOp : Graph_OrderingOp<"fresh_bits"> {
  let summary = "the bits at the candidates' positions that are not set yet, and how many they are";
  let description = [{
    Bit b of word w is position 64 * w + b. Positions behind the last word are ignored.
    c1: the known bits have rank 1; c2: there are candidates, of rank 1 and one size; c3: the bits have the type of the known ones.
    Example: `%r, %n = graph.fresh_bits %k (%a, %b) : (tensor<8xui64>, tensor<3xui64>, tensor<3xui64>) -> (tensor<8xui64>, tensor<i64>)`
  }];
  let arguments = (ins Graph_WordList:$known, Variadic<Graph_WordList>:$candidates);
  let results = (outs Graph_WordList:$bits, Graph_IndexScalar:$count);
  let assemblyFormat = "$known `(` $candidates `)` attr-dict `:` functional-type(operands, results)";
}

def Graph_FreshBitRowsOp : Graph_OrderingOp<"fresh_bit_rows"> {
  let summary = "rows of bits moved to other rows, without the bits known, and how many they are";
  let description = [{
    Bit b of word w of a row is column 64 * w + b. The row of `layer` that `sources` names in row r and column g goes to row r of the
    result: its column c to column `columns`[`moves`[r, g], c]. Source rows that there are not, moves that there are not and columns from
    the number of columns on, on either side, are ignored. `bits` has what arrives and isn't known, `all` what arrives or is known.
    c1: layer, known, bits and all have one type, of rank 2; c2: sources and moves have rank 2, one shape, and as many rows as the
    layer; c3: columns has rank 2, and no more columns than the layer's rows have bits.
    Example: `%r, %a, %n = graph.fresh_bit_rows %known, %layer, %sources, %moves, %columns : (tensor<3x1xui64>, tensor<3x1xui64>,
      tensor<3x2xui32>, tensor<3x2xui16>, tensor<4x24xui16>) -> (tensor<3x1xui64>, tensor<3x1xui64>, tensor<i64>)`
  }];
  let arguments = (ins RankedTensorOf<[UI64]>:$known, RankedTensorOf<[UI64]>:$layer, RankedTensorOf<[UI32]>:$sources,
    RankedTensorOf<[UI16]>:$moves, RankedTensorOf<[UI16]>:$columns);
  let results = (outs RankedTensorOf<[UI64]>:$bits, RankedTensorOf<[UI64]>:$all, Graph_IndexScalar:$count);
  let assemblyFormat = [{
    $known `,` $layer `,` $sources `,` $moves `,` $columns attr-dict `:` functional-type(operands, results)
  }];
}

def Graph_MarkBitsOp : Graph_OrderingOp<"mark_bits"> {
  let summary = "each position among the candidates once whose bit is not set yet, and the bits with these";
  let description = [{
    Bit b of word w is position 64 * w + b. Positions behind the last word are ignored. The order of the positions is not said: programs
    must not depend on it. With tags, the first `tag_bits` bits of a candidate are no part of its position, which the others are, but come
    along with it: a result has those of any one of the candidates with its position, and programs must not depend on which.
    c1: the known bits have rank 1; c2: there are candidates, of rank 1 and one size; c3: the positions have rank 1 and a dynamic size;
    c4: the bits have the type of the known ones; c5: there are from 1 to 16 tag bits.
    Example: `%p, %r = graph.mark_bits %k (%a, %b) : (tensor<8xui64>, tensor<3xui64>, tensor<3xui64>) -> (tensor<?xui64>, tensor<8xui64>)`
  }];
  let arguments = (ins Graph_WordList:$known, Variadic<Graph_WordList>:$candidates, OptionalAttr<I64Attr>:$tag_bits);
  let results = (outs Graph_WordList:$positions, Graph_WordList:$bits);
  let assemblyFormat = "$known `(` $candidates `)` (`tags` $tag_bits^)? attr-dict `:` functional-type(operands, results)";
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
