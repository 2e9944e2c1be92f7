// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops in which devices that run one program meet: reductions, gathers and exchanges over groups of devices.

#ifndef ZENITH_IR_OPS_COLLECTIVE_TD
#define ZENITH_IR_OPS_COLLECTIVE_TD

include "ir/GraphBase.td"

// Every device of a group gets to the op with values of one shape. Not speculatable: a branch that only some devices take must keep it.
class Graph_CollectiveOp<string mnemonic, list<Trait> traits = []>
    : Graph_Op<mnemonic, "Collective", [NoMemoryEffect] # traits>;

def Graph_AllReduceOp : Graph_CollectiveOp<"all_reduce"> {
  let summary = "each value folded over the devices of a group, in the group's order";
  let description = [{
    A group is the list of the devices that differ in `axes` of the mesh only, in mesh order, or a row of `groups` (-1 fills rows up). A device in
    no group keeps its own value. An axis is written as its name, a part of it as "name:(pre)size". With a kind the fold is that of
    graph.reduce, without one the region gives it, as in reduce_with, from the first device's value on.
    c1: there are axes of a mesh or groups, not both; c2: groups are a table of distinct devices; c3: there is a kind or a region of two scalars,
    for one operand's element type or one type for all, not both; c4: result types are the operand types; c5: kinds as in reduce.
    Example: `%r = graph.all_reduce (%x) kind <sum> groups dense<[[0, 1]]> : tensor<1x2xi64> : (tensor<4xf32>) -> tensor<4xf32>`
  }];
  let arguments = (ins Variadic<Graph_Tensor>:$inputs, OptionalAttr<Graph_ReduceKindAttr>:$kind, OptionalAttr<FlatSymbolRefAttr>:$mesh,
    OptionalAttr<StrArrayAttr>:$axes, OptionalAttr<I64ElementsAttr>:$groups);
  let results = (outs Variadic<Graph_Tensor>:$results);
  let regions = (region VariadicRegion<SizedRegion<1>>:$body);
  let assemblyFormat = [{
    `(` $inputs `)` (`kind` $kind^)? (`axes` $mesh^ $axes)? (`groups` $groups^)? $body attr-dict `:` functional-type($inputs, $results)
  }];
}

def Graph_AllGatherOp : Graph_CollectiveOp<"all_gather"> {
  let summary = "the values of a group's devices one after the other along a dimension, on each of them";
  let description = [{
    Groups as in all_reduce.
    c1: there are axes of a mesh or groups, not both; c2: groups are a table of distinct devices; c3: 0 <= dim < rank; c4: a result is its operand
    with the dimension as many times as a group has devices.
    Example: `%r = graph.all_gather (%x) dim 0 groups dense<[[0, 1]]> : tensor<1x2xi64> : (tensor<4xf32>) -> tensor<8xf32>`
  }];
  let arguments = (ins Variadic<Graph_Tensor>:$inputs, I64Attr:$dim, OptionalAttr<FlatSymbolRefAttr>:$mesh, OptionalAttr<StrArrayAttr>:$axes,
    OptionalAttr<I64ElementsAttr>:$groups);
  let results = (outs Variadic<Graph_Tensor>:$results);
  let assemblyFormat = [{
    `(` $inputs `)` `dim` $dim (`axes` $mesh^ $axes)? (`groups` $groups^)? attr-dict `:` functional-type($inputs, $results)
  }];
}

def Graph_ReduceScatterOp : Graph_CollectiveOp<"reduce_scatter"> {
  let summary = "a value folded over the devices of a group, of which each keeps its own part along a dimension";
  let description = [{
    As all_reduce, then the part of the device's position in its group.
    c1: there are axes of a mesh or groups, not both; c2: groups are a table of distinct devices; c3: there is a kind or a region, as in
    all_reduce, not both; c4: 0 <= dim < rank; c5: the result is the operand with the dimension divided by the devices of a group; c6: kinds as in reduce.
    Example: `%r = graph.reduce_scatter (%x) dim 0 kind <sum> groups dense<[[0, 1]]> : tensor<1x2xi64> : (tensor<4xf32>) -> tensor<2xf32>`
  }];
  let arguments = (ins Graph_Tensor:$input, I64Attr:$dim, OptionalAttr<Graph_ReduceKindAttr>:$kind, OptionalAttr<FlatSymbolRefAttr>:$mesh,
    OptionalAttr<StrArrayAttr>:$axes, OptionalAttr<I64ElementsAttr>:$groups);
  let results = (outs Graph_Tensor:$result);
  let regions = (region VariadicRegion<SizedRegion<1>>:$body);
  let assemblyFormat = [{
    `(` $input `)` `dim` $dim (`kind` $kind^)? (`axes` $mesh^ $axes)? (`groups` $groups^)? $body attr-dict `:` functional-type($input, $result)
  }];
}

