// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Meshes of devices, what a program says about the shardings of its values, and regions that each device runs on its part.

#ifndef ZENITH_IR_OPS_SHARDING_TD
#define ZENITH_IR_OPS_SHARDING_TD

include "ir/GraphBase.td"
include "ir/attributes/ShardingAttrs.td"

def Graph_MeshOp : Graph_Op<"mesh", "Control", [Symbol]> {
  let summary = "names a grid of devices";
  let description = [{
    No constraints of its own; those of the attribute are mesh_c1 and mesh_c2.
    Example: `graph.mesh @mesh = <["data"=2, "model"=4]>`
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, Graph_MeshAttr:$mesh);
  let assemblyFormat = "$sym_name `=` $mesh attr-dict";
  let hasVerifier = 0;
}

class Graph_ValueShardingOp<string mnemonic> : Graph_PureOp<mnemonic, "Control", [SameOperandsAndResultType,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let arguments = (ins Graph_Tensor:$input, Graph_ShardingAttr:$sharding);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$input $sharding attr-dict `:` type($result)";
  let hasVerifier = 0;
}

def Graph_ShardOp : Graph_ValueShardingOp<"shard"> {
  let summary = "its operand, which must have this sharding here";
  let description = [{
    The identity. Axes that it names stand where it names them; its open dimensions may get more.
    c1: the sharding fits its mesh and the type (sharding_c2, sharding_c3).
    Example: `%r = graph.shard %x <@mesh, [{"data"}, {?} ]> : tensor<8x4xf32>`
  }];
}

def Graph_ReshardOp : Graph_ValueShardingOp<"reshard"> {
  let summary = "its operand in another sharding";
  let description = [{
    The identity. Unlike a shard it is a step of the program: its operand keeps the sharding that it has.
    c1: as shard_c1.
    Example: `%r = graph.reshard %x <@mesh, [{}, {"data"} ]> : tensor<8x4xf32>`
  }];
}

def Graph_ShardGroupOp : Graph_Op<"shard_group", "Control", [MemoryEffects<[MemWrite]>]> {
  let summary = "puts a value into the group of values that get one sharding";
  let description = [{
    Says nothing to a program that runs on one device.
    c1: `id` is not negative.
    Example: `graph.shard_group %x {id = 0} : tensor<8x4xf32>`
  }];
  let arguments = (ins Graph_Tensor:$input, I64Attr:$id);
  let assemblyFormat = "$input attr-dict `:` type($input)";
}

def Graph_ShardBarrierOp : Graph_PureOp<"shard_barrier", "Control", [SameOperandsAndResultType]> {
  let summary = "its operand, through which shardings propagate in the allowed direction only";
  let description = [{
    The identity. `forward` lets the operand's sharding reach the result, `backward` the other way round, `none` neither.
    No constraints of its own.
    Example: `%r = graph.shard_barrier %x allowed = forward : tensor<8x4xf32>`
  }];
  let arguments = (ins Graph_Tensor:$input, Graph_ShardDirectionAttr:$allowed);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$input `allowed` `=` custom<EnumWord>($allowed) attr-dict `:` type($result)";
  let hasVerifier = 0;
}

def Graph_ManualOp : Graph_Op<"manual", "Control", [IsolatedFromAbove, RecursiveMemoryEffects, SingleBlock,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a region that each device runs on its part of the operands";
  let description = [{
    Along `manual_axes` each device sees the block of every operand that the sharding gives it, and gives its block of the results; the
    shardings of values inside name other axes only. The collectives of the region are over manual axes.
    c1: one sharding and one block argument for each operand, one sharding and one yielded value for each result; c2: the shardings name one
    mesh and fit it and the types; c3: manual axes are distinct axes of the mesh that no region around binds; in each dimension they come
    before the other axes; c4: block arguments and yielded values have the type of the block over the manual axes, which divide its
    dimensions; c5: no sharding inside names a manual axis.
    Example: `%r = graph.manual (%x) in_shardings = [#graph.sharding<@mesh, [{"data"} ]>] out_shardings = [#graph.sharding<@mesh, [{"data"} ]>]
        manual_axes = ["data"] {
      ^bb0(%a: tensor<4xf32>):
        %b = graph.neg %a : tensor<4xf32>
        graph.yield %b : tensor<4xf32>
      } : (tensor<8xf32>) -> tensor<8xf32>`
  }];
  let arguments = (ins Variadic<Graph_Tensor>:$inputs, ArrayAttr:$in_shardings, ArrayAttr:$out_shardings, StrArrayAttr:$manual_axes);
  let results = (outs Variadic<Graph_Tensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `(` $inputs `)` `in_shardings` `=` $in_shardings `out_shardings` `=` $out_shardings `manual_axes` `=` $manual_axes $body attr-dict
    `:` functional-type(operands, results)
  }];
  let extraClassDeclaration = [{
    ::zenith::graph::ShardingAttr inSharding(unsigned operand);
    ::zenith::graph::ShardingAttr outSharding(unsigned result);
    bool isManual(::llvm::StringRef axis);
  }];
}

#endif // ZENITH_IR_OPS_SHARDING_TD
