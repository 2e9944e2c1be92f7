// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// op(transpose(x)) becomes transpose(op'(x)), for each op that can work in
// another order of dimensions.

#include "ir/GraphOps.h"
#include "ir/matchers/MovementRewrites.h"
#include "ir/matchers/ParameterDependence.h"
#include "ir/matchers/Permutations.h"
#include "ir/matchers/ReshapeGroups.h"
#include "ir/matchers/TypeOf.h"
#include "ir/matchers/ValueBuilders.h"
#include "ir/ops/CompositeFormulas.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/PatternMatch.h"
#include "passes/GraphPasses.h"
#include "passes/RewriteGreedily.h"
#include "passes/layout/SinkableTransposes.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith {
#define GEN_PASS_DEF_SINKTRANSPOSESPASS
#include "passes/GraphPasses.h.inc"
} // namespace zenith

namespace zenith::layout {

/// The transpose that computes `value`, if it is marked as sinkable.
static TransposeOp sinkableInto(Value value) {
  auto transpose = value.getDefiningOp<TransposeOp>();
  return transpose && transpose->hasAttr(sinkableAttrName) ? transpose
                                                           : TransposeOp();
}

static Value moved(PatternRewriter &rewriter, Location loc, Value value,
                   ArrayRef<int64_t> permutation) {
  if (isIdentity(permutation))
    return value;
  Value result = transposed(rewriter, loc, value, permutation);
  result.getDefiningOp()->setAttr(sinkableAttrName, rewriter.getUnitAttr());
  return result;
}

static LogicalResult composeTransposes(TransposeOp op,
                                       PatternRewriter &rewriter) {
  TransposeOp inner = sinkableInto(op.getOperand());
  if (!inner)
    return failure();
  SmallVector<int64_t> permutation;
  for (int64_t source : op.getPermutation())
    permutation.push_back(inner.getPermutation()[source]);
  rewriter.replaceOp(
      op, moved(rewriter, op.getLoc(), inner.getOperand(), permutation));
  return success();
}

static bool isFreeToTranspose(Value value) {
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<BroadcastOp>(op))
    return true;
  auto constant = dyn_cast_or_null<ConstantOp>(op);
  auto elements = constant ? dyn_cast<DenseElementsAttr>(constant.getValue())
                           : DenseElementsAttr();
  return (elements && elements.isSplat()) ||
         dependenceOf(value) != Dependence::Arguments;
}

/// `value` before the permutation; adds a transpose where nothing absorbs it.
static Value unmoved(PatternRewriter &rewriter, Value value,
                     ArrayRef<int64_t> permutation) {
  if (TransposeOp own = sinkableInto(value);
      own && own.getPermutation() == permutation)
    return own.getOperand();
  SmallVector<int64_t> inverse = inverseOf(permutation);
  Operation *op = value.getDefiningOp();
  if (auto constant = dyn_cast_or_null<ConstantOp>(op))
    if (auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
        elements && elements.isSplat()) {
      SmallVector<int64_t> shape;
      for (int64_t source : inverse)
        shape.push_back(typeOf(value).getDimSize(source));
      return rewriter.create<ConstantOp>(
          value.getLoc(),
          cast<ElementsAttr>(elements.resizeSplat(typeOf(value).clone(shape))));
    }
  auto broadcast = dyn_cast_or_null<BroadcastOp>(op);
  if (!broadcast)
    return transposed(rewriter, value.getLoc(), value, inverse);
  SmallVector<int64_t> mapping, shape;
  for (int64_t target : broadcast.getMapping())
    mapping.push_back(permutation[target]);
  SmallVector<Value> bySource(permutation.size()), dims;
  unsigned next = 0;
  for (int64_t d = 0; d < typeOf(value).getRank(); ++d)
    if (typeOf(value).isDynamicDim(d))
      bySource[d] = broadcast.getDims()[next++];
  for (int64_t source : inverse) {
    shape.push_back(typeOf(value).getDimSize(source));
    if (bySource[source])
      dims.push_back(bySource[source]);
  }
  return rewriter.create<BroadcastOp>(value.getLoc(),
                                      typeOf(value).clone(shape),
                                      broadcast.getOperand(), mapping, dims);
}

/// The permutation to remove from all of `operands`: that of the first sinkable
/// transpose, where it saves as many transposes as it adds.
static std::optional<SmallVector<int64_t>>
commonPermutation(ValueRange operands) {
  // What values depend on is a walk over all before them: most ops have no
  // transpose to ask it for.
  if (llvm::none_of(operands,
                    [](Value operand) { return bool(sinkableInto(operand)); }))
    return std::nullopt;
  std::optional<SmallVector<int64_t>> permutation;
  int balance = 0;
  for (Value operand : operands) {
    TransposeOp transpose = sinkableInto(operand);
    if (transpose && !permutation)
      permutation = SmallVector<int64_t>(transpose.getPermutation());
    if (transpose &&
        transpose.getPermutation() == ArrayRef<int64_t>(*permutation))
      ++balance;
    else if (!isFreeToTranspose(operand))
      --balance;
  }
  return balance >= 0 ? permutation : std::nullopt;
}

