// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides branches with known conditions and drops loop-carried values that
// nothing needs.

#include "ir/GraphOps.h"
#include "ir/matchers/RegionInlining.h"
#include "ir/matchers/SplatConstant.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/PatternMatch.h"
#include "passes/GraphPasses.h"
#include "passes/RewriteGreedily.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith {
#define GEN_PASS_DEF_SIMPLIFYCONTROLPASS
#include "passes/GraphPasses.h.inc"
} // namespace zenith

namespace zenith::simplify {

static LogicalResult decideIf(IfOp op, PatternRewriter &rewriter) {
  std::optional<double> condition = splatValue(op.getCondition());
  if (!condition)
    return failure();
  replaceByRegion(op, *condition != 0 ? op.getThenRegion() : op.getElseRegion(),
                  rewriter);
  return success();
}

static LogicalResult decideCase(CaseOp op, PatternRewriter &rewriter) {
  size_t last = op.getBranches().size() - 1, chosen = last;
  std::optional<double> index = splatValue(op.getIndex());
  if (!index && last != 0)
    return failure();
  if (index && *index >= 0 && *index < double(last))
    chosen = size_t(*index);
  replaceByRegion(op, op.getBranches()[chosen], rewriter);
  return success();
}

/// A result for which all branches yield the same value from outside is that
/// value.
static LogicalResult sameInAllBranches(Operation *op,
                                       PatternRewriter &rewriter) {
  bool changed = false;
  for (OpResult result : op->getResults()) {
    auto yielded = [&](Region &region) {
      return region.front().getTerminator()->getOperand(
          result.getResultNumber());
    };
    Value first = yielded(op->getRegion(0));
    if (result.use_empty() ||
        op->isAncestor(first.getParentRegion()->getParentOp()) ||
        !llvm::all_of(op->getRegions(),
                      [&](Region &region) { return yielded(region) == first; }))
      continue;
    rewriter.setInsertionPoint(op);
    rewriter.replaceAllUsesWith(
        result, asType(rewriter, op->getLoc(), first, result.getType()));
    changed = true;
  }
  return success(changed);
}

/// Yields only the results of a branch that are used.
static LogicalResult dropUnusedResults(Operation *op,
                                       PatternRewriter &rewriter) {
  llvm::BitVector unused(op->getNumResults());
  SmallVector<Type> types;
  SmallVector<OpResult> kept;
  for (OpResult result : op->getResults())
    if (result.use_empty()) {
      unused.set(result.getResultNumber());
    } else {
      types.push_back(result.getType());
      kept.push_back(result);
    }
  if (unused.none())
    return failure();
  OperationState state(op->getLoc(), op->getName(), op->getOperands(), types,
                       op->getDiscardableAttrDictionary().getValue());
  for (Region &region : op->getRegions()) {
    Operation *yield = region.front().getTerminator();
    rewriter.modifyOpInPlace(yield, [&] { yield->eraseOperands(unused); });
    rewriter.inlineRegionBefore(region, *state.addRegion(),
                                state.regions.back()->end());
  }
  Operation *smaller = rewriter.create(state);
  for (auto [from, to] : llvm::zip(kept, smaller->getResults()))
    rewriter.replaceAllUsesWith(from, to);
  rewriter.eraseOp(op);
  return success();
}

template <typename Op>
static LogicalResult simplifyBranches(Op op, PatternRewriter &rewriter) {
  if (succeeded(sameInAllBranches(op, rewriter)))
    return success();
  return dropUnusedResults(op, rewriter);
}

/// In a region of single elements no branch is outlined: both are computed, and
/// the condition selects among their values.
static LogicalResult selectByElement(IfOp op, PatternRewriter &rewriter) {
  if (!hasElementRegions(op->getParentOp()) || !isMemoryEffectFree(op) ||
      op->walk([](WhileOp) {
          return WalkResult::interrupt();
        }).wasInterrupted())
    return failure();
  SmallVector<Value> chosen;
  for (Region &region : op->getRegions()) {
    Block &block = region.front();
    Operation *yield = block.getTerminator();
    chosen.append(yield->operand_begin(), yield->operand_end());
    rewriter.eraseOp(yield);
    rewriter.inlineBlockBefore(&block, op);
  }
  SmallVector<Value> values;
  unsigned count = op->getNumResults();
  for (unsigned i = 0; i < count; ++i)
    values.push_back(rewriter.create<SelectOp>(
        op.getLoc(), op->getResult(i).getType(), op.getCondition(), chosen[i],
        chosen[count + i]));
  rewriter.replaceOp(op, values);
  return success();
}

static LogicalResult neverRuns(WhileOp loop, PatternRewriter &rewriter) {
  Operation *yield = loop.getCondition().front().getTerminator();
  std::optional<double> condition = splatValue(yield->getOperand(0));
  if (!condition || *condition != 0)
    return failure();
  SmallVector<Value> values;
  for (auto [init, type] : llvm::zip(loop.getInits(), loop.getResultTypes()))
    values.push_back(asType(rewriter, loop.getLoc(), init, type));
  rewriter.replaceOp(loop, values);
  return success();
}

/// A loop-carried value that the body passes on unchanged is its initial value
/// everywhere.
static LogicalResult captureUnchanged(WhileOp loop, PatternRewriter &rewriter) {
  llvm::BitVector unchanged(loop.getNumResults());
  Block &body = loop.getBody().front();
  for (auto [i, next] : llvm::enumerate(body.getTerminator()->getOperands()))
    if (next == body.getArgument(i) || next == loop.getInits()[i])
      unchanged.set(i);
  if (unchanged.none())
    return failure();
  rewriter.setInsertionPoint(loop);
  for (unsigned i : unchanged.set_bits()) {
    Value init = asType(rewriter, loop.getLoc(), loop.getInits()[i],
                        loop.getResult(i).getType());
    rewriter.replaceAllUsesWith(body.getArgument(i), init);
    rewriter.replaceAllUsesWith(loop.getCondition().front().getArgument(i),
                                init);
    rewriter.replaceAllUsesWith(loop.getResult(i), init);
  }
  dropCarried(loop, unchanged, rewriter);
  return success();
}

namespace {

/// The loop-carried values that reach a used result, the condition or an
/// effect.
class LiveCarried {
public:
  explicit LiveCarried(WhileOp loop) : loop(loop), live(loop.getNumResults()) {
    for (OpResult result : loop.getResults())
      if (!result.use_empty())
        reach(result.getResultNumber());
    need(loop.getCondition().front().getTerminator());
    for (Region &region : loop->getRegions())
      for (Operation &op : region.front().without_terminator())
        if (!isMemoryEffectFree(&op))
          need(&op);
    while (!pending.empty())
      need(pending.pop_back_val());
  }

