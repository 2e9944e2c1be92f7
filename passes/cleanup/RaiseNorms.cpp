// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds layer_norm and rms_norm: first the normalisation, then the scale and
// bias behind it.

#include "passes/cleanup/SplatValue.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::cleanup {

/// What `value` repeats along the dimensions from some axis on, without
/// reshapes that keep them as size 1.
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
      // Only dimensions of size 1 at the end may come and go.
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

/// sum(x) / count over the dimensions from an axis on.
static std::optional<Mean> matchMean(Value value) {
  value = withoutRepeats(value);
  Operation *scale = value.getDefiningOp();
  if (!isa_and_nonnull<DivOp, MulOp>(scale))
    return std::nullopt;
  std::optional<double> number = splatValue(scale->getOperand(1));
  auto sum = withoutRepeats(scale->getOperand(0)).getDefiningOp<ReduceOp>();
  if (!number || !sum || sum.getKind() != ReduceKind::sum ||
      sum.getDims().empty())
    return std::nullopt;
  auto type = typeOf(sum.getOperand());
  int64_t axis = sum.getDims().front();
  double count = 1;
  if (!llvm::equal(sum.getDims(), llvm::seq<int64_t>(axis, type.getRank())))
    return std::nullopt;
  for (int64_t size : type.getShape().drop_front(axis)) {
    if (ShapedType::isDynamic(size))
      return std::nullopt;
    count *= size;
  }
  if (!isNear(isa<DivOp>(scale) ? *number : 1 / *number, count))
    return std::nullopt;
  return Mean{sum.getOperand(), axis};
}

/// The mean of squares and epsilon, for sqrt(mean(c^2) + epsilon) of `centred`.
static std::optional<std::pair<int64_t, double>> matchRoot(Value variancePlus,
                                                           Value centred) {
  auto add = withoutRepeats(variancePlus).getDefiningOp<AddOp>();
  auto parts = add ? splitBy(add,
                             [](Value operand) {
                               return splatValue(operand).has_value();
                             })
                   : std::nullopt;
  if (!parts)
    return std::nullopt;
  std::optional<Mean> mean = matchMean(parts->first);
  if (!mean)
    return std::nullopt;
  Product square = productOf(mean->operand);
  if (square.constant != 1 || square.factors.size() != 1 ||
      square.powerOf(centred) != 2)
    return std::nullopt;
  return std::make_pair(mean->axis, *splatValue(parts->second));
}

/// Replaces a normalised value by rms_norm, or by layer_norm where what it
/// normalises is x - mean(x).
static LogicalResult raiseNorm(Operation *op, Value centred, Value variancePlus,
                               PatternRewriter &rewriter) {
  auto root = matchRoot(variancePlus, centred);
  if (!root)
    return failure();
  auto [axis, epsilon] = *root;
  auto axisAttr = rewriter.getI64IntegerAttr(axis);
  auto epsilonAttr = rewriter.getF64FloatAttr(epsilon);
  if (auto sub = centred.getDefiningOp<SubOp>()) {
    std::optional<Mean> mean = matchMean(sub.getRhs());
    if (mean && mean->axis == axis && mean->operand == sub.getLhs()) {
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

static LogicalResult raiseQuotient(DivOp op, PatternRewriter &rewriter) {
  auto sqrt = withoutRepeats(op.getRhs()).getDefiningOp<SqrtOp>();
  return sqrt ? raiseNorm(op, op.getLhs(), sqrt.getOperand(), rewriter)
              : failure();
}

/// 1/sqrt(x) in either spelling: its x.
static Value reciprocalRoot(Value value) {
  value = withoutRepeats(value);
  if (auto rsqrt = value.getDefiningOp<RsqrtOp>())
    return rsqrt.getOperand();
  auto div = value.getDefiningOp<DivOp>();
  auto sqrt = div && splatValue(div.getLhs()) == 1.0
                  ? withoutRepeats(div.getRhs()).getDefiningOp<SqrtOp>()
                  : SqrtOp();
  return sqrt ? sqrt.getOperand() : Value();
}

static LogicalResult raiseProduct(MulOp op, PatternRewriter &rewriter) {
  auto parts =
      splitBy(op, [](Value operand) { return bool(reciprocalRoot(operand)); });
  return parts ? raiseNorm(op, parts->first, reciprocalRoot(parts->second),
                           rewriter)
               : failure();
}

/// The vector that `value` repeats along the dimensions before `axis`.
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
  patterns.add(raiseQuotient);
  patterns.add(raiseProduct);
  patterns.add(takeScale<LayerNormOp>);
  patterns.add(takeScale<RmsNormOp>);
  patterns.add(takeBias);
}

} // namespace zenith::cleanup
