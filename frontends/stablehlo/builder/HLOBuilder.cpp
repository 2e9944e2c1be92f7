// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constants, movement and conversions that import rules share.

#include "frontends/stablehlo/builder/HLOBuilder.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::stablehlo;

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

// Splats stay small: one scalar, repeated.
Value HLOBuilder::constant(ElementsAttr value) {
  auto type = cast<RankedTensorType>(value.getShapedType());
  auto dense = dyn_cast<DenseElementsAttr>(value);
  if (!dense || !dense.isSplat() || type.getNumElements() < 2)
    return create<graph::ConstantOp>(value);
  auto scalarType = RankedTensorType::get({}, type.getElementType());
  return spread(create<graph::ConstantOp>(dense.resizeSplat(scalarType)), type,
                {});
}

Value HLOBuilder::scalar(Type element, double value) {
  auto type = RankedTensorType::get({}, element);
  if (auto floating = dyn_cast<FloatType>(element))
    return create<graph::ConstantOp>(DenseElementsAttr::get(
        type, FloatAttr::get(floating, value).getValue()));
  if (auto complex = dyn_cast<ComplexType>(element)) {
    auto part = cast<FloatType>(complex.getElementType());
    return create<graph::ConstantOp>(DenseElementsAttr::get(
        type, std::complex<APFloat>(FloatAttr::get(part, value).getValue(),
                                    FloatAttr::get(part, 0.0).getValue())));
  }
  unsigned width = element.getIntOrFloatBitWidth();
  return integer(element, APInt(width, uint64_t(int64_t(value)), true));
}

Value HLOBuilder::integer(Type element, const APInt &value) {
  return create<graph::ConstantOp>(
      DenseElementsAttr::get(RankedTensorType::get({}, element), value));
}

Value HLOBuilder::indexVector(ArrayRef<int64_t> values) {
  auto type = RankedTensorType::get({int64_t(values.size())}, b.getI64Type());
  return create<graph::ConstantOp>(DenseElementsAttr::get(type, values));
}

//===----------------------------------------------------------------------===//
// Movement
//===----------------------------------------------------------------------===//

Value HLOBuilder::broadcast(Value value, ArrayRef<int64_t> mapping,
                            RankedTensorType type, ValueRange dims) {
  return make<graph::BroadcastOp>(type, value, mapping, dims);
}

Value HLOBuilder::spread(Value scalar, RankedTensorType type, ValueRange dims) {
  if (type.getRank() == 0)
    return scalar;
  return broadcast(scalar, ArrayRef<int64_t>{},
                   RankedTensorType::get(type.getShape(), elementOf(scalar)),
                   dims);
}

Value HLOBuilder::spread(Value scalar, Value like) {
  return spread(scalar, tensorTypeOf(like), dynamicDims(like));
}

Value HLOBuilder::reshape(Value value, ArrayRef<int64_t> shape) {
  if (tensorTypeOf(value).getShape() == shape)
    return value;
  return make<graph::ReshapeOp>(RankedTensorType::get(shape, elementOf(value)),
                                value, ValueRange());
}

Value HLOBuilder::transpose(Value value, ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> shape;
  for (int64_t from : permutation)
    shape.push_back(tensorTypeOf(value).getDimSize(from));
  return make<graph::TransposeOp>(
      RankedTensorType::get(shape, elementOf(value)), value, permutation);
}

Value HLOBuilder::slice(Value value, ArrayRef<int64_t> starts,
                        ArrayRef<int64_t> sizes) {
  SmallVector<int64_t> strides(starts.size(), 1);
  return make<graph::SliceOp>(RankedTensorType::get(sizes, elementOf(value)),
                              value, ValueRange(), ValueRange(), starts, sizes,
                              strides);
}

Value HLOBuilder::iota(ArrayRef<int64_t> shape, int64_t dim, Type element) {
  return make<graph::IotaOp>(RankedTensorType::get(shape, element),
                             uint64_t(dim), ValueRange());
}

