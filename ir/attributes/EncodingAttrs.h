// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Forms of operands in memory, as attributes: #graph.panels, #graph.winograd.

#ifndef ZENITH_IR_ATTRIBUTES_ENCODINGATTRS_H
#define ZENITH_IR_ATTRIBUTES_ENCODINGATTRS_H

#include "mlir/IR/Attributes.h"
#include "mlir/IR/OpImplementation.h"

#define GET_ATTRDEF_CLASSES
#include "ir/attributes/EncodingAttrs.h.inc"

#endif // ZENITH_IR_ATTRIBUTES_ENCODINGATTRS_H
