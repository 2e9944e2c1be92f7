// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host side of a compiled program as attributes: what is launched in which order on which bytes.

#ifndef ZENITH_LOWERING_HOST_HOSTDIALECT_TD
#define ZENITH_LOWERING_HOST_HOSTDIALECT_TD

include "ir/ShapeRule.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"

def Host_Dialect : Dialect {
  let name = "host";
  let cppNamespace = "::zenith::host";
  let summary = "launches of kernels, in order, on planned bytes";
  let description = [{
    What is left of GraphIR after the kernels phase. A program has no SSA values: sizes are expressions over the
    dimensions that its arguments name ("batch*12") and over symbols that its steps bind ("%0"), bytes are places in
    the arena, in arguments, results or parameters, in slots and cells. The kernels are functions of the nested
    `module @kernels`. Between the outline and the kernels phase, `branch` and `loop` stand for control in functions
    of graph ops.
  }];
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = "void registerAttributes();";
}

def Host_PlaceKind : I32EnumAttr<"PlaceKind", "where bytes are", [
    I32EnumAttrCase<"argument", 0>, I32EnumAttrCase<"result", 1>, I32EnumAttrCase<"param", 2>,
    I32EnumAttrCase<"derived", 3>, I32EnumAttrCase<"arena", 4>, I32EnumAttrCase<"constant", 5>,
    I32EnumAttrCase<"slot", 6>, I32EnumAttrCase<"cell", 7>]> {
  let cppNamespace = "::zenith::host";
  let genSpecializedAttr = 0;
}

class Host_Attr<string name, string attrMnemonic> : AttrDef<Host_Dialect, name> {
  let mnemonic = attrMnemonic;
}

def Host_PlaceAttr : Host_Attr<"Place", "place"> {
  let summary = "where a kernel reads or writes";
  let description = [{
    `index` numbers arguments, results, constants, slots and cells of the program, parameters of the module, derived
    parameters; `offset` is in bytes from the start of the arena, or of the derived parameters' arena. A slot is pool
    memory between a take and a drop, for sizes that depend on data. A cell is 8 bytes for a scalar.
    Example: `#host.place<arena, 0, "64*batch">`
  }];
  let parameters = (ins EnumParameter<Host_PlaceKind>:$kind, "int64_t":$index, StringRefParameter<"bytes">:$offset);
  let assemblyFormat = "`<` $kind `,` $index `,` $offset `>`";
}

def Host_ValueAttr : Host_Attr<"Value", "value"> {
  let summary = "an argument or result: public name, type, dimensions as expressions";
  let description = "Example: `#host.value<\"x\", tensor<?x4xf32>, [\"batch\", \"4\"]>`";
  let parameters = (ins StringRefParameter<"public name">:$name, "::mlir::RankedTensorType":$type,
                        "::mlir::ArrayAttr":$dims);
  let assemblyFormat = "`<` $name `,` $type `,` $dims `>`";
}

class Host_Op<string mnemonic, list<Trait> traits = []> : Op<Host_Dialect, mnemonic, traits>;

//===- Control in functions of graph ops ---------------------------------------------------------------------===//

def Host_BranchOp : Host_Op<"branch", [DeclareOpInterfaceMethods<ShapeRule>]> {
  let summary = "calls the function that a scalar names";
  let description = [{
    With `boolean` the first function stands for true and the second for false; otherwise the functions are numbered, and
    the last one serves every number out of range. `captures` are the functions' arguments one after the other, `counts`
    says how many each has. `dims` says what is known of the results' dimensions: an expression, `=K.D` for dimension D
    of operand K, or `?N` for unknown size number N.
    Example: `%r = host.branch %p, (%x, %y) to [@f, @g] counts [1, 1] dims [["4"]] boolean : (tensor<i1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>`
  }];
  let arguments = (ins AnyRankedTensor:$selector, Variadic<AnyRankedTensor>:$captures, ArrayAttr:$branches,
                       DenseI64ArrayAttr:$counts, ArrayAttr:$dims, UnitAttr:$boolean);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    $selector `,` `(` $captures `)` `to` $branches `counts` $counts `dims` $dims (`boolean` $boolean^)? attr-dict
    `:` functional-type(operands, results)
  }];
}

def Host_LoopOp : Host_Op<"loop", [AttrSizedOperandSegments, DeclareOpInterfaceMethods<ShapeRule>]> {
  let summary = "calls the body on carried values as long as the condition says so";
  let description = [{
    Both functions get the carried values and then their captures. `dims` as for branch.
    Example: `%r = host.loop (%i) while @f(%n) do @g() dims [[]] : (tensor<i64>, tensor<i64>) -> tensor<i64>`
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$inits, Variadic<AnyRankedTensor>:$condition_captures,
                       Variadic<AnyRankedTensor>:$body_captures, FlatSymbolRefAttr:$condition, FlatSymbolRefAttr:$body,
                       ArrayAttr:$dims);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    `(` $inits `)` `while` $condition `(` $condition_captures `)` `do` $body `(` $body_captures `)` `dims` $dims attr-dict
    `:` functional-type(operands, results)
  }];
}

