// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops of host programs, and of functions whose control has been outlined.

#ifndef ZENITH_LOWERING_HOST_HOSTOPS_TD
#define ZENITH_LOWERING_HOST_HOSTOPS_TD

include "ir/ShapeRule.td"
include "lowering/host/HostAttrs.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Host_Op<string mnemonic, list<Trait> traits = []> : Op<Host_Dialect, mnemonic, traits> {
  let hasVerifier = 1;
}

// A step of a program, which names other symbols.
def NamesSymbols : DeclareOpInterfaceMethods<SymbolUserOpInterface>;

//===- Control in functions of graph ops ---------------------------------------------------------------------===//

def Host_BranchOp : Host_Op<"branch", [AttrSizedOperandSegments, DeclareOpInterfaceMethods<ShapeRule>, NamesSymbols]> {
  let summary = "calls the function that a scalar chooses";
  let description = [{
    With `boolean` the first function stands for true and the second for false; otherwise the selector is the index of
    a function, and the last one serves every index out of range. `captures` are the functions' arguments one after the
    other, `counts` says how many each has. `dims` says what is known of the results' dimensions: an expression,
    #host.operand_dim, or #host.unknown_dim. `shares` names values by `numbers`, under which shared reads them in what
    the functions run, however deep: values that only deep nests read are no arguments of all functions on the way.
    Constraints:
    - (branch_c1) `counts` has one count per function, none negative, and they sum to the number of captures.
    - (branch_c2) There is a function, and with `boolean` there are two.
    - (branch_c3) `selector` is a scalar, of type i1 with `boolean`.
    - (branch_c4) `dims` has a list per result, with an entry per dimension.
    - (branch_c5) Each entry is an expression, a dimension that an operand has, or an unknown one.
    - (branch_c6) Functions of these names and types exist.
    - (branch_c7) `numbers` has one for each shared value, none negative, none twice, and none that an op around shares.
    Example: `%r = host.branch %p, (%x, %y) to [@f, @g] counts [1, 1] dims [["4"]] boolean : (tensor<i1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>`
  }];
  let arguments = (ins AnyRankedTensor:$selector, Variadic<AnyRankedTensor>:$captures, Variadic<AnyRankedTensor>:$shared,
                       FlatSymbolRefArrayAttr:$branches, DenseI64ArrayAttr:$counts, ArrayAttr:$dims, UnitAttr:$boolean,
                       DefaultValuedOptionalAttr<DenseI64ArrayAttr, "{}">:$numbers);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    $selector `,` `(` $captures `)` `to` $branches `counts` $counts `dims` custom<Dims>($dims) (`boolean` $boolean^)?
    (`shares` `(` $shared^ `)` `as` $numbers)? attr-dict `:` functional-type(operands, results)
  }];
}

def Host_LoopOp : Host_Op<"loop", [AttrSizedOperandSegments, DeclareOpInterfaceMethods<ShapeRule>, NamesSymbols]> {
  let summary = "calls the body on loop-carried values as long as the condition says so";
  let description = [{
    Both functions get the loop-carried values and then their captures. `dims` and `shares` as for branch. Constraints:
    - (loop_c1) There are as many initial values as results, of the results' element types and ranks.
    - (loop_c2) `dims` has a list per result, with an entry per dimension.
    - (loop_c3) Each entry is an expression, a dimension that an operand has, or an unknown one.
    - (loop_c4) Functions of these names exist: the condition gives one scalar, the body as many values as the loop, and
      both take the loop-carried values and their captures.
    - (loop_c5) `numbers` has one for each shared value, none negative, none twice, and none that an op around shares.
    Example: `%r = host.loop (%i) while @f(%n) do @g() dims [[]] : (tensor<i64>, tensor<i64>) -> tensor<i64>`
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$inits, Variadic<AnyRankedTensor>:$condition_captures,
                       Variadic<AnyRankedTensor>:$body_captures, Variadic<AnyRankedTensor>:$shared,
                       FlatSymbolRefAttr:$condition, FlatSymbolRefAttr:$body, ArrayAttr:$dims,
                       DefaultValuedOptionalAttr<DenseI64ArrayAttr, "{}">:$numbers);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    `(` $inits `)` `while` $condition `(` $condition_captures `)` `do` $body `(` $body_captures `)`
    `dims` custom<Dims>($dims) (`shares` `(` $shared^ `)` `as` $numbers)? attr-dict `:`
    functional-type(operands, results)
  }];
}