def Graph_AllToAllOp : Graph_CollectiveOp<"all_to_all"> {
  let summary = "part k of each device's value along a dimension goes to device k, where the parts join along another dimension";
  let description = [{
    Groups as in all_reduce.
    c1: there are axes of a mesh or groups, not both; c2: groups are a table of distinct devices; c3: dims are in range; c4: `count`, the devices of
    a group, divides the split dimension; c5: a result has the split dimension divided and the joined one multiplied by it.
    Example: `%r = graph.all_to_all (%x) split 1 concat 0 count 2 groups dense<[[0, 1]]> : tensor<1x2xi64> : (tensor<2x4xf32>) -> tensor<4x2xf32>`
  }];
  let arguments = (ins Variadic<Graph_Tensor>:$inputs, I64Attr:$split, I64Attr:$concat, I64Attr:$count, OptionalAttr<FlatSymbolRefAttr>:$mesh,
    OptionalAttr<StrArrayAttr>:$axes, OptionalAttr<I64ElementsAttr>:$groups);
  let results = (outs Variadic<Graph_Tensor>:$results);
  let assemblyFormat = [{
    `(` $inputs `)` `split` $split `concat` $concat `count` $count (`axes` $mesh^ $axes)? (`groups` $groups^)? attr-dict `:`
    functional-type($inputs, $results)
  }];
}

def Graph_CollectivePermuteOp : Graph_CollectiveOp<"collective_permute"> {
  let summary = "the value of the device that sends to this one; zeros where none does";
  let description = [{
    A pair is a source and a target: positions in each group of `axes`, or devices where there are no axes.
    c1: pairs are rows of two; c2: they are not negative, no source and no target appears twice; c3: the result has the operand's type.
    Example: `%r = graph.collective_permute (%x) pairs dense<[[0, 1], [1, 0]]> : tensor<2x2xi64> : (tensor<4xf32>) -> tensor<4xf32>`
  }];
  let arguments = (ins Graph_Tensor:$input, I64ElementsAttr:$pairs, OptionalAttr<FlatSymbolRefAttr>:$mesh, OptionalAttr<StrArrayAttr>:$axes);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "`(` $input `)` `pairs` $pairs (`axes` $mesh^ $axes)? attr-dict `:` functional-type($input, $result)";
}

def Graph_CollectiveBroadcastOp : Graph_CollectiveOp<"collective_broadcast"> {
  let summary = "the value of the first device of a group, on each of them; zeros on a device in no group";
  let description = [{
    Groups as in all_reduce; with axes, `source` is the position in the group that sends.
    c1: there are axes of a mesh or groups, not both; c2: groups are a table of distinct devices; c3: result types are the operand types; c4: `source`
    is not negative.
    Example: `%r = graph.collective_broadcast (%x) source 0 groups dense<[[2, 1]]> : tensor<1x2xi64> : (tensor<4xf32>) -> tensor<4xf32>`
  }];
  let arguments = (ins Variadic<Graph_Tensor>:$inputs, I64Attr:$source, OptionalAttr<FlatSymbolRefAttr>:$mesh, OptionalAttr<StrArrayAttr>:$axes,
    OptionalAttr<I64ElementsAttr>:$groups);
  let results = (outs Variadic<Graph_Tensor>:$results);
  let assemblyFormat = [{
    `(` $inputs `)` `source` $source (`axes` $mesh^ $axes)? (`groups` $groups^)? attr-dict `:` functional-type($inputs, $results)
  }];
}

def Graph_AxisIndexOp : Graph_CollectiveOp<"axis_index"> {
  let summary = "this device's position in its group";
  let description = [{
    Groups as in all_reduce; 0 on a device in no group.
    c1: there are axes of a mesh or groups, not both; c2: groups are a table of distinct devices; c3: the result is an integer scalar.
    Example: `%r = graph.axis_index groups dense<[[0, 1]]> : tensor<1x2xi64> : tensor<ui32>`
  }];
  let arguments = (ins OptionalAttr<FlatSymbolRefAttr>:$mesh, OptionalAttr<StrArrayAttr>:$axes, OptionalAttr<I64ElementsAttr>:$groups);
  let results = (outs RankedTensorOf<[I32, I64, UI32, UI64]>:$result);
  let assemblyFormat = "(`axes` $mesh^ $axes)? (`groups` $groups^)? attr-dict `:` type($result)";
}

#endif // ZENITH_IR_OPS_COLLECTIVE_TD
