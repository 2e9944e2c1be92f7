// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fusion of composites: softmax and norms reduce rows, attention is a kernel of
// its own, and the others are elementwise.

#include "ir/encodings/KVSegments.h"
#include "ir/encodings/PackedPanels.h"
#include "ir/matchers/StridedBase.h"
#include "ir/target/TargetModel.h"
#include "passes/fusion/FusionRule.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::fusion {
namespace {

struct AttentionFusion
    : FusionRule::ExternalModel<AttentionFusion, AttentionOp> {
  Role role(Operation *, DimAnalysis &) const { return Role::Contraction; }
  std::optional<FusionKind> kernelKind(Operation *) const {
    return FusionKind::attention;
  }
  /// Keys and values; queries and masks are read element by element.
  SmallVector<Value> memoryOperands(Operation *op, DimAnalysis &dims) const {
    SmallVector<Value> needed;
    for (const KVSegment &segment :
         kvSegments(cast<AttentionOp>(op), dims,
                    target::TargetModel::mostQueriesInPlace))
      for (Value operand : {segment.key, segment.value})
        needed.push_back(stridedBase(beforeWidening(operand), dims));
    return needed;
  }
  /// Queries where a task copies them, keys and values where they are read.
  bool widensOperand(Operation *op, unsigned operand) const {
    Value narrow = beforeWidening(op->getOperand(operand));
    return operand <= 2 &&
           isa<FloatType>(getElementTypeOrSelf(narrow.getType()));
  }
};

template <typename Op>
struct RowCompositeFusion
    : FusionRule::ExternalModel<RowCompositeFusion<Op>, Op> {
  Role role(Operation *, DimAnalysis &) const { return Role::Reduction; }
  std::optional<FusionKind> kernelKind(Operation *) const {
    return FusionKind::reduction;
  }
  SmallVector<int64_t> reducedDims(Operation *op) const {
    if constexpr (std::is_same_v<Op, SoftmaxOp> ||
                  std::is_same_v<Op, LogSoftmaxOp>)
      return SmallVector<int64_t>(cast<Op>(op).getDims());
    else
      return llvm::to_vector(llvm::seq<int64_t>(
          cast<Op>(op).getAxis(),
          cast<RankedTensorType>(op->getResult(0).getType()).getRank()));
  }
};

template <typename Op>
struct PointwiseCompositeFusion
    : FusionRule::ExternalModel<PointwiseCompositeFusion<Op>, Op> {
  Role role(Operation *, DimAnalysis &) const { return Role::Pointwise; }
  std::optional<FusionKind> kernelKind(Operation *) const {
    return FusionKind::pointwise;
  }
  bool isElementwise(Operation *) const { return true; }
};

} // namespace

void attachCompositeFusion(MLIRContext *context) {
  AttentionOp::attachInterface<AttentionFusion>(*context);
  attachAll<RowCompositeFusion, SoftmaxOp, LogSoftmaxOp, LayerNormOp,
            RmsNormOp>(context);
  attachAll<PointwiseCompositeFusion, GeluOp, BatchNormOp>(context);
}

} // namespace zenith::fusion
