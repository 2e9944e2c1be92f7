// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fusion of movement: index maps cost nothing, so each reader has its own copy;
// pad and concat choose per element.

#include "ir/SearchOps.h"
#include "ir/encodings/KVSegments.h"
#include "ir/target/TargetModel.h"
#include "passes/fusion/FusionRule.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::fusion {

/// The dimension of bit positions that may never be in memory, where it only
/// says how often a scalar is repeated for them.
static bool isCountOfPositions(DimOp op) {
  return op.getOperand().getDefiningOp<search::BitPositionsOp>() &&
         llvm::all_of(op->getUsers(),
                      [](Operation *user) { return isa<BroadcastOp>(user); });
}

namespace {
template <typename Op>
struct MovementFusion : FusionRule::ExternalModel<MovementFusion<Op>, Op> {
  Role role(Operation *op, DimAnalysis &dims) const {
    if (isa<BroadcastOp, ExpandOp, ReshapeOp, TransposeOp, SliceOp, IotaOp,
            ReverseOp>(op))
      return Role::Metadata;
    if (isa<ConstantOp>(op))
      return isSplatConstant(op) ? Role::Metadata : Role::Outside;
    if (auto dim = dyn_cast<DimOp>(op))
      return isCountOfPositions(dim) ? Role::Metadata : Role::Outside;
    auto concat = dyn_cast<ConcatOp>(op);
    return concat && isReadBySegments(concat, dims,
                                      target::TargetModel::mostQueriesInPlace)
               ? Role::Metadata
               : Role::Pointwise;
  }
  std::optional<FusionKind> kernelKind(Operation *) const {
    return FusionKind::pointwise;
  }
};
} // namespace

void attachMovementFusion(MLIRContext *context) {
  attachAll<MovementFusion,
#define GET_OP_LIST
#include "ir/Movement.cpp.inc"
            >(context);
}

} // namespace zenith::fusion
