// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fusion of elementwise ops: they join whatever reads or computes their
// operands.

#include "ir/encodings/PackedPanels.h"
#include "passes/fusion/FusionRule.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::fusion {

/// Scalar arithmetic on dimensions and constants: each kernel computes it once.
static bool isScalarMetadata(Operation *op, DimAnalysis &dims) {
  if (familyOf(op) != Family::Elementwise ||
      cast<RankedTensorType>(op->getResult(0).getType()).getRank() != 0)
    return false;
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    Operation *producer = operand.getDefiningOp();
    return isDimScalar(operand, dims) || isSplatConstant(producer) ||
           (producer && isScalarMetadata(producer, dims));
  });
}

/// True where every reader widens the narrow value itself.
static bool isWidenedByReaders(Operation *op) {
  return isa<ConvertOp>(op) &&
         beforeWidening(op->getResult(0)) != op->getResult(0) &&
         llvm::all_of(op->getUses(), [](OpOperand &use) {
           auto reader = dyn_cast<FusionRule>(use.getOwner());
           return reader && reader.widensOperand(use.getOperandNumber());
         });
}

namespace {
template <typename Op>
struct ElementwiseFusion
    : FusionRule::ExternalModel<ElementwiseFusion<Op>, Op> {
  Role role(Operation *op, DimAnalysis &dims) const {
    if (isWidenedByReaders(op))
      return Role::Metadata;
    if (isDimScalar(op->getResult(0), dims))
      return Role::Outside;
    return isScalarMetadata(op, dims) ? Role::Metadata : Role::Pointwise;
  }
  std::optional<FusionKind> kernelKind(Operation *) const {
    return FusionKind::pointwise;
  }
  bool isElementwise(Operation *) const { return true; }
};
} // namespace

void attachElementwiseFusion(MLIRContext *context) {
  attachAll<ElementwiseFusion,
#define GET_OP_LIST
#include "ir/Elementwise.cpp.inc"
            >(context);
}

} // namespace zenith::fusion