def Host_SharedOp : Host_Op<"shared", [Pure, DeclareOpInterfaceMethods<ShapeRule>]> {
  let summary = "a value that a branch or loop around the function shares under a number";
  let description = [{
    `dims` are the sizes of the value by the names that all functions know. Constraints:
    - (shared_c1) `dims` has an expression per dimension: of a static one its size.
    - (shared_c2) The function is one that control ops run, and each op of an entry that does so, by itself or by what it
      runs, shares a value of this number and type on the way.
    Example: `%x = host.shared 0 dims ["n", "4"] : tensor<?x4xf32>`
  }];
  let arguments = (ins ConfinedAttr<I64Attr, [IntNonNegative]>:$number, Graph_DimArrayAttr:$dims);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$number `dims` custom<Dims>($dims) attr-dict `:` type($result)";
}

def Host_StoreRowOp : Host_Op<"store_row", [MemoryEffects<[MemWrite]>]> {
  let summary = "starts to write a row of a stack that lies in the file of the run";
  let description = [{
    The stack begins at `offset` of the file. The row must stay as it is until a graph.barrier of it with `host.awaits`.
    Constraints:
    - (store_row_c1) `index` is a scalar of integers.
    - (store_row_c2) `stack` is a static type, and that of the row but for the first dimension, which is 1 in the row.
    Example: `host.store_row %x[%i] of tensor<8x4xf32> at 0 : tensor<1x4xf32>, tensor<i32>`
  }];
  let arguments = (ins AnyRankedTensor:$row, AnyRankedTensor:$index, TypeAttr:$stack,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$offset);
  let assemblyFormat = "$row `[` $index `]` `of` $stack `at` $offset attr-dict `:` type($row) `,` type($index)";
}

def Host_LoadRowOp : Host_Op<"load_row", [MemoryEffects<[MemRead]>]> {
  let summary = "starts to read a row of a stack that lies in the file of the run";
  let description = [{
    What store_row wrote last at that index. The row is there after a graph.barrier of it with `host.awaits`. Constraints:
    - (load_row_c1) `index` is a scalar of integers.
    - (load_row_c2) `stack` is a static type, and that of the row but for the first dimension, which is 1 in the row.
    Example: `%x = host.load_row %i of tensor<8x4xf32> at 0 : tensor<i32> -> tensor<1x4xf32>`
  }];
  let arguments = (ins AnyRankedTensor:$index, TypeAttr:$stack, ConfinedAttr<I64Attr, [IntNonNegative]>:$offset);
  let results = (outs AnyRankedTensor:$row);
  let assemblyFormat = "$index `of` $stack `at` $offset attr-dict `:` type($index) `->` type($row)";
}

//===- Programs ----------------------------------------------------------------------------------------------===//

def Host_ProgramOp : Host_Op<"program", [Symbol, IsolatedFromAbove, NoTerminator, SingleBlock]> {
  let summary = "an entry of the compiled program, or what a control step runs";
  let description = [{
    Reads the dimensions of its arguments, checks them, allocates `arena` bytes and then does its steps in order.
    `donations` pairs results with the donated arguments whose buffers they may take over. `classes` holds the
    bytes of the certificate by class, as expressions. `scalars` names, per argument, the symbol for which the
    argument's only element stands, or is empty. `guards` are checked before the first step.
    `inner`: only control steps run it; the sizes that its caller knows are its own too, and nothing is checked.
    Constraints:
    - (program_c1) `scalars` has one string per argument, and arguments that have a name are scalars of integers.
    - (program_c2) `donations` are pairs of a result and an argument that exist.
    - (program_c3) `classes` are dimension expressions.
    - (program_c4) `constants` are elements.
    - (program_c5) The body holds steps of this dialect.
    - (program_c6) Arguments, results and constants that the steps' buffers name exist.
    - (program_c7) Shared buffers that the steps name are such of a control step around the program, on each way from an
      entry; what is a scalar there only fetch reads.
    Example: `host.program @main arguments [#host.value<...>] results [...] arena "4096" { ... }`
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, Host_ValueArrayAttr:$arguments, Host_ValueArrayAttr:$results,
                       Graph_DimAttr:$arena, DefaultValuedAttr<ArrayAttr, "{}">:$constants,
                       OptionalAttr<DenseI64ArrayAttr>:$donations, OptionalAttr<StrArrayAttr>:$scalars,
                       OptionalAttr<DictionaryAttr>:$classes, OptionalAttr<Host_ShapeGuardArrayAttr>:$guards,
                       UnitAttr:$inner);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name `arguments` $arguments `results` $results `arena` custom<Dim>($arena) attr-dict-with-keyword $body
  }];
}

