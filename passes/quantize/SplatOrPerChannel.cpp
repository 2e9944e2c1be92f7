// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads splat and per-channel constants off a constant or a broadcast.

#include "passes/quantize/SplatOrPerChannel.h"

#include "ir/GraphOps.h"
#include "ir/matchers/TypeOf.h"
#include "ir/matchers/ValueBuilders.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::quantize {

static Value reshaped(OpBuilder &builder, Value value,
                      ArrayRef<int64_t> shape) {
  if (typeOf(value).getShape() == shape)
    return value;
  return builder.create<ReshapeOp>(value.getLoc(), typeOf(value).clone(shape),
                                   value, ValueRange());
}

Value splatOrPerChannel(OpBuilder &builder, Value value, int64_t &dim) {
  dim = -1;
  if (auto constant = value.getDefiningOp<ConstantOp>()) {
    auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
    if (!elements || !elements.isSplat())
      return {};
    return builder.create<ConstantOp>(
        value.getLoc(),
        DenseElementsAttr::get(typeOf(value).clone(ArrayRef<int64_t>()),
                               elements.getSplatValue<Attribute>()));
  }
  auto broadcast = value.getDefiningOp<BroadcastOp>();
  if (!broadcast || !typeOf(broadcast.getOperand()).hasStaticShape())
    return {};
  RankedTensorType from = typeOf(broadcast.getOperand());
  for (auto [d, target] : llvm::enumerate(broadcast.getMapping())) {
    if (from.getDimSize(d) == 1)
      continue;
    if (dim >= 0)
      return {};
    dim = target;
  }
  SmallVector<int64_t> shape;
  if (dim >= 0)
    shape.push_back(from.getNumElements());
  return reshaped(builder, broadcast.getOperand(), shape);
}

} // namespace zenith::quantize
