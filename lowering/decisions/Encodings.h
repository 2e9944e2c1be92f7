// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the movement ops of a fusion say of how its operands lie in memory.

#ifndef ZENITH_LOWERING_DECISIONS_ENCODINGS_H
#define ZENITH_LOWERING_DECISIONS_ENCODINGS_H

#include "ir/GraphOps.h"

namespace zenith::decisions {

/// The matrix B of a product; of a convolution with a transformed filter, that
/// of its points.
mlir::Value matrixOfB(mlir::Operation *anchor);

/// An encoding (ir/attributes/EncodingAttrs.h), or unit, for each operand:
/// packed panels and transformed filters, by the ops that undo them. Null where
/// no operand is encoded.
mlir::ArrayAttr encodingsOf(graph::FusionOp fusion);

/// Writes them as `graph.encodings`. Fails, with sched_c7, where the fusion
/// brings others.
mlir::LogicalResult writeEncodings(graph::FusionOp fusion);

} // namespace zenith::decisions

#endif // ZENITH_LOWERING_DECISIONS_ENCODINGS_H
