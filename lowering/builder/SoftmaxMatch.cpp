// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds exp(x - max(x)) and its division by its sum through movement.

#include "lowering/builder/SoftmaxMatch.h"
#include "ir/GraphOps.h"
#include "ir/ops/CompositeFormulas.h"

using namespace mlir;

namespace zenith::kernels {

static Value throughMovement(Value value) {
  while (auto *op = value.getDefiningOp()) {
    if (!isa<graph::BroadcastOp, graph::ReshapeOp>(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

bool isShiftedExp(Operation *op) {
  if (!isa<graph::ExpOp>(op))
    return false;
  auto sub = op->getOperand(0).getDefiningOp<graph::SubOp>();
  auto max =
      sub ? throughMovement(sub.getRhs()).getDefiningOp<graph::ReduceOp>()
          : nullptr;
  return max && max.getKind() == graph::ReduceKind::max &&
         max.getOperand() == sub.getLhs() &&
         !getElementTypeOrSelf(max.getType()).isF64();
}

bool isFastExp(Operation *op) {
  return isShiftedExp(op) && op->hasAttr(graph::fastFormAttrName);
}

bool isShareOfSum(Operation *op) {
  if (!isa<graph::DivOp>(op))
    return false;
  Operation *share = op->getOperand(0).getDefiningOp();
  auto sum =
      throughMovement(op->getOperand(1)).getDefiningOp<graph::ReduceOp>();
  return share && isFastExp(share) && sum &&
         sum.getKind() == graph::ReduceKind::sum &&
         sum.getOperand() == op->getOperand(0);
}

} // namespace zenith::kernels
