// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moves ops out of regions and rebuilds loops with fewer carried values.

#include "ir/matchers/RegionInlining.h"

#include "ir/GraphOps.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace zenith::graph {

bool hasElementRegions(Operation *op) {
  return isa<ReduceWithOp, ReduceWindowWithOp, ScatterWithOp, SortWithOp>(op);
}

Value asType(OpBuilder &builder, Location loc, Value value, Type type) {
  if (value.getType() == type)
    return value;
  auto target = cast<RankedTensorType>(type);
  SmallVector<Value> dims;
  for (int64_t dim = 0; dim < target.getRank(); ++dim)
    if (target.isDynamicDim(dim))
      dims.push_back(builder.create<DimOp>(loc, value, dim));
  return builder.create<ReshapeOp>(loc, target, value, dims);
}

void replaceByRegion(Operation *op, Region &region, PatternRewriter &rewriter) {
  Block &block = region.front();
  Operation *yield = block.getTerminator();
  SmallVector<Value> values(yield->getOperands());
  rewriter.eraseOp(yield);
  rewriter.inlineBlockBefore(&block, op);
  rewriter.setInsertionPoint(op);
  for (auto [value, result] : llvm::zip(values, op->getResults()))
    value = asType(rewriter, op->getLoc(), value, result.getType());
  rewriter.replaceOp(op, values);
}

/// Erases unused ops and those that only they use.
static void eraseDeadOps(Block &block, PatternRewriter &rewriter) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isOpTriviallyDead(&op))
      rewriter.eraseOp(&op);
}

void dropCarried(WhileOp loop, const llvm::BitVector &dropped,
                 PatternRewriter &rewriter) {
  SmallVector<Value> inits;
  SmallVector<Type> types;
  SmallVector<OpResult> kept;
  for (OpResult result : loop.getResults())
    if (!dropped.test(result.getResultNumber())) {
      inits.push_back(loop.getInits()[result.getResultNumber()]);
      types.push_back(result.getType());
      kept.push_back(result);
    }
  Block &condition = loop.getCondition().front(),
        &body = loop.getBody().front();
  rewriter.modifyOpInPlace(body.getTerminator(), [&] {
    body.getTerminator()->eraseOperands(dropped);
  });
  for (Block *block : {&condition, &body}) {
    eraseDeadOps(*block, rewriter);
    block->eraseArguments(dropped);
  }
  rewriter.setInsertionPoint(loop);
  auto smaller = rewriter.create<WhileOp>(loop.getLoc(), types, inits);
  smaller->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  rewriter.inlineRegionBefore(loop.getCondition(), smaller.getCondition(),
                              smaller.getCondition().end());
  rewriter.inlineRegionBefore(loop.getBody(), smaller.getBody(),
                              smaller.getBody().end());
  for (auto [from, to] : llvm::zip(kept, smaller.getResults()))
    rewriter.replaceAllUsesWith(from, to);
  rewriter.eraseOp(loop);
}

} // namespace zenith::graph
