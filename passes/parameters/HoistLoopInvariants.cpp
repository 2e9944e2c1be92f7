// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes and packs before a loop what its body would in every iteration.

#include "ir/GraphOps.h"
#include "ir/matchers/ParameterDependence.h"
#include "ir/matchers/TypeOf.h"
#include "ir/target/TargetModel.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/GraphPasses.h"
#include "passes/parameters/PackMatmuls.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith {
#define GEN_PASS_DEF_HOISTLOOPINVARIANTSPASS
#include "passes/GraphPasses.h.inc"
} // namespace zenith

namespace zenith::parameters {

static bool isOutside(Value value, WhileOp loop) {
  return !loop->isAncestor(value.getParentBlock()->getParentOp());
}

static void packInvariants(WhileOp loop, int64_t panel) {
  for (auto op : llvm::make_early_inc_range(
           loop.getBody().front().getOps<DotGeneralOp>())) {
    Value weights = op.getRhs();
    if (!isOutside(weights, loop) || isFixed(weights) ||
        !isa<FloatType>(typeOf(weights).getElementType()))
      continue;
    OpBuilder before(loop);
    packMatmul(op, {panel}, before);
  }
}

/// False for movement and for ops that write more than they read: these cost
/// least next to their readers.
static bool isWorthHoisting(Operation *op) {
  if (isa<BroadcastOp, ReshapeOp, SliceOp, PadOp, ConcatOp, ReverseOp>(op))
    return false;
  int64_t read = 0, written = 0;
  for (Value operand : op->getOperands()) {
    if (!typeOf(operand).hasStaticShape())
      return false;
    read += typeOf(operand).getNumElements();
  }
  for (Value result : op->getResults()) {
    if (!typeOf(result).hasStaticShape() || typeOf(result).getRank() == 0)
      return false;
    written += typeOf(result).getNumElements();
  }
  return written <= read;
}

static void hoistInvariants(WhileOp loop) {
  llvm::DenseSet<Operation *> invariant, moves;
  Block &body = loop.getBody().front();
  auto isKnown = [&](Value value) {
    return isOutside(value, loop) || invariant.contains(value.getDefiningOp());
  };
  // The terminator stays even if all its operands are invariant.
  for (Operation &op : body.without_terminator())
    if (familyOf(&op) && !op.getNumRegions() && isPure(&op) &&
        llvm::all_of(op.getOperands(), isKnown))
      invariant.insert(&op);
  // Backwards: an op moves with the ops that it depends on.
  for (Operation &op : llvm::reverse(body))
    if (invariant.contains(&op) &&
        (isWorthHoisting(&op) || llvm::any_of(op.getUsers(), [&](Operation *u) {
           return moves.contains(u);
         })))
      moves.insert(&op);
  for (Operation &op : llvm::make_early_inc_range(body))
    if (moves.contains(&op))
      op.moveBefore(loop);
}

namespace {

struct HoistLoopInvariantsPass
    : impl::HoistLoopInvariantsPassBase<HoistLoopInvariantsPass> {
  using HoistLoopInvariantsPassBase::HoistLoopInvariantsPassBase;

  void runOnOperation() override {
    if (panel < 0) {
      getOperation().emitError()
          << "panel: got " << panel.getValue() << ", expected at least 0";
      return signalPassFailure();
    }
    // Without a target, nothing says how wide a panel is.
    graph::TargetAttr target = target::targetOf(getOperation());
    int64_t columns = panel    ? panel.getValue()
                      : target ? int64_t(target.getModel().nr)
                               : 0;
    // Inner loops first: what they hoist may be invariant in outer loops too.
    getOperation().walk([&](WhileOp loop) {
      hoistInvariants(loop);
      if (columns > 0)
        packInvariants(loop, columns);
    });
  }
};

} // namespace
} // namespace zenith::parameters
