// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One formula per function.

#include "passes/autodiff/ElementwiseFactors.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::autodiff {

static Value reciprocal(RuleBuilder &rule, Value x) {
  return rule.div(rule.splat(x, 1), x);
}

/// x + 1.
static Value above(RuleBuilder &rule, Value x) {
  return rule.add(x, rule.splat(x, 1));
}

/// 1 - x.
static Value below(RuleBuilder &rule, Value x) {
  return rule.sub(rule.splat(x, 1), x);
}

Value factorOf(ExpOp op, RuleBuilder &) { return op.getResult(); }

Value factorOf(Expm1Op op, RuleBuilder &rule) {
  return above(rule, op.getResult());
}

Value factorOf(LogOp op, RuleBuilder &rule) {
  return reciprocal(rule, op.getOperand());
}

Value factorOf(Log1pOp op, RuleBuilder &rule) {
  return reciprocal(rule, above(rule, op.getOperand()));
}

Value factorOf(SqrtOp op, RuleBuilder &rule) {
  Value y = op.getResult();
  return rule.div(rule.splat(y, 0.5), y);
}

Value factorOf(RsqrtOp op, RuleBuilder &rule) {
  Value y = op.getResult();
  return rule.scale(rule.div(y, op.getOperand()), -0.5);
}

Value factorOf(CbrtOp op, RuleBuilder &rule) {
  Value y = op.getResult();
  return rule.div(rule.splat(y, 1.0 / 3), rule.square(y));
}

Value factorOf(SinOp op, RuleBuilder &rule) {
  return rule.unary<CosOp>(op.getOperand());
}

Value factorOf(CosOp op, RuleBuilder &rule) {
  return rule.neg(rule.unary<SinOp>(op.getOperand()));
}

Value factorOf(TanOp op, RuleBuilder &rule) {
  return above(rule, rule.square(op.getResult()));
}

Value factorOf(AsinOp op, RuleBuilder &rule) {
  Value x = op.getOperand();
  return rule.unary<RsqrtOp>(rule.mul(below(rule, x), above(rule, x)));
}

Value factorOf(AcosOp op, RuleBuilder &rule) {
  Value x = op.getOperand();
  return rule.neg(
      rule.unary<RsqrtOp>(rule.mul(below(rule, x), above(rule, x))));
}

Value factorOf(AtanOp op, RuleBuilder &rule) {
  return reciprocal(rule, above(rule, rule.square(op.getOperand())));
}

Value factorOf(SinhOp op, RuleBuilder &rule) {
  return rule.unary<CoshOp>(op.getOperand());
}

Value factorOf(CoshOp op, RuleBuilder &rule) {
  return rule.unary<SinhOp>(op.getOperand());
}

/// (1 + y) (1 - y), which is exact where y is near 1.
Value factorOf(TanhOp op, RuleBuilder &rule) {
  Value y = op.getResult();
  return rule.mul(above(rule, y), below(rule, y));
}

Value factorOf(AsinhOp op, RuleBuilder &rule) {
  return rule.unary<RsqrtOp>(above(rule, rule.square(op.getOperand())));
}

Value factorOf(AcoshOp op, RuleBuilder &rule) {
  Value x = op.getOperand();
  return rule.unary<RsqrtOp>(
      rule.mul(rule.sub(x, rule.splat(x, 1)), above(rule, x)));
}

Value factorOf(AtanhOp op, RuleBuilder &rule) {
  Value x = op.getOperand();
  return reciprocal(rule, rule.mul(below(rule, x), above(rule, x)));
}

Value factorOf(LogisticOp op, RuleBuilder &rule) {
  Value y = op.getResult();
  return rule.mul(y, below(rule, y));
}

/// 2 / sqrt(pi) exp(-x^2).
Value factorOf(ErfOp op, RuleBuilder &rule) {
  Value x = op.getOperand();
  Value power = rule.unary<ExpOp>(rule.neg(rule.square(x)));
  return rule.scale(power, 1.12837916709551257390);
}

} // namespace zenith::autodiff
