// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognises layer_norm and rms_norm: first the normalisation, then the scale
// and bias after it.

#include "passes/raise/RaiseNorms.h"
#include "ir/DimAnalysis.h"
#include "ir/GraphOps.h"
#include "ir/matchers/ProductFactors.h"
#include "ir/matchers/SplatConstant.h"
#include "ir/matchers/SplitOperands.h"
#include "ir/matchers/TypeOf.h"
#include "ir/matchers/ValueBuilders.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/PatternMatch.h"
#include "passes/raise/NearMiss.h"
#include "passes/raise/SpelledConstants.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::raise {

/// The value that `value` broadcasts along the dimensions from some axis on,
/// before reshapes that keep these as size 1.
static Value withoutRepeats(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    auto broadcast = dyn_cast<BroadcastOp>(op);
    if (broadcast &&
        !llvm::equal(broadcast.getMapping(),
                     llvm::seq<int64_t>(0, broadcast.getMapping().size())))
      return value;
    auto reshape = dyn_cast<ReshapeOp>(op);
    if (!broadcast && !reshape)
      return value;
    if (reshape) {
      auto longer = typeOf(reshape.getResult()),
           shorter = typeOf(reshape.getOperand());
      if (longer.getRank() < shorter.getRank())
        std::swap(longer, shorter);
      // Only trailing dimensions of size 1 may be added or dropped.
      if (longer.getShape().take_front(shorter.getRank()) !=
              shorter.getShape() ||
          llvm::any_of(longer.getShape().drop_front(shorter.getRank()),
                       [](int64_t size) { return size != 1; }))
        return value;
    }
    value = op->getOperand(0);
  }
  return value;
}

namespace {
struct Mean {
  Value operand;
  int64_t axis;
};
} // namespace

/// Reductions of other dimensions than the last come back through a reshape.
static Operation *beforeReshapes(Value value, bool &reshaped) {
  value = withoutRepeats(value);
  while (auto reshape = value.getDefiningOp<ReshapeOp>()) {
    reshaped = true;
    value = reshape.getOperand();
  }
  return value.getDefiningOp();
}

/// Whether `value` repeats the number of elements that a sum adds up, as the
/// run computes it from sizes.
static bool isCount(Value value, ReduceOp sum) {
  auto convert = withoutRepeats(value).getDefiningOp<ConvertOp>();
  auto sizes = convert ? typeOf(convert.getOperand()) : RankedTensorType();
  if (!sizes || sizes.getRank() != 0 || !sizes.getElementType().isInteger(64))
    return false;
  DimAnalysis dims;
  DimExpr count = 1;
  for (int64_t dim : sum.getDims())
    count = count * dims.dimOf(sum.getOperand(), unsigned(dim));
  return dims.scalar(convert.getOperand()) == count;
}

/// sum(x) / count over the dimensions from an axis on.
static std::optional<Mean> matchMean(Value value, NearMiss &miss) {
  bool reshaped = false;
  Operation *scale = beforeReshapes(value, reshaped);
  if (!isa_and_nonnull<DivOp, MulOp>(scale))
    return std::nullopt;
  std::optional<double> number = splatValue(scale->getOperand(1));
  auto sum = dyn_cast_or_null<ReduceOp>(
      beforeReshapes(scale->getOperand(0), reshaped));
  if (!sum || sum.getKind() != ReduceKind::sum || sum.getDims().empty())
    return std::nullopt;
  auto type = typeOf(sum.getOperand());
  int64_t axis = sum.getDims().front();
  if (reshaped ||
      !llvm::equal(sum.getDims(), llvm::seq<int64_t>(axis, type.getRank()))) {
    (void)miss.at(sum, "the sum is not over the last dimensions");
    return std::nullopt;
  }
  ArrayRef<int64_t> sizes = type.getShape().drop_front(axis);
  if (llvm::any_of(sizes, ShapedType::isDynamic)) {
    if (isa<DivOp>(scale) && isCount(scale->getOperand(1), sum))
      return Mean{sum.getOperand(), axis};
    (void)miss.at(sum, "the sum is not divided by the number of elements, "
                       "which is dynamic");
    return std::nullopt;
  }
  if (!number)
    return std::nullopt;
  double count = 1;
  for (int64_t size : sizes)
    count *= double(size);
  if (!isSpelled(isa<DivOp>(scale) ? *number : 1 / *number, count, type)) {
    (void)miss.at(scale, "the sum of " + Twine(int64_t(count)) +
                             " elements is divided by another number");
    return std::nullopt;
  }
  return Mean{sum.getOperand(), axis};
}

