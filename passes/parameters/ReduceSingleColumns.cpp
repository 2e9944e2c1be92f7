// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A matmul with a single column is a sum along each row: it fuses with the ops
// that compute the rows (the last norm of a predictor), while a matmul would
// use one lane of each vector.

#include "ir/GraphOps.h"
#include "ir/matchers/ParameterDependence.h"
#include "ir/matchers/TypeOf.h"
#include "ir/matchers/ValueBuilders.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/GraphPasses.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith {
#define GEN_PASS_DEF_REDUCESINGLECOLUMNSPASS
#include "passes/GraphPasses.h.inc"
} // namespace zenith

namespace zenith::parameters {

/// True where the rows are computed here, in a type that products of two
/// elements are summed in.
static bool hasSingleColumn(DotGeneralOp op) {
  DotDimsAttr dims = op.getDims();
  RankedTensorType left = typeOf(op.getLhs()), right = typeOf(op.getRhs());
  Type element = typeOf(op).getElementType();
  int64_t last = left.getRank() - 1;
  return last > 0 && dims.getLhsBatching().empty() &&
         dims.getLhsContracting() == ArrayRef<int64_t>{last} &&
         (element.isF32() || element.isF64()) &&
         left.getElementType() == element &&
         right.getElementType() == element && right.hasStaticShape() &&
         right.getNumElements() == left.getDimSize(last) &&
         op.getLhs().getDefiningOp();
}

static void sumAlongRows(DotGeneralOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  RankedTensorType rows = typeOf(op.getLhs());
  SmallVector<Value> sizes;
  for (int64_t d = 0; d + 1 < rows.getRank(); ++d)
    if (rows.isDynamicDim(d))
      sizes.push_back(builder.create<DimOp>(loc, op.getLhs(), d));
  int64_t last = rows.getRank() - 1;
  Value column = reshaped(builder, loc, op.getRhs(), {rows.getShape().back()});
  Value factors = builder.create<BroadcastOp>(loc, rows, column,
                                              ArrayRef<int64_t>{last}, sizes);
  Value products = builder.create<MulOp>(loc, rows, op.getLhs(), factors);
  Value sums = builder.create<ReduceOp>(
      loc, rows.clone(rows.getShape().drop_back()), ReduceKind::sum, products,
      ArrayRef<int64_t>{last});
  op.replaceAllUsesWith(
      builder.create<ReshapeOp>(loc, op.getType(), sums, sizes).getResult());
  op.erase();
}

namespace {

struct ReduceSingleColumnsPass
    : impl::ReduceSingleColumnsPassBase<ReduceSingleColumnsPass> {
  using ReduceSingleColumnsPassBase::ReduceSingleColumnsPassBase;

  void runOnOperation() override {
    SmallVector<DotGeneralOp> matmuls;
    getOperation().walk([&](DotGeneralOp op) { matmuls.push_back(op); });
    for (DotGeneralOp op : matmuls)
      if (isParameter(op.getRhs()) && !isFixed(op.getLhs()) &&
          hasSingleColumn(op))
        sumAlongRows(op);
  }
};

} // namespace
} // namespace zenith::parameters
