// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All attributes of the dialect, for their definitions and the parser that tells them apart by mnemonic. The
// declarations of #graph.dim, of encodings and of #graph.target are headers of their own, which need nothing of the ops.

#ifndef ZENITH_IR_GRAPHATTRDEFS_TD
#define ZENITH_IR_GRAPHATTRDEFS_TD

include "ir/GraphOps.td"
include "ir/dims/DimAttr.td"
include "ir/attributes/EncodingAttrs.td"
include "ir/target/TargetAttr.td"

#endif // ZENITH_IR_GRAPHATTRDEFS_TD