class Host_Step<string mnemonic, list<Trait> traits = []> : Host_Op<mnemonic, traits # [HasParent<"ProgramOp">]>;

def Host_LaunchOp : Host_Step<"launch", [NamesSymbols]> {
  let summary = "runs a kernel on tasks 0 .. tasks-1";
  let description = [{
    Pointers and sizes are the kernel's arguments in order. `cost` estimates flops and bytes of one task. With `guard`
    the launch runs only where that expression is not 0: of several variants of a kernel a run takes one. A kernel that
    is `host_only` runs on the host also where a device runs the others; `pointer_bytes` then says how many bytes each
    pointer has, and `written` which of them it writes. Constraints:
    - (launch_c1) `cost` is finite and not negative.
    - (launch_c2) `pointer_bytes` has one size per pointer; with `host_only` it is present.
    - (launch_c3) `written` are positions of pointers.
    - (launch_c4) The kernel is a function of `module @kernels` whose arguments are the pointers, the sizes, and the range
      of tasks.
    Example: `host.launch @kernels::@k0 pointers [#host.buffer<argument, 0, "0">] sizes ["batch"] tasks "batch" cost 64.0 when "min(batch, 1)"`
  }];
  let arguments = (ins SymbolRefAttr:$kernel, Host_BufferArrayAttr:$pointers, Graph_DimArrayAttr:$sizes,
                       Graph_DimAttr:$tasks, F64Attr:$cost, OptionalAttr<Graph_DimAttr>:$guard, UnitAttr:$host_only,
                       OptionalAttr<Graph_DimArrayAttr>:$pointer_bytes, OptionalAttr<DenseI64ArrayAttr>:$written);
  let assemblyFormat = [{
    $kernel `pointers` $pointers `sizes` custom<Dims>($sizes) `tasks` custom<Dim>($tasks) `cost` $cost
    (`when` custom<Dim>($guard)^)? attr-dict
  }];
}

def Host_CopyOp : Host_Step<"copy"> {
  let summary = "copies bytes to a result that no kernel writes, or starts to copy them to or from the file of the run";
  let description = [{
    Copies to and from the file go on while later steps run, one after the other; await waits for them. Constraints:
    - (copy_c1) `target` is not a parameter and not a constant.
    - (copy_c2) Where one of both is the file, the other is in the arena, or in an argument or result of an inner program.
    Example: `host.copy <argument, 0, "0"> to <result, 0, "0"> bytes "4*n"`
  }];
  let arguments = (ins Host_BufferAttr:$source, Host_BufferAttr:$target, Graph_DimAttr:$bytes);
  let assemblyFormat = "$source `to` $target `bytes` custom<Dim>($bytes) attr-dict";
}

def Host_AwaitOp : Host_Step<"await"> {
  let summary = "waits for the first copies of the program to and from the file";
  let description = [{
    From here on `buffer`, which the last of them reads or writes, may be written or read. In a loop these are the copies
    of the same trip. Constraints:
    - (await_c1) The program has started at least `copies` such copies, the last of them with `buffer`.
    Example: `host.await 1 <arena, 0, "0">`
  }];
  let arguments = (ins ConfinedAttr<I64Attr, [IntPositive]>:$copies, Host_BufferAttr:$buffer);
  let assemblyFormat = "$copies $buffer attr-dict";
}

