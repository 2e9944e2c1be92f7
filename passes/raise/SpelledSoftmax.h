// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Softmax as graphs spell it out.

#ifndef ZENITH_PASSES_RAISE_SPELLEDSOFTMAX_H
#define ZENITH_PASSES_RAISE_SPELLEDSOFTMAX_H

#include "ir/GraphOps.h"
#include "passes/raise/NearMiss.h"

namespace zenith::raise {

/// exp(x - max(x)) / sum(exp(x - max(x))), whoever else reads its inner values.
/// Gives the sum, and in `shifted` x - max(x).
mlir::LogicalResult findSoftmax(graph::DivOp op, graph::ReduceOp &sum,
                                graph::SubOp &shifted, NearMiss &miss);

} // namespace zenith::raise

#endif // ZENITH_PASSES_RAISE_SPELLEDSOFTMAX_H
