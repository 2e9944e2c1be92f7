// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Looks through movement for one number.

#include "ir/matchers/SplatConstant.h"
#include "ir/GraphOps.h"

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
  APInt number = elements.getSplatValue<APInt>();
  bool isUnsigned = type.isUnsignedInteger() || type.isInteger(1);
  return isUnsigned ? double(number.getZExtValue())
                    : double(number.getSExtValue());
}

} // namespace zenith::graph
