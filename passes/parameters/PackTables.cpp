// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables whose rows are read at numbers and added lie by blocks of columns, so
// that a block of all rows stays in a cache while many sums read it.

#include "ir/encodings/PackedPanels.h"
#include "ir/matchers/ParameterValues.h"
#include "ir/target/TargetModel.h"
#include "passes/parameters/PackedMatmuls.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::layout {

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

/// A small table is in a cache anyway. Rows of a block are as wide as sums are
/// in registers; those of the whole table would be so far apart that they meet
/// in few sets of a cache, and on more pages than are looked up at once. Wider
/// ones leave too few rows to a cache (54 rows of 324 with 512-bit vectors:
/// 2.8 sums/ns in blocks of 64 columns, 1.9 in blocks of 256).
void packTable(GatherOp op, int64_t panel) {
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
  int64_t wide = std::min(4 * panel, widest);
  for (int64_t block : {wide, wide / 2}) {
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

} // namespace zenith::layout
