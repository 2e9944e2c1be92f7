// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host side of a compiled program as attributes: what is launched in which order on which bytes.

#ifndef ZENITH_LOWERING_PIPELINE_HOSTDIALECT_TD
#define ZENITH_LOWERING_PIPELINE_HOSTDIALECT_TD

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
    dimensions that its arguments name ("batch*12"), bytes are places in the arena, in arguments, results or
    parameters. The kernels are functions of the nested `module @kernels`.
  }];
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = "void registerAttributes();";
}

def Host_PlaceKind : I32EnumAttr<"PlaceKind", "where bytes are", [
    I32EnumAttrCase<"argument", 0>, I32EnumAttrCase<"result", 1>, I32EnumAttrCase<"param", 2>,
    I32EnumAttrCase<"derived", 3>, I32EnumAttrCase<"arena", 4>, I32EnumAttrCase<"constant", 5>]> {
  let cppNamespace = "::zenith::host";
  let genSpecializedAttr = 0;
}

class Host_Attr<string name, string attrMnemonic> : AttrDef<Host_Dialect, name> {
  let mnemonic = attrMnemonic;
}

def Host_PlaceAttr : Host_Attr<"Place", "place"> {
  let summary = "where a kernel reads or writes";
  let description = [{
    `index` numbers arguments, results and constants of the program, parameters of the module, derived parameters;
    `offset` is in bytes from the start of the arena, or of the derived parameters' arena.
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

def Host_ProgramOp : Host_Op<"program", [Symbol, IsolatedFromAbove, NoTerminator, SingleBlock]> {
  let summary = "an entry of the compiled program";
  let description = [{
    Reads the dimensions of its arguments, checks them, takes `arena` bytes and then does its steps in order.
    `donations` pairs results with the donated arguments whose buffers they may take over. `classes` holds the
    bytes of the certificate by class, as expressions. `scalars` names, per argument, the symbol for which the
    argument's only element stands, or is empty. `guards` pairs expressions that must not be negative with messages.
    Example: `host.program @main arguments [#host.value<...>] results [...] arena "4096" { ... }`
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, ArrayAttr:$arguments, ArrayAttr:$results, StrAttr:$arena,
                       DefaultValuedAttr<ArrayAttr, "{}">:$constants,
                       OptionalAttr<DenseI64ArrayAttr>:$donations, OptionalAttr<ArrayAttr>:$scalars,
                       OptionalAttr<DictionaryAttr>:$classes, OptionalAttr<ArrayAttr>:$guards);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name `arguments` $arguments `results` $results `arena` $arena attr-dict-with-keyword $body
  }];
}

def Host_LaunchOp : Host_Op<"launch"> {
  let summary = "runs a kernel on tasks 0 .. tasks-1";
  let description = [{
    Pointers and sizes are the kernel's arguments in order. `cost` estimates flops and bytes of one task.
    Example: `host.launch @kernels::@k0 pointers [#host.place<argument, 0, "0">] sizes ["batch"] tasks "batch" cost 64.0`
  }];
  let arguments = (ins SymbolRefAttr:$kernel, ArrayAttr:$pointers, ArrayAttr:$sizes, StrAttr:$tasks, F64Attr:$cost);
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
  let summary = "writes a size (i64) to a result";
  let description = "Example: `host.scalar \"batch*2\" to <result, 0, \"0\">`";
  let arguments = (ins StrAttr:$value, Host_PlaceAttr:$target);
  let assemblyFormat = "$value `to` $target attr-dict";
}

#endif // ZENITH_LOWERING_PIPELINE_HOSTDIALECT_TD
