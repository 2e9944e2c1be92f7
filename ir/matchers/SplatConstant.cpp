// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Looks through movement for a splat constant.

#include "ir/matchers/SplatConstant.h"
#include "ir/GraphOps.h"
#include <cmath>

using namespace mlir;

namespace zenith::graph {

std::optional<double> splatValue(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<BroadcastOp, ReshapeOp, TransposeOp>(op))
      break;
    value = op->getOperand(0);
  }
  auto constant = value.getDefiningOp<ConstantOp>();
  auto elements = constant ? dyn_cast<DenseElementsAttr>(constant.getValue())
                           : DenseElementsAttr();
  if (!elements || !elements.isSplat())
    return std::nullopt;
  Type type = elements.getElementType();
  if (isa<FloatType>(type))
    return elements.getSplatValue<APFloat>().convertToDouble();
  if (!isa<IntegerType>(type))
    return std::nullopt;
  APInt integer = elements.getSplatValue<APInt>();
  bool isUnsigned = type.isUnsignedInteger() || type.isInteger(1);
  return isUnsigned ? double(integer.getZExtValue())
                    : double(integer.getSExtValue());
}

bool isNear(std::optional<double> value, double expected) {
  return value && std::abs(*value - expected) <= 1e-5 * std::abs(expected);
}

} // namespace zenith::graph