/// Clones `op` on operands before the permutation, with a permuted result, and
/// adds the transpose after it.
static Operation *sinkThrough(Operation *op, unsigned count,
                              ArrayRef<int64_t> permutation,
                              PatternRewriter &rewriter) {
  SmallVector<Value> operands(op->getOperands());
  for (Value &operand : MutableArrayRef(operands).take_front(count))
    operand = unmoved(rewriter, operand, permutation);
  Operation *clone = rewriter.clone(*op);
  clone->setOperands(operands);
  SmallVector<int64_t> shape;
  for (int64_t source : inverseOf(permutation))
    shape.push_back(typeOf(op->getResult(0)).getDimSize(source));
  clone->getResult(0).setType(typeOf(op->getResult(0)).clone(shape));
  rewriter.replaceOp(
      op, moved(rewriter, op->getLoc(), clone->getResult(0), permutation));
  return clone;
}

/// One entry per dimension, in the order before the permutation.
static SmallVector<int64_t> unpermuted(ArrayRef<int64_t> entries,
                                       ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> result(entries.size());
  for (auto [d, source] : llvm::enumerate(permutation))
    result[source] = entries[d];
  return result;
}
/// The same for the operands of the dynamic ones among `entries`.
static SmallVector<Value> unpermuted(ValueRange dynamic,
                                     ArrayRef<int64_t> entries,
                                     ArrayRef<int64_t> permutation) {
  SmallVector<Value> bySource(entries.size()), result;
  unsigned next = 0;
  for (auto [d, source] : llvm::enumerate(permutation))
    if (ShapedType::isDynamic(entries[d]))
      bySource[source] = dynamic[next++];
  for (Value value : bySource)
    if (value)
      result.push_back(value);
  return result;
}
static SmallVector<int64_t> renamed(ArrayRef<int64_t> dims,
                                    ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> result;
  for (int64_t d : dims)
    result.push_back(permutation[d]);
  llvm::sort(result);
  return result;
}

namespace {

struct SinkThroughElementwise : RewritePattern {
  explicit SinkThroughElementwise(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}
  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (familyOf(op) != Family::Elementwise && !isa<GeluOp>(op))
      return failure();
    auto permutation = commonPermutation(op->getOperands());
    if (!permutation)
      return failure();
    sinkThrough(op, op->getNumOperands(), *permutation, rewriter);
    return success();
  }
};

} // namespace

static LogicalResult sinkThroughConcat(ConcatOp op, PatternRewriter &rewriter) {
  auto permutation = commonPermutation(op->getOperands());
  if (!permutation)
    return failure();
  int64_t dim = (*permutation)[op.getDim()];
  Operation *clone =
      sinkThrough(op, op->getNumOperands(), *permutation, rewriter);
  cast<ConcatOp>(clone).setDim(dim);
  return success();
}

/// Ops on one value that name dimensions in an attribute, which `update`
/// renames.
template <typename Op, typename Update>
static LogicalResult sinkThroughNamed(Op op, PatternRewriter &rewriter,
                                      Update update) {
  TransposeOp transpose = sinkableInto(op->getOperand(0));
  if (!transpose)
    return failure();
  SmallVector<int64_t> permutation(transpose.getPermutation());
  Operation *clone = sinkThrough(op, 1, permutation, rewriter);
  rewriter.modifyOpInPlace(clone,
                           [&] { update(cast<Op>(clone), permutation); });
  return success();
}

static LogicalResult sinkThroughBatchNorm(BatchNormOp op,
                                          PatternRewriter &rewriter) {
  return sinkThroughNamed(op, rewriter,
                          [](BatchNormOp clone, ArrayRef<int64_t> p) {
                            clone.setDim(p[clone.getDim()]);
                          });
}
template <typename Op>
static LogicalResult sinkThroughDims(Op op, PatternRewriter &rewriter) {
  return sinkThroughNamed(op, rewriter, [](Op clone, ArrayRef<int64_t> p) {
    clone.setDims(renamed(clone.getDims(), p));
  });
}
static LogicalResult sinkThroughScan(CumulativeOp op,
                                     PatternRewriter &rewriter) {
  return sinkThroughNamed(op, rewriter,
                          [](CumulativeOp clone, ArrayRef<int64_t> p) {
                            clone.setDim(p[clone.getDim()]);
                          });
}
static LogicalResult sinkThroughWindow(ReduceWindowOp op,
                                       PatternRewriter &rewriter) {
  return sinkThroughNamed(
      op, rewriter, [](ReduceWindowOp clone, ArrayRef<int64_t> p) {
        clone.setWindow(unpermuted(clone.getWindow(), p));
        clone.setStrides(unpermuted(clone.getStrides(), p));
        clone.setLow(unpermuted(clone.getLow(), p));
        clone.setHigh(unpermuted(clone.getHigh(), p));
        clone.setBaseDilation(unpermuted(clone.getBaseDilation(), p));
        clone.setDilation(unpermuted(clone.getDilation(), p));
      });
}

