// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fusion of ops that compare: each calls a routine on plain memory.

#include "ir/matchers/IotaIndices.h"
#include "passes/fusion/FusionRule.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::fusion {
namespace {

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
    return FusionKind::routine;
  }
  SmallVector<Value> memoryOperands(Operation *op, DimAnalysis &) const {
    return operandsInMemory(
        op, [&](unsigned operand) { return isComputed<Op>(op, operand); });
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
