// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits the ops that every import rule is made of, with result types from
// dimension expressions.
#include "frontends/onnx/import/ImportBuilder.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include <fmt/format.h>
#include <numeric>

using namespace mlir;
using namespace zenith;
using namespace zenith::onnx;
using llvm::ArrayRef;
using llvm::SmallVector;

//===----------------------------------------------------------------------===//
// Ops and their errors
//===----------------------------------------------------------------------===//

Value ImportBuilder::opaque(Type type) {
  return builder.create<UnrealizedConversionCastOp>(loc, type, ValueRange())
      .getResult(0);
}

Value ImportBuilder::opaqueLike(Value value, ArrayRef<DimExpr> dims) {
  return opaque(typeOf(dims, getElementTypeOrSelf(value.getType())));
}

SmallVector<Value> ImportBuilder::opaques(TypeRange types) {
  return llvm::map_to_vector(types, [&](Type type) { return opaque(type); });
}

Value ImportBuilder::checked(Operation *op, Type type) {
  SmallVector<Value> results = checkedAll(op);
  return results.empty() ? opaque(type) : results.front();
}

SmallVector<Value> ImportBuilder::checkedAll(Operation *op) {
  std::string text;
  ScopedDiagnosticHandler handler(op->getContext(),
                                  [&](Diagnostic &diagnostic) {
                                    if (text.empty())
                                      text = diagnostic.str();
                                    return mlir::success();
                                  });
  if (succeeded(mlir::verify(op, /*verifyRecursively=*/false))) {
    requireSizesOf(op);
    for (Value result : op->getResults())
      bindDims(result);
    return SmallVector<Value>(op->getResults());
  }
  SmallVector<Type> types(op->getResultTypes());
  op->erase();
  fail(
      invalid(text.empty() ? "the node's operands do not fit together" : text));
  return opaques(types);
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

RegionGuard::RegionGuard(ImportBuilder &b, Block *block)
    : b(b), insertion(b.builder.saveInsertionPoint()), symbolDims(b.symbolDims),
      symbolScalars(b.symbolScalars), scalarCache(b.scalarCache),
      stated(b.stated), onDemand(b.onDemand.size()) {
  b.builder.setInsertionPointToEnd(block);
  for (BlockArgument argument : block->getArguments())
    b.bindDims(argument);
}

RegionGuard::~RegionGuard() {
  b.builder.restoreInsertionPoint(insertion);
  b.symbolDims = std::move(symbolDims);
  b.symbolScalars = std::move(symbolScalars);
  b.scalarCache = std::move(scalarCache);
  b.stated = std::move(stated);
  for (; b.onDemand.size() > onDemand; b.onDemand.pop_back())
    *b.onDemand.back() = Value();
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

Value ImportBuilder::constant(ElementsAttr value) {
  return emit<graph::ConstantOp>(cast<RankedTensorType>(value.getShapedType()),
                                 value);
}

Value ImportBuilder::scalarConstant(Type element, double value) {
  auto type = RankedTensorType::get({}, element);
  if (isa<FloatType>(element))
    return constant(DenseElementsAttr::get(
        type, FloatAttr::get(element, value).getValue()));
  if (auto integer = dyn_cast<IntegerType>(element))
    return constant(DenseElementsAttr::get(
        type, llvm::APInt(integer.getWidth(), int64_t(value), true)));
  fail(unsupported("a constant of a complex type"));
  return opaque(type);
}

Value ImportBuilder::filled(ArrayRef<DimExpr> dims, Type element,
                            double value) {
  return broadcast(scalarConstant(element, value), {}, dims);
}

Value ImportBuilder::intVector(ArrayRef<int64_t> values) {
  return constant(DenseElementsAttr::get(
      RankedTensorType::get({int64_t(values.size())}, builder.getI64Type()),
      values));
}

//===----------------------------------------------------------------------===//
// Movement
//===----------------------------------------------------------------------===//

Value ImportBuilder::broadcast(Value value, ArrayRef<int64_t> mapping,
                               ArrayRef<DimExpr> dims) {
  auto type = typeOf(dims, getElementTypeOrSelf(value.getType()));
  bool identity = mapping.size() == dims.size() && llvm::is_sorted(mapping) &&
                  type == value.getType();
  if (identity && sameDims(this->dims(value), dims))
    return value;
  return emit<graph::BroadcastOp>(type, value, mapping, dynamicScalars(dims));
}

Value ImportBuilder::broadcastTo(Value value, ArrayRef<DimExpr> dims) {
  int64_t rank = cast<RankedTensorType>(value.getType()).getRank();
  SmallVector<int64_t> mapping(rank);
  std::iota(mapping.begin(), mapping.end(), int64_t(dims.size()) - rank);
  // What may be 1 keeps its size in the first step.
  DimVector aligned(dims);
  for (auto [size, dim] : llvm::zip(this->dims(value), mapping))
    if (!isConstant(size, 1))
      aligned[dim] = size;
  return expand(broadcast(value, mapping, aligned), dims);
}

Value ImportBuilder::expand(Value value, ArrayRef<DimExpr> dims) {
  if (sameDims(this->dims(value), dims))
    return value;
  return emit<graph::ExpandOp>(
      typeOf(dims, getElementTypeOrSelf(value.getType())), value,
      dynamicScalars(dims));
}

/// The more specific of two expressions that are equal at run time.
static const DimExpr &simpler(const DimExpr &lhs, const DimExpr &rhs) {
  if (lhs.constant() || rhs.constant())
    return lhs.constant() ? lhs : rhs;
  if (lhs.asSymbol() || rhs.asSymbol())
    return lhs.asSymbol() ? lhs : rhs;
  return lhs;
}

DimVector ImportBuilder::broadcastDims(ArrayRef<DimExpr> lhs,
                                       ArrayRef<DimExpr> rhs) {
  if (lhs.size() < rhs.size())
    std::swap(lhs, rhs);
  DimVector result(lhs.begin(), lhs.end());
  size_t shift = lhs.size() - rhs.size();
  for (auto [index, other] : llvm::enumerate(rhs)) {
    DimExpr &dim = result[index + shift];
    bool differ = dim.constant() && other.constant() && dim != other;
    if (differ && !isConstant(dim, 1) && !isConstant(other, 1))
      fail(invalid(
          fmt::format("sizes {} and {} of dimension {} cannot be broadcast",
                      dim.str(), other.str(), index)));
    else
      dim = shortened(DimExpr::broadcast(dim, other));
  }
  return result;
}

Value ImportBuilder::reshape(Value value, ArrayRef<DimExpr> newDims) {
  auto type = typeOf(newDims, getElementTypeOrSelf(value.getType()));
  if (type == value.getType() && sameDims(newDims, dims(value)))
    return value;
  return emit<graph::ReshapeOp>(type, value, dynamicScalars(newDims));
}

Value ImportBuilder::withShape(Value value, ArrayRef<DimExpr> dims) {
  for (auto [own, wanted] : llvm::zip_equal(this->dims(value), dims))
    requireEqual(own, wanted);
  return reshape(value, dims);
}

Value ImportBuilder::transpose(Value value, ArrayRef<int64_t> permutation) {
  if (llvm::is_sorted(permutation))
    return value;
  DimVector from = dims(value), to;
  for (int64_t index : permutation)
    to.push_back(from[index]);
  return emit<graph::TransposeOp>(
      typeOf(to, getElementTypeOrSelf(value.getType())), value, permutation);
}

Value ImportBuilder::slice(Value value, ArrayRef<DimExpr> starts,
                           ArrayRef<DimExpr> sizes, ArrayRef<int64_t> strides) {
  bool whole =
      llvm::all_of(starts,
                   [](const DimExpr &start) { return isConstant(start, 0); }) &&
      llvm::all_of(strides, [](int64_t stride) { return stride == 1; });
  if (whole && sameDims(sizes, dims(value)))
    return value;
  auto split = [&](ArrayRef<DimExpr> exprs, SmallVector<Value> &dynamic) {
    return llvm::map_to_vector(exprs, [&](const DimExpr &expr) -> int64_t {
      if (auto constant = expr.constant())
        return *constant;
      dynamic.push_back(scalar(expr));
      return ShapedType::kDynamic;
    });
  };
  SmallVector<Value> dynamicStarts, dynamicSizes;
  SmallVector<int64_t> staticStarts = split(starts, dynamicStarts),
                       staticSizes = split(sizes, dynamicSizes);
  auto type = typeOf(sizes, getElementTypeOrSelf(value.getType()));
  return emit<graph::SliceOp>(type, value, dynamicStarts, dynamicSizes,
                              staticStarts, staticSizes, strides);
}

Value ImportBuilder::sliceDim(Value value, int64_t dim, const DimExpr &start,
                              const DimExpr &size, int64_t stride) {
  DimVector sizes = dims(value), starts(sizes.size(), DimExpr(0));
  SmallVector<int64_t> strides(sizes.size(), 1);
  starts[dim] = start;
  sizes[dim] = size;
  strides[dim] = stride;
  return slice(value, starts, sizes, strides);
}

Value ImportBuilder::pad(Value value, Value fill, ArrayRef<DimExpr> low,
                         ArrayRef<DimExpr> high) {
  DimVector dims = this->dims(value);
  SmallVector<int64_t> interior(dims.size(), 0), staticLow, staticHigh;
  for (auto [dim, before, after] : llvm::zip(dims, low, high)) {
    dim = shortened(dim + before + after);
    staticLow.push_back(before.constant().value_or(ShapedType::kDynamic));
    staticHigh.push_back(after.constant().value_or(ShapedType::kDynamic));
  }
  return emit<graph::PadOp>(typeOf(dims, getElementTypeOrSelf(value.getType())),
                            value, fill, dynamicScalars(low),
                            dynamicScalars(high), staticLow, staticHigh,
                            interior);
}

Value ImportBuilder::concat(int64_t dim, ArrayRef<Value> values) {
  if (values.size() == 1)
    return values.front();
  DimVector result = dims(values.front());
  for (Value value : values.drop_front()) {
    DimVector more = dims(value);
    if (more.size() != result.size()) {
      fail(invalid("concatenated values differ in rank"));
      return values.front();
    }
    for (auto [index, size] : llvm::enumerate(more))
      result[index] = int64_t(index) == dim ? result[index] + size
                                            : simpler(result[index], size);
  }
  return emit<graph::ConcatOp>(
      typeOf(result, getElementTypeOrSelf(values.front().getType())), dim,
      ValueRange(values));
}

Value ImportBuilder::iota(int64_t dim, ArrayRef<DimExpr> dims, Type element) {
  return emit<graph::IotaOp>(typeOf(dims, element), dim, dynamicScalars(dims));
}

Value ImportBuilder::reverse(Value value, int64_t dim) {
  return emit<graph::ReverseOp>(value.getType(), value, ArrayRef<int64_t>(dim));
}

//===----------------------------------------------------------------------===//
// Elementwise and reduction
//===----------------------------------------------------------------------===//

Value ImportBuilder::convert(Value value, Type element) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getElementType() == element)
    return value;
  return emit<graph::ConvertOp>(type.clone(element), value, /*saturate=*/false);
}