Value HLOBuilder::concat(int64_t dim, ValueRange values) {
  SmallVector<int64_t> shape(tensorTypeOf(values[0]).getShape());
  for (Value value : values.drop_front()) {
    int64_t size = tensorTypeOf(value).getDimSize(dim);
    shape[dim] =
        ShapedType::isDynamic(size) || ShapedType::isDynamic(shape[dim])
            ? ShapedType::kDynamic
            : shape[dim] + size;
  }
  return make<graph::ConcatOp>(
      RankedTensorType::get(shape, elementOf(values[0])), uint64_t(dim),
      values);
}

Value HLOBuilder::dim(Value value, int64_t at) {
  int64_t size = tensorTypeOf(value).getDimSize(at);
  return ShapedType::isDynamic(size) ? Value(create<graph::DimOp>(value, at))
                                     : index(size);
}

SmallVector<Value> HLOBuilder::dynamicDims(Value value) {
  SmallVector<Value> dims;
  for (auto [at, size] : llvm::enumerate(tensorTypeOf(value).getShape()))
    if (ShapedType::isDynamic(size))
      dims.push_back(dim(value, at));
  return dims;
}

Value HLOBuilder::refine(Value value, ArrayRef<int64_t> shape) {
  RankedTensorType type = tensorTypeOf(value);
  if (type.getRank() != int64_t(shape.size()))
    return value;
  SmallVector<int64_t> sizes;
  SmallVector<Value> dims;
  for (auto [at, own, other] : llvm::enumerate(type.getShape(), shape)) {
    sizes.push_back(ShapedType::isDynamic(own) ? other : own);
    if (ShapedType::isDynamic(sizes.back()))
      dims.push_back(dim(value, at));
  }
  if (ArrayRef(sizes) == type.getShape())
    return value;
  return make<graph::ReshapeOp>(
      RankedTensorType::get(sizes, type.getElementType()), value, dims);
}

void HLOBuilder::agree(ArrayRef<Value *> list) {
  for (Value *value : list)
    for (Value *other : list)
      *value = refine(*value, tensorTypeOf(*other).getShape());
}

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

Value HLOBuilder::compare(graph::CompareDirection direction, Value lhs,
                          Value rhs) {
  agree({&lhs, &rhs});
  return make<graph::CompareOp>(typeWith(lhs, b.getI1Type()), direction, lhs,
                                rhs);
}

Value HLOBuilder::select(Value pred, Value onTrue, Value onFalse) {
  agree({&pred, &onTrue, &onFalse});
  return make<graph::SelectOp>(onTrue.getType(), pred, onTrue, onFalse);
}

Value HLOBuilder::convert(Value value, Type element) {
  Type from = elementOf(value);
  if (from == element)
    return value;
  auto complex = dyn_cast<ComplexType>(element);
  if (complex && !isa<ComplexType>(from)) {
    Value real = convert(value, complex.getElementType());
    return complexOf(real, filled(real, 0.0));
  }
  if (!complex && isa<ComplexType>(from))
    return convert(realPart(value), element);
  return make<graph::ConvertOp>(typeWith(value, element), value);
}

Value HLOBuilder::bitcast(Value value, Type element) {
  return elementOf(value) == element
             ? value
             : make<graph::BitcastOp>(typeWith(value, element), value);
}

Value HLOBuilder::complexOf(Value real, Value imag) {
  return make<graph::ComplexOp>(
      typeWith(real, ComplexType::get(elementOf(real))), real, imag);
}

Value HLOBuilder::realPart(Value value) {
  auto complex = dyn_cast<ComplexType>(elementOf(value));
  return complex ? make<graph::RealOp>(
                       typeWith(value, complex.getElementType()), value)
                 : value;
}

Value HLOBuilder::imagPart(Value value) {
  auto complex = dyn_cast<ComplexType>(elementOf(value));
  return complex ? make<graph::ImagOp>(
                       typeWith(value, complex.getElementType()), value)
                 : filled(value, 0.0);
}

Value HLOBuilder::reduce(graph::ReduceKind kind, Value value,
                         ArrayRef<int64_t> dims) {
  SmallVector<int64_t> sorted(dims), shape;
  llvm::sort(sorted);
  for (auto [at, size] : llvm::enumerate(tensorTypeOf(value).getShape()))
    if (!llvm::is_contained(sorted, int64_t(at)))
      shape.push_back(size);
  return make<graph::ReduceOp>(RankedTensorType::get(shape, elementOf(value)),
                               kind, value, sorted);
}
