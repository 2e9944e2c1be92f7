// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fusion of elementwise ops: they join whatever reads or computes their
// operands.

#include "ir/encodings/PackedPanels.h"
#include "passes/fusion/FusionRule.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::fusion {

/// Scalar arithmetic on dimensions and constants: each kernel computes it once.
/// More than a few ops are computed in one kernel, whose result others read.
static bool isScalarMetadata(Operation *op, DimAnalysis &dims) {
  constexpr size_t mostOps = 64;
  llvm::SmallSetVector<Operation *, 8> ops;
  ops.insert(op);
  for (size_t next = 0; next < ops.size(); ++next) {
    if (ops.size() > mostOps || familyOf(ops[next]) != Family::Elementwise ||
        cast<RankedTensorType>(ops[next]->getResult(0).getType()).getRank() !=
            0)
      return false;
    for (Value operand : ops[next]->getOperands()) {
      Operation *producer = operand.getDefiningOp();
      if (isDimScalar(operand, dims) || isSplatConstant(producer))
        continue;
      if (!producer)
        return false;
      ops.insert(producer);
    }
  }
  return true;
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
