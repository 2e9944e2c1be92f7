// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every attribute of the graph dialect: its one parser knows all mnemonics.

#ifndef ZENITH_IR_GRAPHALLATTRS_TD
#define ZENITH_IR_GRAPHALLATTRS_TD

include "ir/GraphAttrs.td"
include "ir/GraphEnums.td"
include "ir/target/TargetAttr.td"

#endif // ZENITH_IR_GRAPHALLATTRS_TD