//===- Programs ----------------------------------------------------------------------------------------------===//

def Host_ProgramOp : Host_Op<"program", [Symbol, IsolatedFromAbove, NoTerminator, SingleBlock]> {
  let summary = "an entry of the compiled program, or what a control step runs";
  let description = [{
    Reads the dimensions of its arguments, checks them, takes `arena` bytes and then does its steps in order.
    `donations` pairs results with the donated arguments whose buffers they may take over. `classes` holds the
    bytes of the certificate by class, as expressions. `scalars` names, per argument, the symbol for which the
    argument's only element stands, or is empty. `guards` pairs expressions that must not be negative with messages.
    `inner`: only control steps run it; the sizes that its caller knows are its own too, and nothing is checked.
    Example: `host.program @main arguments [#host.value<...>] results [...] arena "4096" { ... }`
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, ArrayAttr:$arguments, ArrayAttr:$results, StrAttr:$arena,
                       DefaultValuedAttr<ArrayAttr, "{}">:$constants,
                       OptionalAttr<DenseI64ArrayAttr>:$donations, OptionalAttr<ArrayAttr>:$scalars,
                       OptionalAttr<DictionaryAttr>:$classes, OptionalAttr<ArrayAttr>:$guards, UnitAttr:$inner);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name `arguments` $arguments `results` $results `arena` $arena attr-dict-with-keyword $body
  }];
}

def Host_LaunchOp : Host_Op<"launch"> {
  let summary = "runs a kernel on tasks 0 .. tasks-1";
  let description = [{
    Pointers and sizes are the kernel's arguments in order. `cost` estimates flops and bytes of one task. A kernel that is
    `host_only` runs on the host also where a device runs the others; `pointer_bytes` then says how many bytes each
    pointer has, and `written` which of them it writes.
    Example: `host.launch @kernels::@k0 pointers [#host.place<argument, 0, "0">] sizes ["batch"] tasks "batch" cost 64.0`
  }];
  let arguments = (ins SymbolRefAttr:$kernel, ArrayAttr:$pointers, ArrayAttr:$sizes, StrAttr:$tasks, F64Attr:$cost,
                       UnitAttr:$host_only, OptionalAttr<ArrayAttr>:$pointer_bytes,
                       OptionalAttr<DenseI64ArrayAttr>:$written);
  let assemblyFormat = [{
    $kernel `pointers` $pointers `sizes` $sizes `tasks` $tasks `cost` $cost attr-dict
  }];
}

def Host_CopyOp : Host_Op<"copy"> {
  let summary = "copies bytes to a result that no kernel writes";
  let description = "Example: `host.copy <argument, 0, \"0\"> to <result, 0, \"0\"> bytes \"4*n\"`";
  let arguments = (ins Host_PlaceAttr:$source, Host_PlaceAttr:$target, StrAttr:$bytes);
  let assemblyFormat = "$source `to` $target `bytes` $bytes attr-dict";
}

def Host_ScalarOp : Host_Op<"scalar"> {
  let summary = "writes a scalar to memory";
  let description = "Example: `host.scalar \"batch*2\" to <result, 0, \"0\"> : i64`";
  let arguments = (ins StrAttr:$value, Host_PlaceAttr:$target, TypeAttr:$type);
  let assemblyFormat = "$value `to` $target `:` $type attr-dict";
}

def Host_TakeOp : Host_Op<"take"> {
  let summary = "takes memory for a slot, or for a result whose size was not known before";
  let description = "The extents of a result follow with yield. Example: `host.take <slot, 0, \"0\"> bytes \"4*%0\"`";
  let arguments = (ins Host_PlaceAttr:$target, StrAttr:$bytes);
  let assemblyFormat = "$target `bytes` $bytes attr-dict";
}

def Host_DropOp : Host_Op<"drop"> {
  let summary = "gives the memory of a slot back";
  let description = "Example: `host.drop 0`";
  let arguments = (ins I64Attr:$slot);
  let assemblyFormat = "$slot attr-dict";
}

def Host_FetchOp : Host_Op<"fetch"> {
  let summary = "binds a symbol to a scalar in memory";
  let description = "Example: `host.fetch \"%i0\" from <arena, 0, \"64\"> : i64`";
  let arguments = (ins StrAttr:$symbol, Host_PlaceAttr:$source, TypeAttr:$type);
  let assemblyFormat = "$symbol `from` $source `:` $type attr-dict";
}