static LogicalResult sinkThroughPad(PadOp op, PatternRewriter &rewriter) {
  TransposeOp transpose = sinkableInto(op.getOperand());
  if (!transpose)
    return failure();
  ArrayRef<int64_t> p = transpose.getPermutation();
  SmallVector<int64_t> shape = unpermuted(typeOf(op).getShape(), p);
  Value result = rewriter.create<PadOp>(
      op.getLoc(), typeOf(op).clone(shape), transpose.getOperand(),
      op.getValue(), unpermuted(op.getLow(), op.getStaticLow(), p),
      unpermuted(op.getHigh(), op.getStaticHigh(), p),
      unpermuted(op.getStaticLow(), p), unpermuted(op.getStaticHigh(), p),
      unpermuted(op.getInterior(), p));
  rewriter.replaceOp(op, moved(rewriter, op.getLoc(), result, p));
  return success();
}

static LogicalResult sinkThroughSlice(SliceOp op, PatternRewriter &rewriter) {
  TransposeOp transpose = sinkableInto(op.getOperand());
  if (!transpose)
    return failure();
  ArrayRef<int64_t> p = transpose.getPermutation();
  SmallVector<int64_t> shape = unpermuted(typeOf(op).getShape(), p);
  Value result = rewriter.create<SliceOp>(
      op.getLoc(), typeOf(op).clone(shape), transpose.getOperand(),
      unpermuted(op.getStarts(), op.getStaticStarts(), p),
      unpermuted(op.getSizes(), op.getStaticSizes(), p),
      unpermuted(op.getStaticStarts(), p), unpermuted(op.getStaticSizes(), p),
      unpermuted(op.getStrides(), p));
  rewriter.replaceOp(op, moved(rewriter, op.getLoc(), result, p));
  return success();
}

/// The permutation of the dimensions that a reduction keeps: for each, its
/// index among the kept ones before the permutation.
static SmallVector<int64_t> keptPermutation(ArrayRef<int64_t> permutation,
                                            ArrayRef<int64_t> reduced) {
  SmallVector<int64_t> sources;
  for (auto [d, source] : llvm::enumerate(permutation))
    if (!llvm::is_contained(reduced, int64_t(d)))
      sources.push_back(source);
  SmallVector<int64_t> sorted = sources, result;
  llvm::sort(sorted);
  for (int64_t source : sources)
    result.push_back(llvm::find(sorted, source) - sorted.begin());
  return result;
}

static LogicalResult sinkThroughReduce(ReduceOp op, PatternRewriter &rewriter) {
  TransposeOp transpose = sinkableInto(op.getOperand());
  if (!transpose)
    return failure();
  ArrayRef<int64_t> p = transpose.getPermutation();
  SmallVector<int64_t> kept = keptPermutation(p, op.getDims());
  SmallVector<int64_t> shape = unpermuted(typeOf(op).getShape(), kept);
  Value result = rewriter.create<ReduceOp>(op.getLoc(), typeOf(op).clone(shape),
                                           op.getKind(), transpose.getOperand(),
                                           renamed(op.getDims(), p));
  rewriter.replaceOp(op, moved(rewriter, op.getLoc(), result, kept));
  return success();
}

static LogicalResult sinkThroughArgReduce(ArgReduceOp op,
                                          PatternRewriter &rewriter) {
  TransposeOp transpose = sinkableInto(op.getOperand());
  if (!transpose)
    return failure();
  ArrayRef<int64_t> p = transpose.getPermutation();
  int64_t dim = op.getDim();
  SmallVector<int64_t> kept = keptPermutation(p, {dim});
  SmallVector<int64_t> shape = unpermuted(typeOf(op).getShape(), kept);
  Value result = rewriter.create<ArgReduceOp>(
      op.getLoc(), typeOf(op).clone(shape), op.getKind(),
      transpose.getOperand(), p[dim], op.getLast());
  rewriter.replaceOp(op, moved(rewriter, op.getLoc(), result, kept));
  return success();
}

