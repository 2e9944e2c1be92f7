// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Factors of collectives, along the axes that their manual region leaves free:
// dimensions whose size changes are whole.

#include "ir/CollectiveOps.h"
#include "passes/sharding/ShardingRule.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::sharding {
namespace {

template <typename Op>
struct ExchangeSharding
    : ShardingRule::ExternalModel<ExchangeSharding<Op>, Op> {
  FactorMapping factorMapping(Operation *op, bool) const {
    return op->getNumResults() == 0 ? FactorMapping() : pointwiseMapping(op);
  }
};

/// `changed` are the dimensions that differ between operands and results.
FactorMapping resizedMapping(Operation *op, ArrayRef<int64_t> changed) {
  MappingBuilder builder(op);
  if (op->getNumResults() == 0)
    return {};
  auto all = [&](int64_t dim, bool operands, bool results) {
    for (unsigned i = 0; operands && i < op->getNumOperands(); ++i)
      builder.operand(i, dim);
    if (results)
      builder.results(dim);
  };
  for (auto [dim, size] : llvm::enumerate(shapeOf(op->getOperand(0)))) {
    if (!llvm::is_contained(changed, int64_t(dim))) {
      builder.factor(size);
      all(dim, true, true);
      continue;
    }
    builder.factor(size, FactorKind::NeedReplication);
    all(dim, true, false);
    builder.factor(shapeOf(op->getResult(0))[dim], FactorKind::NeedReplication);
    all(dim, false, true);
  }
  return builder.take();
}

template <typename Op>
struct ResizedSharding : ShardingRule::ExternalModel<ResizedSharding<Op>, Op> {
  FactorMapping factorMapping(Operation *op, bool) const {
    return resizedMapping(op, {int64_t(cast<Op>(op).getDim())});
  }
};

struct AllToAllSharding
    : ShardingRule::ExternalModel<AllToAllSharding, AllToAllOp> {
  FactorMapping factorMapping(Operation *op, bool) const {
    auto exchange = cast<AllToAllOp>(op);
    return resizedMapping(
        op, {int64_t(exchange.getSplit()), int64_t(exchange.getConcat())});
  }
};

struct AxisIndexSharding : RefusedSharding<AxisIndexSharding, AxisIndexOp> {
  StringRef refusal(Operation *) const {
    return "takes no dimension of another value";
  }
};

} // namespace

void attachCollectiveShardings(MLIRContext *context) {
  attachAll<ExchangeSharding, AllReduceOp, CollectivePermuteOp,
            CollectiveBroadcastOp>(context);
  attachAll<ResizedSharding, AllGatherOp, ReduceScatterOp>(context);
  AllToAllOp::attachInterface<AllToAllSharding>(*context);
  AxisIndexOp::attachInterface<AxisIndexSharding>(*context);
}

} // namespace zenith::sharding
