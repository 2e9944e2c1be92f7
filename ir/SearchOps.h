// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The search dialect and its op classes, which stand beside those of GraphIR.

#ifndef ZENITH_IR_SEARCHOPS_H
#define ZENITH_IR_SEARCHOPS_H

#include "ir/GraphOps.h"

#include "ir/SearchDialect.h.inc"
#define GET_OP_CLASSES
#include "ir/SearchOps.h.inc"

#endif // ZENITH_IR_SEARCHOPS_H
