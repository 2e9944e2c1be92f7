// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds gelu and softmax in graphs that spell them out; and the pass.

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "passes/GraphPasses.h"
#include "passes/cleanup/SplatValue.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith {
#define GEN_PASS_DEF_RAISECOMPOSITESPASS
#include "passes/GraphPasses.h.inc"
} // namespace zenith

namespace zenith::cleanup {

/// The x of `1 + function(...)`, given the function's operand; null where
/// `value` is anything else.
template <typename Function> static Function onePlus(Value value) {
  auto add = value.getDefiningOp<AddOp>();
  if (!add)
    return {};
  auto parts =
      splitBy(add, [](Value operand) { return splatValue(operand) == 1.0; });
  auto function =
      parts ? parts->first.template getDefiningOp<Function>() : Function();
  return function && function->hasOneUse() && add->hasOneUse() ? function
                                                               : Function();
}

/// True for sqrt(2/pi) (x + 0.044715 x^3), also as sqrt(2/pi) x (1 + 0.044715
/// x^2).
static bool isTanhArgument(Value argument, Value x) {
  Product product = productOf(argument);
  if (!isNear(product.constant, 0.7978845608028654))
    return false;
  int outer = product.powerOf(x);
  Value sum;
  for (auto [factor, power] : product.factors)
    if (factor != x)
      sum = power == 1 && !sum ? factor : Value();
  auto add = sum ? sum.getDefiningOp<AddOp>() : AddOp();
  if (!add || product.factors.size() != size_t(outer) + 1 || outer > 1)
    return false;
  for (auto [low, high] : {std::make_pair(add.getLhs(), add.getRhs()),
                           std::make_pair(add.getRhs(), add.getLhs())}) {
    Product cube = productOf(high);
    bool isLow = outer == 1 ? splatValue(low) == 1.0 : low == x;
    if (isLow && isNear(cube.constant, 0.044715) && cube.factors.size() == 1 &&
        cube.powerOf(x) == 3 - outer)
      return true;
  }
  return false;
}

/// x/2 (1 + f(g(x))), multiplied in any order.
static LogicalResult raiseGelu(MulOp op, PatternRewriter &rewriter) {
  Product product = productOf(op);
  if (!isNear(product.constant, 0.5) || product.factors.size() != 2)
    return failure();
  for (unsigned i : {0u, 1u}) {
    auto [inner, innerPower] = product.factors[i];
    auto [x, power] = product.factors[1 - i];
    if (power != 1 || innerPower != 1)
      continue;
    if (auto erf = onePlus<ErfOp>(inner)) {
      Product argument = productOf(erf.getOperand());
      if (!isNear(argument.constant, 0.7071067811865476) ||
          argument.factors.size() != 1 || argument.powerOf(x) != 1)
        continue;
      rewriter.replaceOpWithNewOp<GeluOp>(op, op.getType(), GeluForm::erf, x);
      return success();
    }
    if (auto tanh = onePlus<TanhOp>(inner);
        tanh && isTanhArgument(tanh.getOperand(), x)) {
      rewriter.replaceOpWithNewOp<GeluOp>(op, op.getType(), GeluForm::tanh, x);
      return success();
    }
  }
  return failure();
}

/// The reduction that `value` repeats along the reduced dimensions; null where
/// it doesn't, or not along these.
static ReduceOp repeatedReduction(Value value, ReduceKind kind) {
  auto broadcast = value.getDefiningOp<BroadcastOp>();
  if (!broadcast)
    return {};
  Value reduced = broadcast.getOperand();
  auto reshape = reduced.getDefiningOp<ReshapeOp>();
  if (reshape)
    reduced = reshape.getOperand();
  auto reduce = reduced.getDefiningOp<ReduceOp>();
  if (!reduce || reduce.getKind() != kind ||
      typeOf(reduce.getOperand()).getShape() != typeOf(value).getShape())
    return {};
  SmallVector<int64_t> kept, all;
  for (int64_t d = 0; d < typeOf(value).getRank(); ++d) {
    all.push_back(d);
    if (!llvm::is_contained(reduce.getDims(), d))
      kept.push_back(d);
  }
  if (!reshape)
    return broadcast.getMapping() == ArrayRef<int64_t>(kept) ? reduce
                                                             : ReduceOp();
  if (broadcast.getMapping() != ArrayRef<int64_t>(all))
    return {};
  for (int64_t d : reduce.getDims())
    if (typeOf(reshape.getResult()).getDimSize(d) != 1)
      return {};
  return reduce;
}

/// exp(x - max(x)) / sum(exp(x - max(x)))
static LogicalResult raiseSoftmax(DivOp op, PatternRewriter &rewriter) {
  auto exp = op.getLhs().getDefiningOp<ExpOp>();
  ReduceOp sum = repeatedReduction(op.getRhs(), ReduceKind::sum);
  if (!exp || !sum || sum.getOperand() != exp.getResult())
    return failure();
  auto shifted = exp.getOperand().getDefiningOp<SubOp>();
  ReduceOp max = shifted ? repeatedReduction(shifted.getRhs(), ReduceKind::max)
                         : ReduceOp();
  if (!max || max.getOperand() != shifted.getLhs() ||
      max.getDims() != sum.getDims())
    return failure();
  unsigned readers = std::distance(exp->user_begin(), exp->user_end());
  if (readers != 2 || !sum->hasOneUse())
    return rewriter.notifyMatchFailure(
        op, "inner values of the softmax have other uses");
  rewriter.replaceOpWithNewOp<SoftmaxOp>(op, op.getType(), shifted.getLhs(),
                                         sum.getDims());
  return success();
}

namespace {

struct RaiseCompositesPass
    : impl::RaiseCompositesPassBase<RaiseCompositesPass> {
  using RaiseCompositesPassBase::RaiseCompositesPassBase;

  void runOnOperation() override {
    if (getOperation().isExternal())
      return;
    RewritePatternSet patterns(&getContext());
    patterns.add(raiseGelu);
    patterns.add(raiseSoftmax);
    addNormPatterns(patterns);
    if (failed(
            applyPatternsAndFoldGreedily(getOperation(), std::move(patterns))))
      getOperation().emitWarning() << "raising stopped before it was done";
  }
};

} // namespace
} // namespace zenith::cleanup