def Host_ScalarOp : Host_Step<"scalar"> {
  let summary = "writes a scalar to memory";
  let description = [{
    Constraints:
    - (scalar_c1) `type` is an integer of at most 64 bits.
    - (scalar_c2) `target` is not a parameter and not a constant.
    Example: `host.scalar "batch*2" to <result, 0, "0"> : i64`
  }];
  let arguments = (ins Graph_DimAttr:$value, Host_BufferAttr:$target, TypeAttr:$type);
  let assemblyFormat = "custom<Dim>($value) `to` $target `:` $type attr-dict";
}

def Host_AllocOp : Host_Step<"alloc"> {
  let summary = "allocates memory for a slot, or for a result whose size was not known before";
  let description = [{
    The extents of a result follow with yield. `reuses`: the memory of the argument of the same index is taken over where it has as many
    bytes or can grow to have them where it is, and what it holds is kept; a loop then owns the first value of that argument. Constraints:
    - (alloc_c1) `target` is a slot or a result.
    - (alloc_c2) With `reuses` the target is a result of an inner program that has an argument of its index in memory.
    Example: `host.alloc <slot, 0, "0"> bytes "4*%0"`
  }];
  let arguments = (ins Host_BufferAttr:$target, Graph_DimAttr:$bytes, UnitAttr:$reuses);
  let assemblyFormat = "$target `bytes` custom<Dim>($bytes) (`reuses` $reuses^)? attr-dict";
}

def Host_DeallocOp : Host_Step<"dealloc"> {
  let summary = "frees the memory of a slot";
  let description = [{
    Constraints:
    - (dealloc_c1) An earlier step allocates the slot, and none between the two frees it.
    Example: `host.dealloc 0`
  }];
  let arguments = (ins I64Attr:$slot);
  let assemblyFormat = "$slot attr-dict";
}

def Host_FetchOp : Host_Step<"fetch"> {
  let summary = "binds a symbol to a scalar in memory, or to one that a control step around the program shares";
  let description = [{
    Constraints:
    - (fetch_c1) `symbol` is not empty.
    - (fetch_c2) `type` is an integer of at most 64 bits.
    Example: `host.fetch "%i0" from <arena, 0, "64"> : i64`
  }];
  let arguments = (ins StrAttr:$symbol, Host_BufferAttr:$source, TypeAttr:$type);
  let assemblyFormat = "$symbol `from` $source `:` $type attr-dict";
}

def Host_EvalOp : Host_Step<"eval"> {
  let summary = "binds a symbol to the result of an op on scalars";
  let description = [{
    `opcode` is the name of a graph op, with its kind after a dot; results wrap to `type`, the last input is of type
    `from`. Constraints:
    - (eval_c1) `symbol` is not empty.
    - (eval_c2) `opcode` is one that the host computes, with as many inputs as it takes.
    - (eval_c3) `from` and `type` are integers of at most 64 bits.
    Example: `host.eval "%h0" = "compare.lt" ["%i0", "%i1"] : i64 to i1`
  }];
  let arguments = (ins StrAttr:$symbol, StrAttr:$opcode, Graph_DimArrayAttr:$inputs, TypeAttr:$from, TypeAttr:$type);
  let assemblyFormat = "$symbol `=` $opcode custom<Dims>($inputs) `:` $from `to` $type attr-dict";
}

def Host_GuardOp : Host_Step<"guard"> {
  let summary = "fails where an expression is negative";
  let description = [{
    Constraints:
    - (guard_c1) `message` is not empty.
    Example: `host.guard "%0 - 4" "graph.slice: ..."`
  }];
  let arguments = (ins Graph_DimAttr:$nonnegative, StrAttr:$message);
  let assemblyFormat = "custom<Dim>($nonnegative) $message attr-dict";
}

def Host_AssertOp : Host_Step<"assert"> {
  let summary = "fails with a message where a scalar is zero";
  let description = [{
    `{K}` in the message stands for detail K.
    Example: `host.assert "%i0" "sizes differ: {0}" ["%i1"] at "model.mlir:3:5"`
  }];
  let arguments = (ins Graph_DimAttr:$condition, StrAttr:$message, Graph_DimArrayAttr:$details, StrAttr:$location);
  let hasVerifier = 0;
  let assemblyFormat = "custom<Dim>($condition) $message custom<Dims>($details) `at` $location attr-dict";
}

