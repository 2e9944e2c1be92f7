// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gathers the elements around points and weighs them.
#include "frontends/onnx/import/SampleReading.h"

#include <numeric>

using namespace mlir;
using namespace zenith;
using namespace zenith::onnx;
using graph::CompareDirection;
using llvm::ArrayRef;
using llvm::SmallVector;

Type zenith::onnx::wideFloat(ImportBuilder &b, Type element) {
  return element.isF64() ? element : Type(b.builder.getF32Type());
}

ScalarValue zenith::onnx::floatSize(ImportBuilder &b, const DimExpr &size,
                                    Type type) {
  if (auto constant = size.constant())
    return {b, b.scalarConstant(type, double(*constant))};
  return {b, b.convert(b.scalar(size), type)};
}

Type zenith::onnx::indexType(ImportBuilder &b, ArrayRef<DimExpr> sizes) {
  bool narrow = llvm::all_of(sizes, [](const DimExpr &size) {
    return size.provablyAtMost(DimExpr(INT32_MAX));
  });
  return narrow ? b.builder.getI32Type() : b.builder.getI64Type();
}

/// One element of the feature map per point and feature.
static Value gatherPoints(ImportBuilder &b, Value featureMap,
                          ArrayRef<Value> indices, Value batchIndices) {
  DimVector dims = b.dims(featureMap), points = b.dims(indices.front());
  int64_t rank = dims.size(), pointRank = points.size();
  DimVector column = points;
  column.push_back(DimExpr(1));
  SmallVector<Value> parts;
  if (batchIndices)
    parts.push_back(b.reshape(b.broadcast(batchIndices, {0}, points), column));
  for (Value index : indices)
    parts.push_back(b.reshape(index, column));
  SmallVector<int64_t> spatial(rank - 2), sizes(rank, 1);
  std::iota(spatial.begin(), spatial.end(), 2);
  sizes[1] = dims[1].constant().value_or(-1);
  DimVector result = {points[0], dims[1]};
  result.append(points.begin() + 1, points.end());
  SmallVector<int64_t> collapsed = spatial, indexed = spatial;
  SmallVector<int64_t> batching;
  if (batchIndices) {
    collapsed.insert(collapsed.begin(), 0);
    indexed.insert(indexed.begin(), 0);
  } else {
    batching.push_back(0);
  }
  auto dimsAttr =
      graph::GatherDimsAttr::get(b.builder.getContext(), {1}, collapsed,
                                 batching, batching, indexed, pointRank);
  return b.emit<graph::GatherOp>(
      b.typeOf(result, getElementTypeOrSelf(featureMap.getType())), featureMap,
      b.concat(pointRank, parts), dimsAttr, sizes);
}

/// A value of shape [points...], broadcast along the features.
static Value perFeature(ImportBuilder &b, Value value, const DimVector &dims) {
  SmallVector<int64_t> mapping = {0};
  for (size_t i = 2; i < dims.size(); ++i)
    mapping.push_back(i);
  return b.broadcast(value, mapping, dims);
}

Value zenith::onnx::sampleSum(ImportBuilder &b, Value featureMap,
                              ArrayRef<SmallVector<SampleTap>> taps,
                              Value batchIndices) {
  SmallVector<size_t> chosen(taps.size(), 0);
  Value sum;
  bool more = true;
  // One term at least: after an error callers go on with an opaque value.
  do {
    SmallVector<Value> indices;
    Value weight, inside;
    for (auto [tap, list] : llvm::zip(chosen, taps)) {
      const SampleTap &one = list[tap];
      indices.push_back(one.index);
      if (one.weight)
        weight =
            weight ? b.binary<graph::MulOp>(weight, one.weight) : one.weight;
      if (one.inside)
        inside =
            inside ? b.binary<graph::AndOp>(inside, one.inside) : one.inside;
    }
    Value element = gatherPoints(b, featureMap, indices, batchIndices);
    DimVector dims = b.dims(element);
    if (weight)
      element = b.convert(element, getElementTypeOrSelf(weight.getType()));
    // Select zero instead of multiplying by it: an element outside may be
    // infinite.
    if (inside)
      element = b.select(
          perFeature(b, inside, dims), element,
          b.scalarConstant(getElementTypeOrSelf(element.getType()), 0));
    if (weight)
      element = b.binary<graph::MulOp>(element, perFeature(b, weight, dims));
    sum = sum ? b.binary<graph::AddOp>(sum, element) : element;
    more = false;
    for (size_t d = 0; d < chosen.size() && !more; ++d) {
      more = ++chosen[d] < taps[d].size();
      if (!more)
        chosen[d] = 0;
    }
  } while (more && !b.failed());
  return sum;
}

SmallVector<SampleTap> zenith::onnx::linearTaps(ImportBuilder &b,
                                                ScalarValue position,
                                                const DimExpr &size,
                                                Type indexType) {
  Type type = getElementTypeOrSelf(Value(position).getType());
  ScalarValue base = position.floor(), fraction = position - base,
              last = floatSize(b, size, type) - 1.0;
  SmallVector<SampleTap> taps;
  for (int tap = 0; tap < 2; ++tap) {
    ScalarValue at = base + double(tap);
    Value inside =
        b.binary<graph::AndOp>(at.compare(CompareDirection::ge, 0.0),
                               at.compare(CompareDirection::le, last));
    ScalarValue index = at.max(0.0).min(last).to(indexType);
    taps.push_back({index, tap ? fraction : 1.0 - fraction, inside});
  }
  return taps;
}
