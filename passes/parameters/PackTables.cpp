// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Large tables whose gathered rows are added are stored by blocks of columns,
// so that a block of all rows stays in a cache while many sums read it.

#include "passes/parameters/PackTables.h"

#include "ir/GraphOps.h"
#include "ir/encodings/PackedPanels.h"
#include "ir/matchers/ParameterDependence.h"
#include "ir/matchers/TypeOf.h"
#include "ir/matchers/ValueBuilders.h"
#include "ir/target/TargetModel.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/GraphPasses.h"
#include "passes/parameters/PackMatmuls.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith {
#define GEN_PASS_DEF_PACKTABLESPASS
#include "passes/GraphPasses.h.inc"
} // namespace zenith

namespace zenith::parameters {

bool readsSummedRows(GatherOp op) {
  auto table = typeOf(op.getOperand());
  GatherDimsAttr dims = op.getDims();
  int64_t last = table.getRank() - 1, resultLast = typeOf(op).getRank() - 1;
  if (last < 1 || !table.hasStaticShape() ||
      dims.getOffsetDims() != ArrayRef<int64_t>{resultLast} ||
      llvm::is_contained(dims.getOperandBatchingDims(), last) ||
      llvm::is_contained(dims.getCollapsedSliceDims(), last) ||
      llvm::is_contained(dims.getStartIndexMap(), last) ||
      op.getSliceSizes()[last] != table.getDimSize(last) ||
      !op.getResult().hasOneUse())
    return false;
  auto sum = dyn_cast<ReduceOp>(*op->user_begin());
  return sum && !llvm::is_contained(sum.getDims(), resultLast);
}

/// A small table is in a cache anyway. A block is as wide as the sums that fit
/// registers; rows of the whole table would be so far apart that they share few
/// sets of a cache and need more pages than the TLB holds. Wider blocks leave
/// too few rows to a cache.
static void packTable(GatherOp op, int64_t panel) {
  constexpr int64_t widest = 64;
  int64_t smallBytes = target::modelOf(op).l1Bytes;
  auto type = typeOf(op.getOperand());
  if (!readsSummedRows(op) || !isParameter(op.getOperand()) ||
      !type.getElementType().isIntOrFloat() || type.getNumElements() == 0 ||
      type.getNumElements() * type.getElementTypeBitWidth() / 8 <= smallBytes ||
      matchUnpackedPanels(op.getOperand()))
    return;
  int64_t columns = type.getShape().back(),
          rows = type.getNumElements() / columns;
  int64_t widestBlock = std::min(4 * panel, widest);
  for (int64_t block : {widestBlock, widestBlock / 2}) {
    if (columns % block || columns == block)
      continue;
    OpBuilder builder(op);
    Location loc = op.getLoc();
    Value matrix = reshaped(builder, loc, op.getOperand(), {rows, columns});
    op.getOperandMutable().assign(
        reshaped(builder, loc, repacked(builder, builder, loc, matrix, {block}),
                 type.getShape()));
    return;
  }
}

namespace {

struct PackTablesPass : impl::PackTablesPassBase<PackTablesPass> {
  using PackTablesPassBase::PackTablesPassBase;

  void runOnOperation() override {
    FailureOr<PanelShape> shape = panelShapeOf(getOperation(), panel);
    if (failed(shape))
      return signalPassFailure();
    getOperation().walk([&](GatherOp op) { packTable(op, shape->panel); });
  }
};

} // namespace
} // namespace zenith::parameters
