// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops that hold the program together: parameters, fusion regions and their end.

#ifndef ZENITH_IR_OPS_CONTROL_TD
#define ZENITH_IR_OPS_CONTROL_TD

include "ir/GraphBase.td"
include "ir/ScheduleRule.td"

def Graph_ParamOp : Graph_Op<"param", "Control", [Symbol]> {
  let summary = "declares a parameter: a named value whose bytes lie outside the program";
  let description = [{
    `source` is `#graph.external` or dense elements of `type`; absent for a parameter that the caller binds.
    c1: the type is a static tensor of graph elements; c2: an external source has exactly the type's bytes; c3: dense elements have
    the type.
    Example: `graph.param @w : tensor<2x3xf32> = #graph.external<"model.weights", 0, 24>`
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<Graph_Tensor>:$type, OptionalAttr<AnyAttr>:$source);
  let assemblyFormat = "$sym_name `:` $type (`=` $source^)? attr-dict";
}

def Graph_DerivedParamOp : Graph_Op<"derived_param", "Control", [Symbol]> {
  let summary = "declares a value that @prepare computes once from parameters";
  let description = [{
    c1: the type is a static tensor; c2: `index` is not negative. It is the result of @prepare that gives the value.
    Example: `graph.derived_param @w_packed : tensor<3x2xf32> from 0`
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<Graph_Tensor>:$type, I64Attr:$index);
  let assemblyFormat = "$sym_name `:` $type `from` $index attr-dict";
}

def Graph_GetParamOp : Graph_PureOp<"get_param", "Control", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "the value of a parameter or derived parameter";
  let description = [{
    c1: the symbol names a param or derived_param; c2: of this type.
    Example: `%w = graph.get_param @w : tensor<2x3xf32>`
  }];
  let arguments = (ins FlatSymbolRefAttr:$param);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$param attr-dict `:` type($result)";
  let hasVerifier = 0;
}

def Graph_FusionOp : Graph_Op<"fusion", "Control", [IsolatedFromAbove, Pure, SingleBlock,
    DeclareOpInterfaceMethods<RegionBranchOpInterface, ["getEntrySuccessorOperands"]>]> {
  let summary = "ops that become one kernel";
  let description = [{
    c1: one block argument per operand, of its type; c2: the region ends in yield with the result types; c3: a contraction has a matmul
    or a convolution. `schedule`, which the schedule phase writes, says what the kernel will do; its constraints are sched_c1 to
    sched_c14 (docs/schedules.md).
    Example: `%r = graph.fusion pointwise (%a = %x : tensor<4xf32>) -> tensor<4xf32> { graph.yield %a : tensor<4xf32> }`
  }];
  let arguments = (ins Graph_FusionKindAttr:$kind, Variadic<Graph_Tensor>:$inputs,
                       OptionalAttr<Graph_Schedule>:$schedule);
  let results = (outs Variadic<Graph_Tensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let builders = [OpBuilder<(ins "::mlir::TypeRange":$results, "::zenith::graph::FusionKind":$kind,
                                 "::mlir::ValueRange":$inputs)>];
  let skipDefaultBuilders = 1;
  let hasCustomAssemblyFormat = 1;
}

def Graph_YieldOp : Graph_Op<"yield", "Control", [Pure, Terminator, ReturnLike]> {
  let summary = "ends a region and gives its results";
  let description = "No constraints of its own. Example: `graph.yield %r : tensor<4xf32>`";
  let arguments = (ins Variadic<Graph_Tensor>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
  let hasVerifier = 0;
}

def Graph_IfOp : Graph_Op<"if", "Control", [RecursiveMemoryEffects, SingleBlock]> {
  let summary = "runs one of two regions";
  let description = [{
    The regions may use values from outside.
    c1: the condition is an i1 scalar; c2: each region has no arguments and yields values whose types agree with the results', where a
    result may be dynamic in a dimension that a region knows.
    Example: `%r = graph.if %p then {
        graph.yield %x : tensor<4xf32>
      } else {
        graph.yield %y : tensor<4xf32>
      } : (tensor<i1>) -> tensor<4xf32>`
  }];
  let arguments = (ins Graph_BoolTensor:$condition);
  let results = (outs Variadic<Graph_Tensor>:$results);
  let regions = (region SizedRegion<1>:$then_region, SizedRegion<1>:$else_region);
  let assemblyFormat = "$condition `then` $then_region `else` $else_region attr-dict `:` functional-type(operands, results)";
}

def Graph_CaseOp : Graph_Op<"case", "Control", [RecursiveMemoryEffects, SingleBlock]> {
  let summary = "runs the region that an index names; the last one for every index out of range";
  let description = [{
    c1: the index is an i32 or i64 scalar and there is a region; c2: regions as in if.
    Example: `%r = graph.case %i {
        graph.yield %x : tensor<4xf32>
      }, {
        graph.yield %y : tensor<4xf32>
      } : (tensor<i32>) -> tensor<4xf32>`
  }];
  let arguments = (ins Graph_IntTensor:$index);
  let results = (outs Variadic<Graph_Tensor>:$results);
  let regions = (region VariadicRegion<SizedRegion<1>>:$branches);
  let assemblyFormat = "$index $branches attr-dict `:` functional-type(operands, results)";
}

def Graph_WhileOp : Graph_Op<"while", "Control", [RecursiveMemoryEffects, SingleBlock]> {
  let summary = "runs a region on carried values as long as another one says so";
  let description = [{
    Both regions get the carried values and may use values from outside. A carried dimension that changes from step to step is dynamic in
    the results' types and the regions' arguments.
    c1: both regions have arguments of the result types; c2: initial values agree with them; c3: the condition yields one i1 scalar; c4: the
    body yields values that agree with the result types.
    Example: `%r = graph.while %x cond {
      ^bb0(%a: tensor<i64>):
        %c = graph.compare lt, %a, %n : tensor<i64> -> tensor<i1>
        graph.yield %c : tensor<i1>
      } do {
      ^bb0(%a: tensor<i64>):
        %b = graph.add %a, %a : tensor<i64>
        graph.yield %b : tensor<i64>
      } : (tensor<i64>) -> tensor<i64>`
  }];
  let arguments = (ins Variadic<Graph_Tensor>:$inits);
  let results = (outs Variadic<Graph_Tensor>:$results);
  let regions = (region SizedRegion<1>:$condition, SizedRegion<1>:$body);
  let assemblyFormat = "($inits^)? `cond` $condition `do` $body attr-dict `:` functional-type(operands, results)";
}

def Graph_BarrierOp : Graph_Op<"barrier", "Control", [Pure]> {
  let summary = "its operands, all of which are computed before any result is used; no rewrite looks through it";
  let description = [{
    c1: result types are the operand types.
    Example: `%r = graph.barrier %x : (tensor<4xf32>) -> tensor<4xf32>`
  }];
  let arguments = (ins Variadic<Graph_Tensor>:$inputs);
  let results = (outs Variadic<Graph_Tensor>:$results);
  let assemblyFormat = "$inputs attr-dict `:` functional-type(operands, results)";
}

def Graph_StopGradientOp : Graph_PureOp<"stop_gradient", "Control", [SameOperandsAndResultType]> {
  let summary = "its operand, through which no derivative passes";
  let description = [{
    The identity with a derivative of zero. zenith-derive removes it after differentiation.
    Example: `%r = graph.stop_gradient %x : tensor<4xf32>`
  }];
  let arguments = (ins Graph_Tensor:$operand);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($result)";
  let hasVerifier = 0;
}

def Graph_CheckpointOp : Graph_Op<"checkpoint", "Control", [IsolatedFromAbove, RecursiveMemoryEffects, SingleBlock]> {
  let summary = "its region's results, of which reverse mode keeps only what a policy says";
  let description = [{
    Differentiation computes the other values of the region again, from the inputs and what is kept, behind a barrier on the cotangents.
    Without differentiation it is its region. `policy` is one of JAX's checkpoint policies (docs/guides/memory.md); `names` are the
    names of graph.named that the policies on names speak of. `prevent_cse = false` leaves the barrier out.
    `segments = N` cuts a chain of layers into N checkpoints, each of which keeps what it gets from the one before; `auto` takes the
    number with the least sum of what all keep and the most that one computes again.
    c1: one block argument per operand, of its type; c2: the region ends in yield with the result types; c3: the policy is known;
    c4: names are strings; c5: the number of segments is not negative, and 0 is auto.
    Example: `%r = graph.checkpoint policy = "dots_saveable" names = [] prevent_cse = true (%a = %x : tensor<4xf32>) -> tensor<4xf32> { graph.yield %a : tensor<4xf32> }`
  }];
  let arguments = (ins Variadic<Graph_Tensor>:$inputs, DefaultValuedAttr<StrAttr, "\"nothing_saveable\"">:$policy,
                       DefaultValuedAttr<ArrayAttr, "{}">:$names, DefaultValuedAttr<BoolAttr, "true">:$prevent_cse,
                       DefaultValuedAttr<I64Attr, "1">:$segments);
  let results = (outs Variadic<Graph_Tensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
}

def Graph_NamedOp : Graph_PureOp<"named", "Control", [SameOperandsAndResultType]> {
  let summary = "its operand, under a name that policies of graph.checkpoint speak of";
  let description = [{
    The identity. zenith-raise-checkpoints removes it.
    c1: the name is not empty.
    Example: `%r = graph.named %x "context" : tensor<4xf32>`
  }];
  let arguments = (ins Graph_Tensor:$operand, StrAttr:$name);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$operand $name attr-dict `:` type($result)";
}

def Graph_PlaceOp : Graph_PureOp<"place", "Control", [SameOperandsAndResultType]> {
  let summary = "its operand, wanted in the memory of the host or back in that of the device";
  let description = [{
    The identity, and a wish: a value that the program places on the host may be kept outside of the arena until it is placed on
    the device again. zenith-raise-checkpoints removes it.
    Example: `%r = graph.place %x host : tensor<4xf32>`
  }];
  let arguments = (ins Graph_Tensor:$operand, Graph_MemoryPlaceAttr:$place);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$operand custom<EnumWord>($place) attr-dict `:` type($result)";
  let hasVerifier = 0;
}

def Graph_HostReadOp : Graph_Op<"host_read", "Control", [Pure, SameOperandsAndResultType]> {
  let summary = "an integer scalar that the host waits for and reads from memory";
  let description = [{
    Its operand, as a scalar of the host: sizes, conditions and offsets may rest on the result. zenith-fetch-scalars
    puts one after each kernel result that the host needs; programs need not have any.
    c1: the operand is an integer or boolean scalar.
    Example: `%n = graph.host_read %rows : tensor<i64>`
  }];
  let arguments = (ins Graph_IntOrBoolTensor:$input);
  let results = (outs Graph_IntOrBoolTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($result)";
}

def Graph_AssertOp : Graph_Op<"assert", "Control", [MemoryEffects<[MemWrite]>]> {
  let summary = "ends the run with a message where a condition does not hold";
  let description = [{
    `{0}`, `{1}` and so on in the message stand for the values of `details`.
    c1: the condition is an i1 scalar; c2: details are integer scalars.
    Example: `graph.assert %p "sizes differ: {0}" (%n) : tensor<i1>, tensor<i64>`
  }];
  let arguments = (ins Graph_BoolTensor:$condition, StrAttr:$message, Variadic<Graph_IntTensor>:$details);
  let assemblyFormat = "$condition $message (`(` $details^ `)`)? attr-dict `:` type(operands)";
}

def Graph_CustomCallOp : Graph_Op<"custom_call", "Control", [Pure]> {
  let summary = "a routine known by name, such as a decomposition of LAPACK";
  let description = [{
    The names that run, with operands and results of each, are in docs/graphir.md; others are refused where they would run.
    c1: the target is not empty.
    Example: `%lu, %pivots, %info = graph.custom_call "lapack_getrf" (%a) : (tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<3xi32>, tensor<i32>)`
  }];
  let arguments = (ins StrAttr:$target, Variadic<Graph_Tensor>:$inputs, OptionalAttr<DictionaryAttr>:$config);
  let results = (outs Variadic<Graph_Tensor>:$results);
  let assemblyFormat = "$target `(` $inputs `)` (`config` $config^)? attr-dict `:` functional-type(operands, results)";
}

#endif // ZENITH_IR_OPS_CONTROL_TD