def Host_EvalOp : Host_Op<"eval"> {
  let summary = "binds a symbol to the result of an op on scalars";
  let description = [{
    `opcode` is the name of a graph op, with its kind behind a dot; results wrap to `type`, the last input is of type `from`.
    Example: `host.eval "%h0" = "compare.lt" ["%i0", "%i1"] : i64 to i1`
  }];
  let arguments = (ins StrAttr:$symbol, StrAttr:$opcode, ArrayAttr:$inputs, TypeAttr:$from, TypeAttr:$type);
  let assemblyFormat = "$symbol `=` $opcode $inputs `:` $from `to` $type attr-dict";
}

def Host_GuardOp : Host_Op<"guard"> {
  let summary = "fails where an expression is negative";
  let description = "Example: `host.guard \"'%0' - 4\" \"graph.slice: ...\"`";
  let arguments = (ins StrAttr:$nonnegative, StrAttr:$message);
  let assemblyFormat = "$nonnegative $message attr-dict";
}

def Host_AssertOp : Host_Op<"assert"> {
  let summary = "fails with a message where a scalar is zero";
  let description = "Example: `host.assert \"%i0\" \"sizes differ: {0}\" [\"%i1\"] at \"model.mlir:3:5\"`";
  let arguments = (ins StrAttr:$condition, StrAttr:$message, ArrayAttr:$details, StrAttr:$place);
  let assemblyFormat = "$condition $message $details `at` $place attr-dict";
}

def Host_ArgumentAttr : Host_Attr<"Argument", "argument"> {
  let summary = "what a control step passes: a scalar, or bytes with their dimensions";
  let description = "Example: `#host.argument<\"%i0\">`, `#host.argument<\"\", <arena, 0, \"0\">, [\"n\"]>`";
  let parameters = (ins StringRefParameter<"value of a scalar">:$scalar, OptionalParameter<"::zenith::host::PlaceAttr">:$place,
                        OptionalParameter<"::mlir::ArrayAttr">:$dims);
  let assemblyFormat = "`<` $scalar (`,` $place^ `,` $dims)? `>`";
}

def Host_OutcomeAttr : Host_Attr<"Outcome", "outcome"> {
  let summary = "a result of a control step: the symbol of a scalar, or bytes and the symbols of their dimensions";
  let description = [{
    `taken`: the program that the step runs takes the memory, and the place is a slot. `bytes` is the size where it is not.
    `second` is the other buffer of a carried value that a loop's body does not update in place.
  }];
  let parameters = (ins StringRefParameter<"symbol of a scalar">:$scalar, OptionalParameter<"::zenith::host::PlaceAttr">:$place,
                        OptionalParameter<"::mlir::ArrayAttr">:$dims, StringRefParameter<"size">:$bytes,
                        OptionalParameter<"::zenith::host::PlaceAttr">:$second, "bool":$taken);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Host_IfOp : Host_Op<"if"> {
  let summary = "runs one of several nested programs";
  let description = [{
    As branch; `arguments` and `results` hold #host.argument per argument and #host.outcome per result. `arena` is where the
    programs' arenas lie in this one's; absent where their size depends on data.
  }];
  let arguments = (ins StrAttr:$selector, ArrayAttr:$branches, ArrayAttr:$arguments, ArrayAttr:$results, UnitAttr:$boolean,
                       OptionalAttr<Host_PlaceAttr>:$arena);
  let assemblyFormat = [{
    $selector `to` $branches `arguments` $arguments `results` $results (`boolean` $boolean^)? (`arena` $arena^)? attr-dict
  }];
}

def Host_WhileOp : Host_Op<"while"> {
  let summary = "runs nested programs as long as a condition holds";
  let description = [{
    `inits` are the first carried values; `condition_arguments` and `body_arguments` follow the carried ones. `in_place`
    numbers the carried values that the body updates where they are.
  }];
  let arguments = (ins FlatSymbolRefAttr:$condition, FlatSymbolRefAttr:$body, ArrayAttr:$inits,
                       ArrayAttr:$condition_arguments, ArrayAttr:$body_arguments, ArrayAttr:$results,
                       DenseI64ArrayAttr:$in_place, OptionalAttr<Host_PlaceAttr>:$arena);
  let assemblyFormat = [{
    $condition `(` $condition_arguments `)` `do` $body `(` $body_arguments `)` `inits` $inits `results` $results
    `in_place` $in_place (`arena` $arena^)? attr-dict
  }];
}

def Host_YieldOp : Host_Op<"yield"> {
  let summary = "says the results of a program: scalars, or extents that depend on data";
  let description = [{
    One entry per result: the value of a scalar, an array of extents, or unit where the caller knows both.
    Example: `host.yield ["%i0", ["%0", "4"], unit]`
  }];
  let arguments = (ins ArrayAttr:$values);
  let assemblyFormat = "$values attr-dict";
}

#endif // ZENITH_LOWERING_HOST_HOSTDIALECT_TD
