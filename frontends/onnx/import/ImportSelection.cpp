// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Import rules that compare positions or replace coordinates: triangles,
// diagonals, the position of the maximum, elements by index.
#include "frontends/onnx/ONNXOpTable.h"
#include "frontends/onnx/import/IndexReading.h"
#include "frontends/onnx/import/NodeReading.h"

#include <fmt/format.h>
#include <numeric>

using namespace mlir;
using namespace zenith;
using namespace zenith::onnx;
using graph::CompareDirection;
using llvm::ArrayRef;
using llvm::SmallVector;

Value zenith::onnx::elementTuples(ImportBuilder &b, Value indices,
                                  int64_t axis) {
  DimVector one = b.dims(indices);
  int64_t rank = one.size();
  one.push_back(DimExpr(1));
  SmallVector<Value> coordinates;
  for (int64_t i = 0; i < rank; ++i)
    coordinates.push_back(i == axis ? b.reshape(indices, one)
                                    : b.iota(i, one, b.builder.getI64Type()));
  return b.concat(rank, coordinates);
}

/// The operand's elements at tuples of coordinates, which lie along the last
/// dimension and address its leading dimensions.
static Value gatherTuples(ImportBuilder &b, Value operand, Value tuples) {
  DimVector to = b.dims(tuples), dims = b.dims(operand);
  int64_t at = to.size() - 1, leading = *to.back().constant();
  to.pop_back();
  SmallVector<int64_t> offset, collapsed(leading), sizes(leading, 1);
  std::iota(collapsed.begin(), collapsed.end(), 0);
  for (const DimExpr &size : ArrayRef(dims).drop_front(leading)) {
    offset.push_back(to.size());
    to.push_back(size);
    sizes.push_back(size.constant().value_or(ShapedType::kDynamic));
  }
  if (llvm::any_of(ArrayRef(dims).take_front(leading),
                   [](const DimExpr &size) { return size.isConstant(0); }))
    return b.filled(to, getElementTypeOrSelf(operand.getType()), 0);
  auto dimsAttr = graph::GatherDimsAttr::get(b.builder.getContext(), offset,
                                             collapsed, {}, {}, collapsed, at);
  return b.emit<graph::GatherOp>(
      b.typeOf(to, getElementTypeOrSelf(operand.getType())), operand, tuples,
      dimsAttr, sizes);
}

Value zenith::onnx::gatherElements(ImportBuilder &b, Value operand,
                                   int64_t axis, Value indices) {
  return gatherTuples(b, operand, elementTuples(b, indices, axis));
}

std::optional<Value> zenith::onnx::rowIndices(ImportBuilder &b, Value indices,
                                              int64_t axis,
                                              ArrayRef<DimExpr> dims) {
  DimVector at = b.dims(indices), from;
  SmallVector<int64_t> mapping(at.size());
  std::iota(mapping.begin(), mapping.end(), 0);
  Value source = indices;
  if (auto broadcast = indices.getDefiningOp<graph::BroadcastOp>()) {
    source = broadcast.getOperand();
    mapping.assign(broadcast.getMapping().begin(),
                   broadcast.getMapping().end());
  }
  from = b.dims(source);
  auto repeats = [&](int64_t dim) {
    auto it = llvm::find(mapping, dim);
    return it == mapping.end() || from[it - mapping.begin()].isConstant(1);
  };
  int64_t leading = at.size();
  while (leading - 1 > axis && repeats(leading - 1) &&
         at[leading - 1] == dims[leading - 1])
    --leading;
  if (leading == int64_t(at.size()))
    return std::nullopt;
  DimVector kept;
  SmallVector<int64_t> targets;
  for (auto [dim, size] : llvm::zip_equal(mapping, from))
    if (dim < leading) {
      kept.push_back(size);
      targets.push_back(dim);
    }
  return b.broadcast(b.reshape(source, kept), targets,
                     ArrayRef(at).take_front(leading));
}

static bool isIndexType(Type element) {
  return element.isSignlessInteger(32) || element.isSignlessInteger(64);
}

static void importGatherElements(NodeReading &n) {
  ImportBuilder &b = n.b;
  if (n.rank(0) == 0 || n.rank(0) != n.rank(1) ||
      !isIndexType(n.elementType(1)))
    return n.fail(
        invalid("data and indices differ in rank, or indices are no integers"));
  int64_t axis = n.axisAttribute("axis", 0, n.rank(0));
  if (n.failed())
    return;
  DimVector dims = n.dims(0), at = n.dims(1);
  for (auto [index, size, wanted] : llvm::enumerate(dims, at))
    if (int64_t(index) != axis && size.constant() && wanted.constant() &&
        *wanted.constant() > *size.constant())
      return n.fail(invalid(
          fmt::format("indices have {} positions in dimension {} of size {}",
                      wanted.str(), index, size.str())));
  auto rows = rowIndices(b, n.input(1), axis, dims);
  requireIndices(n, rows ? *rows : n.input(1), dims[axis], axis);
  Value indices = b.convert(rows ? *rows : n.input(1), b.builder.getI64Type());
  indices = wrapNegative(b, indices, b.scalar(dims[axis]));
  n.result(gatherElements(b, n.input(0), axis, indices));
}

