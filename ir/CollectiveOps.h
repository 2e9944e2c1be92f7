// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Op classes of the Collective family, apart from the others: few readers need
// them.

#ifndef ZENITH_IR_COLLECTIVEOPS_H
#define ZENITH_IR_COLLECTIVEOPS_H

#include "ir/GraphOps.h"

#define GET_OP_CLASSES
#include "ir/CollectiveOps.h.inc"

#endif // ZENITH_IR_COLLECTIVEOPS_H
