// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sets that breadth-first search keeps: lists of keys without duplicates, and sets of bits.

#ifndef ZENITH_IR_OPS_SEARCH_TD
#define ZENITH_IR_OPS_SEARCH_TD

include "ir/GraphBase.td"

def Search_Dialect : Dialect {
  let name = "search";
  let cppNamespace = "::zenith::search";
  let summary = "sets of keys and of bits for breadth-first search over state graphs";
  let description = [{
    Stands beside the graph dialect: passes/search rewrites loops over rows to these ops, and frontends produce none of them. Types, shape
    rules, constraints and families are those of GraphIR.
  }];
  let dependentDialects = ["::zenith::graph::GraphDialect"];
}

class Search_Op<string mnemonic, list<Trait> traits = []>
    : Op<Search_Dialect, mnemonic, [InFamily<"Search">, DeclareOpInterfaceMethods<ShapeRule>, Pure] # traits> {
  let hasVerifier = 1;
}

// Keys are the elements of tensor<?xui64>, or of several of them side by side.
def Search_WordList : RankedTensorOf<[UI64]>;

def Search_DedupOp : Search_Op<"dedup", [AttrSizedOperandSegments]> {
  let summary = "distinct keys among the candidates without the known ones (set difference); equal keys join by or";
  let description = [{
    `key` has a mask per word of a key: the bits that distinguish keys. Candidates are lists of keys, each one operand per word; so are the
    known lists. Keys are equal where all their words agree in the bits of `key`; the other bits of a result are the or of those of all
    candidates with its key. A candidate whose word 0 is `absent` does not count. The order of the results is deterministic but
    unspecified: programs must not depend on it.
    With images each candidate is replaced by the least of its images (a canonical form), compared in the bits of `key`, word 0 first.
    `image_parts` has shape [images, words, parts], `image_bits` the same and 2^b: each word is divided into parts of b bits, from bit 0
    on, and word w of image i is the or, over j, of `image_bits`[i, w, j, p], where p is the part with index `image_parts`[i, w, j] among
    the parts of all words (out of range: 0). Images that equal the least one in the bits of `key` join by or; their count less 1 is added
    to the last word, from bit `ties` on.
    c1: `key` is not empty; c2: there are candidates, as many operands as words divide; so for the known; c3: operands have rank 1, and those
    of all candidates one size, those of one list of the known one size; c4: there is a result per word, a list of dynamic size; c5: image
    parts, image bits and `ties` come together, with such shapes that are static, at least one image, b from 1 to 8 and `ties` below 64.
    Example: `%r = search.dedup (%a, %b) known (%k) key [255] : (tensor<8xui64>, tensor<8xui64>, tensor<5xui64>) -> tensor<?xui64>`
  }];
  let arguments = (ins Variadic<Search_WordList>:$candidates, Variadic<Search_WordList>:$known, Optional<RankedTensorOf<[UI16]>>:$image_parts,
    Optional<RankedTensorOf<[UI64]>>:$image_bits, DenseI64ArrayAttr:$key, OptionalAttr<I64Attr>:$absent, OptionalAttr<I64Attr>:$ties);
  let results = (outs Variadic<Search_WordList>:$results);
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

def Search_BitPositionsOp : Search_Op<"bit_positions"> {
  let summary = "positions of the bits that are set, ascending";
  let description = [{
    Bit b of word w is position 64 * w + b.
    c1: the operand has rank 1; c2: the result has rank 1 and a dynamic size.
    Example: `%r = search.bit_positions %x : tensor<8xui64> -> tensor<?xui64>`
  }];
  let arguments = (ins Search_WordList:$operand);
  let results = (outs Search_WordList:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `->` type($result)";
}

def Search_BitsetDifferenceOp : Search_Op<"bitset_difference"> {
  let summary = "the bits at the candidates' positions without the known bits (bitset difference), and their count";
  let description = [{
    Bit b of word w is position 64 * w + b. Positions after the last word are ignored.
    c1: the known bits have rank 1; c2: there are candidates, of rank 1 and one size; c3: the bits have the type of the known ones.
    Example: `%r, %n = search.bitset_difference %k (%a, %b) : (tensor<8xui64>, tensor<3xui64>, tensor<3xui64>) -> (tensor<8xui64>, tensor<i64>)`
  }];
  let arguments = (ins Search_WordList:$known, Variadic<Search_WordList>:$candidates);
  let results = (outs Search_WordList:$bits, Graph_IndexScalar:$count);
  let assemblyFormat = "$known `(` $candidates `)` attr-dict `:` functional-type(operands, results)";
}

def Search_CosetBitRowsOp : Search_Op<"coset_bit_rows"> {
  let summary = "bits of a layer, one row per coset, moved to their neighbours' rows, without the known bits, and their count";
  let description = [{
    Bit b of word w of a row is column 64 * w + b. Row `sources`[r, g] of `layer` goes to row r of the result: its column c to column
    `columns`[`moves`[r, g], c]. Source rows, moves and columns out of range, on either side, are ignored. `bits` has the moved bits that
    are not known, `all` the moved or known bits.
    c1: layer, known, bits and all have one type, of rank 2; c2: sources and moves have rank 2, one shape, and as many rows as the
    layer; c3: columns has rank 2, and no more columns than the layer's rows have bits.
    Example: `%r, %a, %n = search.coset_bit_rows %known, %layer, %sources, %moves, %columns : (tensor<3x1xui64>, tensor<3x1xui64>,
      tensor<3x2xui32>, tensor<3x2xui16>, tensor<4x24xui16>) -> (tensor<3x1xui64>, tensor<3x1xui64>, tensor<i64>)`
  }];
  let arguments = (ins RankedTensorOf<[UI64]>:$known, RankedTensorOf<[UI64]>:$layer, RankedTensorOf<[UI32]>:$sources,
    RankedTensorOf<[UI16]>:$moves, RankedTensorOf<[UI16]>:$columns);
  let results = (outs RankedTensorOf<[UI64]>:$bits, RankedTensorOf<[UI64]>:$all, Graph_IndexScalar:$count);
  let assemblyFormat = [{
    $known `,` $layer `,` $sources `,` $moves `,` $columns attr-dict `:` functional-type(operands, results)
  }];
}

def Search_CosetBitsOp : Search_Op<"coset_bits"> {
  let summary = "the bit that each arrangement has among rows of bits, one row per coset; all ones where it has none";
  let description = [{
    A row of `states` that has each element of `start` once gives each position of `start` an image: where the row has its element. Images are
    divided group by group of levels: those of the group's points, digits of a number in base `columns`, the last point's first, are a
    place in the group's part of `indices`; row `index` of its part of `inverses`, which has as many rows as `sizes` says, takes all images on.
    The indices of the first `row_groups` groups are the digits of the number of a row of bits, whose row of `representatives` takes on the
    images that the state gave. These are divided by the other groups, whose indices are the digits of a column. The bit is that
    column, behind `words` words for each row of bits before it.
    A state has no bit where it is no such row, where an index is not below the group's size, where its representative does not take the
    image of a point of the first groups to that point, or where at last a point of no group is not its own image. Images beyond the last
    position, in tables, are that one.
    c1: states have rank 2, from 1 to 1024 columns, and 8 bits or more an element; c2: start has an element per column, of the type of the
    states; c3: points are columns, each once, of which each group has one or more, there are as many sizes as groups, from 1 to 65536, and
    `row_groups` of them come first; `words` is at least 1; c4: indices are a list of as many elements as all groups have places; inverses
    have as many rows as the sizes are in all, representatives as many as there are rows of bits, both a column per column of the states;
    c5: the result has the size of the states.
    Example: `%r = search.coset_bits %states, %start, %indices, %inverses, %representatives points [0, 1] of [1, 1] sizes [3, 2] rows 1 words 1
      : (tensor<?x3xui8>, tensor<3xui8>, tensor<6xui16>, tensor<5x3xui16>, tensor<3x3xui16>) -> tensor<?xui64>`
  }];
  let arguments = (ins RankedTensorOf<[AnyInteger]>:$states, RankedTensorOf<[AnyInteger]>:$start, RankedTensorOf<[UI16]>:$indices,
    RankedTensorOf<[UI16]>:$inverses, RankedTensorOf<[UI16]>:$representatives, DenseI64ArrayAttr:$points, DenseI64ArrayAttr:$group_points,
    DenseI64ArrayAttr:$sizes, I64Attr:$row_groups, I64Attr:$words);
  let results = (outs Search_WordList:$bits);
  let assemblyFormat = [{
    $states `,` $start `,` $indices `,` $inverses `,` $representatives `points` $points `of` $group_points `sizes` $sizes `rows` $row_groups
    `words` $words attr-dict `:` functional-type(operands, results)
  }];
}

def Search_TestBitsOp : Search_Op<"test_bits"> {
  let summary = "which of the bits at some positions are set";
  let description = [{
    Bit b of word w is position 64 * w + b. None is set after the last word.
    c1: bits and positions have rank 1; c2: the result has the size of the positions.
    Example: `%r = search.test_bits %x at %p : (tensor<8xui64>, tensor<?xui64>) -> tensor<?xi1>`
  }];
  let arguments = (ins Search_WordList:$bits, Search_WordList:$positions);
  let results = (outs RankedTensorOf<[I1]>:$result);
  let assemblyFormat = "$bits `at` $positions attr-dict `:` functional-type(operands, results)";
}

def Search_IndexBitsOp : Search_Op<"index_bits"> {
  let summary = "the different positions of a list, by words of a set of bits, and how often each is there";
  let description = [{
    Bit b of word w is position 64 * w + b. The positions of the list in the first `words` words are, each once, d_0 < d_1 < ... Element i of
    the list is d_j with j = `places`[i], or in no word, and then `places`[i] is the list's size.
    Entries, as many as the list has elements but at most `words`, are the words that have such positions, ascending, or all words where
    there are as many entries. Entry e is word `entry_words`[e]; its positions are the bits of `masks`[e], and `firsts`[e] of the d_j come
    before them, in its low 63 bits. Its highest bit is set where the list has a position of the entry more than once. Entries after the last
    word that has positions have no bits, `words` as their word, and all d_j before them.
    `counts` has a number for each place, the last one, too: how many elements are d_j where that bit of d_j's entry is set, else 0.
    c1: positions have rank 1, and `words` is at least 1; c2: places have the size of the positions; c3: counts, entry words, masks and firsts
    have rank 1 and a dynamic size.
    Example: `%p, %n, %w, %m, %f = search.index_bits %x words 8 : tensor<?xui64> -> tensor<?xi64>, tensor<?xui64>, tensor<?xui64>,
      tensor<?xui64>, tensor<?xui64>`
  }];
  let arguments = (ins Search_WordList:$positions, I64Attr:$words);
  let results = (outs RankedTensorOf<[I64]>:$places, Search_WordList:$counts, Search_WordList:$entry_words, Search_WordList:$masks,
    Search_WordList:$firsts);
  let assemblyFormat = [{
    $positions `words` $words attr-dict `:` type($positions) `->` type($places) `,` type($counts) `,` type($entry_words) `,` type($masks) `,`
    type($firsts)
  }];
}

def Search_NoteBitsOp : Search_Op<"note_bits"> {
  let summary = "a list with a number at the places of those positions of an index whose bits are set, and how many positions that are";
  let description = [{
    The index is that of index_bits: bit b of `masks`[e] is the position of bit b of word `entry_words`[e] of the bits, of word e where there
    are as many entries as words, and its place is the low 63 bits of `firsts`[e] and the number of lower bits of the mask. Where that bit
    is set, too, `all` has `number` at the place, and `count` has `counts`[place] more, or 1 where the highest bit of `firsts`[e] is not
    set; elsewhere `all` is `noted`. Words after the last have no bits; places after the last are ignored.
    c1: bits, counts and noted have rank 1, and counts the size of noted; c2: entry words, masks and firsts have rank 1 and one size; c3: all
    has the type of noted.
    Example: `%a, %n = search.note_bits %x at (%w, %m, %f) counts %c into %r number %i : (tensor<8xui64>, tensor<?xui64>, tensor<?xui64>,
      tensor<?xui64>, tensor<?xui64>, tensor<?xi64>, tensor<i64>) -> (tensor<?xi64>, tensor<i64>)`
  }];
  let arguments = (ins Search_WordList:$bits, Search_WordList:$entry_words, Search_WordList:$masks, Search_WordList:$firsts,
    Search_WordList:$counts, RankedTensorOf<[I64]>:$noted, Graph_IndexScalar:$number);
  let results = (outs RankedTensorOf<[I64]>:$all, Graph_IndexScalar:$count);
  let assemblyFormat = [{
    $bits `at` `(` $entry_words `,` $masks `,` $firsts `)` `counts` $counts `into` $noted `number` $number attr-dict `:`
    functional-type(operands, results)
  }];
}

def Search_TestAndSetOp : Search_Op<"test_and_set"> {
  let summary = "sets the bits at the candidates' positions and lists each position whose bit was not set";
  let description = [{
    Bit b of word w is position 64 * w + b. Positions after the last word are ignored. The order of the results is unspecified: programs
    must not depend on it. With tags, the low `tag_bits` bits of a candidate are a tag and the others its position: a result has the tag of
    any one of the candidates with its position, and programs must not depend on which.
    c1: the known bits have rank 1; c2: there are candidates, of rank 1 and one size; c3: the positions have rank 1 and a dynamic size;
    c4: the bits have the type of the known ones; c5: there are from 1 to 16 tag bits.
    Example: `%p, %r = search.test_and_set %k (%a, %b) : (tensor<8xui64>, tensor<3xui64>, tensor<3xui64>) -> (tensor<?xui64>, tensor<8xui64>)`
  }];
  let arguments = (ins Search_WordList:$known, Variadic<Search_WordList>:$candidates, OptionalAttr<I64Attr>:$tag_bits);
  let results = (outs Search_WordList:$positions, Search_WordList:$bits);
  let assemblyFormat = "$known `(` $candidates `)` (`tags` $tag_bits^)? attr-dict `:` functional-type(operands, results)";
}

def Search_AppendNewOp : Search_Op<"append_new", [AttrSizedOperandSegments]> {
  let summary = "a list of distinct rows with the candidates that it lacks at its end, and an index that finds its rows";
  let description = [{
    Row i of a list of several parts is row i of each of them. The first `count` rows of `known` are distinct and the others unspecified.
    `list` has them, then each candidate that equals none of them, once, in order of first occurrence; `total` is how many rows that are, and
    further rows are unspecified. What does not fit into `rows` rows, or into an index of `cells` elements, one of which stays free, is left
    out. `index` is the new index of the op that gave `known`; where `count` is 0, any. The elements of an index are unspecified. Where
    `rows` and `cells` stay as they are, nothing is moved: a step costs as much as its candidates.
    With `compared` K only the first K parts tell rows apart, and the others are what a row brings with it. Where K is 0 every candidate is
    new and nothing is looked up: the index is as it was or has other unspecified elements, and bounds nothing.
    c1: there is a part, and known, candidates and list have as many; c2: parts have one dimension or more, rows of a static shape and
    integers of 8 bits or more, and all of one list one size; c3: candidates and list have the rows of known; c4: the list has a dynamic
    dimension 0, and both indices have rank 1, the new one of a dynamic size; c5: `compared` is from 0 to the number of parts.
    Example: `%i, %l, %n = search.append_new %index, (%known), (%more) count %c rows %r cells %s : (tensor<?xui64>, tensor<?x3xui8>,
      tensor<4x3xui8>, tensor<i64>, tensor<i64>, tensor<i64>) -> (tensor<?xui64>, tensor<?x3xui8>, tensor<i64>)`
  }];
  let arguments = (ins Search_WordList:$index, Variadic<Graph_IntTensor>:$known, Variadic<Graph_IntTensor>:$candidates,
    Graph_IndexScalar:$count, Graph_IndexScalar:$rows, Graph_IndexScalar:$cells, OptionalAttr<I64Attr>:$compared);
  let results = (outs Search_WordList:$new_index, Variadic<Graph_IntTensor>:$list, Graph_IndexScalar:$total);
  let assemblyFormat = [{
    $index `,` `(` $known `)` `,` `(` $candidates `)` `count` $count `rows` $rows `cells` $cells
    (`compared` $compared^)? attr-dict `:` functional-type(operands, results)
  }];
  let extraClassDeclaration = [{
    /// Parts, from the first on, that tell rows apart.
    int64_t comparedParts() { return getCompared().value_or(int64_t(getKnown().size())); }
  }];
}

def Search_CountNeighboursOp : Search_Op<"count_neighbours"> {
  let summary = "how many different neighbours the rows of a layer have, and how many of these are in no set";
  let description = [{
    Neighbour g of row i of `layer` has at each position p the row's element at `sources`[g, p]; sources beyond the last position are that
    one. `formed` is how many different rows all neighbours of all rows are, `fresh` how many of these are no row of any of `sets`, and
    `firsts` is for each neighbour, those of one row together, whether it is the first of these: it equals none before it and no row of a
    set. The neighbours, with repetitions, and the rows of all sets are fewer than 2^31 together.
    c1: the layer has rank 2, one position or more, their number static, and integers of 8 bits or more; c2: sources are static, a row per
    neighbour with a column per position; c3: sets have rows as the layer; c4: `firsts` has one element per neighbour.
    Example: `%n, %f, %m = search.count_neighbours %layer moved by %sources without (%set) : (tensor<?x3xui8>, tensor<2x3xui32>,
      tensor<5x3xui8>) -> (tensor<i64>, tensor<i64>, tensor<?xi1>)`
  }];
  let arguments = (ins Graph_IntTensor:$layer, RankedTensorOf<[UI32]>:$sources, Variadic<Graph_IntTensor>:$sets);
  let results = (outs Graph_IndexScalar:$formed, Graph_IndexScalar:$fresh, RankedTensorOf<[I1]>:$firsts);
  let assemblyFormat = [{
    $layer `moved` `by` $sources (`without` `(` $sets^ `)`)? attr-dict `:` functional-type(operands, results)
  }];
}

#endif // ZENITH_IR_OPS_SEARCH_TD
