// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Derivatives of composites from their results or normalised values; f16 and
// bf16 compute in f32, as the composites do.

#include "ir/matchers/TypeOf.h"
#include "passes/autodiff/GradientRule.h"
#include "passes/autodiff/composites/AttentionGradients.h"
#include "passes/autodiff/composites/NormGradients.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::autodiff {

using Values = SmallVector<Value>;

static Value widenedOrNull(RuleBuilder &rule, Value x) {
  return x ? rule.widened(x) : x;
}

/// p * (t - sum(p * t)).
static Value tangentOf(SoftmaxOp op, RuleBuilder &rule, ArrayRef<Value> t) {
  Value p = rule.widened(op.getResult());
  Value product = rule.mul(rule.widened(t[0]), p);
  Value sum = rule.repeat(rule.sum(product, op.getDims()), op.getDims(), p);
  return rule.sub(product, rule.mul(sum, p));
}

/// t - sum(exp(y) * t).
static Value tangentOf(LogSoftmaxOp op, RuleBuilder &rule, ArrayRef<Value> t) {
  Value p = rule.unary<ExpOp>(rule.widened(op.getResult()));
  Value tangent = rule.widened(t[0]);
  Value sum = rule.sum(rule.mul(tangent, p), op.getDims());
  return rule.sub(tangent, rule.repeat(sum, op.getDims(), p));
}

static Value tangentOf(LayerNormOp op, RuleBuilder &rule, ArrayRef<Value> t) {
  return normTangent(op, rule, normPartsOf(op, rule), t);
}

static Value tangentOf(RmsNormOp op, RuleBuilder &rule, ArrayRef<Value> t) {
  return normTangent(op, rule, normPartsOf(op, rule), t);
}

/// x * factor + shift by channels: factor = scale / deviation,
/// shift = bias - mean * factor.
static Value tangentOf(BatchNormOp op, RuleBuilder &rule, ArrayRef<Value> t) {
  Value x = rule.widened(op.getOperand()), scale = rule.widened(op.getScale()),
        mean = rule.widened(op.getMean()),
        variance = rule.widened(op.getVariance());
  int64_t dim = op.getDim();
  auto repeated = [&](Value vector) {
    return rule.broadcast(vector, {dim}, x);
  };
  Value epsilon = rule.splat(variance, op.getEpsilon().convertToDouble());
  Value inverse = rule.unary<RsqrtOp>(rule.add(variance, epsilon));
  Value factor = rule.mul(scale, inverse), ofFactor, ofShift, result;
  if (t[1])
    ofFactor = rule.mul(rule.widened(t[1]), inverse);
  if (t[4]) {
    // d inverse = -inverse^3 / 2.
    Value slope = rule.scale(rule.mul(factor, rule.square(inverse)), -0.5);
    ofFactor = rule.plus(ofFactor, rule.mul(rule.widened(t[4]), slope));
  }
  ofShift = widenedOrNull(rule, t[2]);
  if (t[3])
    ofShift =
        rule.plus(ofShift, rule.neg(rule.mul(rule.widened(t[3]), factor)));
  if (t[0])
    result = rule.mul(rule.widened(t[0]), repeated(factor));
  if (ofFactor)
    result = rule.plus(
        result, rule.mul(repeated(ofFactor), rule.sub(x, repeated(mean))));
  return ofShift ? rule.plus(result, repeated(ofShift)) : result;
}

/// Beyond this, gelu is 0 or x in every type, and its formulas overflow.
static constexpr double geluReach = 40;

static Value tangentOf(GeluOp op, RuleBuilder &rule, ArrayRef<Value> t) {
  Value operand = rule.widened(op.getOperand());
  Value x = rule.builder.create<ClampOp>(
      rule.loc, operand.getType(), rule.splat(operand, -geluReach), operand,
      rule.splat(operand, geluReach));
  Value one = rule.splat(x, 1), share, slope;
  if (op.getForm() == GeluForm::erf) {
    // Phi(x) + x phi(x).
    share = rule.unary<ErfOp>(rule.scale(x, 0.70710678118654752440));
    Value power = rule.unary<ExpOp>(rule.scale(rule.square(x), -0.5));
    slope = rule.scale(power, 0.39894228040143267794);
  } else {
    // (1 + tanh u) / 2 + x u' (1 - tanh^2 u) / 2.
    double c = 0.79788456080286535588;
    Value square = rule.square(x);
    Value u =
        rule.scale(rule.mul(x, rule.add(one, rule.scale(square, 0.044715))), c);
    share = rule.unary<TanhOp>(u);
    Value inner =
        rule.scale(rule.add(one, rule.scale(square, 3 * 0.044715)), 0.5 * c);
    slope =
        rule.mul(inner, rule.mul(rule.sub(one, share), rule.add(one, share)));
  }
  Value factor =
      rule.add(rule.scale(rule.add(share, one), 0.5), rule.mul(x, slope));
  return rule.mul(rule.widened(t[0]), factor);
}

static Value tangentOf(AttentionOp op, RuleBuilder &rule, ArrayRef<Value> t) {
  return attentionTangent(op, rule, operandsOf(op, rule), t);
}

namespace {

template <typename Op>
struct CompositeGradient
    : GradientRule::ExternalModel<CompositeGradient<Op>, Op> {
  GradientAnswer gradientAnswer(Operation *) const { return {}; }
  Derivatives linearize(Operation *op, RuleBuilder &rule,
                        ArrayRef<Value> tangents) const {
    Value result = tangentOf(cast<Op>(op), rule, tangents);
    return Values{
        rule.convert(result, typeOf(op->getResult(0)).getElementType())};
  }
};

} // namespace

void attachCompositeGradients(MLIRContext *context) {
  attachAll<CompositeGradient,
#define GET_OP_LIST
#include "ir/Composite.cpp.inc"
            >(context);
}

} // namespace zenith::autodiff