def Host_IfOp : Host_Step<"if", [NamesSymbols]> {
  let summary = "runs one of several nested programs";
  let description = [{
    As branch; `arguments` holds a list per program, of #host.argument for bytes and #graph.dim for scalars, `results`
    #host.outcome for bytes and the symbol for a scalar. `arena` is where the programs' arenas lie in this one's; absent
    where their size depends on data. `shares` are the buffers and scalars that the programs, and those that they run,
    find as buffers of kind `shared` under `numbers`. Constraints:
    - (if_c1) There is a program, and with `boolean` there are two.
    - (if_c2) `arguments` has a list of #host.argument or #graph.dim per program.
    - (if_c3) `arena` is a part of the arena.
    - (if_c4) Inner programs of these names exist, with as many arguments and results.
    - (if_c5) `numbers` has one for each of `shares`, none negative, none twice, and none that a step around shares.
    Example: `host.if "%i0" to [@f, @g] arguments [["n"], []] results ["%h0"] boolean`
  }];
  let arguments = (ins Graph_DimAttr:$selector, FlatSymbolRefArrayAttr:$branches, ArrayAttr:$arguments,
                       Host_ResultArrayAttr:$results, UnitAttr:$boolean, OptionalAttr<Host_BufferAttr>:$arena,
                       OptionalAttr<Host_SharedArrayAttr>:$shares,
                       DefaultValuedOptionalAttr<DenseI64ArrayAttr, "{}">:$numbers);
  let assemblyFormat = [{
    custom<Dim>($selector) `to` $branches `arguments` custom<Dims>($arguments) `results` $results (`boolean` $boolean^)?
    (`arena` $arena^)? (`shares` custom<Dims>($shares)^ `as` $numbers)? attr-dict
  }];
}

def Host_WhileOp : Host_Step<"while", [NamesSymbols]> {
  let summary = "runs nested programs as long as a condition holds";
  let description = [{
    `inits` are the first loop-carried values; `condition_arguments` and `body_arguments` follow the loop-carried ones.
    `in_place` are the positions of loop-carried values that the body updates where they are. `shares` as for if.
    Constraints:
    - (while_c1) There are as many initial values as results, each a scalar where the result is one.
    - (while_c2) `in_place` are positions of results in memory; other results in memory are allocated by the body or have a
      `second` buffer.
    - (while_c3) `arena` is a part of the arena.
    - (while_c4) Inner programs of these names exist: the condition has one result, the body as many as the loop, and both
      have arguments for the loop-carried values and for their own.
    - (while_c5) `numbers` has one for each of `shares`, none negative, none twice, and none that a step around shares.
    Example: `host.while @f(["n"]) do @g([]) inits ["0"] results ["%h0"] in_place []`
  }];
  let arguments = (ins FlatSymbolRefAttr:$condition, FlatSymbolRefAttr:$body, Host_PassedArrayAttr:$inits,
                       Host_PassedArrayAttr:$condition_arguments, Host_PassedArrayAttr:$body_arguments,
                       Host_ResultArrayAttr:$results, DenseI64ArrayAttr:$in_place, OptionalAttr<Host_BufferAttr>:$arena,
                       OptionalAttr<Host_SharedArrayAttr>:$shares,
                       DefaultValuedOptionalAttr<DenseI64ArrayAttr, "{}">:$numbers);
  let assemblyFormat = [{
    $condition `(` custom<Dims>($condition_arguments) `)` `do` $body `(` custom<Dims>($body_arguments) `)`
    `inits` custom<Dims>($inits) `results` $results `in_place` $in_place (`arena` $arena^)?
    (`shares` custom<Dims>($shares)^ `as` $numbers)? attr-dict
  }];
}

def Host_YieldOp : Host_Step<"yield"> {
  let summary = "says the results of a program: scalars, or extents that depend on data";
  let description = [{
    One entry per result: the value of a scalar, an array of extents, or unit where the caller knows both. Constraints:
    - (yield_c1) There is one entry per result of the program.
    - (yield_c2) Entries are expressions, lists of one expression per dimension, or unit.
    - (yield_c3) It is the last step.
    Example: `host.yield ["%i0", ["%0", "4"], unit]`
  }];
  let arguments = (ins ArrayAttr:$values);
  let assemblyFormat = "custom<Dims>($values) attr-dict";
}

#endif // ZENITH_LOWERING_HOST_HOSTOPS_TD
