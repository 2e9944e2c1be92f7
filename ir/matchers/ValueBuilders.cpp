// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds reshapes, transposes, converts, and constants and steps of folds.

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

DenseElementsAttr scalarElements(Type element, int64_t value) {
  auto type = RankedTensorType::get({}, element);
  if (auto floating = dyn_cast<FloatType>(element))
    return DenseElementsAttr::get(
        type, FloatAttr::get(floating, double(value)).getValue());
  if (auto complex = dyn_cast<ComplexType>(element)) {
    auto part = cast<FloatType>(complex.getElementType());
    return DenseElementsAttr::get(
        type,
        std::complex<APFloat>(FloatAttr::get(part, double(value)).getValue(),
                              FloatAttr::get(part, 0.0).getValue()));
  }
  return DenseElementsAttr::get(
      type, APInt(element.getIntOrFloatBitWidth(), uint64_t(value), true));
}

DenseElementsAttr neutralElement(ReduceKind kind, Type element) {
  auto type = RankedTensorType::get({}, element);
  switch (kind) {
  case ReduceKind::sum:
  case ReduceKind::any:
  case ReduceKind::parity:
    return scalarElements(element, 0);
  case ReduceKind::prod:
    return scalarElements(element, 1);
  case ReduceKind::all:
    return scalarElements(element, -1);
  case ReduceKind::max:
  case ReduceKind::min:
    break;
  }
  bool largest = kind == ReduceKind::min;
  if (auto floating = dyn_cast<FloatType>(element)) {
    const llvm::fltSemantics &semantics = floating.getFloatSemantics();
    bool hasInfinity = APFloat::getInf(semantics).isInfinity();
    return DenseElementsAttr::get(
        type, hasInfinity ? APFloat::getInf(semantics, !largest)
                          : APFloat::getLargest(semantics, !largest));
  }
  unsigned width = element.getIntOrFloatBitWidth();
  bool isUnsigned = element.isUnsignedInteger() || element.isInteger(1);
  APInt value = largest ? (isUnsigned ? APInt::getMaxValue(width)
                                      : APInt::getSignedMaxValue(width))
                        : (isUnsigned ? APInt::getMinValue(width)
                                      : APInt::getSignedMinValue(width));
  return DenseElementsAttr::get(type, value);
}

Value combined(OpBuilder &builder, Location loc, ReduceKind kind, Value lhs,
               Value rhs) {
  switch (kind) {
  case ReduceKind::sum:
    return builder.create<AddOp>(loc, lhs.getType(), lhs, rhs);
  case ReduceKind::prod:
    return builder.create<MulOp>(loc, lhs.getType(), lhs, rhs);
  case ReduceKind::max:
    return builder.create<MaxOp>(loc, lhs.getType(), lhs, rhs);
  case ReduceKind::min:
    return builder.create<MinOp>(loc, lhs.getType(), lhs, rhs);
  case ReduceKind::all:
    return builder.create<AndOp>(loc, lhs.getType(), lhs, rhs);
  case ReduceKind::any:
    return builder.create<OrOp>(loc, lhs.getType(), lhs, rhs);
  case ReduceKind::parity:
    return builder.create<XorOp>(loc, lhs.getType(), lhs, rhs);
  }
  llvm_unreachable("every kind of reduction has a case");
}

} // namespace zenith::graph
