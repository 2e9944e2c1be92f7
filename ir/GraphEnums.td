// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The closed word lists that attributes of graph ops choose from.

#ifndef ZENITH_IR_GRAPHENUMS_TD
#define ZENITH_IR_GRAPHENUMS_TD

include "mlir/IR/EnumAttr.td"
include "ir/GraphDialect.td"

class Graph_Enum<string name, string summary, list<string> words>
    : I32EnumAttr<name, summary,
        !foreach(i, !range(!size(words)), I32EnumAttrCase<words[i], i>)> {
  let cppNamespace = "::zenith::graph";
  let genSpecializedAttr = 0;
}
class Graph_EnumAttr<Graph_Enum info, string mnemonic>
    : EnumAttr<Graph_Dialect, info, mnemonic> {
  let assemblyFormat = "`<` $value `>`";
}

// MLIR's messages say "expected keyword for <summary>": summaries are short nouns.

// With a NaN only ne holds.
def Graph_CompareDirection : Graph_Enum<"CompareDirection", "comparison direction",
    ["eq", "ne", "lt", "le", "gt", "ge"]>;
def Graph_CompareDirectionAttr : Graph_EnumAttr<Graph_CompareDirection, "compare">;

// all, any and parity are bitwise and, or and xor on integers.
def Graph_ReduceKind : Graph_Enum<"ReduceKind", "reduction kind",
    ["sum", "prod", "max", "min", "all", "any", "parity"]>;
def Graph_ReduceKindAttr : Graph_EnumAttr<Graph_ReduceKind, "reduce_kind">;

// Which kernel schedule a fusion region is lowered with. `routine`: a function of the runtime
// computes it (runtime/routines).
def Graph_FusionKind : Graph_Enum<"FusionKind", "fusion kind",
    ["pointwise", "reduction", "contraction", "attention", "window", "scatter",
     "routine", "copy"]>;
def Graph_FusionKindAttr : Graph_EnumAttr<Graph_FusionKind, "fusion_kind">;

// erf is exact, x/2 (1 + erf(x/sqrt 2)); tanh is its approximation.
def Graph_GeluForm : Graph_Enum<"GeluForm", "form of gelu",
    ["erf", "tanh"]>;
def Graph_GeluFormAttr : Graph_EnumAttr<Graph_GeluForm, "gelu_form">;

// How an update meets the element that it falls on; set replaces it.
def Graph_ScatterKind : Graph_Enum<"ScatterKind", "scatter kind",
    ["set", "sum", "prod", "max", "min"]>;
def Graph_ScatterKindAttr : Graph_EnumAttr<Graph_ScatterKind, "scatter_kind">;

// A sum of products modulo 2^31 - 1, or a polynomial modulo 2^32.
def Graph_HashKind : Graph_Enum<"HashKind", "kind of hash",
    ["matrix", "poly32"]>;
def Graph_HashKindAttr : Graph_EnumAttr<Graph_HashKind, "hash_kind">;

def Graph_RandomKind : Graph_Enum<"RandomKind", "random algorithm",
    ["threefry", "philox"]>;
def Graph_RandomKindAttr : Graph_EnumAttr<Graph_RandomKind, "random_kind">;

// c2c and its inverse on complex numbers; r2c keeps the first half and one of the last dimension, c2r expects it.
def Graph_FourierKind : Graph_Enum<"FourierKind", "kind of Fourier transform",
    ["c2c", "c2c_inverse", "r2c", "c2r"]>;
def Graph_FourierKindAttr : Graph_EnumAttr<Graph_FourierKind, "fourier_kind">;

// Which matrix a triangular solve takes for the one given.
def Graph_MatrixForm : Graph_Enum<"MatrixForm", "form of a matrix",
    ["plain", "transposed", "adjoint"]>;
def Graph_MatrixFormAttr : Graph_EnumAttr<Graph_MatrixForm, "matrix_form">;

// Where shardings may propagate through a barrier.
def Graph_ShardDirection : Graph_Enum<"ShardDirection", "direction of propagation",
    ["none", "forward", "backward"]>;
def Graph_ShardDirectionAttr : Graph_EnumAttr<Graph_ShardDirection, "shard_direction">;

// Where a value is wanted; device is where kernels compute.
def Graph_MemoryPlace : Graph_Enum<"MemoryPlace", "place of a value",
    ["host", "device"]>;
def Graph_MemoryPlaceAttr : Graph_EnumAttr<Graph_MemoryPlace, "memory_place">;

#endif // ZENITH_IR_GRAPHENUMS_TD
