// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A batch norm is a multiplication and an addition per channel; both move into
// the weights and bias of the contraction before.

#include "ir/GraphOps.h"
#include "ir/encodings/PackedPanels.h"
#include "ir/matchers/ParameterDependence.h"
#include "ir/matchers/TypeOf.h"
#include "ir/ops/CompositeFormulas.h"
#include "ir/target/TargetModel.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/PatternMatch.h"
#include "passes/GraphPasses.h"
#include "passes/RewriteGreedily.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith {
#define GEN_PASS_DEF_FOLDBATCHNORMPASS
#include "passes/GraphPasses.h.inc"
} // namespace zenith

namespace zenith::parameters {

/// The vector that a value broadcasts along all dimensions but `dim`, if it
/// depends on parameters only.
static Value channelVector(PatternRewriter &rewriter, Value value,
                           int64_t dim) {
  auto broadcast = value.getDefiningOp<BroadcastOp>();
  if (!broadcast || !isFixed(broadcast.getOperand()))
    return {};
  Value vector = broadcast.getOperand();
  RankedTensorType type = typeOf(vector);
  for (auto [d, target] : llvm::enumerate(broadcast.getMapping()))
    if (target == dim ? type.getDimSize(d) != typeOf(value).getDimSize(dim)
                      : type.getDimSize(d) != 1)
      return {};
  if (!type.hasStaticShape() ||
      !llvm::is_contained(broadcast.getMapping(), dim))
    return {};
  if (type.getRank() == 1)
    return vector;
  auto flat =
      RankedTensorType::get(type.getNumElements(), type.getElementType());
  return rewriter.create<ReshapeOp>(value.getLoc(), flat, vector, ValueRange());
}

/// The contraction that computes `value`, and the dimension of its output
/// channels in the result and in the weights.
namespace {
struct Channels {
  Operation *contraction = nullptr;
  int64_t resultDim = 0, weightDim = 0;
};
} // namespace

static Channels channelsOf(Value value) {
  Operation *op = value.getDefiningOp();
  if (!isa_and_nonnull<DotGeneralOp, ConvolutionOp>(op) || !op->hasOneUse() ||
      !isFixed(op->getOperand(1)))
    return {};
  if (auto convolution = dyn_cast<ConvolutionOp>(op))
    return {op, convolution.getDims().getOutputFeature(),
            convolution.getDims().getKernelOutput()};
  // Folding would widen weights that are stored narrow.
  if (beforeWidening(op->getOperand(1)) != op->getOperand(1))
    return {};
  // Of a matmul only the last dimension, where the weights have one free
  // dimension.
  DotDimsAttr dims = cast<DotGeneralOp>(op).getDims();
  auto weights = typeOf(op->getOperand(1));
  SmallVector<int64_t> freeDims;
  for (int64_t d = 0; d < weights.getRank(); ++d)
    if (!llvm::is_contained(dims.getRhsBatching(), d) &&
        !llvm::is_contained(dims.getRhsContracting(), d))
      freeDims.push_back(d);
  if (freeDims.size() != 1)
    return {};
  return {op, typeOf(value).getRank() - 1, freeDims.front()};
}

/// True for integers that were converted to floats.
static bool areIntegers(Value weights) {
  while (isa_and_nonnull<TransposeOp, ReshapeOp>(weights.getDefiningOp()))
    weights = weights.getDefiningOp()->getOperand(0);
  auto convert = weights.getDefiningOp<ConvertOp>();
  return convert &&
         isa<IntegerType>(typeOf(convert.getOperand()).getElementType());
}

namespace {
/// conv(x, w) * v = conv(x, w * v)
struct ScaleWeights : OpRewritePattern<MulOp> {
  ScaleWeights(MLIRContext *context, bool leavesIntegers)
      : OpRewritePattern(context), leavesIntegers(leavesIntegers) {}
  bool leavesIntegers;

