// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops with the types that their operands give.

#include "passes/autodiff/RuleBuilder.h"
#include "ir/matchers/DynamicDims.h"
#include "ir/matchers/TypeOf.h"
#include "passes/batching/BatchRule.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::autodiff {

static DenseElementsAttr splatOf(RankedTensorType type, double number) {
  Type element = type.getElementType();
  if (auto complex = dyn_cast<ComplexType>(element)) {
    auto part = cast<FloatType>(complex.getElementType());
    APFloat real = FloatAttr::get(part, number).getValue(),
            imag = FloatAttr::get(part, 0).getValue();
    return DenseElementsAttr::get(type, std::complex<APFloat>(real, imag));
  }
  if (isa<FloatType>(element))
    return DenseElementsAttr::get(type,
                                  FloatAttr::get(element, number).getValue());
  return DenseElementsAttr::get(type, APInt(element.getIntOrFloatBitWidth(),
                                            uint64_t(int64_t(number)),
                                            /*isSigned=*/true));
}

Value RuleBuilder::compare(CompareDirection direction, Value x, Value y) {
  return builder.create<CompareOp>(loc, typeOf(x).clone(builder.getI1Type()),
                                   direction, x, y);
}

Value RuleBuilder::select(Value condition, Value yes, Value no) {
  return builder.create<SelectOp>(loc, yes.getType(), condition, yes, no);
}

Value RuleBuilder::convert(Value x, Type element) {
  if (typeOf(x).getElementType() == element)
    return x;
  return builder.create<ConvertOp>(loc, typeOf(x).clone(element), x,
                                   UnitAttr());
}

RankedTensorType RuleBuilder::widenedType(RankedTensorType type) {
  bool isNarrow = isa<FloatType>(type.getElementType()) &&
                  type.getElementTypeBitWidth() < 32;
  return isNarrow ? type.clone(Float32Type::get(type.getContext())) : type;
}

Value RuleBuilder::widened(Value x) {
  return convert(x, widenedType(typeOf(x)).getElementType());
}

void RuleBuilder::markSingular(Value product) {
  product.getDefiningOp()->setAttr(singularAttrName, builder.getUnitAttr());
}

void RuleBuilder::markRoom(BroadcastOp broadcast) {
  broadcast->setAttr(batching::roomAttrName, builder.getI64IntegerAttr(0));
}

bool RuleBuilder::isSingular(Operation *op) {
  return op->hasAttr(singularAttrName);
}

Value RuleBuilder::takeAlong(Value x, Value indices, int64_t dim) {
  int64_t rank = typeOf(x).getRank();
  SmallVector<int64_t> along = others(x, {dim}), sizes(rank, 1);
  auto dims = GatherDimsAttr::get(builder.getContext(), {}, {dim}, along, along,
                                  {dim}, rank);
  auto type = typeOf(indices).clone(typeOf(x).getElementType());
  return builder.create<GatherOp>(loc, type, x, indices, dims, sizes);
}

Value RuleBuilder::plus(Value x, Value y) {
  if (!x || !y)
    return x ? x : y;
  return add(x, y);
}

Value RuleBuilder::splat(Value shape, double number) {
  RankedTensorType type = typeOf(shape);
  if (type.hasStaticShape())
    return splat(type, number);
  return broadcast(scalar(type.getElementType(), number), {}, shape);
}

Value RuleBuilder::splat(RankedTensorType type, double number) {
  return builder.create<ConstantOp>(loc,
                                    cast<ElementsAttr>(splatOf(type, number)));
}

Value RuleBuilder::scalar(Type element, double number) {
  return splat(RankedTensorType::get({}, element), number);
}

Value RuleBuilder::index(int64_t number) {
  return scalar(builder.getI64Type(), double(number));
}

Value RuleBuilder::dim(Value x, int64_t d) {
  if (!typeOf(x).isDynamicDim(d))
    return index(typeOf(x).getDimSize(d));
  return builder.create<DimOp>(loc, x, d);
}

