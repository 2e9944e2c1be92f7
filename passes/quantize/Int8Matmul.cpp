// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognises contractions that int8 dot products can compute.

#include "passes/quantize/Int8Matmul.h"

#include "ir/matchers/ChannelsLast.h"
#include "ir/matchers/ParameterDependence.h"
#include "ir/matchers/TypeOf.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::quantize {

std::optional<MatmulWeights> matmulWeightsOf(Operation *op) {
  // Cholesky factors and Fourier transforms are of the family too.
  if (!isa<ConvolutionOp, DotGeneralOp>(op))
    return std::nullopt;
  RankedTensorType type = typeOf(op->getOperand(1));
  if (!type.hasStaticShape() || !isParameter(op->getOperand(1)))
    return std::nullopt;
  MatmulWeights weights;
  if (auto convolution = dyn_cast<ConvolutionOp>(op)) {
    if (convolution.getGroups() != 1 || !isChannelsLast(convolution))
      return std::nullopt;
    weights.column = convolution.getDims().getKernelOutput();
    weights.k = convolution.getDims().getKernelInput();
    weights.leftK = convolution.getDims().getInputFeature();
    auto isNot = [](int64_t usual) {
      return [usual](int64_t size) { return size != usual; };
    };
    weights.padded = llvm::any_of(convolution.getLow(), isNot(0)) ||
                     llvm::any_of(convolution.getHigh(), isNot(0)) ||
                     llvm::any_of(convolution.getInputDilation(), isNot(1));
  } else {
    DotDimsAttr dims = cast<DotGeneralOp>(op).getDims();
    if (!dims.getRhsBatching().empty() ||
        dims.getRhsContracting().size() != 1 || type.getRank() != 2)
      return std::nullopt;
    weights.column = 1 - dims.getRhsContracting().front();
    weights.k = dims.getRhsContracting().front();
    weights.leftK = dims.getLhsContracting().front();
  }
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (d != weights.column)
      weights.summed.push_back(d);
  return weights;
}

bool isInt8Matmul(Operation *op) {
  auto weights = matmulWeightsOf(op);
  auto widens = [&](unsigned operand, bool isUnsigned) {
    auto convert = op->getOperand(operand).getDefiningOp<ConvertOp>();
    if (!convert || !typeOf(convert).getElementType().isSignlessInteger(32))
      return false;
    Type narrow = typeOf(convert.getOperand()).getElementType();
    return isUnsigned ? narrow.isUnsignedInteger(8)
                      : narrow.isSignlessInteger(8);
  };
  return weights && widens(0, /*isUnsigned=*/true) &&
         widens(1, /*isUnsigned=*/false) &&
         typeOf(op->getResult(0)).getElementType().isSignlessInteger(32) &&
         typeOf(op->getOperand(1)).getDimSize(weights->k) % 4 == 0;
}

} // namespace zenith::quantize
