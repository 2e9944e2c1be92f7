// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Batching of composites: whole where only their operand differs between rows,
// written out where scales, biases or statistics do, which have no rows.

#include "ir/ops/CompositeFormulas.h"
#include "passes/batching/RowDims.h"
#include "passes/batching/RuleModels.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::batching {
namespace {

/// Batching dimensions lead in all operands.
template <typename Op>
struct WholeBatching : BatchRule::ExternalModel<WholeBatching<Op>, Op> {
  LogicalResult batch(Operation *op, Batcher &batcher) const {
    Operation *copy = batcher.rebuild(op, batcher.batched(op->getOperands()));
    if constexpr (std::is_same_v<Op, SoftmaxOp> ||
                  std::is_same_v<Op, LogSoftmaxOp>)
      cast<Op>(copy).setDims(shifted(cast<Op>(op).getDims()));
    return success();
  }
};

void moveDim(LayerNormOp op) { op.setAxis(op.getAxis() + 1); }
void moveDim(RmsNormOp op) { op.setAxis(op.getAxis() + 1); }
void moveDim(BatchNormOp op) { op.setDim(op.getDim() + 1); }

template <typename Op>
struct NormBatching : BatchRule::ExternalModel<NormBatching<Op>, Op> {
  LogicalResult batch(Operation *op, Batcher &batcher) const {
    bool inVectors =
        llvm::any_of(op->getOperands().drop_front(),
                     [&](Value vector) { return batcher.varies(vector); });
    if (inVectors)
      return batcher.runFormula(op,
                                [&](OpBuilder &builder) -> SmallVector<Value> {
                                  return {buildFormula(builder, op)};
                                });
    SmallVector<Value> operands{batcher.batched(op->getOperand(0))};
    llvm::append_range(operands,
                       batcher.mapped(op->getOperands().drop_front()));
    moveDim(cast<Op>(batcher.rebuild(op, operands)));
    return success();
  }
};

} // namespace

void attachCompositeBatching(MLIRContext *context) {
  attachAll<WholeBatching, SoftmaxOp, LogSoftmaxOp, GeluOp, AttentionOp>(
      context);
  attachAll<NormBatching, LayerNormOp, RmsNormOp, BatchNormOp>(context);
}

} // namespace zenith::batching
