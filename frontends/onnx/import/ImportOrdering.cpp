// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Import rules of the ops that compare elements with each other or whose result
// sizes depend on data: TopK, Unique, NonZero, Compress, NonMaxSuppression.
#include "frontends/onnx/ONNXOpTable.h"
#include "frontends/onnx/import/ElementFolding.h"
#include "frontends/onnx/import/LoopBuilder.h"

#include <fmt/format.h>

using namespace mlir;
using namespace zenith;
using namespace zenith::onnx;
using graph::CompareDirection;
using llvm::ArrayRef;
using llvm::SmallVector;

/// The type with a dimension 0 that is known at run time only.
static RankedTensorType openEnded(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[0] = ShapedType::kDynamic;
  return RankedTensorType::get(shape, type.getElementType());
}

static Values compact(ImportBuilder &b, Value mask, ArrayRef<Value> values) {
  SmallVector<Type> types;
  for (Value value : values)
    types.push_back(openEnded(value));
  return b.emitAll<graph::CompactOp>(types, mask, ValueRange(values));
}

static Value asVector(ImportBuilder &b, Value value) {
  return b.reshape(value, {b.product(b.dims(value))});
}

/// `axis` moved to the front, and the inverse.
static SmallVector<int64_t> toFront(int64_t axis, int64_t rank) {
  SmallVector<int64_t> order = {axis};
  for (int64_t dim = 0; dim < rank; ++dim)
    if (dim != axis)
      order.push_back(dim);
  return order;
}

static SmallVector<int64_t> fromFront(int64_t axis, int64_t rank) {
  SmallVector<int64_t> order;
  for (int64_t dim = 1; dim < rank; ++dim)
    order.push_back(dim);
  order.insert(order.begin() + axis, 0);
  return order;
}

//===----------------------------------------------------------------------===//
// By order
//===----------------------------------------------------------------------===//

static void importTopK(NodeReading &n) {
  ImportBuilder &b = n.b;
  if (n.rank(0) == 0)
    return n.fail(invalid("TopK of a scalar"));
  int64_t axis = n.axisAttribute("axis", -1, n.rank(0));
  DimExpr k(n.intAttribute("k", 0));
  if (n.version >= 10) {
    if (!n.has(1))
      return n.fail(invalid("input 1 (K) is absent"));
    auto given = n.elements(1, "the number of elements");
    if (!n.failed() && given.size() != 1)
      n.fail(invalid("K is not one number"));
    if (!n.failed())
      k = given[0];
  }
  if (n.failed())
    return;
  DimVector dims = n.dims(0);
  if (auto count = k.constant())
    if (*count < 0 ||
        (dims[axis].constant() && *count > *dims[axis].constant()))
      return n.fail(invalid(
          fmt::format("the top {} of {} elements", *count, dims[axis].str())));
  dims[axis] = k;
  bool smallest = n.intAttribute("largest", 1) == 0;
  SmallVector<Type> types = {b.typeOf(dims, n.elementType(0)),
                             b.typeOf(dims, b.builder.getI64Type())};
  Values results = b.emitAll<graph::TopKOp>(
      TypeRange(types), n.input(0), k.constant() ? Value() : b.scalar(k),
      uint64_t(axis), smallest);
  n.result(0, results[0]);
  n.result(1, results[1]);
}

static void importUnique(NodeReading &n) {
  ImportBuilder &b = n.b;
  bool isFlat = !n.hasAttribute("axis"),
       sorted = n.intAttribute("sorted", 1) != 0;
  int64_t rank = n.rank(0),
          axis = isFlat ? 0 : n.axisAttribute("axis", 0, rank);
  if (n.failed())
    return;
  Value rows = isFlat ? asVector(b, n.input(0))
                      : b.transpose(n.input(0), toFront(axis, rank));
  Type i64 = b.builder.getI64Type();
  auto open = RankedTensorType::get({ShapedType::kDynamic}, i64);
  SmallVector<Type> types = {openEnded(rows), open,
                             b.typeOf({b.dims(rows)[0]}, i64), open};
  Values results = b.emitAll<graph::UniqueOp>(TypeRange(types), rows, sorted);
  n.result(0, isFlat ? results[0]
                     : b.transpose(results[0], fromFront(axis, rank)));
  for (size_t i = 1; i < 4; ++i)
    n.result(i, results[i]);
}

