// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Import rule of Det: elimination with row exchanges, one step per row.
#include "frontends/onnx/ONNXOpTable.h"
#include "frontends/onnx/import/NodeReading.h"
#include "frontends/onnx/import/SampleReading.h"
#include "frontends/onnx/import/ScalarValue.h"

#include <fmt/format.h>

using namespace mlir;
using namespace zenith;
using namespace zenith::onnx;
using graph::CompareDirection;
using graph::ReduceKind;
using llvm::SmallVector;

namespace {
/// Takes the row with the largest first entry out of matrices of
/// [batch, size, size] and eliminates the first column.
struct Elimination {
  ImportBuilder &b;
  Value matrix;
  int64_t size;

  Value row(Value value, int64_t at) {
    return b.sliceDim(value, 1, DimExpr(at), DimExpr(1));
  }
  ScalarValue firstColumn(Value value) {
    return {b, b.sliceDim(value, 2, DimExpr(0), DimExpr(1))};
  }

  /// The pivot, negated if rows were exchanged: [batch, 1, 1].
  ScalarValue step() {
    Type i64 = b.builder.getI64Type();
    DimVector dims = b.dims(matrix), outer = {dims[0]};
    Value entries = b.reshape(firstColumn(matrix).abs(), {dims[0], dims[1]});
    Value best = b.emit<graph::ArgReduceOp>(b.typeOf(outer, i64),
                                            ReduceKind::max, entries, 1,
                                            /*last=*/false);
    ScalarValue chosen(b, b.reshape(best, {dims[0], DimExpr(1), DimExpr(1)}));
    DimVector column = {dims[0], dims[1], DimExpr(1)};
    Value isChosen = ScalarValue(b, b.iota(1, column, i64))
                         .compare(CompareDirection::eq, chosen);
    ScalarValue all(b, matrix);
    Value pivotRow =
        b.reduce(ReduceKind::sum, all.where(isChosen, 0.0), {1}, true);
    ScalarValue exchanged = ScalarValue(b, b.broadcastTo(row(matrix, 0), dims))
                                .where(isChosen, all);
    ScalarValue rest(b,
                     b.sliceDim(exchanged, 1, DimExpr(1), DimExpr(size - 1)));
    ScalarValue pivot = firstColumn(pivotRow);
    Value isZero = pivot.compare(CompareDirection::eq, 0.0);
    ScalarValue factor =
        pivot.constant(0).where(isZero, firstColumn(rest) / pivot);
    Value reduced = rest - factor * ScalarValue(b, pivotRow);
    --size;
    matrix = b.sliceDim(reduced, 2, DimExpr(1), DimExpr(size));
    Value stays = chosen.compare(CompareDirection::eq, 0.0);
    return pivot.where(stays, pivot * -1.0);
  }
};
} // namespace

static void importDet(NodeReading &n) {
  ImportBuilder &b = n.b;
  int64_t rank = n.rank(0);
  DimVector dims = n.dims(0);
  if (rank < 2 || !isa<FloatType>(n.elementType(0)))
    return n.fail(invalid("Det needs floats of rank 2 or more"));
  auto size = dims[rank - 1].constant();
  constexpr int64_t largest = 64;
  auto rows = dims[rank - 2].constant();
  if (size && rows && *size != *rows)
    return n.fail(
        invalid(fmt::format("Det of {} x {} matrices", *rows, *size)));
  if (!size || dims[rank - 2] != dims[rank - 1] || *size > largest)
    return n.fail(
        unsupported(fmt::format("Det of {} x {} matrices", dims[rank - 2].str(),
                                dims[rank - 1].str())));
  DimVector outer(dims.begin(), dims.end() - 2);
  DimExpr count = b.product(outer);
  Type wide = wideFloat(b, n.elementType(0));
  if (*size == 0)
    return n.result(b.filled(outer, n.elementType(0), 1));
  Elimination elimination{
      b, b.reshape(b.convert(n.input(0), wide), {count, *size, *size}), *size};
  Value result;
  while (elimination.size > 1 && !n.failed()) {
    Value pivot = elimination.step();
    result = result ? b.binary<graph::MulOp>(result, pivot) : pivot;
  }
  result = result ? b.binary<graph::MulOp>(result, elimination.matrix)
                  : elimination.matrix;
  if (!n.failed())
    n.result(b.convert(b.reshape(result, outer), n.elementType(0)));
}

llvm::ArrayRef<OpRow> zenith::onnx::matrixRows() {
  static constexpr OpRow rows[] = {
      {"Det", 11, newest, 1, 1, importDet},
  };
  return rows;
}
