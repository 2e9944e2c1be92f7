// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Batching of collectives: all rows travel together, and dimensions are one
// further on.

#include "ir/CollectiveOps.h"
#include "passes/batching/RuleModels.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::batching {
namespace {

template <typename Op>
struct ExchangeBatching : BatchRule::ExternalModel<ExchangeBatching<Op>, Op> {
  LogicalResult batch(Operation *op, Batcher &batcher) const {
    Operation *copy = batcher.rebuild(op, batcher.batched(op->getOperands()));
    for (StringRef name : {"dim", "split", "concat"})
      if (auto dim = copy->getAttrOfType<IntegerAttr>(name))
        copy->setAttr(name, IntegerAttr::get(dim.getType(), dim.getInt() + 1));
    return success();
  }
};

struct IndexBatching : RefusedBatching<IndexBatching, AxisIndexOp> {
  StringRef refusal(Operation *) const {
    return "has no operand that could differ between rows";
  }
};

} // namespace

void attachCollectiveBatching(MLIRContext *context) {
  attachAll<ExchangeBatching, AllReduceOp, AllGatherOp, ReduceScatterOp,
            AllToAllOp, CollectivePermuteOp, CollectiveBroadcastOp>(context);
  AxisIndexOp::attachInterface<IndexBatching>(*context);
}

} // namespace zenith::batching