/// The mean of squares and epsilon, for sqrt(mean(c^2) + epsilon) of `centred`.
static std::optional<std::pair<int64_t, double>>
matchRoot(Value variancePlus, Value centred, NearMiss &miss) {
  auto add = withoutRepeats(variancePlus).getDefiningOp<AddOp>();
  auto parts = add ? splitOperands(add,
                                   [](Value operand) {
                                     return splatValue(operand).has_value();
                                   })
                   : std::nullopt;
  if (!parts)
    return std::nullopt;
  std::optional<Mean> mean = matchMean(parts->first, miss);
  if (!mean)
    return std::nullopt;
  ProductFactors square = productFactorsOf(mean->operand);
  if (square.constant != 1 || square.factors.size() != 1 ||
      square.powerOf(centred) != 2) {
    (void)miss.at(add, "the mean is not of the squares of what is divided");
    return std::nullopt;
  }
  return std::make_pair(mean->axis, *splatValue(parts->second));
}

namespace {
/// c / sqrt(variancePlus), in either spelling.
struct Quotient {
  Value centred;
  Operation *root; ///< sqrt or rsqrt
  Value variancePlus() const { return root->getOperand(0); }
};
} // namespace

/// The centred value must serve the normalisation only. Other readers, in a
/// backward pass, would need it and its mean computed again beside the
/// composite.
static bool isPrivate(SubOp centred, Operation *normalised) {
  return llvm::all_of(centred->getUsers(), [&](Operation *user) {
    if (user == normalised)
      return true;
    if (isa<MulOp>(user))
      return llvm::all_equal(user->getOperands());
    return isa<PowOp>(user);
  });
}

/// Whether the root serves the normalisation only, for the same reason.
static bool isPrivateRoot(Operation *root, Operation *normalised) {
  SmallVector<Operation *> stack = {root};
  while (!stack.empty())
    for (Operation *user : stack.pop_back_val()->getUsers()) {
      if (user == normalised)
        continue;
      auto reciprocal = dyn_cast<DivOp>(user);
      if (!isa<BroadcastOp, ReshapeOp>(user) &&
          !(reciprocal && splatValue(reciprocal.getLhs()) == 1.0))
        return false;
      stack.push_back(user);
    }
  return true;
}

/// Replaces a normalised value by rms_norm, or by layer_norm where it is
/// normalised from x - mean(x).
static LogicalResult raiseNorm(Operation *op, std::optional<Quotient> quotient,
                               PatternRewriter &rewriter) {
  if (!quotient)
    return failure();
  NearMiss miss;
  Value centred = quotient->centred;
  auto root = matchRoot(quotient->variancePlus(), centred, miss);
  if (!root)
    return failure();
  if (!isPrivateRoot(quotient->root, op))
    return miss.at(quotient->root, "others read the deviation");
  auto [axis, epsilon] = *root;
  auto axisAttr = rewriter.getI64IntegerAttr(axis);
  auto epsilonAttr = rewriter.getF64FloatAttr(epsilon);
  if (auto sub = centred.getDefiningOp<SubOp>()) {
    std::optional<Mean> mean = matchMean(sub.getRhs(), miss);
    if (mean && mean->axis == axis && mean->operand == sub.getLhs()) {
      if (!isPrivate(sub, op))
        return miss.at(sub, "others read the centred value");
      rewriter.replaceOpWithNewOp<LayerNormOp>(op, op->getResult(0).getType(),
                                               sub.getLhs(), Value(), Value(),
                                               axisAttr, epsilonAttr);
      return success();
    }
  }
  rewriter.replaceOpWithNewOp<RmsNormOp>(
      op, op->getResult(0).getType(), centred, Value(), axisAttr, epsilonAttr);
  return success();
}

static std::optional<Quotient> quotientOf(DivOp op) {
  auto sqrt = withoutRepeats(op.getRhs()).getDefiningOp<SqrtOp>();
  return sqrt ? std::optional(Quotient{op.getLhs(), sqrt}) : std::nullopt;
}

