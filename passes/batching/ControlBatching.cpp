// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Batching of control: branches and loops in files of their own, barriers and
// reads by the host value by value.

#include "passes/batching/BatchControl.h"

#include "mlir/Transforms/RegionUtils.h"
#include "passes/batching/RuleModels.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::batching {

FailureOr<Operation *> batchRegion(Operation *op, Batcher &batcher) {
  OpBuilder &b = batcher.b;
  Location loc = batcher.loc;
  OperationState state(loc, op->getName(), batcher.mapped(op->getOperands()),
                       TypeRange(), op->getAttrs());
  state.attributes.erase(shardingAttrName); // of results without rows
  for (Value result : op->getResults())
    state.addTypes(batcher.varies(result)
                       ? Type(batcher.batchedType(result.getType()))
                       : result.getType());
  state.addRegion();
  Operation *copy = b.create(state);
  OpBuilder::InsertionGuard guard(b);
  Block *block = b.createBlock(&copy->getRegion(0));
  Block &body = op->getRegion(0).front();
  for (auto [argument, input] :
       llvm::zip_equal(body.getArguments(), op->getOperands()))
    batcher.mapping.map(
        argument,
        block->addArgument(batcher.varies(input)
                               ? Type(batcher.batchedType(argument.getType()))
                               : argument.getType(),
                           loc));
  if (failed(batcher.run(body)))
    return failure();
  SmallVector<Value> yielded;
  for (auto [value, result] :
       llvm::zip_equal(body.getTerminator()->getOperands(), op->getResults()))
    yielded.push_back(batcher.varies(result) ? batcher.batched(value)
                                             : batcher.mapped(value));
  b.create<YieldOp>(loc, yielded);
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(copy->getRegions(), captured);
  for (Value value : captured) {
    Value argument = block->addArgument(value.getType(), loc);
    replaceAllUsesInRegionWith(value, argument, copy->getRegion(0));
    copy->insertOperands(copy->getNumOperands(), value);
  }
  batcher.bind(op->getResults(), copy->getResults());
  return copy;
}

namespace {

template <typename Op>
struct BranchBatching : BatchRule::ExternalModel<BranchBatching<Op>, Op> {
  LogicalResult batch(Operation *op, Batcher &batcher) const {
    return batchBranches(op, batcher);
  }
};

struct LoopBatching : BatchRule::ExternalModel<LoopBatching, WhileOp> {
  LogicalResult batch(Operation *op, Batcher &batcher) const {
    return batchLoop(cast<WhileOp>(op), batcher);
  }
};

struct AssertBatching : BatchRule::ExternalModel<AssertBatching, AssertOp> {
  LogicalResult batch(Operation *op, Batcher &batcher) const {
    return batchAssertion(cast<AssertOp>(op), batcher);
  }
};

struct CustomCallBatching
    : BatchRule::ExternalModel<CustomCallBatching, CustomCallOp> {
  LogicalResult batch(Operation *op, Batcher &batcher) const {
    return batchCustomCall(cast<CustomCallOp>(op), batcher);
  }
};

struct BarrierBatching : BatchRule::ExternalModel<BarrierBatching, BarrierOp> {
  LogicalResult batch(Operation *op, Batcher &batcher) const {
    SmallVector<Value> operands = batcher.mapped(op->getOperands());
    batcher.bind(op->getResults(),
                 batcher.b
                     .create<BarrierOp>(
                         batcher.loc, TypeRange(ValueRange(operands)), operands)
                     ->getResults());
    return success();
  }
};

struct CheckpointBatching
    : BatchRule::ExternalModel<CheckpointBatching, CheckpointOp> {
  LogicalResult batch(Operation *op, Batcher &batcher) const {
    return success(succeeded(batchRegion(op, batcher)));
  }
};

/// The identity on rows.
template <typename Op>
struct TagBatching : BatchRule::ExternalModel<TagBatching<Op>, Op> {
  LogicalResult batch(Operation *op, Batcher &batcher) const {
    batcher.rebuild(op, batcher.batched(op->getOperands()));
    return success();
  }
};

/// What differs between rows is no scalar of the host.
struct HostReadBatching
    : BatchRule::ExternalModel<HostReadBatching, HostReadOp> {
  LogicalResult batch(Operation *op, Batcher &batcher) const {
    batcher.bind(op->getResult(0), batcher.mapped(op->getOperand(0)));
    return success();
  }
};

template <typename Op>
struct DeclarationBatching : RefusedBatching<DeclarationBatching<Op>, Op> {
  StringRef refusal(Operation *) const {
    return "declares, reads or ends, and has no operand that could differ "
           "between rows";
  }
};

struct FusionBatching : RefusedBatching<FusionBatching, FusionOp> {
  StringRef refusal(Operation *) const { return "is formed after batching"; }
};

} // namespace

void attachControlBatching(MLIRContext *context) {
  attachAll<BranchBatching, IfOp, CaseOp>(context);
  WhileOp::attachInterface<LoopBatching>(*context);
  AssertOp::attachInterface<AssertBatching>(*context);
  CustomCallOp::attachInterface<CustomCallBatching>(*context);
  BarrierOp::attachInterface<BarrierBatching>(*context);
  HostReadOp::attachInterface<HostReadBatching>(*context);
  CheckpointOp::attachInterface<CheckpointBatching>(*context);
  attachAll<TagBatching, NamedOp, PlaceOp, StopGradientOp>(context);
  FusionOp::attachInterface<FusionBatching>(*context);
  attachAll<DeclarationBatching, ParamOp, DerivedParamOp, GetParamOp, YieldOp>(
      context);
}

} // namespace zenith::batching
