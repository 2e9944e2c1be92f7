// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognises gelu and softmax in graphs that spell them out; and the pass.

#include "ir/GraphOps.h"
#include "ir/matchers/ProductFactors.h"
#include "ir/matchers/SplatConstant.h"
#include "ir/matchers/SplitOperands.h"
#include "ir/matchers/TypeOf.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/PatternMatch.h"
#include "passes/GraphPasses.h"
#include "passes/RewriteGreedily.h"
#include "passes/raise/NearMiss.h"
#include "passes/raise/RaiseAttention.h"
#include "passes/raise/RaiseMish.h"
#include "passes/raise/RaiseNorms.h"
#include "passes/raise/RaiseRowSums.h"
#include "passes/raise/RaiseTrainedAttention.h"
#include "passes/raise/SpelledConstants.h"
#include "passes/raise/SpelledSoftmax.h"
#include "passes/raise/SpreadScores.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith {
#define GEN_PASS_DEF_RAISECOMPOSITESPASS
#include "passes/GraphPasses.h.inc"
} // namespace zenith

namespace zenith::raise {

/// The x of `1 + function(...)`, given the function's operand; null where
/// `value` is anything else.
template <typename Function> static Function onePlus(Value value) {
  auto add = value.getDefiningOp<AddOp>();
  if (!add)
    return {};
  auto parts = splitOperands(
      add, [](Value operand) { return splatValue(operand) == 1.0; });
  auto function =
      parts ? parts->first.template getDefiningOp<Function>() : Function();
  return function;
}

/// True for sqrt(2/pi) (x + 0.044715 x^3), also as sqrt(2/pi) x (1 + 0.044715
/// x^2).
static bool isTanhArgument(Value argument, Value x) {
  ProductFactors product = productFactorsOf(argument);
  if (!isSpelled(product.constant, 0.7978845608028654, argument.getType()))
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
    ProductFactors cube = productFactorsOf(high);
    bool isLow = outer == 1 ? splatValue(low) == 1.0 : low == x;
    if (isLow && isSpelled(cube.constant, 0.044715, x.getType()) &&
        cube.factors.size() == 1 && cube.powerOf(x) == 3 - outer)
      return true;
  }
  return false;
}

namespace {
struct GeluMatch {
  GeluForm form = GeluForm::erf;
  Value operand;
};
} // namespace

/// The conditions of gelu on x * inner, once `function` is found in `inner`.
static LogicalResult checkGelu(MulOp op, const ProductFactors &product,
                               Value inner, Operation *function, bool fits,
                               NearMiss &miss) {
  if (!isSpelled(product.constant, 0.5, op.getType()))
    return miss.at(op, "the factor is " +
                           Twine(std::to_string(product.constant)) +
                           ", not 0.5");
  if (!fits)
    return miss.at(function, "'" + function->getName().getStringRef() +
                                 "' reads something else of x");
  if (!function->hasOneUse() || !inner.hasOneUse())
    return miss.at(function, "inner values have other readers");
  return success();
}

/// x/2 (1 + f(g(x))), multiplied in any order.
static LogicalResult matchGelu(MulOp op, GeluMatch &match, NearMiss &miss) {
  ProductFactors product = productFactorsOf(op);
  if (product.factors.size() != 2)
    return failure();
  for (unsigned i : {0u, 1u}) {
    auto [inner, innerPower] = product.factors[i];
    auto [x, power] = product.factors[1 - i];
    if (power != 1 || innerPower != 1)
      continue;
    match.operand = x;
    if (auto erf = onePlus<ErfOp>(inner)) {
      ProductFactors argument = productFactorsOf(erf.getOperand());
      bool fits =
          isSpelled(argument.constant, 0.7071067811865476, x.getType()) &&
          argument.factors.size() == 1 && argument.powerOf(x) == 1;
      return checkGelu(op, product, inner, erf, fits, miss);
    }
    if (auto tanh = onePlus<TanhOp>(inner)) {
      match.form = GeluForm::tanh;
      return checkGelu(op, product, inner, tanh,
                       isTanhArgument(tanh.getOperand(), x), miss);
    }
  }
  return failure();
}

static LogicalResult raiseGelu(MulOp op, PatternRewriter &rewriter) {
  GeluMatch match;
  NearMiss miss;
  if (failed(matchGelu(op, match, miss)))
    return failure();
  rewriter.replaceOpWithNewOp<GeluOp>(op, op.getType(), match.form,
                                      match.operand);
  return success();
}

static LogicalResult matchSoftmax(DivOp op, ReduceOp &sum, SubOp &shifted,
                                  NearMiss &miss) {
  if (failed(findSoftmax(op, sum, shifted, miss)))
    return failure();
  Value exp = op.getLhs();
  unsigned readers = std::distance(exp.user_begin(), exp.user_end());
  if (readers != 2 || !sum->hasOneUse())
    return miss.at(exp.getDefiningOp(), "inner values have other readers");
  return success();
}

static LogicalResult raiseSoftmax(DivOp op, PatternRewriter &rewriter) {
  ReduceOp sum;
  SubOp shifted;
  NearMiss miss;
  if (failed(matchSoftmax(op, sum, shifted, miss)))
    return failure();
  rewriter.replaceOpWithNewOp<SoftmaxOp>(op, op.getType(), shifted.getLhs(),
                                         sum.getDims());
  return success();
}

static void explainGeluAndSoftmax(func::FuncOp function) {
  function.walk([](MulOp op) {
    // A factor of a larger product is matched together with it.
    if (llvm::any_of(op->getUsers(),
                     [](Operation *user) { return isa<MulOp>(user); }))
      return;
    GeluMatch match;
    NearMiss miss;
    if (failed(matchGelu(op, match, miss)))
      miss.report(remarks::Code::FUS201);
  });
  function.walk([](DivOp op) {
    ReduceOp sum;
    SubOp shifted;
    NearMiss miss;
    if (failed(matchSoftmax(op, sum, shifted, miss)))
      miss.report(remarks::Code::FUS202);
  });
}

namespace {

struct RaiseCompositesPass
    : impl::RaiseCompositesPassBase<RaiseCompositesPass> {
  using RaiseCompositesPassBase::RaiseCompositesPassBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal())
      return;
    RewritePatternSet patterns(&getContext());
    patterns.add(raiseGelu);
    patterns.add(raiseSoftmax);
    addNormPatterns(patterns);
    addMishPatterns(patterns);
    addRowSumPatterns(patterns);
    addScorePatterns(patterns);
    addAttentionPatterns(patterns);
    if (failed(rewriteGreedily(function, std::move(patterns))))
      function.emitWarning() << "raising stopped before it was done";
    raiseTrainedAttention(function);
    if (!explain)
      return;
    explainGeluAndSoftmax(function);
    explainNorms(function);
    explainAttention(function);
  }
};

} // namespace
} // namespace zenith::raise
