// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Indices out of range end the run: the least and the largest index are
// reduced, in one kernel, and compared before anything is read or written.
// GraphIR's own ops clamp or skip, as StableHLO does.
#include "frontends/onnx/import/IndexReading.h"
#include "frontends/onnx/import/NodeReading.h"
#include "frontends/onnx/import/TensorReading.h"
#include "ir/AssertionCode.h"
#include "ir/program/ElementBounds.h"

#include <fmt/format.h>
#include <numeric>

using namespace mlir;
using namespace zenith;
using namespace zenith::onnx;
using graph::CompareDirection;
using graph::ReduceKind;

/// An extreme of all indices as a scalar. Of none it is the neutral element,
/// which passes every check.
static Value extremeOf(ImportBuilder &b, ReduceKind kind, Value indices) {
  SmallVector<int64_t> all(b.dims(indices).size());
  std::iota(all.begin(), all.end(), 0);
  Value extreme =
      all.empty() ? indices : b.reduce(kind, indices, all, /*keepDims=*/false);
  return b.convert(extreme, b.builder.getI64Type());
}

static void assertIndices(NodeReading &n, Value indices, const DimExpr &size,
                          int64_t dim) {
  ImportBuilder &b = n.b;
  Value lowest = extremeOf(b, ReduceKind::min, indices),
        highest = extremeOf(b, ReduceKind::max, indices);
  Value end = b.scalar(size);
  Value isHigh = b.compare(CompareDirection::ge, highest, end),
        isInside = b.compare(CompareDirection::ge, lowest,
                             b.scalar(DimExpr(0) - size));
  Value holds = b.binary<graph::AndOp>(isInside, b.unary<graph::NotOp>(isHigh));
  Value wrong = b.select(isHigh, highest, lowest);
  if (n.failed())
    return;
  auto claim = b.builder.create<graph::AssertOp>(
      b.loc, holds,
      fmt::format("{}: index {{0}} is out of range for dimension {} of size "
                  "{{1}}",
                  n.node.op, dim),
      ValueRange{wrong, end});
  graph::markRunError(claim);
}

void zenith::onnx::requireIndices(NodeReading &n, Value indices,
                                  const DimExpr &size, int64_t dim) {
  ImportBuilder &b = n.b;
  bool isNone = llvm::any_of(b.dims(indices), [](const DimExpr &extent) {
    return extent.isConstant(0);
  });
  auto bounds = graph::boundsOf(
      indices, [&](Value value, int64_t d) { return b.dims(value)[d]; });
  if (!n.failed() && !isNone && !bounds.provablyWithin(DimExpr(0) - size, size))
    assertIndices(n, indices, size, dim);
}

static bool isWithin(const DimExpr &index, const DimExpr &size) {
  return (DimExpr(0) - size).provablyAtMost(index) && provablyLess(index, size);
}

/// Indices that the model gives, all in range; the sizes take turns.
static bool areGivenWithin(NodeReading &n, size_t input,
                           ArrayRef<DimExpr> sizes) {
  auto allWithin = [&](auto &&indices) {
    return llvm::all_of(llvm::enumerate(indices), [&](auto &&index) {
      return isWithin(index.value(), sizes[index.index() % sizes.size()]);
    });
  };
  if (auto known = n.knownElements(input))
    return allWithin(known->values);
  const Tensor *tensor = n.constantTensor(input);
  auto values = tensor ? integersOf(*tensor) : std::nullopt;
  return values && allWithin(*values);
}

void zenith::onnx::requireIndices(NodeReading &n, size_t input,
                                  const DimExpr &size, int64_t dim) {
  if (!areGivenWithin(n, input, size))
    requireIndices(n, n.input(input), size, dim);
}

void zenith::onnx::requireTuples(NodeReading &n, size_t input,
                                 ArrayRef<DimExpr> sizes, int64_t firstDim) {
  if (!sizes.empty() && !areGivenWithin(n, input, sizes))
    requireTuples(n, n.input(input), sizes, firstDim);
}

void zenith::onnx::requireTuples(NodeReading &n, Value tuples,
                                 ArrayRef<DimExpr> sizes, int64_t firstDim) {
  int64_t last = int64_t(n.b.dims(tuples).size()) - 1;
  for (auto [place, size] : llvm::enumerate(sizes))
    requireIndices(
        n, n.b.sliceDim(tuples, last, DimExpr(int64_t(place)), DimExpr(1)),
        size, firstDim + int64_t(place));
}
