// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Derivatives of ops that read or write at positions given by data: positions
// carry none, values move as they do.

#include "ir/matchers/TypeOf.h"
#include "passes/autodiff/GradientRule.h"
#include "passes/autodiff/IndexingSums.h"
#include "passes/autodiff/ScatterGradients.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::autodiff {

using Values = SmallVector<Value>;

Value addToSlice(RuleBuilder &rule, Value sum, DynamicSliceOp slice,
                 Value part) {
  if (sum) {
    sum = rule.widened(sum);
    part = rule.widened(part);
    Value before = rule.builder.create<DynamicSliceOp>(rule.loc, part.getType(),
                                                       sum, slice.getStarts());
    part = rule.add(before, part);
  } else {
    sum = rule.zeros(slice.getOperand());
  }
  return rule.builder.create<DynamicUpdateSliceOp>(rule.loc, sum.getType(), sum,
                                                   part, slice.getStarts());
}

/// The largest start of each entry of an index vector, as a value of the
/// indices' shape.
static Value lastStarts(RuleBuilder &rule, GatherOp gather, Value indices) {
  GatherDimsAttr dims = gather.getDims();
  Type element = typeOf(indices).getElementType();
  Values lasts;
  for (int64_t d : dims.getStartIndexMap()) {
    int64_t size = gather.getSliceSizes()[d];
    Value last =
        size < 0 ? rule.index(0)
                 : rule.sub(rule.dim(gather.getOperand(), d), rule.index(size));
    lasts.push_back(rule.reshape(rule.convert(last, element), {1}));
  }
  int64_t vectorDim = dims.getIndexVectorDim();
  if (vectorDim == typeOf(indices).getRank())
    return rule.broadcast(rule.reshape(lasts[0], ArrayRef<int64_t>()), {},
                          indices);
  auto type = RankedTensorType::get({int64_t(lasts.size())}, element);
  Value vector = rule.builder.create<ConcatOp>(rule.loc, type, 0, lasts);
  return rule.broadcast(vector, {vectorDim}, indices);
}

/// A gather clamps its starts, a scatter skips what leaves its operand.
static Value clampedStarts(RuleBuilder &rule, GatherOp gather) {
  Value indices = gather.getStartIndices();
  if (gather.getDims().getStartIndexMap().empty())
    return indices;
  if (typeOf(indices).getElementType().getIntOrFloatBitWidth() < 64)
    indices = rule.convert(indices, rule.builder.getI64Type());
  return rule.builder.create<ClampOp>(rule.loc, indices.getType(),
                                      rule.zeros(indices), indices,
                                      lastStarts(rule, gather, indices));
}

Value addToGathered(RuleBuilder &rule, Value sum, GatherOp gather, Value part) {
  sum = rule.widened(sum ? sum : rule.zeros(gather.getOperand()));
  part = rule.widened(part);
  GatherDimsAttr from = gather.getDims();
  auto dims = ScatterDimsAttr::get(
      rule.builder.getContext(), from.getOffsetDims(),
      from.getCollapsedSliceDims(), from.getOperandBatchingDims(),
      from.getStartIndicesBatchingDims(), from.getStartIndexMap(),
      from.getIndexVectorDim());
  return rule.builder.create<ScatterOp>(rule.loc, sum.getType(),
                                        ScatterKind::sum, sum,
                                        clampedStarts(rule, gather), part, dims,
                                        /*unique=*/false);
}

/// The part of `whole` that an update writes.
static Value updatedPart(RuleBuilder &rule, DynamicUpdateSliceOp op,
                         Value whole) {
  RankedTensorType type = typeOf(op.getUpdate());
  if (type.hasStaticShape())
    return rule.builder.create<DynamicSliceOp>(rule.loc, type, whole,
                                               op.getStarts());
  Values starts;
  Type i64 = rule.builder.getI64Type();
  for (auto [d, start] : llvm::enumerate(op.getStarts())) {
    Value last = rule.sub(rule.dim(whole, d), rule.dim(op.getUpdate(), d));
    Value low = rule.binary<MinOp>(rule.convert(start, i64), last);
    starts.push_back(rule.binary<MaxOp>(low, rule.index(0)));
  }
  SmallVector<int64_t> unknown(type.getRank(), ShapedType::kDynamic),
      ones(type.getRank(), 1);
  return rule.builder.create<SliceOp>(rule.loc, type, whole, starts,
                                      rule.dynamicDims(op.getUpdate()), unknown,
                                      type.getShape(), ones);
}

static Derivatives transposeOf(DynamicSliceOp op, RuleBuilder &rule, Value ct,
                               const BitVector &) {
  Values result(op->getNumOperands());
  result[0] = addToSlice(rule, Value(), op, ct);
  return result;
}

static Derivatives transposeOf(GatherOp op, RuleBuilder &rule, Value ct,
                               const BitVector &) {
  Value sum = addToGathered(rule, Value(), op, ct);
  return Values{rule.convert(sum, typeOf(op.getOperand()).getElementType()),
                Value()};
}

static Derivatives transposeOf(DynamicUpdateSliceOp op, RuleBuilder &rule,
                               Value ct, const BitVector &linear) {
  Values result(op->getNumOperands());
  if (linear[0])
    result[0] = rule.builder.create<DynamicUpdateSliceOp>(
        rule.loc, ct.getType(), ct, rule.zeros(op.getUpdate()), op.getStarts());
  if (linear[1])
    result[1] = updatedPart(rule, op, ct);
  return result;
}

namespace {

template <typename Op>
struct IndexingGradient
    : GradientRule::ExternalModel<IndexingGradient<Op>, Op> {
  GradientAnswer gradientAnswer(Operation *op) const {
    if constexpr (std::is_same_v<Op, ScatterOp>)
      return scatterAnswer(cast<ScatterOp>(op));
    if (std::is_same_v<Op, ScatterWithOp>)
      return {GradientAnswer::Refused,
              "the region of a scatter_with may compute anything"};
    return {};
  }
  Derivatives linearize(Operation *op, RuleBuilder &rule,
                        ArrayRef<Value> tangents) const {
    if constexpr (std::is_same_v<Op, ScatterOp>)
      return scatterTangent(cast<ScatterOp>(op), rule, tangents);
    if (std::is_same_v<Op, DynamicUpdateSliceOp>)
      return onTangents(op, rule, tangents, {0, 1});
    return onTangents(op, rule, tangents, {0});
  }
  Derivatives transpose(Operation *op, RuleBuilder &rule,
                        ArrayRef<Value> cotangents,
                        const BitVector &linear) const {
    if constexpr (std::is_same_v<Op, ScatterOp>)
      return transposeScatter(cast<ScatterOp>(op), rule, cotangents[0], linear);
    else if constexpr (std::is_same_v<Op, ScatterWithOp>)
      return notLinear(op);
    else
      return transposeOf(cast<Op>(op), rule, cotangents[0], linear);
  }
};

} // namespace

void attachIndexingGradients(MLIRContext *context) {
  attachAll<IndexingGradient, GatherOp, DynamicSliceOp, DynamicUpdateSliceOp,
            ScatterOp, ScatterWithOp>(context);
}

} // namespace zenith::autodiff
