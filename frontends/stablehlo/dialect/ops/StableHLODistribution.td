// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// StableHLO ops between devices and with the host, and those that order effects.

#ifndef ZENITH_FRONTENDS_STABLEHLO_DIALECT_OPS_STABLEHLODISTRIBUTION_TD
#define ZENITH_FRONTENDS_STABLEHLO_DIALECT_OPS_STABLEHLODISTRIBUTION_TD

include "frontends/stablehlo/dialect/StableHLOBase.td"

def StableHLO_OptionalChannel : OptionalAttr<StableHLO_ChannelHandleAttr>;

class StableHLO_IdOp<string mnemonic> : StableHLO_Op<mnemonic> {
  let results = (outs RankedTensorOf<[UI32]>:$result);
  let assemblyFormat = "attr-dict `:` type(results)";
}
def StableHLO_PartitionIdOp : StableHLO_IdOp<"partition_id">;
def StableHLO_ReplicaIdOp : StableHLO_IdOp<"replica_id">;

def StableHLO_CreateTokenOp : StableHLO_PureOp<"create_token"> {
  let results = (outs HLO_Token:$output);
  let assemblyFormat = "attr-dict `:` type(results)";
}
def StableHLO_AfterAllOp : StableHLO_PureOp<"after_all"> {
  let arguments = (ins Variadic<HLO_Token>:$inputs);
  let results = (outs HLO_Token:$result);
  let assemblyFormat = "$inputs attr-dict `:` custom<VariadicSameOperandsAndResultType>(ref($inputs), type($inputs), type($result))";
}
def StableHLO_InfeedOp : StableHLO_Op<"infeed"> {
  let arguments = (ins HLO_Token:$token, OptionalAttr<StrAttr>:$infeed_config, OptionalAttr<ArrayAttr>:$layout);
  let results = (outs Variadic<HLO_Value>);
}
def StableHLO_OutfeedOp : StableHLO_Op<"outfeed"> {
  let arguments = (ins Variadic<HLO_Value>:$inputs, HLO_Token:$token, OptionalAttr<StrAttr>:$outfeed_config);
  let results = (outs HLO_Token:$result);
}
def StableHLO_SendOp : StableHLO_Op<"send"> {
  let arguments = (ins Variadic<HLO_Value>:$inputs, HLO_Token:$token, StableHLO_ChannelHandleAttr:$channel_handle,
    OptionalAttr<BoolAttr>:$is_host_transfer, OptionalAttr<I64ElementsAttr>:$source_target_pairs);
  let results = (outs HLO_Token:$result);
}
def StableHLO_RecvOp : StableHLO_Op<"recv"> {
  let arguments = (ins HLO_Token:$token, StableHLO_ChannelHandleAttr:$channel_handle, OptionalAttr<BoolAttr>:$is_host_transfer,
    OptionalAttr<I64ElementsAttr>:$source_target_pairs);
  let results = (outs Variadic<HLO_Value>);
}
def StableHLO_AllGatherOp : StableHLO_Op<"all_gather"> {
  let arguments = (ins Variadic<HLO_Tensor>:$operands, I64Attr:$all_gather_dim, AnyAttr:$replica_groups,
    StableHLO_OptionalChannel:$channel_handle, UnitAttr:$use_global_device_ids);
  let results = (outs Variadic<HLO_Tensor>);
}
def StableHLO_AllReduceOp : StableHLO_Op<"all_reduce"> {
  let arguments = (ins Variadic<HLO_Tensor>:$operands, AnyAttr:$replica_groups, StableHLO_OptionalChannel:$channel_handle,
    UnitAttr:$use_global_device_ids);
  let results = (outs Variadic<HLO_Tensor>);
  let regions = (region SizedRegion<1>:$computation);
}
def StableHLO_ReduceScatterOp : StableHLO_Op<"reduce_scatter"> {
  let arguments = (ins HLO_Tensor:$operand, I64Attr:$scatter_dimension, AnyAttr:$replica_groups,
    StableHLO_OptionalChannel:$channel_handle, UnitAttr:$use_global_device_ids);
  let results = (outs HLO_Tensor);
  let regions = (region SizedRegion<1>:$computation);
}
def StableHLO_AllToAllOp : StableHLO_Op<"all_to_all"> {
  let arguments = (ins Variadic<HLO_Tensor>:$operands, I64Attr:$split_dimension, I64Attr:$concat_dimension, I64Attr:$split_count,
    AnyAttr:$replica_groups, StableHLO_OptionalChannel:$channel_handle);
  let results = (outs Variadic<HLO_Tensor>);
}
def StableHLO_CollectivePermuteOp : StableHLO_Op<"collective_permute"> {
  let arguments = (ins HLO_Tensor:$operand, I64ElementsAttr:$source_target_pairs, StableHLO_OptionalChannel:$channel_handle);
  let results = (outs HLO_Tensor:$result);
}
def StableHLO_CollectiveBroadcastOp : StableHLO_Op<"collective_broadcast"> {
  let arguments = (ins Variadic<HLO_Tensor>:$operands, AnyAttr:$replica_groups, StableHLO_OptionalChannel:$channel_handle,
    UnitAttr:$has_dynamic_root);
  let results = (outs Variadic<HLO_Tensor>);
}
def StableHLO_CollectiveReduceOp : StableHLO_Op<"collective_reduce"> {
  let arguments = (ins Variadic<HLO_Tensor>:$operands, AnyAttr:$replica_groups, StableHLO_OptionalChannel:$channel_handle,
    UnitAttr:$has_dynamic_root, UnitAttr:$use_global_device_ids);
  let results = (outs Variadic<HLO_Tensor>);
  let regions = (region SizedRegion<1>:$computation);
}
def StableHLO_CrossReplicaSumOp : StableHLO_Op<"cross-replica-sum"> {
  let arguments = (ins HLO_Tensor:$operand, AnyAttr:$replica_groups);
  let results = (outs HLO_Tensor:$result);
}
def StableHLO_AsyncStartOp : StableHLO_Op<"async_start"> {
  let arguments = (ins Variadic<HLO_Value>:$operands);
  let results = (outs HLO_Value:$result);
  let regions = (region SizedRegion<1>:$body);
}
def StableHLO_AsyncDoneOp : StableHLO_Op<"async_done"> {
  let arguments = (ins HLO_Value:$future);
  let results = (outs Variadic<HLO_Value>);
}

#endif // ZENITH_FRONTENDS_STABLEHLO_DIALECT_OPS_STABLEHLODISTRIBUTION_TD
