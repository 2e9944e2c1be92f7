// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rewrites tanh of softplus, as in mish, with one exponential instead of three
// functions.

#include "passes/raise/RaiseMish.h"
#include "ir/GraphOps.h"
#include "ir/matchers/SplatConstant.h"
#include "ir/matchers/SplitOperands.h"
#include "ir/matchers/TypeOf.h"
#include "ir/ops/CompositeFormulas.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::raise {

template <typename Op> static Value operandOf(Value value) {
  auto op = value ? value.getDefiningOp<Op>() : Op();
  return op ? op->getOperand(0) : Value();
}

template <typename Op>
static Value besideConstant(Value value, double constant) {
  auto op = value ? value.getDefiningOp<Op>() : Op();
  if (!op)
    return {};
  auto split =
      splitOperands(op, [&](Value x) { return splatValue(x) == constant; });
  return split ? split->first : Value();
}

/// The x of log(1 + exp(x)), also as max(x, 0) + log1p(exp(-|x|)); null where
/// the value is something else.
static Value argumentOfSoftplus(Value value) {
  if (Value x = operandOf<ExpOp>(operandOf<Log1pOp>(value)))
    return x;
  if (Value x =
          operandOf<ExpOp>(besideConstant<AddOp>(operandOf<LogOp>(value), 1)))
    return x;
  auto sum = value.getDefiningOp<AddOp>();
  auto terms =
      sum ? splitOperands(sum,
                          [](Value term) {
                            return term.getDefiningOp<Log1pOp>() != nullptr;
                          })
          : std::nullopt;
  if (!terms)
    return {};
  Value x = besideConstant<MaxOp>(terms->first, 0);
  Value tail = operandOf<ExpOp>(operandOf<Log1pOp>(terms->second));
  return x && x == operandOf<AbsOp>(operandOf<NegOp>(tail)) ? x : Value();
}

/// With e = exp(x) it is (e^2 + 2 e) / (e^2 + 2 e + 2), which is 1 long before
/// e overflows.
static LogicalResult shortenTanhOfSoftplus(TanhOp op,
                                           PatternRewriter &rewriter) {
  constexpr double isOne = 20;
  Value sum = op.getOperand();
  if (!typeOf(op).getElementType().isF32() || !sum.hasOneUse())
    return failure();
  Value x = argumentOfSoftplus(sum);
  if (!x)
    return failure();
  Location loc = op.getLoc();
  Type type = op.getType();
  auto splat = [&](double value) { return splatLike(rewriter, loc, x, value); };
  Value two = splat(2);
  Value e = rewriter.create<ExpOp>(
      loc, type, rewriter.create<MinOp>(loc, type, x, splat(isOne)));
  Value top = rewriter.create<MulOp>(loc, type, e,
                                     rewriter.create<AddOp>(loc, type, e, two));
  rewriter.replaceOpWithNewOp<DivOp>(
      op, type, top, rewriter.create<AddOp>(loc, type, top, two));
  return success();
}

void addMishPatterns(RewritePatternSet &patterns) {
  patterns.add(shortenTanhOfSoftplus);
}

} // namespace zenith::raise
