// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops with the types that their operands give.

#include "frontends/training/StepBuilder.h"

#include "ir/matchers/ValueBuilders.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;

namespace zenith::training {

Value StepBuilder::filled(RankedTensorType type, double number) {
  Type element = type.getElementType();
  DenseElementsAttr elements;
  if (isa<FloatType>(element))
    elements = DenseElementsAttr::get(
        type, FloatAttr::get(element, number).getValue());
  else
    elements = DenseElementsAttr::get(
        type, APInt(element.getIntOrFloatBitWidth(), uint64_t(int64_t(number)),
                    /*isSigned=*/true));
  return builder.create<graph::ConstantOp>(loc, cast<ElementsAttr>(elements));
}

Value StepBuilder::scalar(Type element, double number) {
  return filled(RankedTensorType::get({}, element), number);
}

Value StepBuilder::compare(graph::CompareDirection direction, Value x,
                           Value y) {
  x = like(x, y);
  y = like(y, x);
  return builder.create<graph::CompareOp>(
      loc, typeOf(x).clone(builder.getI1Type()), direction, x, y);
}

Value StepBuilder::isFinite(Value x) {
  return builder.create<graph::IsFiniteOp>(
      loc, typeOf(x).clone(builder.getI1Type()), x);
}

Value StepBuilder::select(Value condition, Value yes, Value no) {
  yes = like(yes, no);
  no = like(no, yes);
  condition = like(condition, yes);
  return builder.create<graph::SelectOp>(loc, yes.getType(), condition, yes,
                                         no);
}

Value StepBuilder::convert(Value x, Type element) {
  return graph::converted(builder, x, element);
}

Value StepBuilder::broadcast(Value x, RankedTensorType type, Dims mapping) {
  if (x.getType() == type)
    return x;
  return builder.create<graph::BroadcastOp>(loc, type, x, mapping,
                                            ValueRange());
}

Value StepBuilder::like(Value x, Value y) {
  if (typeOf(x).getRank() > 0 || typeOf(y).getRank() == 0)
    return x;
  return broadcast(x, typeOf(y).clone(elementOf(x)), {});
}

Value StepBuilder::reshape(Value x, Dims shape) {
  return graph::reshaped(builder, loc, x, shape);
}

Value StepBuilder::reduce(graph::ReduceKind kind, Value x, Dims dims) {
  if (dims.empty())
    return x;
  SmallVector<int64_t> shape;
  for (int64_t d = 0; d < typeOf(x).getRank(); ++d)
    if (!llvm::is_contained(dims, d))
      shape.push_back(typeOf(x).getDimSize(d));
  return builder.create<graph::ReduceOp>(loc, typeOf(x).clone(shape), kind, x,
                                         dims);
}

Value StepBuilder::reduceAll(graph::ReduceKind kind, Value x) {
  return reduce(kind, x,
                llvm::to_vector(llvm::seq<int64_t>(0, typeOf(x).getRank())));
}

Value StepBuilder::meanAll(Value x) {
  return div(sumAll(x), double(typeOf(x).getNumElements()));
}

Value StepBuilder::mean(Value x, Dims dims) {
  double count = 1;
  for (int64_t d : dims)
    count *= double(typeOf(x).getDimSize(d));
  return div(reduce(graph::ReduceKind::sum, x, dims), count);
}

Value StepBuilder::repeat(Value reduced, Dims dims, Value y) {
  SmallVector<int64_t> kept;
  for (int64_t d = 0; d < typeOf(y).getRank(); ++d)
    if (!llvm::is_contained(dims, d))
      kept.push_back(d);
  return broadcast(reduced, typeOf(y).clone(elementOf(reduced)), kept);
}

} // namespace zenith::training
