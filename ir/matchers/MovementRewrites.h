// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rewrites of movement that several passes apply.

#ifndef ZENITH_IR_MATCHERS_MOVEMENTREWRITES_H
#define ZENITH_IR_MATCHERS_MOVEMENTREWRITES_H

#include "ir/GraphOps.h"
#include "mlir/IR/PatternMatch.h"

namespace zenith::graph {

/// A transpose that moves only dimensions of size 1 keeps the order of
/// elements: it becomes a reshape, which merges with others.
llvm::LogicalResult transposeByReshape(TransposeOp op,
                                       mlir::PatternRewriter &rewriter);

} // namespace zenith::graph

#endif // ZENITH_IR_MATCHERS_MOVEMENTREWRITES_H
