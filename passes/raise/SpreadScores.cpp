// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scores of attention whose batches may be repeated by a mask's are products of
// repeated queries and keys, which a fused kernel reads with a stride of 0.

#include "passes/raise/SpreadScores.h"

#include "ir/GraphOps.h"
#include "ir/matchers/SplatConstant.h"
#include "ir/matchers/TypeOf.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::raise {

/// Whether a softmax is made of the value, by a few elementwise ops.
static bool feedsSoftmax(Value value) {
  constexpr int mostSteps = 6;
  for (int step = 0; step < mostSteps && value.hasOneUse(); ++step) {
    Operation *user = *value.user_begin();
    if (isa<SoftmaxOp>(user))
      return true;
    if (!isa<AddOp, SubOp, MulOp, DivOp, SelectOp, MaxOp>(user))
      return false;
    value = user->getResult(0);
  }
  return false;
}

namespace {
/// A product times a constant.
struct ScaledProduct {
  DotGeneralOp product;
  double scale = 1;
};
} // namespace

static ScaledProduct scaledProduct(Value value) {
  ScaledProduct result;
  while (value.hasOneUse() &&
         isa_and_nonnull<MulOp, DivOp>(value.getDefiningOp())) {
    Operation *op = value.getDefiningOp();
    std::optional<double> factor = splatValue(op->getOperand(1));
    if (!factor || *factor == 0)
      return {};
    result.scale *= isa<DivOp>(op) ? 1 / *factor : *factor;
    value = op->getOperand(0);
  }
  if (value.hasOneUse())
    result.product = value.getDefiningOp<DotGeneralOp>();
  return result;
}

/// `side` of a product with batches as large as those of `expand`'s result.
static Value withBatches(OpBuilder &b, ExpandOp expand, Value side,
                         ArrayRef<int64_t> batching) {
  RankedTensorType from = typeOf(side), target = typeOf(expand.getResult());
  SmallVector<int64_t> shape(from.getShape());
  for (auto [batch, d] : llvm::enumerate(batching))
    shape[d] = target.getDimSize(batch);
  SmallVector<Value> open;
  for (int64_t d = 0; d < from.getRank(); ++d) {
    if (!ShapedType::isDynamic(shape[d]))
      continue;
    const auto *at = llvm::find(batching, d);
    if (at == batching.end()) {
      open.push_back(b.create<DimOp>(expand.getLoc(), side, d));
      continue;
    }
    // Batches come first in the scores.
    unsigned given = 0;
    for (int64_t i = 0; i < at - batching.begin(); ++i)
      given += target.isDynamicDim(i);
    open.push_back(expand.getDims()[given]);
  }
  return b.create<ExpandOp>(expand.getLoc(), from.clone(shape), side, open);
}

static LogicalResult spreadScores(ExpandOp expand, PatternRewriter &rewriter) {
  ScaledProduct scores = scaledProduct(expand.getOperand());
  if (!scores.product || !feedsSoftmax(expand.getResult()))
    return failure();
  DimAnalysis dims;
  DotDimsAttr attr = scores.product.getDims();
  int64_t batches = attr.getLhsBatching().size();
  for (int64_t d = batches; d < typeOf(expand.getResult()).getRank(); ++d)
    if (dims.dimOf(expand.getOperand(), d) != dims.dimOf(expand.getResult(), d))
      return failure();
  Value lhs = withBatches(rewriter, expand, scores.product.getLhs(),
                          attr.getLhsBatching()),
        rhs = withBatches(rewriter, expand, scores.product.getRhs(),
                          attr.getRhsBatching());
  RankedTensorType type = typeOf(expand.getResult());
  auto product = rewriter.create<DotGeneralOp>(scores.product.getLoc(), type,
                                               lhs, rhs, attr);
  Value result = product.getResult();
  if (scores.scale != 1) {
    Value factor = rewriter.create<ConstantOp>(
        expand.getLoc(),
        DenseElementsAttr::get(
            RankedTensorType::get({}, type.getElementType()),
            FloatAttr::get(type.getElementType(), scores.scale).getValue()));
    Value splat = rewriter.create<BroadcastOp>(
        expand.getLoc(), type, factor, ArrayRef<int64_t>(), expand.getDims());
    result = rewriter.create<MulOp>(expand.getLoc(), type, result, splat);
  }
  rewriter.replaceOp(expand, result);
  return success();
}

void addScorePatterns(RewritePatternSet &patterns) {
  patterns.add(spreadScores);
}

} // namespace zenith::raise