  llvm::BitVector dead() const {
    llvm::BitVector result(live);
    return result.flip();
  }

private:
  void reach(unsigned carried) {
    if (live.test(carried))
      return;
    live.set(carried);
    need(loop.getBody().front().getTerminator()->getOperand(carried));
  }

  /// Everything that `op` uses, also inside its regions.
  void need(Operation *op) {
    if (!seen.insert(op).second)
      return;
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        need(operand);
    });
  }

  void need(Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      if (argument.getOwner()->getParentOp() == loop)
        reach(argument.getArgNumber());
    } else if (Operation *op = value.getDefiningOp();
               op->getParentOp() == loop && !seen.contains(op)) {
      pending.push_back(op);
    }
  }

  WhileOp loop;
  llvm::BitVector live;
  llvm::DenseSet<Operation *> seen;
  SmallVector<Operation *> pending;
};

} // namespace

static LogicalResult dropDeadCarried(WhileOp loop, PatternRewriter &rewriter) {
  llvm::BitVector dead = LiveCarried(loop).dead();
  if (dead.none())
    return failure();
  dropCarried(loop, dead, rewriter);
  return success();
}

namespace {

struct SimplifyControlPass
    : impl::SimplifyControlPassBase<SimplifyControlPass> {
  using SimplifyControlPassBase::SimplifyControlPassBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal())
      return;
    RewritePatternSet patterns(&getContext());
    patterns.add(decideIf);
    patterns.add(decideCase);
    patterns.add(simplifyBranches<IfOp>);
    patterns.add(simplifyBranches<CaseOp>);
    patterns.add(selectByElement);
    patterns.add(neverRuns);
    patterns.add(captureUnchanged);
    patterns.add(dropDeadCarried);
    if (failed(rewriteGreedily(function, std::move(patterns))))
      function.emitWarning() << "simplification stopped before it was done";
  }
};

} // namespace
} // namespace zenith::simplify