/// A norm over dimensions that do not come last before the permutation is
/// written out there: norms of groups of channels, or over the positions of one
/// channel.
static LogicalResult spellOutNorm(LayerNormOp op, PatternRewriter &rewriter) {
  TransposeOp transpose = sinkableInto(op.getOperand());
  auto axis = int64_t(op.getAxis());
  if (!transpose ||
      llvm::all_of(transpose.getPermutation().drop_front(axis),
                   [&](int64_t source) { return source >= axis; }))
    return failure();
  rewriter.replaceOp(op, buildFormula(rewriter, op));
  return success();
}

static LogicalResult absorbInBroadcast(BroadcastOp op,
                                       PatternRewriter &rewriter) {
  TransposeOp transpose = sinkableInto(op.getOperand());
  if (!transpose)
    return failure();
  rewriter.replaceOpWithNewOp<BroadcastOp>(
      op, op.getType(), transpose.getOperand(),
      unpermuted(op.getMapping(), transpose.getPermutation()), op.getDims());
  return success();
}

/// reshape(transpose(x)) = transpose(reshape(x')), where x' keeps the
/// dimensions that merge side by side: x itself, or one transpose of it.
static LogicalResult sinkThroughReshape(ReshapeOp op,
                                        PatternRewriter &rewriter) {
  TransposeOp transpose = sinkableInto(op.getOperand());
  DimAnalysis analysis;
  auto groups = transpose ? reshapeGroups(analysis.dimsOf(op.getOperand()),
                                          analysis.dimsOf(op.getResult()))
                          : std::nullopt;
  if (!groups)
    return failure();
  ArrayRef<int64_t> p = transpose.getPermutation();
  // In the order of the groups before the permutation.
  auto firstDim = [&](const ReshapeGroup *group) {
    int64_t first = p[group->from.front()];
    for (int64_t d : group->from)
      first = std::min(first, p[d]);
    return first;
  };
  SmallVector<ReshapeGroup *> sorted;
  for (ReshapeGroup &group : *groups)
    sorted.push_back(&group);
  llvm::sort(sorted, [&](ReshapeGroup *a, ReshapeGroup *b) {
    return firstDim(a) < firstDim(b);
  });
  SmallVector<int64_t> before, order, shape;
  SmallVector<Value> dims;
  SmallVector<Value> bySize(typeOf(op).getRank());
  unsigned next = 0;
  for (int64_t d = 0; d < typeOf(op).getRank(); ++d)
    if (typeOf(op).isDynamicDim(d))
      bySize[d] = op.getDims()[next++];
  for (ReshapeGroup *group : sorted) {
    for (int64_t d : group->from)
      before.push_back(p[d]);
    for (int64_t d : group->to) {
      order.push_back(d);
      shape.push_back(typeOf(op).getDimSize(d));
      if (bySize[d])
        dims.push_back(bySize[d]);
    }
  }
  if (isIdentity(order))
    return failure();
  Value source = transpose.getOperand();
  if (!isIdentity(before))
    source = transposed(rewriter, op.getLoc(), source, before);
  Value reshaped = rewriter.create<ReshapeOp>(
      op.getLoc(), typeOf(op).clone(shape), source, dims);
  rewriter.replaceOp(op,
                     moved(rewriter, op.getLoc(), reshaped, inverseOf(order)));
  return success();
}

static void addSinkPatterns(RewritePatternSet &patterns) {
  patterns.add<SinkThroughElementwise>(patterns.getContext());
  patterns.add(composeTransposes);
  patterns.add(sinkThroughConcat);
  patterns.add(sinkThroughBatchNorm);
  patterns.add(sinkThroughDims<SoftmaxOp>);
  patterns.add(sinkThroughDims<LogSoftmaxOp>);
  patterns.add(sinkThroughDims<ReverseOp>);
  patterns.add(sinkThroughScan);
  patterns.add(sinkThroughWindow);
  patterns.add(sinkThroughPad);
  patterns.add(sinkThroughSlice);
  patterns.add(sinkThroughReduce);
  patterns.add(sinkThroughArgReduce);
  patterns.add(spellOutNorm);
  patterns.add(absorbInBroadcast);
  patterns.add(sinkThroughReshape);
  patterns.add(transposeByReshape);
}

namespace {

struct SinkTransposesPass : impl::SinkTransposesPassBase<SinkTransposesPass> {
  using SinkTransposesPassBase::SinkTransposesPassBase;

  void runOnOperation() override {
    if (getOperation().isExternal())
      return;
    RewritePatternSet patterns(&getContext());
    addSinkPatterns(patterns);
    GreedyRewriteConfig config = greedyConfig();
    config.useTopDownTraversal = true;
    if (failed(rewriteGreedily(getOperation(), std::move(patterns), config)))
      getOperation().emitWarning()
          << "layouts stopped before all transposes were moved";
    getOperation().walk(
        [](TransposeOp op) { op->removeAttr(sinkableAttrName); });
  }
};

} // namespace
} // namespace zenith::layout