std::pair<Value, Value> ImportBuilder::broadcastPair(Value lhs, Value rhs) {
  if (lhs.getType() == rhs.getType() && sameDims(dims(lhs), dims(rhs)))
    return {lhs, rhs};
  DimVector common = broadcastDims(dims(lhs), dims(rhs));
  if (failed())
    return {opaqueLike(lhs, common), opaqueLike(rhs, common)};
  return {broadcastTo(lhs, common), broadcastTo(rhs, common)};
}

Value ImportBuilder::compare(graph::CompareDirection direction, Value lhs,
                             Value rhs) {
  std::tie(lhs, rhs) = broadcastPair(lhs, rhs);
  Type type = cast<RankedTensorType>(lhs.getType()).clone(builder.getI1Type());
  return emit<graph::CompareOp>(type, direction, lhs, rhs);
}

Value ImportBuilder::select(Value pred, Value onTrue, Value onFalse) {
  DimVector common =
      broadcastDims(broadcastDims(dims(pred), dims(onTrue)), dims(onFalse));
  if (failed())
    return opaqueLike(onTrue, common);
  pred = broadcastTo(pred, common);
  onTrue = broadcastTo(onTrue, common);
  return emit<graph::SelectOp>(onTrue.getType(), pred, onTrue,
                               broadcastTo(onFalse, common));
}

