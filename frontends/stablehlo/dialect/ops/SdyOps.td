// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shardy ops: meshes, shardings of values, regions that run on each device.

#ifndef ZENITH_FRONTENDS_STABLEHLO_DIALECT_OPS_SDYOPS_TD
#define ZENITH_FRONTENDS_STABLEHLO_DIALECT_OPS_SDYOPS_TD

include "frontends/stablehlo/dialect/StableHLOBase.td"

def Sdy_MeshOp : Op<Sdy_Dialect, "mesh"> {
  let summary = "names the axes of a grid of devices";
  let arguments = (ins StrAttr:$sym_name, AnyAttr:$mesh);
  let assemblyFormat = "custom<SymbolWord>($sym_name) `=` custom<MeshText>($mesh) attr-dict";
}
def Sdy_ShardingConstraintOp : Op<Sdy_Dialect, "sharding_constraint", [Pure]> {
  let summary = "a value and the sharding it must have";
  let arguments = (ins HLO_Tensor:$input, AnyAttr:$sharding);
  let results = (outs HLO_Tensor:$result);
  let assemblyFormat = "$input custom<ShardingText>($sharding) attr-dict `:` custom<SameOperandsAndResultType>(type($input), type($result))";
}
def Sdy_ReshardOp : Op<Sdy_Dialect, "reshard", [Pure]> {
  let summary = "a value in another sharding";
  let arguments = (ins HLO_Tensor:$input, AnyAttr:$sharding);
  let results = (outs HLO_Tensor:$result);
  let assemblyFormat = "$input custom<ShardingText>($sharding) attr-dict `:` custom<SameOperandsAndResultType>(type($input), type($result))";
}
def Sdy_ManualComputationOp : Op<Sdy_Dialect, "manual_computation"> {
  let summary = "a region that each device runs on its part of the operands";
  let arguments = (ins Variadic<HLO_Tensor>:$tensors, AnyAttr:$in_shardings, AnyAttr:$out_shardings, AnyAttr:$manual_axes);
  let results = (outs Variadic<HLO_Tensor>);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `(` operands `)` `in_shardings` `=` custom<ShardingsText>($in_shardings) `out_shardings` `=` custom<ShardingsText>($out_shardings)
    `manual_axes` `=` custom<AxesText>($manual_axes) custom<RegionWithArguments>($body) attr-dict `:` functional-type(operands, results)
  }];
}
def Sdy_ShardingGroupOp : Op<Sdy_Dialect, "sharding_group"> {
  let summary = "puts a value into a group of values with one sharding";
  let arguments = (ins HLO_Tensor:$input, I64Attr:$group_id);
  let assemblyFormat = "$input `group_id` `=` $group_id attr-dict `:` type($input)";
}
def Sdy_PropagationBarrierOp : Op<Sdy_Dialect, "propagation_barrier", [Pure]> {
  let summary = "a value through which shardings propagate in the allowed direction only";
  let arguments = (ins HLO_Tensor:$input, StrAttr:$allowed_direction);
  let results = (outs HLO_Tensor:$result);
  let assemblyFormat = "$input `allowed_direction` `=` custom<DirectionWord>($allowed_direction) attr-dict `:` custom<SameOperandsAndResultType>(type($input), type($result))";
}
def Sdy_ConstantOp : Op<Sdy_Dialect, "constant", [Pure]> {
  let summary = "a constant that Shardy has copied for one reader";
  let arguments = (ins ElementsAttr:$value);
  let results = (outs HLO_Tensor:$output);
  let assemblyFormat = "attr-dict custom<TypedElements>($value, type($output))";
}
def Sdy_ReturnOp : Op<Sdy_Dialect, "return", [Pure, Terminator]> {
  let summary = "ends a manual computation";
  let arguments = (ins Variadic<AnyType>:$results);
  let assemblyFormat = "attr-dict ($results^ `:` type($results))?";
}

#endif // ZENITH_FRONTENDS_STABLEHLO_DIALECT_OPS_SDYOPS_TD
