// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fusion of ops that compare: each calls a routine on plain memory. Sets of
// states compute their candidates themselves, a chunk at a time.

#include "ir/matchers/IotaIndices.h"
#include "passes/fusion/FusionRule.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::fusion {
namespace {

/// Operands that are computed in chunks.
template <typename Op> bool isChunk(Operation *op, unsigned operand) {
  if constexpr (std::is_same_v<Op, FreshKeysOp>)
    return operand < cast<FreshKeysOp>(op).getCandidates().size();
  return (std::is_same_v<Op, FreshBitsOp> || std::is_same_v<Op, MarkBitsOp>) &&
         operand > 0;
}

/// Operands that are scalars or lists which the kernel computes.
template <typename Op> bool isComputed(Operation *op, unsigned operand) {
  if (std::is_same_v<Op, TopKOp>)
    return operand > 0;
  if (std::is_same_v<Op, NonMaxSuppressionOp>)
    return operand > 1;
  return std::is_same_v<Op, CompactOp> && iotaListOf(op->getOperand(operand));
}

template <typename Op>
struct OrderingFusion : FusionRule::ExternalModel<OrderingFusion<Op>, Op> {
  Role role(Operation *, DimAnalysis &) const { return Role::Opaque; }
  std::optional<FusionKind> kernelKind(Operation *) const {
    return FusionKind::ordering;
  }
  SmallVector<Value> memoryOperands(Operation *op, DimAnalysis &) const {
    SmallVector<Value> needed;
    for (OpOperand &operand : op->getOpOperands())
      if (unsigned index = operand.getOperandNumber();
          !isChunk<Op>(op, index) && !isComputed<Op>(op, index))
        needed.push_back(operand.get());
    return needed;
  }
  bool readsChunks(Operation *op, unsigned operand) const {
    return isChunk<Op>(op, operand);
  }
};

} // namespace

void attachOrderingFusion(MLIRContext *context) {
  attachAll<OrderingFusion,
#define GET_OP_LIST
#include "ir/Ordering.cpp.inc"
            >(context);
}

} // namespace zenith::fusion
