// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Import rules of the ops that write at data-dependent positions.
#include "frontends/onnx/ONNXOpTable.h"
#include "frontends/onnx/import/IndexReading.h"
#include "frontends/onnx/import/NodeReading.h"

#include <fmt/format.h>
#include <numeric>

using namespace mlir;
using namespace zenith;
using namespace zenith::onnx;
using llvm::ArrayRef;
using llvm::SmallVector;

static graph::ScatterKind scatterKind(NodeReading &n) {
  std::string name = n.stringAttribute("reduction", "none");
  if (name == "none")
    return graph::ScatterKind::set;
  if (name == "add")
    return graph::ScatterKind::sum;
  if (name == "mul")
    return graph::ScatterKind::prod;
  if (name == "max")
    return graph::ScatterKind::max;
  if (name == "min")
    return graph::ScatterKind::min;
  n.fail(invalid(fmt::format("attribute 'reduction' is '{}'", name)));
  return graph::ScatterKind::set;
}

/// Updates at tuples of coordinates, which lie along the last dimension of the
/// indices and address the leading dimensions.
static Value scatterTuples(ImportBuilder &b, graph::ScatterKind kind,
                           Value operand, Value indices, Value updates) {
  int64_t rank = b.dims(operand).size(), indexRank = b.dims(indices).size(),
          tuple = *b.dims(indices).back().constant();
  SmallVector<int64_t> window, inserted(tuple);
  for (int64_t i = 0; i < rank - tuple; ++i)
    window.push_back(indexRank - 1 + i);
  std::iota(inserted.begin(), inserted.end(), 0);
  auto dims =
      graph::ScatterDimsAttr::get(b.builder.getContext(), window, inserted, {},
                                  {}, inserted, indexRank - 1);
  return b.emit<graph::ScatterOp>(operand.getType(), kind, operand, indices,
                                  updates, dims, /*unique=*/false);
}

static void importScatterElements(NodeReading &n) {
  ImportBuilder &b = n.b;
  int64_t rank = n.rank(0);
  if (rank == 0 || n.rank(1) != rank || n.rank(2) != rank)
    return n.fail(invalid("data, indices and updates differ in rank"));
  int64_t axis = n.axisAttribute("axis", 0, rank);
  graph::ScatterKind kind = scatterKind(n);
  if (n.failed())
    return;
  Value updates = b.withShape(n.input(2), n.dims(1));
  auto rows = rowIndices(b, n.input(1), axis, n.dims(0));
  requireIndices(n, rows ? *rows : n.input(1), n.dims(0)[axis], axis);
  Value indices = b.convert(rows ? *rows : n.input(1), b.builder.getI64Type());
  indices = wrapNegative(b, indices, b.scalar(n.dims(0)[axis]));
  n.result(scatterTuples(b, kind, n.input(0), elementTuples(b, indices, axis),
                         updates));
}

static void importScatterND(NodeReading &n) {
  ImportBuilder &b = n.b;
  int64_t rank = n.rank(0);
  graph::ScatterKind kind = scatterKind(n);
  if (n.failed())
    return;
  // The ranks say how many coordinates a tuple has.
  int64_t tuple = n.rank(1) - 1 + rank - n.rank(2);
  auto given = n.rank(1) > 0 ? n.dims(1).back().constant() : std::nullopt;
  if (n.rank(1) < 1 || tuple < 0 || tuple > rank ||
      given.value_or(tuple) != tuple)
    return n.fail(invalid(
        fmt::format("indices and updates of ranks {} and {} do not fit data of "
                    "rank {}",
                    n.rank(1), n.rank(2), rank)));
  DimVector dims = n.dims(0), at = n.dims(1);
  at.back() = DimExpr(tuple);
  Value operand = n.input(0), tuples = b.withShape(n.input(1), at),
        indices = b.convert(tuples, b.builder.getI64Type());
  if (given)
    requireTuples(n, 1, ArrayRef(dims).take_front(tuple), 0);
  else
    requireTuples(n, tuples, ArrayRef(dims).take_front(tuple), 0);
  if (tuple > 0) {
    SmallVector<Value> bounds;
    for (int64_t i = 0; i < tuple; ++i)
      bounds.push_back(b.reshape(b.scalar(dims[i]), {DimExpr(1)}));
    indices = wrapNegative(b, indices, b.concat(0, bounds));
  }
  DimVector wanted = b.dims(indices);
  wanted.pop_back();
  wanted.append(dims.begin() + tuple, dims.end());
  n.result(scatterTuples(b, kind, operand, indices,
                         b.withShape(n.input(2), wanted)));
}

/// A cache with new entries written from a position per batch entry onwards.
static void importTensorScatter(NodeReading &n) {
  ImportBuilder &b = n.b;
  int64_t rank = n.rank(0), axis = n.axisAttribute("axis", -2, rank);
  std::string mode = n.stringAttribute("mode", "linear");
  if (!n.failed() && (mode != "linear" && mode != "circular"))
    n.fail(invalid(fmt::format("attribute 'mode' is '{}'", mode)));
  if (!n.failed() && (axis == 0 || n.rank(1) != rank))
    n.fail(invalid("the axis is the batch, or cache and update differ in "
                   "rank"));
  if (n.failed())
    return;
  Type i64 = b.builder.getI64Type();
  DimVector at = n.dims(1);
  Value position = b.iota(axis, at, i64);
  if (n.has(2))
    position = b.binary<graph::AddOp>(
        position,
        b.broadcast(b.reshape(b.convert(n.input(2), i64), {at[0]}), {0}, at));
  if (mode == "circular")
    position = b.binary<graph::FloorModOp>(position, b.scalar(n.dims(0)[axis]));
  if (mode == "linear")
    requireIndices(n, position, n.dims(0)[axis], axis);
  n.result(scatterTuples(b, graph::ScatterKind::set, n.input(0),
                         elementTuples(b, position, axis), n.input(1)));
}

llvm::ArrayRef<OpRow> zenith::onnx::scatterRows() {
  static constexpr OpRow rows[] = {
      {"Scatter", 9, newest, 3, 3, importScatterElements},
      {"ScatterElements", 11, newest, 3, 3, importScatterElements},
      {"ScatterND", 11, newest, 3, 3, importScatterND},
      {"TensorScatter", 24, newest, 2, 3, importTensorScatter},
  };
  return rows;
}
