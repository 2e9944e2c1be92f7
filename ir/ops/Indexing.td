// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops that read or write at positions given by data.

#ifndef ZENITH_IR_OPS_INDEXING_TD
#define ZENITH_IR_OPS_INDEXING_TD

include "ir/GraphBase.td"

class Graph_IndexingOp<string mnemonic, list<Trait> traits = []>
    : Graph_PureOp<mnemonic, "Indexing", traits>;

def Graph_GatherOp : Graph_IndexingOp<"gather"> {
  let summary = "slices of an operand at starts given by data";
  let description = [{
    As StableHLO's gather: starts are clamped so that slices lie inside the operand; `slice_sizes`
    has -1 for a slice as large as a dynamic dimension (then its start is 0).
    c1: slice_sizes has one entry per operand dimension, at most its size unless that is a batching dimension without elements;
    c2: dimension numbers are sorted, distinct, in range and disjoint; c3: collapsed and batching dimensions have slice size 1; c4: start_indices along
    index_vector_dim has as many entries as index_map; c5: batching dimensions agree; c6: the result shape follows; c7: element
    types are equal.
    Example: `%r = graph.gather %t, %i <offset = [1], collapsed = [0], batching = [] x [], index_map = [0], index_vector_dim = 1> sizes [1, 4]
      : (tensor<10x4xf32>, tensor<3x1xi64>) -> tensor<3x4xf32>`
  }];
  let arguments = (ins Graph_Tensor:$operand, Graph_IntTensor:$start_indices, Graph_GatherDimsAttr:$dims, DenseI64ArrayAttr:$slice_sizes);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$operand `,` $start_indices $dims `sizes` $slice_sizes attr-dict `:` functional-type(operands, results)";
}

def Graph_DynamicSliceOp : Graph_IndexingOp<"dynamic_slice"> {
  let summary = "a part whose start is data; starts are clamped so that the part lies inside";
  let description = [{
    c1: one scalar start per dimension, of one integer type; c2: result dimensions are static and at most the operand's; c3: element types are equal.
    Example: `%r = graph.dynamic_slice %x, %i, %j : (tensor<4x4xf32>, tensor<i64>, tensor<i64>) -> tensor<2x2xf32>`
  }];
  let arguments = (ins Graph_Tensor:$operand, Variadic<Graph_IntTensor>:$starts);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$operand (`,` $starts^)? attr-dict `:` functional-type(operands, results)";
}

def Graph_DynamicUpdateSliceOp : Graph_IndexingOp<"dynamic_update_slice", [InfersType]> {
  let summary = "the operand with a part replaced; starts are clamped so that the part lies inside";
  let description = [{
    c1: one scalar start per dimension; c2: the update has the operand's rank and element type and is at most as large; c3: the result has the operand's type.
    Example: `%r = graph.dynamic_update_slice %x, %u, %i : (tensor<4xf32>, tensor<2xf32>, tensor<i64>) -> tensor<4xf32>`
  }];
  let arguments = (ins Graph_Tensor:$operand, Graph_Tensor:$update, Variadic<Graph_IntTensor>:$starts);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$operand `,` $update (`,` $starts^)? attr-dict `:` functional-type(operands, results)";
}

def Graph_ScatterOp : Graph_IndexingOp<"scatter"> {
  let summary = "the operand with updates folded in at positions given by data";
  let description = [{
    As StableHLO's scatter: a window of updates that leaves the operand is skipped as a whole. Updates take effect in row-major order of their
    indices. `unique`: the caller promises that no element is met twice.
    c1: dimension numbers are in range, sorted, distinct and disjoint; c2: indices along index_vector_dim have as many entries as index_map;
    c3: updates have the shape that these give, windows at most as large as the operand; c4: updates have the operand's element type, and
    the result its type; c5: sum and prod need numbers, max and min anything but complex numbers.
    Example: `%r = graph.scatter sum, %x, %i, %u <window = [1], inserted = [0], batching = [] x [], index_map = [0], index_vector_dim = 1>
      : (tensor<10x4xf32>, tensor<3x1xi64>, tensor<3x4xf32>) -> tensor<10x4xf32>`
  }];
  let arguments = (ins Graph_ScatterKindAttr:$kind, Graph_Tensor:$operand, Graph_IntTensor:$indices, Graph_Tensor:$updates,
    Graph_ScatterDimsAttr:$dims, UnitAttr:$unique);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = [{
    custom<EnumWord>($kind) `,` $operand `,` $indices `,` $updates $dims (`unique` $unique^)? attr-dict `:` functional-type(operands, results)
  }];
}

def Graph_ScatterWithOp : Graph_IndexingOp<"scatter_with", [SingleBlock, RecursiveMemoryEffects, AttrSizedOperandSegments]> {
  let summary = "as scatter, on several operands at once, with a region that joins an element and its update";
  let description = [{
    The region gets one scalar per operand (the elements), then one per updates, and yields the new elements.
    c1: dimension numbers as in scatter; c2: indices as in scatter; c3: shapes of updates as in scatter; c4: there are as many updates and
    results as operands, of one shape, one shape and the operands' types; c5: the region has these arguments and yields one scalar per
    operand, of its element type.
    Example: `%r = graph.scatter_with (%x), %i, (%u) <window = [], inserted = [0], batching = [] x [], index_map = [0], index_vector_dim = 1> {
      ^bb0(%old: tensor<f32>, %new: tensor<f32>):
        %s = graph.sub %old, %new : tensor<f32>
        graph.yield %s : tensor<f32>
      } : (tensor<10xf32>, tensor<3x1xi64>, tensor<3xf32>) -> tensor<10xf32>`
  }];
  let arguments = (ins Variadic<Graph_Tensor>:$inputs, Graph_IntTensor:$indices, Variadic<Graph_Tensor>:$updates,
    Graph_ScatterDimsAttr:$dims, UnitAttr:$unique);
  let results = (outs Variadic<Graph_Tensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `(` $inputs `)` `,` $indices `,` `(` $updates `)` $dims (`unique` $unique^)? $body attr-dict `:` functional-type(operands, results)
  }];
}

#endif // ZENITH_IR_OPS_INDEXING_TD
