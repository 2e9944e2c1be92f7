// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Batching of what a program says about shardings: rows are open.

#include "passes/batching/BatchControl.h"
#include "passes/batching/RuleModels.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::batching {

ShardingAttr withOpenRows(ShardingAttr sharding) {
  MLIRContext *context = sharding.getContext();
  SmallVector<DimShardingAttr> dims(sharding.getDims());
  dims.insert(dims.begin(), DimShardingAttr::get(context, {}, /*open=*/true,
                                                 /*priority=*/0));
  return ShardingAttr::get(context, sharding.getMesh(), dims,
                           sharding.getReplicated(), sharding.getUnreduced());
}

namespace {

template <typename Op>
struct ConstraintBatching
    : BatchRule::ExternalModel<ConstraintBatching<Op>, Op> {
  LogicalResult batch(Operation *op, Batcher &batcher) const {
    Operation *copy = batcher.rebuild(op, batcher.batched(op->getOperands()));
    cast<Op>(copy).setShardingAttr(withOpenRows(cast<Op>(op).getSharding()));
    return success();
  }
};

struct ShardBarrierBatching
    : BatchRule::ExternalModel<ShardBarrierBatching, ShardBarrierOp> {
  LogicalResult batch(Operation *op, Batcher &batcher) const {
    batcher.rebuild(op, batcher.batched(op->getOperands()));
    return success();
  }
};

/// A value with rows has one more dimension than its group.
struct GroupBatching : RefusedBatching<GroupBatching, ShardGroupOp> {
  StringRef refusal(Operation *) const {
    return "binds values of one rank, and rows add a dimension to this one";
  }
};

/// Each device has its block of every row.
struct ManualBatching : BatchRule::ExternalModel<ManualBatching, ManualOp> {
  LogicalResult batch(Operation *op, Batcher &batcher) const {
    auto manual = cast<ManualOp>(op);
    FailureOr<Operation *> built = batchRegion(op, batcher);
    if (failed(built))
      return failure();
    auto copy = cast<ManualOp>(*built);
    SmallVector<Attribute> in, out;
    for (auto [i, input] : llvm::enumerate(copy.getInputs()))
      if (i >= manual.getInputs().size())
        in.push_back(ShardingAttr::open(
            manual.inSharding(0).getMesh(),
            cast<RankedTensorType>(input.getType()).getRank()));
      else if (batcher.varies(manual.getInputs()[i]))
        in.push_back(withOpenRows(manual.inSharding(i)));
      else
        in.push_back(manual.inSharding(i));
    for (auto [i, result] : llvm::enumerate(manual.getResults()))
      out.push_back(batcher.varies(result) ? withOpenRows(manual.outSharding(i))
                                           : manual.outSharding(i));
    copy.setInShardingsAttr(batcher.b.getArrayAttr(in));
    copy.setOutShardingsAttr(batcher.b.getArrayAttr(out));
    return success();
  }
};

struct MeshBatching : RefusedBatching<MeshBatching, MeshOp> {
  StringRef refusal(Operation *) const {
    return "declares, and has no operand that could differ between rows";
  }
};

} // namespace

void attachShardingBatching(MLIRContext *context) {
  attachAll<ConstraintBatching, ShardOp, ReshardOp>(context);
  ShardBarrierOp::attachInterface<ShardBarrierBatching>(*context);
  ShardGroupOp::attachInterface<GroupBatching>(*context);
  ManualOp::attachInterface<ManualBatching>(*context);
  MeshOp::attachInterface<MeshBatching>(*context);
}

} // namespace zenith::batching
