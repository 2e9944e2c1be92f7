// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Takes regions of control ops apart: what the rewrites of control share.

#ifndef ZENITH_IR_MATCHERS_REGIONINLINING_H
#define ZENITH_IR_MATCHERS_REGIONINLINING_H

#include "ir/GraphOps.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/BitVector.h"

namespace zenith::graph {

/// `value`, known to have dimensions that fit `type`, as a value of that type.
mlir::Value asType(mlir::OpBuilder &builder, mlir::Location loc,
                   mlir::Value value, mlir::Type type);

/// Puts the ops of a region without arguments in the place of `op`, whose
/// results its yielded values become.
void replaceByRegion(mlir::Operation *op, mlir::Region &region,
                     mlir::PatternRewriter &rewriter);

/// The loop without the carried values in `dropped`. Precondition: nobody but
/// dead ops of the body uses their arguments and results.
void dropCarried(graph::WhileOp loop, const llvm::BitVector &dropped,
                 mlir::PatternRewriter &rewriter);

} // namespace zenith::graph

#endif // ZENITH_IR_MATCHERS_REGIONINLINING_H
