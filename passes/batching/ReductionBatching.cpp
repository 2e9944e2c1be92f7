// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Batching of reductions: the row is a dimension that is not reduced.

#include "ir/matchers/TypeOf.h"
#include "passes/batching/BatchReduceWith.h"
#include "passes/batching/RowDims.h"
#include "passes/batching/RuleModels.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::batching {
namespace {

struct ReduceBatching : BatchRule::ExternalModel<ReduceBatching, ReduceOp> {
  LogicalResult batch(Operation *op, Batcher &batcher) const {
    auto reduce = cast<ReduceOp>(op);
    auto copy =
        cast<ReduceOp>(batcher.rebuild(op, batcher.batched(op->getOperands())));
    copy.setDims(shifted(reduce.getDims()));
    return success();
  }
};

/// Ops along one dimension.
template <typename Op>
struct AlongDimBatching : BatchRule::ExternalModel<AlongDimBatching<Op>, Op> {
  LogicalResult batch(Operation *op, Batcher &batcher) const {
    auto copy =
        cast<Op>(batcher.rebuild(op, batcher.batched(op->getOperands())));
    copy.setDim(copy.getDim() + 1);
    return success();
  }
};

struct ReduceWindowBatching
    : BatchRule::ExternalModel<ReduceWindowBatching, ReduceWindowOp> {
  LogicalResult batch(Operation *op, Batcher &batcher) const {
    prefixWindow(cast<ReduceWindowOp>(
        batcher.rebuild(op, batcher.batched(op->getOperands()))));
    return success();
  }
};

struct ReduceWithBatching
    : BatchRule::ExternalModel<ReduceWithBatching, ReduceWithOp> {
  LogicalResult batch(Operation *op, Batcher &batcher) const {
    return batchReduceWith(cast<ReduceWithOp>(op), batcher);
  }
};

struct ReduceWindowWithBatching
    : BatchRule::ExternalModel<ReduceWindowWithBatching, ReduceWindowWithOp> {
  LogicalResult batch(Operation *op, Batcher &batcher) const {
    return batchReduceWindowWith(cast<ReduceWindowWithOp>(op), batcher);
  }
};

} // namespace

void attachReductionBatching(MLIRContext *context) {
  ReduceOp::attachInterface<ReduceBatching>(*context);
  attachAll<AlongDimBatching, ArgReduceOp, CumulativeOp>(context);
  ReduceWindowOp::attachInterface<ReduceWindowBatching>(*context);
  ReduceWithOp::attachInterface<ReduceWithBatching>(*context);
  ReduceWindowWithOp::attachInterface<ReduceWindowWithBatching>(*context);
}

} // namespace zenith::batching
