// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scores and weights are computed again where they are read: what the forward
// part computes of them is never in memory.

#include "passes/autodiff/composites/AttentionGradients.h"
#include "ir/matchers/TypeOf.h"
#include <limits>

using namespace mlir;
using namespace zenith::graph;

namespace zenith::autodiff {

namespace {

class AttentionTangent {
public:
  AttentionTangent(AttentionOp op, RuleBuilder &rule,
                   const AttentionOperands &operands)
      : op(op), rule(rule), query(rule.widened(operands.query)),
        key(rule.widened(operands.key)), value(rule.widened(operands.value)),
        mask(operands.mask), lastKey(operands.lastKey),
        rank(typeOf(query).getRank()) {}

  Value run(ArrayRef<Value> tangents);

private:
  /// query key^T, over the last dimensions.
  Value scoresOf(Value query, Value key) {
    return product(query, key, rank - 1);
  }
  /// weights value.
  Value weighted(Value weights, Value value) {
    return product(weights, value, rank - 2);
  }
  Value product(Value lhs, Value rhs, int64_t contracted);
  Value scaled(Value scores) {
    return rule.scale(scores, op.getScale().convertToDouble());
  }
  Value weightsAgain();
  Value causalMask(Value scores);
  /// Scores that masks replace do not change.
  Value kept(Value tangent);
  bool hasBooleanMask() {
    return mask && typeOf(mask).getElementType().isInteger(1);
  }

  AttentionOp op;
  RuleBuilder &rule;
  Value query, key, value, mask, lastKey;
  int64_t rank;
};

} // namespace

Value AttentionTangent::product(Value lhs, Value rhs, int64_t contracted) {
  auto leading = llvm::to_vector(llvm::seq<int64_t>(0, rank - 2));
  return rule.dot(lhs, rhs,
                  DotDimsAttr::get(rule.builder.getContext(), leading, leading,
                                   {rank - 1}, {contracted}));
}

/// Keys after query position + lastKey are not seen.
Value AttentionTangent::causalMask(Value scores) {
  Type i64 = rule.builder.getI64Type();
  Value row = rule.iota(scores, rank - 2, i64),
        column = rule.iota(scores, rank - 1, i64);
  Value last = rule.add(row, rule.broadcast(lastKey, {}, row));
  return rule.compare(CompareDirection::le, column, last);
}

Value AttentionTangent::weightsAgain() {
  Value scores = scaled(scoresOf(query, key));
  double removed = -std::numeric_limits<double>::infinity();
  if (hasBooleanMask()) {
    double number =
        op.getRemoved() ? op.getRemoved()->convertToDouble() : removed;
    scores = rule.select(mask, scores, rule.splat(scores, number));
  } else if (mask) {
    scores = rule.add(scores, rule.widened(mask));
  }
  if (op.getCausal())
    scores =
        rule.select(causalMask(scores), scores, rule.splat(scores, removed));
  Value weights = rule.builder.create<SoftmaxOp>(
      rule.loc, scores.getType(), scores, ArrayRef<int64_t>{rank - 1});
  if (!op.getGuarded())
    return weights;
  Value isNaN = rule.compare(CompareDirection::ne, weights, weights);
  return rule.unless(isNaN, weights);
}

Value AttentionTangent::kept(Value tangent) {
  if (hasBooleanMask())
    tangent = rule.where(mask, tangent);
  return op.getCausal() ? rule.where(causalMask(tangent), tangent) : tangent;
}

Value AttentionTangent::run(ArrayRef<Value> t) {
  Value weights = weightsAgain(), ofScores, result;
  if (t[0])
    ofScores = scoresOf(rule.widened(t[0]), key);
  if (t[1])
    ofScores = rule.plus(ofScores, scoresOf(query, rule.widened(t[1])));
  if (ofScores)
    ofScores = scaled(ofScores);
  if (mask && t[3])
    ofScores = rule.plus(ofScores, rule.widened(t[3]));
  if (ofScores) {
    Value change = rule.mul(kept(ofScores), weights);
    Value sum = rule.repeat(rule.sum(change, {rank - 1}), {rank - 1}, weights);
    Value ofWeights = rule.sub(change, rule.mul(sum, weights));
    result = weighted(ofWeights, value);
  }
  if (t[2])
    result = rule.plus(result, weighted(weights, rule.widened(t[2])));
  return result;
}

AttentionOperands operandsOf(AttentionOp op, RuleBuilder &rule) {
  Value query = op.getQuery(), key = op.getKey();
  int64_t rows = typeOf(query).getRank() - 2;
  Value lastKey = rule.sub(rule.dim(key, rows), rule.dim(query, rows));
  return {query, key, op.getValue(), op.getMask(), lastKey};
}

Value attentionTangent(AttentionOp op, RuleBuilder &rule,
                       const AttentionOperands &operands,
                       ArrayRef<Value> tangents) {
  return AttentionTangent(op, rule, operands).run(tangents);
}

} // namespace zenith::autodiff
