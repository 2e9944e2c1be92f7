// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares the batched forms of reductions with regions.

#ifndef ZENITH_PASSES_BATCHING_BATCHREDUCEWITH_H
#define ZENITH_PASSES_BATCHING_BATCHREDUCEWITH_H

#include "passes/batching/Batcher.h"
#include "passes/batching/RowDims.h"

namespace zenith::batching {

llvm::LogicalResult batchReduceWith(graph::ReduceWithOp op, Batcher &batcher);
llvm::LogicalResult batchReduceWindowWith(graph::ReduceWindowWithOp op,
                                          Batcher &batcher);

/// Gives the attributes of a window an entry for the rows, which it takes one
/// by one.
template <typename Op> void prefixWindow(Op op) {
  op.setWindow(prefixed(1, op.getWindow()));
  op.setStrides(prefixed(1, op.getStrides()));
  op.setLow(prefixed(0, op.getLow()));
  op.setHigh(prefixed(0, op.getHigh()));
  op.setBaseDilation(prefixed(1, op.getBaseDilation()));
  op.setDilation(prefixed(1, op.getDilation()));
}

} // namespace zenith::batching

#endif // ZENITH_PASSES_BATCHING_BATCHREDUCEWITH_H
