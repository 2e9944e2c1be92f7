// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Regions on scalars that read values which vary: such values become operands
// of the op, one element where the region runs.

#ifndef ZENITH_PASSES_BATCHING_REGIONOPERANDS_H
#define ZENITH_PASSES_BATCHING_REGIONOPERANDS_H

#include "passes/batching/Batcher.h"

namespace zenith::batching {

/// The values of the function that is read which the regions of `op` read and
/// which vary. Fails with a message where one is no scalar: the region cannot
/// get it element by element.
llvm::FailureOr<llvm::SmallVector<mlir::Value>>
varyingCaptures(Batcher &batcher, mlir::Operation *op);

/// A scalar zero of an element type.
mlir::Value zeroScalar(Batcher &batcher, mlir::Type element);

/// Clones the ops of `body` into `target`, an empty block that has its
/// arguments already, and gives the values that stand for those it yields.
/// `arguments` stand for its arguments, `captures` for `captured`.
llvm::SmallVector<mlir::Value> cloneBody(Batcher &batcher, mlir::Block &body,
                                         mlir::Block *target,
                                         mlir::ValueRange arguments,
                                         mlir::ValueRange captured,
                                         mlir::ValueRange captures);

} // namespace zenith::batching

#endif // ZENITH_PASSES_BATCHING_REGIONOPERANDS_H
