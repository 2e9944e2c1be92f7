// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Multiplies integers first and scales their sums, where a contraction reads
// integers times scales.

#include "ir/GraphOps.h"
#include "ir/matchers/ParameterDependence.h"
#include "ir/matchers/TypeOf.h"
#include "ir/matchers/ValueBuilders.h"
#include "ir/ops/CompositeFormulas.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/GraphPasses.h"
#include "passes/quantize/FoldRequantize.h"
#include "passes/quantize/ScaledIntegers.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith {
#define GEN_PASS_DEF_LOWERQDQPASS
#include "passes/GraphPasses.h.inc"
} // namespace zenith

namespace zenith::quantize {

static Value scaleOfSums(OpBuilder &builder, const ScaledIntegers &left,
                         const ScaledIntegers &right, const WeightDims &dims,
                         Value sums) {
  Location loc = sums.getLoc();
  Value scale = left.scale;
  if (right.dim >= 0)
    scale = broadcastLike(builder, loc, scale, {}, right.scale);
  scale = builder.create<MulOp>(loc, right.scale.getType(), scale, right.scale);
  SmallVector<int64_t> mapping;
  if (right.dim >= 0)
    mapping.push_back(dims.resultDim);
  return broadcastLike(builder, loc, scale, mapping, sums);
}

/// The scaled sums of integers that replace the result; null where the op
/// stays.
static Value multiplyIntegers(Operation *op) {
  if (!typeOf(op->getResult(0)).getElementType().isF32() ||
      !isFixed(op->getOperand(1)) || isFixed(op->getOperand(0)))
    return {};
  auto dims = weightDimsOf(op);
  if (!dims)
    return {};
  OpBuilder builder(op);
  auto left = scaledIntegers(builder, op->getOperand(0));
  if (!left || left->dim >= 0)
    return {};
  auto right = scaledIntegers(builder, op->getOperand(1));
  if (!right || (right->dim >= 0 && right->dim != dims->weightDim))
    return {};
  if (left->magnitude * right->magnitude > dims->highestSum() / dims->k)
    return {};
  Value result = op->getResult(0);
  Type element =
      dims->inFloats ? Type(builder.getF32Type()) : Type(builder.getI32Type());
  Value integers[] = {converted(builder, left->integers, element),
                      converted(builder, right->integers, element)};
  Operation *contraction = builder.clone(*op);
  contraction->setOperands(integers);
  contraction->getResult(0).setType(
      RankedTensorType::get(typeOf(result).getShape(), element));
  Value sums =
      converted(builder, contraction->getResult(0), builder.getF32Type());
  Value scale = scaleOfSums(builder, *left, *right, *dims, sums);
  auto scaled =
      builder.create<MulOp>(op->getLoc(), result.getType(), sums, scale);
  result.replaceAllUsesWith(scaled);
  op->erase();
  return scaled;
}

namespace {

struct LowerQDQPass : impl::LowerQDQPassBase<LowerQDQPass> {
  using LowerQDQPassBase::LowerQDQPassBase;

  void runOnOperation() override {
    SmallVector<Operation *> contractions;
    getOperation().walk([&](Operation *op) {
      if (isa<DotGeneralOp, ConvolutionOp>(op))
        contractions.push_back(op);
    });
    for (Operation *contraction : contractions)
      if (Value scaled = multiplyIntegers(contraction);
          scaled && foldsRequantize)
        foldRequantize(scaled);
  }
};

} // namespace
} // namespace zenith::quantize