SmallVector<Value> RuleBuilder::dynamicDims(Value x) {
  return dynamicDimsOf(builder, loc, x);
}

Value RuleBuilder::count(Value x, Dims dims, Type element) {
  int64_t known = 1;
  Value product;
  for (int64_t d : dims) {
    if (!typeOf(x).isDynamicDim(d)) {
      known *= typeOf(x).getDimSize(d);
      continue;
    }
    Value size = convert(dim(x, d), element);
    product = product ? mul(product, size) : size;
  }
  Value factor = scalar(element, double(known));
  return product ? mul(product, factor) : factor;
}

SmallVector<int64_t> RuleBuilder::others(Value x, Dims dims) {
  SmallVector<int64_t> kept;
  for (int64_t d = 0; d < typeOf(x).getRank(); ++d)
    if (!llvm::is_contained(dims, d))
      kept.push_back(d);
  return kept;
}

Value RuleBuilder::reduce(ReduceKind kind, Value x, Dims dims) {
  if (dims.empty())
    return x;
  SmallVector<int64_t> sizes;
  for (int64_t d : others(x, dims))
    sizes.push_back(typeOf(x).getDimSize(d));
  return builder.create<ReduceOp>(loc, typeOf(x).clone(sizes), kind, x, dims);
}

Value RuleBuilder::repeat(Value reduced, Dims dims, Value shape) {
  return broadcast(reduced, others(shape, dims), shape);
}

Value RuleBuilder::broadcast(Value x, Dims mapping, Value shape) {
  auto type = RankedTensorType::get(typeOf(shape).getShape(),
                                    typeOf(x).getElementType());
  if (type == x.getType() && llvm::equal(mapping, llvm::seq(type.getRank())))
    return x;
  return builder.create<BroadcastOp>(loc, type, x, mapping, dynamicDims(shape));
}

Value RuleBuilder::reshape(Value x, Value shape) {
  return reshape(x, typeOf(shape).getShape(), dynamicDims(shape));
}

Value RuleBuilder::reshape(Value x, Dims sizes, ValueRange dynamic) {
  if (typeOf(x).getShape() == sizes && typeOf(x).hasStaticShape())
    return x;
  return builder.create<ReshapeOp>(loc, typeOf(x).clone(sizes), x, dynamic);
}

Value RuleBuilder::transpose(Value x, Dims permutation) {
  if (llvm::equal(permutation, llvm::seq<int64_t>(permutation.size())))
    return x;
  SmallVector<int64_t> sizes;
  for (int64_t source : permutation)
    sizes.push_back(typeOf(x).getDimSize(source));
  return builder.create<TransposeOp>(loc, typeOf(x).clone(sizes), x,
                                     permutation);
}

Value RuleBuilder::dot(Value lhs, Value rhs, DotDimsAttr dims, Type element) {
  SmallVector<int64_t> sizes;
  for (int64_t d : dims.getLhsBatching())
    sizes.push_back(typeOf(lhs).getDimSize(d));
  auto addFree = [&](Value x, Dims batching, Dims contracting) {
    for (int64_t d = 0; d < typeOf(x).getRank(); ++d)
      if (!llvm::is_contained(batching, d) &&
          !llvm::is_contained(contracting, d))
        sizes.push_back(typeOf(x).getDimSize(d));
  };
  addFree(lhs, dims.getLhsBatching(), dims.getLhsContracting());
  addFree(rhs, dims.getRhsBatching(), dims.getRhsContracting());
  auto type = RankedTensorType::get(
      sizes, element ? element : typeOf(lhs).getElementType());
  return builder.create<DotGeneralOp>(loc, type, lhs, rhs, dims);
}

Value RuleBuilder::reverse(Value x, Dims dims) {
  return builder.create<ReverseOp>(loc, x.getType(), x, dims);
}

Value RuleBuilder::iota(Value shape, int64_t d, Type element) {
  return builder.create<IotaOp>(loc, typeOf(shape).clone(element), d,
                                dynamicDims(shape));
}

} // namespace zenith::autodiff
