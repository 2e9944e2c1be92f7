// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Import rules of the ops that read at positions given by data.
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

Value zenith::onnx::wrapNegative(ImportBuilder &b, Value indices, Value size) {
  Type element = getElementTypeOrSelf(indices.getType());
  Value isNegative =
      b.compare(CompareDirection::lt, indices, b.scalarConstant(element, 0));
  return b.select(isNegative, b.binary<graph::AddOp>(indices, size), indices);
}

/// Indices into a dimension that count from its start; constant ones are
/// wrapped during the import.
static Value gatherIndices(NodeReading &n, size_t index, const DimExpr &size) {
  ImportBuilder &b = n.b;
  auto known = n.knownElements(index);
  bool allNatural = known && llvm::all_of(known->values, provablyNatural);
  if (allNatural)
    return n.input(index);
  return wrapNegative(b, n.input(index),
                      b.convert(b.scalar(size), n.elementType(index)));
}

/// A part of known elements, if the indices are integers.
static bool foldGather(NodeReading &n) {
  auto from = n.knownElements(0), at = n.knownElements(1);
  if (!from || !at || from->shape.size() != 1 || n.intAttribute("axis", 0) > 0)
    return false;
  Elements result{at->shape, {}};
  for (const DimExpr &index : at->values) {
    auto position = index.constant();
    int64_t size = from->shape[0];
    if (!position || *position < -size || *position >= size)
      return false;
    result.values.push_back(
        from->values[*position < 0 ? *position + size : *position]);
  }
  n.result(0, std::move(result), n.elementType(0));
  return true;
}

/// One constant position is a slice, which costs nothing.
static bool gatherOne(NodeReading &n, int64_t axis, const DimVector &dims) {
  auto known = n.knownElements(1);
  if (!known || known->values.size() != 1 || !known->values[0].constant())
    return false;
  int64_t position = *known->values[0].constant();
  DimExpr start =
      position < 0 ? dims[axis] + DimExpr(position) : DimExpr(position);
  auto size = dims[axis].constant();
  if (size && (!provablyNatural(start) || !provablyLess(start, dims[axis]))) {
    n.fail(
        invalid(fmt::format("index {} is out of range for dimension of size {}",
                            position, dims[axis].str())));
    return true;
  }
  // Counted from the end of a dimension whose size is known at run time only.
  requireIndices(n, 1, dims[axis], axis);
  if (!provablyNatural(start))
    start = DimExpr::max(start, 0);
  DimVector result(dims.begin(), dims.begin() + axis);
  for (int64_t ones : known->shape)
    result.push_back(DimExpr(ones));
  result.append(dims.begin() + axis + 1, dims.end());
  n.result(
      n.b.reshape(n.b.sliceDim(n.input(0), axis, start, DimExpr(1)), result));
  return true;
}

static int64_t sliceSize(const DimExpr &dim) {
  return dim.constant().value_or(-1);
}

Value zenith::onnx::gatherAlong(ImportBuilder &b, Value operand, int64_t axis,
                                Value indices) {
  DimVector dims = b.dims(operand), at = b.dims(indices),
            result(dims.begin(), dims.begin() + axis);
  int64_t indexRank = at.size();
  result.append(at);
  result.append(dims.begin() + axis + 1, dims.end());
  SmallVector<int64_t> offset, sizes;
  for (int64_t i = 0; i < int64_t(dims.size()); ++i) {
    sizes.push_back(i == axis ? 1 : sliceSize(dims[i]));
    if (i != axis)
      offset.push_back(i < axis ? i : i - 1 + indexRank);
  }
  // No index is in range: where there is one the run has ended.
  if (dims[axis].isConstant(0))
    return b.filled(result, getElementTypeOrSelf(operand.getType()), 0);
  auto dimsAttr = graph::GatherDimsAttr::get(b.builder.getContext(), offset,
                                             {axis}, {}, {}, {axis}, indexRank);
  return b.emit<graph::GatherOp>(
      b.typeOf(result, getElementTypeOrSelf(operand.getType())), operand,
      indices, dimsAttr, sizes);
}

namespace {
struct Run {
  int64_t first, step, count;
};
} // namespace

static SmallVector<Run> runsOf(ArrayRef<int64_t> from) {
  SmallVector<Run> runs;
  for (int64_t index : from) {
    if (!runs.empty()) {
      Run &run = runs.back();
      int64_t step = index - (run.first + run.step * (run.count - 1));
      if (run.count == 1 ? step >= -1 && step <= 1 : step == run.step) {
        run.step = step;
        ++run.count;
        continue;
      }
    }
    runs.push_back({index, 0, 1});
  }
  return runs;
}

Value zenith::onnx::readAlong(ImportBuilder &b, Value operand, int64_t axis,
                              ArrayRef<int64_t> from) {
  constexpr size_t mostRuns = 3;
  SmallVector<Run> runs = runsOf(from);
  if (runs.empty() || runs.size() > mostRuns)
    return gatherAlong(b, operand, axis, b.intVector(from));
  SmallVector<Value> parts;
  for (const Run &run : runs) {
    int64_t last = run.first + run.step * (run.count - 1);
    Value part = b.sliceDim(operand, axis, DimExpr(std::min(run.first, last)),
                            DimExpr(std::abs(last - run.first) + 1));
    if (run.step < 0)
      part = b.reverse(part, axis);
    if (run.step == 0 && run.count > 1) {
      DimVector dims = b.dims(part);
      dims[axis] = DimExpr(run.count);
      part = b.broadcastTo(part, dims);
    }
    parts.push_back(part);
  }
  return parts.size() == 1 ? parts[0] : b.concat(axis, parts);
}

