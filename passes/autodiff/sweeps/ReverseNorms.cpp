// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cotangents of norms. The forward part computes mean and deviation of each row
// for both parts, and its result from them: the result is elementwise then, and
// need not be kept beside the operand.

#include "passes/autodiff/composites/NormGradients.h"
#include "passes/autodiff/sweeps/PullBack.h"
#include "passes/autodiff/sweeps/ReverseSweep.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::autodiff {

llvm::Error ReverseSweep::visitNorm(Operation *op, Value cotangent) {
  OpBuilder before(op);
  RuleBuilder forward(before, op->getLoc()), rule(builder, op->getLoc());
  NormParts parts = normPartsOf(op, forward);
  op->getResult(0).replaceAllUsesWith(normResult(op, forward, parts));
  Derivatives sums = pullBack(
      builder, op->getLoc(), op->getOperands(), activeAmong(op->getOperands()),
      {cotangent}, [&](ArrayRef<Value> tangents) -> Derivatives {
        Value tangent = normTangent(op, rule, parts, tangents);
        return SmallVector<Value>{rule.convert(
            tangent, cast<RankedTensorType>(op->getResult(0).getType())
                         .getElementType())};
      });
  if (!sums)
    return sums.takeError();
  for (auto [operand, sum] : llvm::zip(op->getOperands(), *sums))
    accumulate(operand, sum);
  return llvm::Error::success();
}

} // namespace zenith::autodiff