/// The root of 1/sqrt(x), in either spelling.
static Operation *reciprocalRoot(Value value) {
  value = withoutRepeats(value);
  if (auto rsqrt = value.getDefiningOp<RsqrtOp>())
    return rsqrt;
  auto div = value.getDefiningOp<DivOp>();
  auto sqrt = div && splatValue(div.getLhs()) == 1.0
                  ? withoutRepeats(div.getRhs()).getDefiningOp<SqrtOp>()
                  : SqrtOp();
  return sqrt;
}

static std::optional<Quotient> quotientOf(MulOp op) {
  auto parts = splitOperands(
      op, [](Value operand) { return reciprocalRoot(operand) != nullptr; });
  return parts ? std::optional(
                     Quotient{parts->first, reciprocalRoot(parts->second)})
               : std::nullopt;
}

template <typename Op>
static LogicalResult raiseQuotient(Op op, PatternRewriter &rewriter) {
  return raiseNorm(op, quotientOf(op), rewriter);
}

/// The vector that `value` broadcasts along the dimensions before `axis`.
static Value trailingVector(Value value, int64_t axis, Value norm) {
  auto broadcast = value.getDefiningOp<BroadcastOp>();
  auto type = typeOf(norm);
  if (!broadcast ||
      !llvm::equal(broadcast.getMapping(),
                   llvm::seq<int64_t>(axis, type.getRank())) ||
      typeOf(broadcast.getOperand()).getShape() !=
          type.getShape().drop_front(axis))
    return {};
  return broadcast.getOperand();
}

template <typename Norm>
static LogicalResult takeScale(MulOp op, PatternRewriter &rewriter) {
  for (auto [value, other] : {std::make_pair(op.getLhs(), op.getRhs()),
                              std::make_pair(op.getRhs(), op.getLhs())}) {
    auto norm = value.template getDefiningOp<Norm>();
    if (!norm || norm.getScale() || !norm->hasOneUse())
      continue;
    Value scale = trailingVector(other, norm.getAxis(), norm);
    if (!scale)
      continue;
    if constexpr (std::is_same_v<Norm, LayerNormOp>)
      rewriter.replaceOpWithNewOp<LayerNormOp>(
          op, op.getType(), norm.getOperand(), scale, Value(),
          norm.getAxisAttr(), norm.getEpsilonAttr());
    else
      rewriter.replaceOpWithNewOp<RmsNormOp>(
          op, op.getType(), norm.getOperand(), scale, norm.getAxisAttr(),
          norm.getEpsilonAttr());
    return success();
  }
  return failure();
}

static LogicalResult takeBias(AddOp op, PatternRewriter &rewriter) {
  for (auto [value, other] : {std::make_pair(op.getLhs(), op.getRhs()),
                              std::make_pair(op.getRhs(), op.getLhs())}) {
    auto norm = value.getDefiningOp<LayerNormOp>();
    if (!norm || !norm.getScale() || norm.getBias() || !norm->hasOneUse())
      continue;
    if (Value bias = trailingVector(other, norm.getAxis(), norm)) {
      rewriter.replaceOpWithNewOp<LayerNormOp>(
          op, op.getType(), norm.getOperand(), norm.getScale(), bias,
          norm.getAxisAttr(), norm.getEpsilonAttr());
      return success();
    }
  }
  return failure();
}

void addNormPatterns(RewritePatternSet &patterns) {
  patterns.add(raiseQuotient<DivOp>);
  patterns.add(raiseQuotient<MulOp>);
  patterns.add(takeScale<LayerNormOp>);
  patterns.add(takeScale<RmsNormOp>);
  patterns.add(takeBias);
}

template <typename Op> static void explainQuotient(Op op) {
  NearMiss miss;
  std::optional<Quotient> quotient = quotientOf(op);
  if (quotient && !matchRoot(quotient->variancePlus(), quotient->centred, miss))
    miss.report(remarks::Code::FUS203);
}

void explainNorms(func::FuncOp function) {
  function.walk([](Operation *op) {
    if (auto div = dyn_cast<DivOp>(op))
      explainQuotient(div);
    else if (auto mul = dyn_cast<MulOp>(op))
      explainQuotient(mul);
  });
}

} // namespace zenith::raise
