// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which regions are code of single elements; inlines regions of control ops and
// drops loop-carried values.

#ifndef ZENITH_IR_MATCHERS_REGIONINLINING_H
#define ZENITH_IR_MATCHERS_REGIONINLINING_H

#include "ir/GraphOps.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/BitVector.h"

namespace zenith::graph {

/// Whether the regions of the op take and yield single elements (combiners of
/// reductions and scatters, comparators of sorts): they become code of kernels,
/// which has no control flow.
bool hasElementRegions(mlir::Operation *op);

/// `value`, known to have dimensions that fit `type`, as a value of that type.
mlir::Value asType(mlir::OpBuilder &builder, mlir::Location loc,
                   mlir::Value value, mlir::Type type);

/// Replaces `op` by the ops of a region without arguments, and its results by
/// the yielded values.
void replaceByRegion(mlir::Operation *op, mlir::Region &region,
                     mlir::PatternRewriter &rewriter);

/// Rebuilds the loop without the loop-carried values in `dropped`.
/// Precondition: only dead ops of the body use their arguments and results.
void dropCarried(graph::WhileOp loop, const llvm::BitVector &dropped,
                 mlir::PatternRewriter &rewriter);

} // namespace zenith::graph

#endif // ZENITH_IR_MATCHERS_REGIONINLINING_H