static void importGather(NodeReading &n) {
  ImportBuilder &b = n.b;
  int64_t axis = n.axisAttribute("axis", 0, n.rank(0));
  if (n.rank(0) == 0)
    n.fail(invalid("Gather from a scalar"));
  if (!isa<IntegerType>(n.elementType(1)) || n.elementType(1).isInteger(1))
    n.fail(invalid("indices are not integers"));
  if (n.failed())
    return;
  DimVector dims = n.dims(0);
  if (gatherOne(n, axis, dims))
    return;
  requireIndices(n, 1, dims[axis], axis);
  Value operand = n.input(0);
  n.result(gatherAlong(b, operand, axis, gatherIndices(n, 1, dims[axis])));
}

static void importGatherND(NodeReading &n) {
  ImportBuilder &b = n.b;
  int64_t batch = n.intAttribute("batch_dims", 0), rank = n.rank(0),
          indexRank = n.rank(1);
  if (rank < 1 || indexRank < 1 || batch < 0 ||
      batch >= std::min(rank, indexRank))
    return n.fail(
        invalid("the ranks of data and indices do not fit batch_dims"));
  DimVector dims = n.dims(0), at = n.dims(1);
  auto tuple = at.back().constant();
  // The rank of the result says how many coordinates a tuple has.
  if (auto result = n.declaredRank(0); result && !tuple)
    tuple = indexRank - 1 + rank - batch - *result;
  if (!tuple)
    return n.fail(unsupported("a result of unknown rank"));
  if (*tuple < 1 || *tuple > rank - batch)
    return n.fail(invalid(fmt::format("indices have {} coordinates for rank {}",
                                      at.back().str(), rank - batch)));
  bool isGiven = at.back().constant().has_value();
  b.requireEqual(at.back(), DimExpr(*tuple), "numbers of coordinates");
  at.back() = DimExpr(*tuple);
  for (int64_t i = 0; i < batch; ++i) {
    b.requireEqual(at[i], dims[i], "batch sizes");
    at[i] = dims[i];
  }
  Value operand = n.input(0), indices = b.reshape(n.input(1), at);
  SmallVector<int64_t> batching(batch), indexed(*tuple), offset, sizes(rank, 1);
  std::iota(batching.begin(), batching.end(), 0);
  std::iota(indexed.begin(), indexed.end(), batch);
  DimVector result(at.begin(), at.end() - 1);
  for (int64_t i = batch + *tuple; i < rank; ++i) {
    offset.push_back(result.size());
    result.push_back(dims[i]);
    sizes[i] = sliceSize(dims[i]);
  }
  if (isGiven)
    requireTuples(n, 1, ArrayRef(dims).slice(batch, *tuple), batch);
  else
    requireTuples(n, indices, ArrayRef(dims).slice(batch, *tuple), batch);
  if (llvm::any_of(ArrayRef(dims).slice(batch, *tuple),
                   [](const DimExpr &size) { return size.isConstant(0); }))
    return n.result(b.filled(result, n.elementType(0), 0));
  auto known = n.knownElements(1);
  if (!known || !llvm::all_of(known->values, provablyNatural)) {
    SmallVector<Value> bounds;
    for (int64_t i : indexed)
      bounds.push_back(b.reshape(b.convert(b.scalar(dims[i]), n.elementType(1)),
                                 {DimExpr(1)}));
    indices = wrapNegative(b, indices, b.concat(0, bounds));
  }
  auto dimsAttr =
      graph::GatherDimsAttr::get(b.builder.getContext(), offset, indexed,
                                 batching, batching, indexed, indexRank - 1);
  n.result(b.emit<graph::GatherOp>(b.typeOf(result, n.elementType(0)), operand,
                                   indices, dimsAttr, sizes));
}

/// `on` if the index equals the position along the new dimension, else `off`.
static void importOneHot(NodeReading &n) {
  ImportBuilder &b = n.b;
  int64_t axis = n.axisAttribute("axis", -1, n.rank(0) + 1);
  Type i64 = b.builder.getI64Type();
  SmallVector<DimExpr> depth;
  if (auto known = n.constantScalar(1))
    depth = {DimExpr(int64_t(*known))};
  else if (isa<FloatType>(n.elementType(1)))
    depth = {b.readScalar(b.convert(b.reshape(n.input(1), {}), i64))};
  else
    depth = n.elements(1, "the depth");
  if (n.failed())
    return;
  if (depth.size() != 1 || n.rank(2) != 1)
    return n.fail(invalid("depth is not a scalar or values is not a vector"));
  Value indices = b.convert(n.input(0), i64);
  indices = wrapNegative(b, indices, b.scalar(depth.front()));
  DimVector dims = b.dims(indices);
  SmallVector<int64_t> mapping;
  for (int64_t i = 0; i < int64_t(dims.size()); ++i)
    mapping.push_back(i < axis ? i : i + 1);
  dims.insert(dims.begin() + axis, depth.front());
  Value isHot =
      b.compare(CompareDirection::eq, b.broadcast(indices, mapping, dims),
                b.iota(axis, dims, i64));
  Value values = n.input(2);
  auto pick = [&](int64_t at) {
    return b.reshape(b.sliceDim(values, 0, DimExpr(at), DimExpr(1)), {});
  };
  Value on = pick(1);
  n.result(b.select(isHot, on, pick(0)));
}

llvm::ArrayRef<OpRow> zenith::onnx::indexingRows() {
  static constexpr OpRow rows[] = {
      {"Gather", 1, newest, 2, 2, importGather, foldGather, false,
       Emulated::Moved},
      {"GatherND", 11, newest, 2, 2, importGatherND, nullptr, false,
       Emulated::Moved},
      {"OneHot", 9, newest, 3, 3, importOneHot},
  };
  return rows;
}
