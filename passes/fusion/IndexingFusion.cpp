// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fusion of reads and writes at positions given by data: reads join their
// readers; writes update memory in place.

#include "ir/ops/Indexing.h"
#include "passes/fusion/FusionRule.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::fusion {

/// An update of a value that is in memory already: the kernel may write the
/// updated part only.
static bool updatesMemory(DynamicUpdateSliceOp update) {
  Value operand = update.getOperand();
  while (operand.getDefiningOp<ReshapeOp>())
    operand = operand.getDefiningOp()->getOperand(0);
  return !isa_and_nonnull<ConstantOp, BroadcastOp, IotaOp>(
      operand.getDefiningOp());
}

namespace {

template <typename Op>
struct ReadFusion : FusionRule::ExternalModel<ReadFusion<Op>, Op> {
  Role role(Operation *, DimAnalysis &) const { return Role::Pointwise; }
  std::optional<FusionKind> kernelKind(Operation *) const {
    return FusionKind::pointwise;
  }
  bool isElementwise(Operation *op) const { return isByteLookup(op); }
};

struct UpdateFusion
    : FusionRule::ExternalModel<UpdateFusion, DynamicUpdateSliceOp> {
  Role role(Operation *op, DimAnalysis &) const {
    return updatesMemory(cast<DynamicUpdateSliceOp>(op)) ? Role::Opaque
                                                         : Role::Pointwise;
  }
  std::optional<FusionKind> kernelKind(Operation *op) const {
    return updatesMemory(cast<DynamicUpdateSliceOp>(op))
               ? FusionKind::scatter
               : FusionKind::pointwise;
  }
  unsigned updatedOperands(Operation *) const { return 1; }
};

struct ScatterFusion : FusionRule::ExternalModel<ScatterFusion, ScatterOp> {
  Role role(Operation *, DimAnalysis &) const { return Role::Opaque; }
  std::optional<FusionKind> kernelKind(Operation *) const {
    return FusionKind::scatter;
  }
  unsigned updatedOperands(Operation *) const { return 1; }
};

struct ScatterWithFusion
    : FusionRule::ExternalModel<ScatterWithFusion, ScatterWithOp> {
  Role role(Operation *, DimAnalysis &) const { return Role::Opaque; }
  std::optional<FusionKind> kernelKind(Operation *) const {
    return FusionKind::scatter;
  }
  unsigned updatedOperands(Operation *op) const {
    return cast<ScatterWithOp>(op).getInputs().size();
  }
  /// The region combines with elements of all results.
  bool writesAllResults(Operation *) const { return true; }
};

} // namespace

void attachIndexingFusion(MLIRContext *context) {
  attachAll<ReadFusion, GatherOp, DynamicSliceOp>(context);
  DynamicUpdateSliceOp::attachInterface<UpdateFusion>(*context);
  ScatterOp::attachInterface<ScatterFusion>(*context);
  ScatterWithOp::attachInterface<ScatterWithFusion>(*context);
}

} // namespace zenith::fusion
