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

// Which kernel schedule a fusion region is lowered with.
def Graph_FusionKind : Graph_Enum<"FusionKind", "fusion kind",
    ["pointwise", "reduction", "contraction", "attention", "window", "scatter",
     "ordering", "copy"]>;
def Graph_FusionKindAttr : Graph_EnumAttr<Graph_FusionKind, "fusion_kind">;

// erf is exact, x/2 (1 + erf(x/sqrt 2)); tanh is its approximation.
def Graph_GeluForm : Graph_Enum<"GeluForm", "form of gelu",
    ["erf", "tanh"]>;
def Graph_GeluFormAttr : Graph_EnumAttr<Graph_GeluForm, "gelu_form">;

#endif // ZENITH_IR_GRAPHENUMS_TD
