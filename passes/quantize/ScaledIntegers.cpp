// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognises values that are integers times a scale.

#include "passes/quantize/ScaledIntegers.h"

#include "ir/matchers/IntegerRange.h"
#include "ir/matchers/TypeOf.h"
#include "passes/quantize/SplatOrPerChannel.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::quantize {

std::optional<ScaledIntegers> scaledIntegers(OpBuilder &builder, Value value) {
  auto product = value.getDefiningOp<MulOp>();
  if (!product || !typeOf(value).getElementType().isF32())
    return std::nullopt;
  for (auto [factor, scale] :
       {std::make_pair(product.getLhs(), product.getRhs()),
        std::make_pair(product.getRhs(), product.getLhs())}) {
    auto convert = factor.getDefiningOp<ConvertOp>();
    if (!convert)
      continue;
    ScaledIntegers scaled;
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

std::optional<WeightDims> weightDimsOf(Operation *op) {
  RankedTensorType weights = typeOf(op->getOperand(1));
  if (!weights.hasStaticShape() || weights.getNumElements() == 0)
    return std::nullopt;
  WeightDims dims;
  if (auto convolution = dyn_cast<ConvolutionOp>(op)) {
    dims.inFloats = convolution.getGroups() != 1;
    dims.weightDim = convolution.getDims().getKernelOutput();
    dims.resultDim = convolution.getDims().getOutputFeature();
  } else {
    DotDimsAttr dotDims = cast<DotGeneralOp>(op).getDims();
    if (!dotDims.getRhsBatching().empty() ||
        int64_t(dotDims.getRhsContracting().size()) + 1 != weights.getRank())
      return std::nullopt;
    dims.resultDim = typeOf(op->getResult(0)).getRank() - 1;
    for (int64_t d = 0; d < weights.getRank(); ++d)
      if (!llvm::is_contained(dotDims.getRhsContracting(), d))
        dims.weightDim = d;
  }
  dims.k = weights.getNumElements() / weights.getDimSize(dims.weightDim);
  return dims;
}

} // namespace zenith::quantize
