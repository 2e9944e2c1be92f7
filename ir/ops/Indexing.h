// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gathers that are functions of their indices.

#ifndef ZENITH_IR_OPS_INDEXING_H
#define ZENITH_IR_OPS_INDEXING_H

#include "mlir/IR/Operation.h"

namespace zenith::graph {

/// True for a gather that looks each byte of its indices up in a table of bytes
/// that is in memory: an elementwise function of the indices.
bool isByteLookup(mlir::Operation *op);

} // namespace zenith::graph

#endif // ZENITH_IR_OPS_INDEXING_H
