// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Follows scores from the softmax up to their matmul, and reads scales and
// masks on the way.

#include "passes/raise/AttentionScores.h"

#include "ir/GraphOps.h"
#include "ir/matchers/SplatConstant.h"
#include "ir/matchers/TypeOf.h"
#include "passes/raise/NearMiss.h"
#include <cmath>

using namespace mlir;
using namespace zenith::graph;

namespace zenith::raise {

/// True where a matmul is found through ops that may stand between it and a
/// softmax; `loose`: also through others.
static bool leadsToProduct(Value value, bool loose = false,
                           unsigned depth = 8) {
  Operation *op = value.getDefiningOp();
  if (!op || depth == 0)
    return false;
  if (isa<DotGeneralOp>(op))
    return true;
  bool isOther =
      loose && op->getNumOperands() == 1 && familyOf(op) == Family::Elementwise;
  if (!isOther &&
      !isa<MulOp, DivOp, AddOp, SelectOp, ReshapeOp, TransposeOp>(op))
    return false;
  return llvm::any_of(op->getOperands(), [&](Value operand) {
    return leadsToProduct(operand, loose, depth - 1);
  });
}

/// The operand of a step that holds the scores; null where the op is no step.
static Value scoresOf(Operation *op, NearMiss &miss) {
  if (isMove(op))
    return op->getOperand(0);
  if (isa<MulOp, DivOp>(op)) {
    if (splatValue(op->getOperand(1)))
      return op->getOperand(0);
    if (isa<MulOp>(op) && splatValue(op->getOperand(0)))
      return op->getOperand(1);
    (void)miss.at(op, "the scores are scaled by more than one number");
    return {};
  }
  if (isa<AddOp>(op))
    return leadsToProduct(op->getOperand(0)) ? op->getOperand(0)
                                             : op->getOperand(1);
  if (auto select = dyn_cast<SelectOp>(op)) {
    if (splatValue(select.getOnFalse()))
      return select.getOnTrue();
    if (splatValue(select.getOnTrue()))
      return select.getOnFalse();
    (void)miss.at(op, "masked scores become more than one number");
    return {};
  }
  (void)miss.at(op, "'" + op->getName().getStringRef() +
                        "' stands between the product and the softmax");
  return {};
}

LogicalResult findScores(Value scores, ScoreChain &chain, NearMiss &miss,
                         bool shared) {
  // A softmax of anything else is no attempt at attention.
  if (!leadsToProduct(scores, /*loose=*/true))
    return failure();
  while (Operation *op = scores.getDefiningOp()) {
    if (!shared && !scores.hasOneUse())
      return miss.at(op, "the scores have other readers");
    if (auto product = dyn_cast<DotGeneralOp>(op)) {
      chain.product = product;
      std::reverse(chain.steps.begin(), chain.steps.end());
      return success();
    }
    scores = scoresOf(op, miss);
    if (!scores)
      return failure();
    chain.steps.push_back(op);
  }
  return failure();
}

static LogicalResult addBias(AddOp add, ScoreMask &mask, NearMiss &miss) {
  if (mask.kept || mask.causal)
    return miss.at(add, "scores are masked and then added to");
  Value other = leadsToProduct(add.getLhs()) ? add.getRhs() : add.getLhs();
  if (mask.bias)
    return miss.at(add, "scores are added to twice");
  mask.bias = other;
  return success();
}

static LogicalResult addSelection(SelectOp select, unsigned query, unsigned key,
                                  ScoreMask &mask, NearMiss &miss) {
  std::optional<double> onFalse = splatValue(select.getOnFalse());
  double removed = onFalse ? *onFalse : *splatValue(select.getOnTrue());
  bool isLowest = std::isinf(removed) && removed < 0;
  if (typeOf(select.getPred()).getRank() == 0)
    return miss.at(select, "one condition masks all scores");
  // Each row attends to some key, so a removed score that is low enough acts as
  // -inf.
  auto type = typeOf(select);
  int64_t queries = type.getDimSize(query), keys = type.getDimSize(key);
  bool seesKeys = !ShapedType::isDynamic(queries) && queries <= keys;
  bool isFirst = !mask.bias && !mask.kept;
  if (onFalse && !mask.causal &&
      (isLowest || (isFirst && removed <= -1e9 && seesKeys)) &&
      isCausal(select.getPred(), query, key)) {
    mask.causal = true;
    return success();
  }
  if (mask.causal && !isLowest)
    return miss.at(select, "scores are masked by two numbers");
  if (mask.bias || mask.kept)
    return miss.at(select, "scores are masked twice");
  mask.kept = select.getPred();
  mask.keptNegated = !onFalse;
  mask.removed = removed;
  return success();
}

LogicalResult addScoreStep(Operation *step, unsigned query, unsigned key,
                           double &scale, ScoreMask &mask, NearMiss &miss) {
  if (isMove(step))
    return success();
  if (auto add = dyn_cast<AddOp>(step))
    return addBias(add, mask, miss);
  if (auto select = dyn_cast<SelectOp>(step))
    return addSelection(select, query, key, mask, miss);
  if (mask.bias || mask.kept || mask.causal)
    return miss.at(step, "masked scores are scaled");
  std::optional<double> number = splatValue(step->getOperand(1));
  if (!number)
    number = splatValue(step->getOperand(0));
  double factor = isa<DivOp>(step) ? 1 / *number : *number;
  if (!std::isfinite(factor) || factor == 0)
    return miss.at(step, "the scale is zero or not finite");
  scale *= factor;
  return success();
}

} // namespace zenith::raise
