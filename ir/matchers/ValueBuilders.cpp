// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds reshapes, transposes and converts.

#include "ir/matchers/ValueBuilders.h"
#include "ir/GraphOps.h"
#include "ir/matchers/TypeOf.h"

using namespace mlir;

namespace zenith::graph {

Value reshaped(OpBuilder &builder, Location loc, Value value,
               ArrayRef<int64_t> shape, ValueRange sizes) {
  if (typeOf(value).getShape() == shape && !ShapedType::isDynamicShape(shape))
    return value;
  return builder.create<ReshapeOp>(loc, typeOf(value).clone(shape), value,
                                   sizes);
}

Value transposed(OpBuilder &builder, Location loc, Value value,
                 ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> shape;
  for (int64_t source : permutation)
    shape.push_back(typeOf(value).getDimSize(source));
  return builder.create<TransposeOp>(loc, typeOf(value).clone(shape), value,
                                     permutation);
}

Value integersLike(OpBuilder &builder, Location loc, Value like,
                   int64_t value) {
  RankedTensorType type = typeOf(like);
  return builder.create<ConstantOp>(
      loc, cast<ElementsAttr>(DenseElementsAttr::get(
               type, builder.getIntegerAttr(type.getElementType(), value))));
}

Value converted(OpBuilder &builder, Value value, Type element) {
  if (typeOf(value).getElementType() == element)
    return value;
  return builder.create<ConvertOp>(
      value.getLoc(), RankedTensorType::get(typeOf(value).getShape(), element),
      value);
}

} // namespace zenith::graph
