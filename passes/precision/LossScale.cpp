// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds ops on scalars for the scale, and on whole gradients for the rest.

#include "passes/precision/LossScale.h"

#include "ir/GraphOps.h"
#include "ir/matchers/TypeOf.h"
#include "ir/matchers/ValueBuilders.h"
#include "ir/ops/CompositeFormulas.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::precision {

static Value scalar(OpBuilder &builder, Location loc, Type element,
                    double value) {
  auto type = RankedTensorType::get({}, element);
  Attribute number =
      isa<FloatType>(element)
          ? Attribute(builder.getFloatAttr(element, value))
          : Attribute(builder.getIntegerAttr(element, int64_t(value)));
  return builder.create<ConstantOp>(loc, type,
                                    DenseElementsAttr::get(type, number));
}

/// One gradient times `factor`, a scalar of f32.
static Value unscaled(OpBuilder &builder, Location loc, Value gradient,
                      Value factor) {
  Type own = graph::typeOf(gradient).getElementType();
  bool isWide = own.isF32() || own.isF64();
  // 1 / scale may be zero in f16.
  Value wide =
      isWide ? gradient : converted(builder, gradient, builder.getF32Type());
  factor = converted(builder, factor, graph::typeOf(wide).getElementType());
  if (graph::typeOf(wide).getRank() != 0)
    factor = broadcastLike(builder, loc, factor, {}, wide);
  auto product = builder.create<MulOp>(loc, wide.getType(), wide, factor);
  // Small gradients are what the scale is for.
  product->setAttr(highestPrecisionAttrName, builder.getUnitAttr());
  return isWide ? product.getResult() : converted(builder, product, own);
}

UnscaledGradients unscaleGradients(OpBuilder &builder, Location loc,
                                   ValueRange gradients, Value scale) {
  Value inverse = builder.create<DivOp>(
      loc, scale.getType(), scalar(builder, loc, builder.getF32Type(), 1),
      scale);
  auto flag = RankedTensorType::get({}, builder.getI1Type());
  UnscaledGradients result;
  for (Value gradient : gradients) {
    Value value = unscaled(builder, loc, gradient, inverse);
    RankedTensorType type = graph::typeOf(value);
    Value all =
        builder.create<IsFiniteOp>(loc, type.clone(builder.getI1Type()), value);
    auto dims = llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
    if (!dims.empty())
      all = builder.create<ReduceOp>(loc, flag, ReduceKind::all, all, dims);
    result.finite =
        result.finite
            ? builder.create<AndOp>(loc, flag, result.finite, all).getResult()
            : all;
    result.gradients.push_back(value);
  }
  return result;
}

ScaleState nextScale(OpBuilder &builder, Location loc, const ScaleRule &rule,
                     ScaleState now, Value finite) {
  Type f32 = builder.getF32Type(), i32 = builder.getI32Type();
  Type floats = now.scale.getType(), counts = now.goodSteps.getType();
  auto flag = RankedTensorType::get({}, builder.getI1Type());
  Value next = builder.create<AddOp>(loc, counts, now.goodSteps,
                                     scalar(builder, loc, i32, 1));
  Value isDue = builder.create<CompareOp>(
      loc, flag, CompareDirection::ge, next,
      scalar(builder, loc, i32, double(rule.interval)));
  Value grown = builder.create<MulOp>(loc, floats, now.scale,
                                      scalar(builder, loc, f32, rule.growth));
  // False for a scale that became infinite, too.
  Value fits =
      builder.create<CompareOp>(loc, flag, CompareDirection::le, grown,
                                scalar(builder, loc, f32, rule.maxScale));
  Value grows = builder.create<AndOp>(loc, flag, isDue, fits);
  Value afterGood =
      builder.create<SelectOp>(loc, floats, grows, grown, now.scale);
  Value shrunk = builder.create<MulOp>(loc, floats, now.scale,
                                       scalar(builder, loc, f32, rule.backoff));
  Value afterBad = builder.create<MaxOp>(
      loc, floats, shrunk, scalar(builder, loc, f32, rule.minScale));
  Value zero = scalar(builder, loc, i32, 0);
  Value counted = builder.create<SelectOp>(loc, counts, isDue, zero, next);
  return {builder.create<SelectOp>(loc, floats, finite, afterGood, afterBad),
          builder.create<SelectOp>(loc, counts, finite, counted, zero)};
}

} // namespace zenith::precision
