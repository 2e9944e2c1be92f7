// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Derivatives of reductions: sums are linear, extremes choose elements, and
// products leave one factor out without dividing by it.

#include "ir/matchers/TypeOf.h"
#include "passes/autodiff/GradientRule.h"
#include "passes/autodiff/WindowGradients.h"
#include "passes/autodiff/sweeps/LinearRecurrence.h"
#include "passes/raise/SpelledForms.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::autodiff {

using Values = SmallVector<Value>;

/// Sums, products, maxima and minima have derivatives; the others are of
/// integers and booleans.
static bool hasDerivative(ReduceKind kind) {
  return kind == ReduceKind::sum || kind == ReduceKind::prod ||
         kind == ReduceKind::max || kind == ReduceKind::min;
}

/// Equal extremes share equally.
static Value extremeTangent(RuleBuilder &rule, ReduceOp op, Value tangent) {
  Value x = op.getOperand(), y = op.getResult();
  Value isTaken =
      rule.compare(CompareDirection::eq, x, rule.repeat(y, op.getDims(), x));
  Value ones = rule.select(isTaken, rule.splat(x, 1), rule.zeros(x));
  Value count = rule.sum(ones, op.getDims());
  return rule.div(rule.sum(rule.where(isTaken, tangent), op.getDims()), count);
}

/// The product of all other elements along a dimension: of those before and
/// those after.
static Value othersProduct(RuleBuilder &rule, Value x, int64_t dim) {
  auto running = [&](bool isReverse) -> Value {
    return rule.builder.create<CumulativeOp>(rule.loc, x.getType(),
                                             ReduceKind::prod, x, dim,
                                             /*exclusive=*/true, isReverse);
  };
  return rule.mul(running(false), running(true));
}

/// One dimension after the other, the last one first, so that the numbers of
/// the others stay.
static Value productTangent(RuleBuilder &rule, ReduceOp op, Value tangent) {
  Value x = op.getOperand();
  for (int64_t dim : llvm::reverse(op.getDims())) {
    tangent = rule.sum(rule.mul(tangent, othersProduct(rule, x, dim)), {dim});
    x = rule.reduce(ReduceKind::prod, x, {dim});
  }
  return tangent;
}

static Derivatives tangentsOf(ReduceOp op, RuleBuilder &rule,
                              ArrayRef<Value> tangents) {
  if (op.getKind() == ReduceKind::sum)
    return onTangents(op, rule, tangents, {0});
  if (op.getKind() == ReduceKind::prod)
    return Values{productTangent(rule, op, tangents[0])};
  return Values{extremeTangent(rule, op, tangents[0])};
}

static Derivatives transposeOf(ReduceOp op, RuleBuilder &rule, Value ct) {
  if (op.getKind() != ReduceKind::sum)
    return notLinear(op);
  return Values{rule.repeat(ct, op.getDims(), op.getOperand())};
}

static Derivatives tangentsOf(CumulativeOp op, RuleBuilder &rule,
                              ArrayRef<Value> tangents) {
  if (op.getKind() == ReduceKind::sum)
    return onTangents(op, rule, tangents, {0});
  if (typeOf(op.getOperand()).isDynamicDim(op.getDim()))
    return refuseRule(op, "a running product or extreme along a dimension "
                          "whose size is known at run time only");
  return Values{cumulativeTangent(op, rule, tangents[0])};
}

static Derivatives transposeOf(CumulativeOp op, RuleBuilder &rule, Value ct) {
  if (op.getKind() != ReduceKind::sum)
    return notLinear(op);
  return Values{rule.builder.create<CumulativeOp>(
      rule.loc, ct.getType(), ReduceKind::sum, ct, op.getDim(),
      op.getExclusive(), !op.getReverse())};
}

static Derivatives tangentsOf(ReduceWindowOp op, RuleBuilder &rule,
                              ArrayRef<Value> tangents) {
  if (op.getKind() == ReduceKind::sum)
    return onTangents(op, rule, tangents, {0});
  return Values{windowExtremeTangent(op, rule, tangents[0])};
}

static Derivatives transposeOf(ReduceWindowOp op, RuleBuilder &rule, Value ct) {
  if (op.getKind() != ReduceKind::sum)
    return notLinear(op);
  return Values{transposeWindowSum(op, rule, ct)};
}

/// y = log(sum(exp(x))): exp(x - y) of each tangent; nothing where all are
/// -inf.
static Derivatives tangentsOf(ReduceWithOp op, RuleBuilder &rule,
                              ArrayRef<Value> tangents) {
  if (!raise::isLogAddExp(op.getBody()) || !tangents[0] || tangents[1])
    return refuseRule(op);
  Value x = op.getInputs()[0];
  Value y = rule.repeat(finiteOrZero(rule, op.getResult(0)), op.getDims(), x);
  Value share = rule.unary<ExpOp>(rule.sub(x, y));
  return Values{rule.sum(rule.mul(tangents[0], share), op.getDims())};
}

static Derivatives tangentsOf(ReduceWindowWithOp op, RuleBuilder &rule,
                              ArrayRef<Value> tangents) {
  if (!raise::isLogAddExp(op.getBody()) || !tangents[0] || tangents[1])
    return refuseRule(op);
  return Values{windowLogSumTangent(op, rule, tangents[0])};
}

// Zero or refused.
static Derivatives tangentsOf(Operation *op, RuleBuilder &, ArrayRef<Value>) {
  return refuseRule(op);
}
static Derivatives transposeOf(Operation *op, RuleBuilder &, Value) {
  return notLinear(op);
}

static GradientAnswer answerOf(ReduceWindowOp op) {
  if (!hasDerivative(op.getKind()))
    return {GradientAnswer::Zero, ""};
  return windowAnswer(op);
}
static GradientAnswer answerOf(ArgReduceOp) {
  return {GradientAnswer::Zero, ""};
}
static GradientAnswer answerOf(ReduceWithOp op) {
  if (raise::isLogAddExp(op.getBody()))
    return {};
  return {GradientAnswer::Refused, "the region of a reduce_with may compute "
                                   "anything"};
}
static GradientAnswer answerOf(ReduceWindowWithOp op) {
  if (raise::isLogAddExp(op.getBody()))
    return windowAnswer(op);
  return {GradientAnswer::Refused, "the region of a reduce_window_with may "
                                   "compute anything"};
}
template <typename Op> static GradientAnswer answerOf(Op op) {
  return {hasDerivative(op.getKind()) ? GradientAnswer::Rule
                                      : GradientAnswer::Zero,
          ""};
}

namespace {

template <typename Op>
struct ReductionGradient
    : GradientRule::ExternalModel<ReductionGradient<Op>, Op> {
  GradientAnswer gradientAnswer(Operation *op) const {
    return answerOf(cast<Op>(op));
  }
  Derivatives linearize(Operation *op, RuleBuilder &rule,
                        ArrayRef<Value> tangents) const {
    return tangentsOf(cast<Op>(op), rule, tangents);
  }
  Derivatives transpose(Operation *op, RuleBuilder &rule,
                        ArrayRef<Value> cotangents, const BitVector &) const {
    return transposeOf(cast<Op>(op), rule, cotangents[0]);
  }
};

} // namespace

void attachReductionGradients(MLIRContext *context) {
  attachAll<ReductionGradient,
#define GET_OP_LIST
#include "ir/Reduction.cpp.inc"
            >(context);
}

} // namespace zenith::autodiff
