// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Forms of operands in memory, as attributes of the fusions that read them.

#ifndef ZENITH_IR_ATTRIBUTES_ENCODINGATTRS_TD
#define ZENITH_IR_ATTRIBUTES_ENCODINGATTRS_TD

include "mlir/IR/AttrTypeBase.td"
include "ir/GraphDialect.td"

def Graph_PanelsAttr : AttrDef<Graph_Dialect, "Panels"> {
  let mnemonic = "panels";
  let summary = "the columns of a matrix [K, N] in panels [ceil(N/width), ceil(K/group), width, group]";
  let description = [{
    `group` consecutive K of a column lie side by side; with a group of 1 panels have three dimensions. The movement ops
    that undo the packing stay in the fusion (decision 0002); the attribute says what they amount to.

    Constraints:
    - panels_c1: `width` is positive, `group` is 1, 2 or 4.

    Example: `graph.encodings = [unit, #graph.panels<16, group = 4>]`
  }];
  let parameters = (ins "int64_t":$width, DefaultValuedParameter<"int64_t", "1">:$group);
  let assemblyFormat = "`<` $width (`,` `group` `=` $group^)? `>`";
  let genVerifyDecl = 1;
}

def Graph_WinogradAttr : AttrDef<Graph_Dialect, "Winograd"> {
  let mnemonic = "winograd";
  let summary = "the window of a convolution at the points of a Winograd transform, before the window itself";
  let description = [{
    `tile` results along each dimension come from one tile of the transform (ir/encodings/Winograd.h).

    Constraints:
    - winograd_c1: `tile` is 2 or 4.

    Example: `graph.encodings = [unit, #graph.winograd<4>]`
  }];
  let parameters = (ins "int64_t":$tile);
  let assemblyFormat = "`<` $tile `>`";
  let genVerifyDecl = 1;
}

#endif // ZENITH_IR_ATTRIBUTES_ENCODINGATTRS_TD
