// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attributes of host programs: buffers, arguments and results, what control steps pass and get back.

#ifndef ZENITH_LOWERING_HOST_HOSTATTRS_TD
#define ZENITH_LOWERING_HOST_HOSTATTRS_TD

include "ir/dims/DimAttr.td"
include "lowering/host/HostDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

def Host_BufferKind : I32EnumAttr<"BufferKind", "where bytes are", [
    I32EnumAttrCase<"argument", 0>, I32EnumAttrCase<"result", 1>, I32EnumAttrCase<"param", 2>,
    I32EnumAttrCase<"derived", 3>, I32EnumAttrCase<"arena", 4>, I32EnumAttrCase<"constant", 5>,
    I32EnumAttrCase<"slot", 6>, I32EnumAttrCase<"cell", 7>,
    I32EnumAttrCase<"file", 8>, I32EnumAttrCase<"shared", 9>]> {
  let cppNamespace = "::zenith::host";
  let genSpecializedAttr = 0;
}

class Host_Attr<string name, string attrMnemonic> : AttrDef<Host_Dialect, name> {
  let mnemonic = attrMnemonic;
}

def Host_DimParameter : AttrParameter<"::zenith::graph::DimAttr", "a dimension expression">;
def Host_DimsParameter : AttrParameter<"::mlir::ArrayAttr", "a list of dimension expressions">;

def Host_BufferAttr : Host_Attr<"Buffer", "buffer"> {
  let summary = "where a kernel reads or writes";
  let description = [{
    `index` is the position of the argument, result, constant, slot or cell in its program, of the parameter in its
    module, or of the derived parameter. `offset` is in bytes from the start of the arena, of the derived parameters'
    arena, or of the file. A slot is pool memory between an alloc and a dealloc, for sizes that depend on data. A cell is 8 bytes for a
    scalar. A file is that of the run, for values that leave the arena for a while. What is shared lies where the control
    step says that shares it under the number `index`. Constraints:
    - (buffer_c1) `index` is not negative.
    - (buffer_c2) `offset` is 0 unless the kind is arena, derived or file.
    Example: `#host.buffer<arena, 0, "64*batch">`
  }];
  let parameters = (ins EnumParameter<Host_BufferKind>:$kind, "int64_t":$index, Host_DimParameter:$offset);
  let assemblyFormat = "`<` $kind `,` $index `,` custom<Dim>($offset) `>`";
  let genVerifyDecl = 1;
}

def Host_ValueAttr : Host_Attr<"Value", "value"> {
  let summary = "an argument or result: public name, type, dimensions as expressions";
  let description = [{
    Constraints:
    - (value_c1) `dims` has one expression per dimension of `type`.
    - (value_c2) The expression of a static dimension is its size.
    Example: `#host.value<"x", tensor<?x4xf32>, ["batch", "4"]>`
  }];
  let parameters = (ins StringRefParameter<"public name">:$name, "::mlir::RankedTensorType":$type,
                        Host_DimsParameter:$dims);
  let assemblyFormat = "`<` $name `,` $type `,` custom<Dims>($dims) `>`";
  let genVerifyDecl = 1;
}

def Host_ShapeGuardAttr : Host_Attr<"ShapeGuard", "shape_guard"> {
  let summary = "an expression that must not be negative, and the message of the run that fails where it is";
  let description = "Example: `#host.shape_guard<\"n - 4\", \"graph.slice: start is negative\">`";
  let parameters = (ins Host_DimParameter:$nonnegative, StringRefParameter<"message">:$message);
  let assemblyFormat = "`<` custom<Dim>($nonnegative) `,` $message `>`";
}

def Host_OperandDimAttr : Host_Attr<"OperandDim", "operand_dim"> {
  let summary = "the size of dimension `dim` of operand `operand` of a control op";
  let description = "Example: `#host.operand_dim<1, 0>`";
  let parameters = (ins "unsigned":$operand, "unsigned":$dim);
  let assemblyFormat = "`<` $operand `,` $dim `>`";
}

def Host_UnknownDimAttr : Host_Attr<"UnknownDim", "unknown_dim"> {
  let summary = "a size that only the called function knows; equal indices are equal sizes";
  let description = "Example: `#host.unknown_dim<0>`";
  let parameters = (ins "unsigned":$index);
  let assemblyFormat = "`<` $index `>`";
}

def Host_ArgumentAttr : Host_Attr<"Argument", "argument"> {
  let summary = "bytes that a control step passes, with their dimensions";
  let description = [{
    Scalars are passed as #graph.dim. Constraints:
    - (argument_c1) `dims` are dimension expressions.
    Example: `#host.argument<<arena, 0, "0">, ["n"]>`
  }];
  let parameters = (ins "::zenith::host::BufferAttr":$buffer, Host_DimsParameter:$dims);
  let assemblyFormat = "`<` $buffer `,` custom<Dims>($dims) `>`";
  let genVerifyDecl = 1;
}

def Host_OutcomeAttr : Host_Attr<"Outcome", "outcome"> {
  let summary = "bytes that a control step leaves, and the symbols of their dimensions";
  let description = [{
    Results that are scalars are strings instead: the symbols that they bind. `bytes` is the size of the buffer.
    `allocated`: the program that the step runs allocates the memory. `second` is the other buffer of a loop-carried
    value that the body does not update in place: steps write the two in turns. Constraints:
    - (outcome_c1) `dims` are dimension expressions.
    - (outcome_c2) What is allocated inside is a slot or a result, and has no `second`.
    Examples: `#host.outcome<<result, 0, "0">, ["n"], "4*n">`, `#host.outcome<<slot, 0, "0">, ["%0"], "4*%0", allocated>`,
    `#host.outcome<<arena, 0, "0">, ["4"], "16", second <arena, 0, "64">>`
  }];
  let parameters = (ins "::zenith::host::BufferAttr":$buffer, Host_DimsParameter:$dims, Host_DimParameter:$bytes,
                        OptionalParameter<"::zenith::host::BufferAttr">:$second, "bool":$allocated);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Host_BufferArrayAttr : TypedArrayAttrBase<Host_BufferAttr, "an array of #host.buffer">;
def Host_ValueArrayAttr : TypedArrayAttrBase<Host_ValueAttr, "an array of #host.value">;
def Host_ShapeGuardArrayAttr : TypedArrayAttrBase<Host_ShapeGuardAttr, "an array of #host.shape_guard">;
def Host_PassedAttr : AnyAttrOf<[Host_ArgumentAttr, Graph_DimAttr], "#host.argument or #graph.dim">;
def Host_SharedAttr : AnyAttrOf<[Host_BufferAttr, Graph_DimAttr], "#host.buffer or #graph.dim">;
def Host_SharedArrayAttr : TypedArrayAttrBase<Host_SharedAttr, "an array of #host.buffer or #graph.dim">;
def Host_PassedArrayAttr : TypedArrayAttrBase<Host_PassedAttr, "an array of #host.argument or #graph.dim">;
def Host_ResultAttr : AnyAttrOf<[Host_OutcomeAttr, StrAttr], "#host.outcome or a symbol">;
def Host_ResultArrayAttr : TypedArrayAttrBase<Host_ResultAttr, "an array of #host.outcome or symbols">;

#endif // ZENITH_LOWERING_HOST_HOSTATTRS_TD
