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

def Graph_CompareDirection : Graph_Enum<"CompareDirection",
    "which order relation a comparison tests; with a NaN only ne holds",
    ["eq", "ne", "lt", "le", "gt", "ge"]>;
def Graph_CompareDirectionAttr : Graph_EnumAttr<Graph_CompareDirection, "compare">;

def Graph_ReduceKind : Graph_Enum<"ReduceKind",
    "the operation that a reduction folds with; or and and are bitwise on integers",
    ["sum", "prod", "max", "min", "all", "any", "parity"]>;
def Graph_ReduceKindAttr : Graph_EnumAttr<Graph_ReduceKind, "reduce_kind">;

def Graph_FusionKind : Graph_Enum<"FusionKind",
    "which kernel schedule a fusion region is lowered with",
    ["pointwise", "reduction", "contraction", "attention", "window", "scatter",
     "ordering", "copy"]>;
def Graph_FusionKindAttr : Graph_EnumAttr<Graph_FusionKind, "fusion_kind">;

def Graph_GeluForm : Graph_Enum<"GeluForm",
    "exact: x/2 (1 + erf(x/sqrt 2)); tanh: the tanh approximation",
    ["erf", "tanh"]>;
def Graph_GeluFormAttr : Graph_EnumAttr<Graph_GeluForm, "gelu_form">;

#endif // ZENITH_IR_GRAPHENUMS_TD
