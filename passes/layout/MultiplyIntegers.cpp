// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of integers times scales: multiplies the integers first and scales
// the sums.

#include "ir/CompositeFormulas.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/GraphPasses.h"
#include "passes/layout/IntegerRange.h"
#include "passes/layout/ParameterValues.h"
#include "passes/layout/RepeatedNumbers.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith {
#define GEN_PASS_DEF_MULTIPLYINTEGERSPASS
#include "passes/GraphPasses.h.inc"
} // namespace zenith

namespace zenith::layout {

namespace {
/// `integers` as f32 times a scale.
struct Scaled {
  Value integers;
  Value scale; ///< rank 0, or rank 1: one per index of dimension `dim`
  int64_t dim = -1;
  int64_t magnitude = 0;
};

/// The dimensions of the weights that the sums run over, the one that stays,
/// and where that is in the result.
struct ProductDims {
  int64_t depth = 1;
  int64_t weightDim = -1, resultDim = -1;
};
} // namespace

static std::optional<Scaled> scaledIntegers(OpBuilder &builder, Value value) {
  auto product = value.getDefiningOp<MulOp>();
  if (!product || !typeOf(value).getElementType().isF32())
    return std::nullopt;
  for (auto [factor, scale] :
       {std::make_pair(product.getLhs(), product.getRhs()),
        std::make_pair(product.getRhs(), product.getLhs())}) {
    auto convert = factor.getDefiningOp<ConvertOp>();
    if (!convert)
      continue;
    Scaled scaled;
    scaled.integers = convert.getOperand();
    auto range = rangeOf(scaled.integers);
    if (!range || !range->fits(16))
      continue;
    scaled.magnitude = range->magnitude();
    scaled.scale = repeatedNumbers(builder, scale, scaled.dim);
    if (scaled.scale)
      return scaled;
  }
  return std::nullopt;
}

static std::optional<ProductDims> dimsOf(Operation *op) {
  RankedTensorType weights = typeOf(op->getOperand(1));
  if (!weights.hasStaticShape() || weights.getNumElements() == 0)
    return std::nullopt;
  ProductDims dims;
  if (auto convolution = dyn_cast<ConvolutionOp>(op)) {
    if (convolution.getGroups() != 1)
      return std::nullopt;
    dims.weightDim = convolution.getDims().getKernelOutput();
    dims.resultDim = convolution.getDims().getOutputFeature();
  } else {
    DotDimsAttr numbers = cast<DotGeneralOp>(op).getDims();
    if (!numbers.getRhsBatching().empty() ||
        int64_t(numbers.getRhsContracting().size()) + 1 != weights.getRank())
      return std::nullopt;
    dims.resultDim = typeOf(op->getResult(0)).getRank() - 1;
    for (int64_t d = 0; d < weights.getRank(); ++d)
      if (!llvm::is_contained(numbers.getRhsContracting(), d))
        dims.weightDim = d;
  }
  dims.depth = weights.getNumElements() / weights.getDimSize(dims.weightDim);
  return dims;
}

static Value asInt32(OpBuilder &builder, Value value) {
  Type i32 = builder.getI32Type();
  if (typeOf(value).getElementType() == i32)
    return value;
  return builder.create<ConvertOp>(
      value.getLoc(), RankedTensorType::get(typeOf(value).getShape(), i32),
      value);
}

static Value scaleOfSums(OpBuilder &builder, const Scaled &left,
                         const Scaled &right, const ProductDims &dims,
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

static void multiplyIntegers(Operation *op) {
  if (!typeOf(op->getResult(0)).getElementType().isF32() ||
      !isFixed(op->getOperand(1)) || isFixed(op->getOperand(0)))
    return;
  auto dims = dimsOf(op);
  if (!dims)
    return;
  OpBuilder builder(op);
  auto left = scaledIntegers(builder, op->getOperand(0));
  if (!left || left->dim >= 0)
    return;
  auto right = scaledIntegers(builder, op->getOperand(1));
  if (!right || (right->dim >= 0 && right->dim != dims->weightDim))
    return;
  constexpr int64_t highest = std::numeric_limits<int32_t>::max();
  if (left->magnitude * right->magnitude > highest / dims->depth)
    return;
  Location loc = op->getLoc();
  Value result = op->getResult(0);
  auto integerType =
      RankedTensorType::get(typeOf(result).getShape(), builder.getI32Type());
  Value integers[] = {asInt32(builder, left->integers),
                      asInt32(builder, right->integers)};
  Operation *product = builder.clone(*op);
  product->setOperands(integers);
  product->getResult(0).setType(integerType);
  Value sums =
      builder.create<ConvertOp>(loc, result.getType(), product->getResult(0));
  Value scale = scaleOfSums(builder, *left, *right, *dims, sums);
  result.replaceAllUsesWith(
      builder.create<MulOp>(loc, result.getType(), sums, scale));
  op->erase();
}

namespace {

struct MultiplyIntegersPass
    : impl::MultiplyIntegersPassBase<MultiplyIntegersPass> {
  using MultiplyIntegersPassBase::MultiplyIntegersPassBase;

  void runOnOperation() override {
    SmallVector<Operation *> contractions;
    getOperation().walk([&](Operation *op) {
      if (isa<DotGeneralOp, ConvolutionOp>(op))
        contractions.push_back(op);
    });
    llvm::for_each(contractions, multiplyIntegers);
  }
};

} // namespace
} // namespace zenith::layout