static void importNonMaxSuppression(NodeReading &n) {
  ImportBuilder &b = n.b;
  if (n.rank(0) != 3 || n.rank(1) != 3)
    return n.fail(invalid("boxes and scores need rank 3"));
  int64_t center = n.intAttribute("center_point_box", 0);
  auto scalar = [&](size_t index, Type element) {
    return n.has(index) ? b.convert(asScalar(b, n.input(index)), element)
                        : b.scalarConstant(element, 0);
  };
  Type f32 = b.builder.getF32Type();
  auto type =
      RankedTensorType::get({ShapedType::kDynamic, 3}, b.builder.getI64Type());
  n.result(b.emit<graph::NonMaxSuppressionOp>(
      type, n.input(0), n.input(1), scalar(2, b.builder.getI64Type()),
      scalar(3, f32), n.has(4) ? scalar(4, f32) : Value(), center != 0));
}

//===----------------------------------------------------------------------===//
// By mask
//===----------------------------------------------------------------------===//

/// One row of coordinates per dimension.
static void importNonZero(NodeReading &n) {
  ImportBuilder &b = n.b;
  Type i64 = b.builder.getI64Type();
  Value value = n.input(0);
  if (n.rank(0) == 0)
    value = b.reshape(value, {DimExpr(1)});
  DimVector dims = b.dims(value);
  Value mask = value;
  if (!n.elementType(0).isInteger(1))
    mask = b.compare(CompareDirection::ne, value,
                     b.scalarConstant(n.elementType(0), 0));
  Values coordinates;
  for (int64_t dim = 0; dim < int64_t(dims.size()); ++dim)
    coordinates.push_back(asVector(b, b.iota(dim, dims, i64)));
  Values kept = compact(b, asVector(b, mask), coordinates);
  DimExpr count = b.dims(kept[0])[0];
  for (Value &row : kept)
    row = b.reshape(row, {DimExpr(1), count});
  n.result(b.concat(0, kept));
}

static void importCompress(NodeReading &n) {
  ImportBuilder &b = n.b;
  bool isFlat = !n.hasAttribute("axis");
  int64_t rank = n.rank(0),
          axis = isFlat ? 0 : n.axisAttribute("axis", 0, rank);
  if (!n.failed() && (n.rank(1) != 1 || !n.elementType(1).isInteger(1)))
    n.fail(invalid("the condition is not a vector of booleans"));
  if (n.failed())
    return;
  Value rows = isFlat ? asVector(b, n.input(0))
                      : b.transpose(n.input(0), toFront(axis, rank));
  // The condition may be shorter than the dimension.
  Value mask = n.input(1);
  DimExpr have = b.dims(rows)[0], wanted = b.dims(mask)[0];
  if (have != wanted) {
    DimExpr common = DimExpr::min(have, wanted);
    rows = b.sliceDim(rows, 0, DimExpr(0), common);
    mask = b.sliceDim(mask, 0, DimExpr(0), common);
  }
  Value kept = compact(b, mask, {rows})[0];
  n.result(isFlat ? kept : b.transpose(kept, fromFront(axis, rank)));
}

llvm::ArrayRef<OpRow> zenith::onnx::orderingRows() {
  static constexpr OpRow rows[] = {
      {"Compress", 9, newest, 2, 2, importCompress},
      {"NonMaxSuppression", 10, newest, 2, 5, importNonMaxSuppression},
      {"NonZero", 9, newest, 1, 1, importNonZero},
      {"TopK", 1, newest, 1, 2, importTopK},
      {"Unique", 11, newest, 1, 1, importUnique},
  };
  return rows;
}
