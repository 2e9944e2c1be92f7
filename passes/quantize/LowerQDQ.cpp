// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of integers times scales: multiplies the integers first and scales
// the sums.

#include "ir/CompositeFormulas.h"
#include "ir/matchers/IntegerRange.h"
#include "ir/matchers/ParameterValues.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/GraphPasses.h"
#include "passes/quantize/BlockwiseScales.h"
#include "passes/quantize/FoldRequantize.h"
#include "passes/quantize/SplatOrPerChannel.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith {
#define GEN_PASS_DEF_LOWERQDQPASS
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
  /// Windows of single channels are summed in f32, which is exact as far as it
  /// holds whole numbers.
  bool inFloats = false;

  int64_t highestSum() const {
    return inFloats ? int64_t(1) << 24 : std::numeric_limits<int32_t>::max();
  }
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
    scaled.scale = splatOrPerChannel(builder, scale, scaled.dim);
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
    dims.inFloats = convolution.getGroups() != 1;
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

static Value converted(OpBuilder &builder, Value value, Type element) {
  if (typeOf(value).getElementType() == element)
    return value;
  return builder.create<ConvertOp>(
      value.getLoc(), RankedTensorType::get(typeOf(value).getShape(), element),
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

static bool multiplyIntegers(Operation *op) {
  if (!typeOf(op->getResult(0)).getElementType().isF32() ||
      !isFixed(op->getOperand(1)) || isFixed(op->getOperand(0)))
    return false;
  auto dims = dimsOf(op);
  if (!dims)
    return false;
  OpBuilder builder(op);
  auto left = scaledIntegers(builder, op->getOperand(0));
  if (!left || left->dim >= 0)
    return false;
  auto right = scaledIntegers(builder, op->getOperand(1));
  if (!right || (right->dim >= 0 && right->dim != dims->weightDim))
    return false;
  if (left->magnitude * right->magnitude > dims->highestSum() / dims->depth)
    return false;
  Value result = op->getResult(0);
  Type element =
      dims->inFloats ? Type(builder.getF32Type()) : Type(builder.getI32Type());
  Value integers[] = {converted(builder, left->integers, element),
                      converted(builder, right->integers, element)};
  Operation *product = builder.clone(*op);
  product->setOperands(integers);
  product->getResult(0).setType(
      RankedTensorType::get(typeOf(result).getShape(), element));
  Value sums = converted(builder, product->getResult(0), builder.getF32Type());
  Value scale = scaleOfSums(builder, *left, *right, *dims, sums);
  auto scaled =
      builder.create<MulOp>(op->getLoc(), result.getType(), sums, scale);
  result.replaceAllUsesWith(scaled);
  op->erase();
  rescaleSums(scaled);
  return true;
}

/// Weights that are integers times a scale stay narrow in memory: the products
/// are scaled behind.
static void scaleProducts(Operation *op) {
  Value result = op->getResult(0), weights = op->getOperand(1);
  if (!isa<DotGeneralOp>(op) || !typeOf(result).getElementType().isF32() ||
      !isParameter(weights) || isFixed(op->getOperand(0)))
    return;
  auto dims = dimsOf(op);
  OpBuilder builder(op);
  auto right = dims ? scaledIntegers(builder, weights) : std::nullopt;
  if (!right || (right->dim >= 0 && right->dim != dims->weightDim))
    return;
  unsigned bits = rangeOf(right->integers)->fits(8) ? 8 : 16;
  Value narrow =
      converted(builder, right->integers, builder.getIntegerType(bits));
  op->setOperand(1, converted(builder, narrow, builder.getF32Type()));
  builder.setInsertionPointAfter(op);
  SmallVector<int64_t> mapping;
  if (right->dim >= 0)
    mapping.push_back(dims->resultDim);
  Value scale =
      broadcastLike(builder, op->getLoc(), right->scale, mapping, result);
  auto scaled =
      builder.create<MulOp>(op->getLoc(), result.getType(), result, scale);
  result.replaceAllUsesExcept(scaled, scaled);
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
    for (Operation *contraction : contractions) {
      auto dot = dyn_cast<DotGeneralOp>(contraction);
      if (!multiplyIntegers(contraction) && !(dot && scaleBlocks(dot)))
        scaleProducts(contraction);
    }
  }
};

} // namespace
} // namespace zenith::layout
