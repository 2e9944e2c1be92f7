// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fusion of control: it stays in the function, between kernels. Custom calls
// are routines on plain memory.

#include "passes/fusion/FusionRule.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::fusion {
namespace {

template <typename Op>
struct ControlFusion : FusionRule::ExternalModel<ControlFusion<Op>, Op> {
  static constexpr bool isCall = std::is_same_v<Op, CustomCallOp>;

  Role role(Operation *, DimAnalysis &) const {
    return isCall ? Role::Opaque : Role::Outside;
  }
  std::optional<FusionKind> kernelKind(Operation *) const {
    return isCall ? std::optional(FusionKind::ordering) : std::nullopt;
  }
  SmallVector<Value> memoryOperands(Operation *op, DimAnalysis &) const {
    return isCall ? SmallVector<Value>(op->getOperands())
                  : SmallVector<Value>();
  }
  bool writesAllResults(Operation *) const { return isCall; }
};

} // namespace

void attachControlFusion(MLIRContext *context) {
  attachAll<ControlFusion,
#define GET_OP_LIST
#include "ir/Control.cpp.inc"
            >(context);
}

} // namespace zenith::fusion
