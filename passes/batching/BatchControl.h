// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares the batched forms of branches, loops, assertions and calls.

#ifndef ZENITH_PASSES_BATCHING_BATCHCONTROL_H
#define ZENITH_PASSES_BATCHING_BATCHCONTROL_H

#include "passes/batching/Batcher.h"

namespace zenith::batching {

/// An if or case: as it is where its condition is one for all rows, else all
/// branches and a select.
llvm::LogicalResult batchBranches(mlir::Operation *op, Batcher &batcher);

/// A while: where rows end at different times it runs until the last one ends,
/// and keeps what the others had by then.
llvm::LogicalResult batchLoop(graph::WhileOp op, Batcher &batcher);

/// Holds where it holds in each row that comes to it; details are those of the
/// first row where it fails.
llvm::LogicalResult batchAssertion(graph::AssertOp op, Batcher &batcher);

/// One call on batches for LAPACK, else a loop over the rows, with a remark.
llvm::LogicalResult batchCustomCall(graph::CustomCallOp op, Batcher &batcher);

/// Whether two values of the function that is read surely have one shape.
bool sameShape(mlir::Value lhs, mlir::Value rhs);

/// An op whose only region takes its operands and gives its results: the same
/// of the region with rows, which takes what it reads of outside, such as the
/// number of rows, as further operands.
llvm::FailureOr<mlir::Operation *> batchRegion(mlir::Operation *op,
                                               Batcher &batcher);

} // namespace zenith::batching

#endif // ZENITH_PASSES_BATCHING_BATCHCONTROL_H