  LogicalResult matchAndRewrite(MulOp op,
                                PatternRewriter &rewriter) const override;
};
} // namespace

LogicalResult ScaleWeights::matchAndRewrite(MulOp op,
                                            PatternRewriter &rewriter) const {
  for (auto [value, factor] : {std::make_pair(op.getLhs(), op.getRhs()),
                               std::make_pair(op.getRhs(), op.getLhs())}) {
    Channels channels = channelsOf(value);
    if (!channels.contraction ||
        (leavesIntegers && areIntegers(channels.contraction->getOperand(1))))
      continue;
    Value vector = channelVector(rewriter, factor, channels.resultDim);
    if (!vector ||
        typeOf(vector).getElementType() !=
            typeOf(channels.contraction->getOperand(1)).getElementType())
      continue;
    Value weights = channels.contraction->getOperand(1);
    Value repeated = broadcastLike(rewriter, op.getLoc(), vector,
                                   {channels.weightDim}, weights);
    Value scaled = rewriter.create<MulOp>(op.getLoc(), weights.getType(),
                                          weights, repeated);
    Operation *contraction = rewriter.clone(*channels.contraction);
    contraction->setOperand(1, scaled);
    rewriter.replaceOp(op, contraction->getResults());
    return success();
  }
  return failure();
}

/// (c + b) * v = c * v + b * v, for a contraction c and vectors b and v.
static LogicalResult distributeScale(MulOp op, PatternRewriter &rewriter) {
  for (auto [value, factor] : {std::make_pair(op.getLhs(), op.getRhs()),
                               std::make_pair(op.getRhs(), op.getLhs())}) {
    auto add = value.getDefiningOp<AddOp>();
    if (!add || !add->hasOneUse())
      continue;
    for (auto [sum, bias] : {std::make_pair(add.getLhs(), add.getRhs()),
                             std::make_pair(add.getRhs(), add.getLhs())}) {
      Channels channels = channelsOf(sum);
      if (!channels.contraction)
        continue;
      Value scale = channelVector(rewriter, factor, channels.resultDim);
      Value shift =
          scale ? channelVector(rewriter, bias, channels.resultDim) : Value();
      if (!shift)
        continue;
      Value scaledShift =
          rewriter.create<MulOp>(op.getLoc(), shift.getType(), shift, scale);
      Value scaled =
          rewriter.create<MulOp>(op.getLoc(), op.getType(), sum, factor);
      Value repeated = broadcastLike(rewriter, op.getLoc(), scaledShift,
                                     {channels.resultDim}, scaled);
      rewriter.replaceOpWithNewOp<AddOp>(op, op.getType(), scaled, repeated);
      return success();
    }
  }
  return failure();
}

/// (c + b1) + b2 = c + (b1 + b2)
static LogicalResult mergeShifts(AddOp op, PatternRewriter &rewriter) {
  for (auto [value, second] : {std::make_pair(op.getLhs(), op.getRhs()),
                               std::make_pair(op.getRhs(), op.getLhs())}) {
    auto add = value.getDefiningOp<AddOp>();
    if (!add || !add->hasOneUse())
      continue;
    for (auto [sum, first] : {std::make_pair(add.getLhs(), add.getRhs()),
                              std::make_pair(add.getRhs(), add.getLhs())}) {
      Channels channels = channelsOf(sum);
      if (!channels.contraction)
        continue;
      Value outer = channelVector(rewriter, second, channels.resultDim);
      Value inner =
          outer ? channelVector(rewriter, first, channels.resultDim) : Value();
      if (!inner)
        continue;
      Value shift =
          rewriter.create<AddOp>(op.getLoc(), inner.getType(), inner, outer);
      Value repeated = broadcastLike(rewriter, op.getLoc(), shift,
                                     {channels.resultDim}, sum);
      rewriter.replaceOpWithNewOp<AddOp>(op, op.getType(), sum, repeated);
      return success();
    }
  }
  return failure();
}

static LogicalResult writeBatchNormOut(BatchNormOp op,
                                       PatternRewriter &rewriter) {
  rewriter.replaceOp(op, buildFormula(rewriter, op));
  return success();
}

namespace {

struct FoldBatchNormPass : impl::FoldBatchNormPassBase<FoldBatchNormPass> {
  using FoldBatchNormPassBase::FoldBatchNormPassBase;

  void runOnOperation() override {
    if (getOperation().isExternal())
      return;
    RewritePatternSet patterns(&getContext());
    patterns.add(writeBatchNormOut);
    int64_t interleaved =
        group ? group.getValue()
              : int64_t(target::modelOf(getOperation()).kInterleave);
    patterns.add<ScaleWeights>(&getContext(), interleaved == 4);
    patterns.add(distributeScale);
    patterns.add(mergeShifts);
    if (failed(rewriteGreedily(getOperation(), std::move(patterns))))
      getOperation().emitWarning()
          << "folding of batch norms stopped before it was done";
  }
};

} // namespace
} // namespace zenith::parameters
