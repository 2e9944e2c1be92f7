// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packs and computes in front of a loop what its body would at every step.

#include "lowering/program/LoopInvariants.h"
#include "ir/matchers/ParameterDependence.h"
#include "passes/parameters/PackedMatmuls.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace zenith::pipeline {

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

static bool isOutside(Value value, graph::WhileOp loop) {
  return !loop->isAncestor(value.getParentBlock()->getParentOp());
}

void packInvariants(graph::WhileOp loop, int64_t panel) {
  for (auto op : llvm::make_early_inc_range(
           loop.getBody().front().getOps<graph::DotGeneralOp>())) {
    Value weights = op.getRhs();
    if (!isOutside(weights, loop) || graph::isFixed(weights) ||
        !isa<FloatType>(typeOf(weights).getElementType()))
      continue;
    OpBuilder before(loop);
    layout::packProduct(op, {panel}, before);
  }
}

/// Movement, and what makes much of little, costs least where it is used.
static bool isWorthKeeping(Operation *op) {
  if (isa<graph::BroadcastOp, graph::ReshapeOp, graph::SliceOp, graph::PadOp,
          graph::ConcatOp, graph::ReverseOp>(op))
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

void hoistInvariants(graph::WhileOp loop) {
  llvm::DenseSet<Operation *> invariant, moves;
  Block &body = loop.getBody().front();
  auto isKnown = [&](Value value) {
    return isOutside(value, loop) || invariant.contains(value.getDefiningOp());
  };
  // A yield of nothing but such values stays all the same.
  for (Operation &op : body.without_terminator())
    if (graph::familyOf(&op) && !op.getNumRegions() && isPure(&op) &&
        llvm::all_of(op.getOperands(), isKnown))
      invariant.insert(&op);
  // Backwards: with an op goes what it rests on.
  for (Operation &op : llvm::reverse(body))
    if (invariant.contains(&op) &&
        (isWorthKeeping(&op) || llvm::any_of(op.getUsers(), [&](Operation *u) {
           return moves.contains(u);
         })))
      moves.insert(&op);
  for (Operation &op : llvm::make_early_inc_range(body))
    if (moves.contains(&op))
      op.moveBefore(loop);
}

} // namespace zenith::pipeline