/// The first `length` steps of each batch entry reversed, the rest unchanged.
static void importReverseSequence(NodeReading &n) {
  ImportBuilder &b = n.b;
  int64_t rank = n.rank(0), time = n.axisAttribute("time_axis", 0, rank),
          batch = n.axisAttribute("batch_axis", 1, rank);
  if (n.failed())
    return;
  if (rank < 2 || time == batch || n.rank(1) != 1)
    return n.fail(invalid("ReverseSequence needs a time axis, another batch "
                          "axis and a vector of lengths"));
  Type i64 = b.builder.getI64Type();
  DimVector dims = n.dims(0);
  Value operand = n.input(0),
        lengths = b.broadcast(b.convert(n.input(1), i64), {batch}, dims);
  Value step = b.iota(time, dims, i64);
  Value mirrored =
      b.binary<graph::SubOp>(b.binary<graph::SubOp>(lengths, 1.0), step);
  Value isReversed = b.compare(CompareDirection::lt, step, lengths);
  n.result(
      gatherElements(b, operand, time, b.select(isReversed, mirrored, step)));
}

//===----------------------------------------------------------------------===//
// Triangles and diagonals
//===----------------------------------------------------------------------===//

/// Column minus row of the last two dimensions.
static Value diagonalOf(ImportBuilder &b, ArrayRef<DimExpr> matrix) {
  Type i64 = b.builder.getI64Type();
  Value columns = b.iota(1, matrix, i64);
  return b.binary<graph::SubOp>(columns, b.iota(0, matrix, i64));
}

static void importTrilu(NodeReading &n) {
  ImportBuilder &b = n.b;
  if (n.rank(0) < 2)
    return n.fail(invalid("Trilu needs an input of rank 2 or more"));
  SmallVector<DimExpr> diagonal = {DimExpr(0)};
  if (n.has(1))
    diagonal = n.elements(1, "the diagonal");
  if (!n.failed() && diagonal.size() != 1)
    n.fail(invalid("the diagonal is not a scalar"));
  if (n.failed())
    return;
  bool upper = n.intAttribute("upper", 1) != 0;
  Value x = n.input(0);
  DimVector dims = b.dims(x);
  Value isKept = b.compare(upper ? CompareDirection::ge : CompareDirection::le,
                           diagonalOf(b, ArrayRef(dims).take_back(2)),
                           b.scalar(diagonal.front()));
  n.result(b.select(isKept, x, b.scalarConstant(n.elementType(0), 0)));
}

static void importEyeLike(NodeReading &n) {
  ImportBuilder &b = n.b;
  Type element = n.elementType(0);
  if (n.hasAttribute("dtype"))
    element = elementTypeOf(static_cast<DataType>(n.intAttribute("dtype", 0)),
                            b.builder.getContext());
  if (!element || isa<ComplexType>(element))
    return n.fail(unsupported("EyeLike of this data type"));
  if (n.rank(0) != 2)
    return n.fail(invalid("EyeLike needs an input of rank 2"));
  Value k = b.scalar(DimExpr(n.intAttribute("k", 0)));
  n.result(b.convert(
      b.compare(CompareDirection::eq, diagonalOf(b, n.dims(0)), k), element));
}

/// 1 at the first maximum along a dimension, else 0.
static Value hardmax(ImportBuilder &b, Value x, int64_t axis) {
  Type i64 = b.builder.getI64Type();
  DimVector dims = b.dims(x), rest = dims;
  rest.erase(rest.begin() + axis);
  Value best = b.emit<graph::ArgReduceOp>(
      b.typeOf(rest, i64), graph::ReduceKind::max, x, axis, /*last=*/false);
  SmallVector<int64_t> mapping;
  for (int64_t i = 0; i < int64_t(dims.size()); ++i)
    if (i != axis)
      mapping.push_back(i);
  Value isBest =
      b.compare(CompareDirection::eq, b.broadcast(best, mapping, dims),
                b.iota(axis, dims, i64));
  return b.convert(isBest, getElementTypeOrSelf(x.getType()));
}

static void importHardmax(NodeReading &n) {
  ImportBuilder &b = n.b;
  bool flat = n.version < 13;
  int64_t axis =
      n.axisAttribute("axis", flat ? 1 : -1, n.rank(0) + (flat ? 1 : 0));
  if (flat && n.intAttribute("axis", 1) < 0)
    axis = n.axisAttribute("axis", 1, n.rank(0));
  if (n.failed())
    return;
  Value x = n.input(0);
  if (!flat)
    return n.result(hardmax(b, x, axis));
  // Below opset 13 the dimensions from `axis` on count as one.
  DimVector dims = n.dims(0);
  DimExpr rows = b.product(ArrayRef(dims).take_front(axis)),
          columns = b.product(ArrayRef(dims).drop_front(axis));
  n.result(b.reshape(hardmax(b, b.reshape(x, {rows, columns}), 1), dims));
}

llvm::ArrayRef<OpRow> zenith::onnx::selectionRows() {
  static constexpr OpRow rows[] = {
      {"EyeLike", 9, newest, 1, 1, importEyeLike},
      {"GatherElements", 11, newest, 2, 2, importGatherElements, nullptr, false,
       Emulated::Moved},
      {"Hardmax", 1, newest, 1, 1, importHardmax},
      {"ReverseSequence", 10, newest, 2, 2, importReverseSequence},
      {"Trilu", 14, newest, 1, 2, importTrilu},
  };
  return rows;
}