Value ImportBuilder::reduce(graph::ReduceKind kind, Value value,
                            ArrayRef<int64_t> reduced, bool keepDims) {
  DimVector from = dims(value), kept, to;
  for (auto [index, dim] : llvm::enumerate(from)) {
    bool isReduced = llvm::is_contained(reduced, int64_t(index));
    if (!isReduced)
      to.push_back(dim);
    kept.push_back(isReduced ? DimExpr(1) : dim);
  }
  Value result = value;
  if (!reduced.empty())
    result =
        emit<graph::ReduceOp>(typeOf(to, getElementTypeOrSelf(value.getType())),
                              kind, value, reduced);
  return keepDims ? reshape(result, kept) : result;
}

Value ImportBuilder::mean(Value value, ArrayRef<int64_t> reduced,
                          bool keepDims) {
  Type element = getElementTypeOrSelf(value.getType());
  DimVector from = dims(value);
  DimExpr count(1);
  for (int64_t dim : reduced)
    count = count * from[dim];
  bool isNarrow =
      isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 32;
  Value sum = reduce(graph::ReduceKind::sum,
                     isNarrow ? convert(value, builder.getF32Type()) : value,
                     reduced, keepDims);
  Type sumElement = getElementTypeOrSelf(sum.getType());
  Value divisor = count.constant()
                      ? scalarConstant(sumElement, double(*count.constant()))
                      : convert(scalar(count), sumElement);
  return convert(binary<graph::DivOp>(sum, divisor), element);
}
