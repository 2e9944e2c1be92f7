// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rewrites of movement that several passes apply, and what they ask of it.

#ifndef ZENITH_IR_MATCHERS_MOVEMENTREWRITES_H
#define ZENITH_IR_MATCHERS_MOVEMENTREWRITES_H

#include "ir/GraphOps.h"
#include "mlir/IR/PatternMatch.h"

namespace zenith::graph {

/// Whether `op` gives the same elements in the same order another static shape:
/// a reshape, or a broadcast that only adds dimensions of size 1.
bool isStaticRename(mlir::Operation *op);

/// A transpose that moves only dimensions of size 1 keeps the order of
/// elements: it becomes a reshape, which merges with others.
llvm::LogicalResult transposeByReshape(TransposeOp op,
                                       mlir::PatternRewriter &rewriter);

} // namespace zenith::graph

#endif // ZENITH_IR_MATCHERS_MOVEMENTREWRITES_H
