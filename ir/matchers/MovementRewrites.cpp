// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rewrites of movement that several passes apply, and what they ask of it.

#include "ir/matchers/MovementRewrites.h"

using namespace mlir;

namespace zenith::graph {

bool isStaticRename(Operation *op) {
  auto broadcast = dyn_cast<BroadcastOp>(op);
  if (!isa<ReshapeOp>(op) &&
      !(broadcast && llvm::is_sorted(broadcast.getMapping())))
    return false;
  auto from = cast<RankedTensorType>(op->getOperand(0).getType()),
       to = cast<RankedTensorType>(op->getResult(0).getType());
  return from.hasStaticShape() && to.hasStaticShape() &&
         from.getNumElements() == to.getNumElements();
}

LogicalResult transposeByReshape(TransposeOp op, PatternRewriter &rewriter) {
  auto from = cast<RankedTensorType>(op.getOperand().getType());
  int64_t last = -1;
  for (int64_t source : op.getPermutation()) {
    if (from.getDimSize(source) == 1)
      continue;
    if (source < last)
      return failure();
    last = source;
  }
  SmallVector<Value> dims;
  for (int64_t source : op.getPermutation())
    if (from.isDynamicDim(source))
      dims.push_back(
          rewriter.create<DimOp>(op.getLoc(), op.getOperand(), source));
  rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), op.getOperand(),
                                         dims);
  return success();
}

} // namespace zenith::graph
