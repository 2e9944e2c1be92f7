// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Requantization folding: sums of integers are scaled, then divided by the
// scale of the next layer: (sums * scale + bias) / next = sums * (scale / next)
// + bias / next.

#include "passes/quantize/FoldRequantize.h"

#include "ir/GraphOps.h"
#include "ir/matchers/ParameterDependence.h"

#include "ir/matchers/SplatConstant.h"
#include "ir/ops/CompositeFormulas.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::quantize {

/// The splat constant that `value` is, where quotients by it stay far from both
/// ends of f32.
static std::optional<double> divisorOf(Value value) {
  std::optional<double> constant = splatValue(value);
  return constant > 0x1p-40 && constant < 0x1p40 ? constant : std::nullopt;
}

/// The quotient, computed before broadcasts, where there are the fewest
/// elements.
static Value divided(OpBuilder &builder, Value value, double divisor) {
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<BroadcastOp, ReshapeOp>(op)) {
    Value fewer = divided(builder, op->getOperand(0), divisor);
    Operation *again = builder.clone(*op);
    again->setOperand(0, fewer);
    return again->getResult(0);
  }
  Location loc = value.getLoc();
  return builder.create<DivOp>(loc, value.getType(), value,
                               splatLike(builder, loc, value, divisor));
}

/// The ops from `scaled` to a division, each the only reader of the one before;
/// empty where there is none.
static SmallVector<Operation *> stepsToDivision(Value scaled) {
  SmallVector<Operation *> steps;
  for (Value value = scaled; value.hasOneUse();) {
    OpOperand &use = *value.getUses().begin();
    Operation *op = use.getOwner();
    steps.push_back(op);
    if (isa<DivOp>(op))
      return use.getOperandNumber() == 0 && divisorOf(op->getOperand(1))
                 ? steps
                 : SmallVector<Operation *>();
    bool joins = isa<AddOp, MaxOp, MinOp>(op) &&
                 isFixed(op->getOperand(1 - use.getOperandNumber()));
    if (!joins && !isa<TransposeOp, ReshapeOp>(op))
      break;
    value = op->getResult(0);
  }
  return {};
}

void foldRequantize(Value scaled) {
  SmallVector<Operation *> steps = stepsToDivision(scaled);
  if (steps.empty())
    return;
  Operation *division = steps.pop_back_val();
  double divisor = *divisorOf(division->getOperand(1));
  auto divideOperand = [&](Operation *op, unsigned index) {
    OpBuilder builder(op);
    op->setOperand(index, divided(builder, op->getOperand(index), divisor));
  };
  divideOperand(scaled.getDefiningOp(), 1);
  Value from = scaled;
  for (Operation *step : steps) {
    if (isa<AddOp, MaxOp, MinOp>(step))
      divideOperand(step, step->getOperand(0) == from ? 1 : 0);
    from = step->getResult(0);
  }
  division->getResult(0).replaceAllUsesWith(from);
  division->erase();
}

} // namespace zenith::quantize
