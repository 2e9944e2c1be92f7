// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Costs of movement: none, but pad and concat choose per element.

#include "passes/cost/CostRule.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::cost {
namespace {
template <typename Op>
struct MovementCost : CostRule::ExternalModel<MovementCost<Op>, Op> {
  unsigned elementCost(Operation *) const {
    return std::is_same_v<Op, PadOp> || std::is_same_v<Op, ConcatOp>;
  }
  DimExpr flops(Operation *, DimAnalysis &) const { return DimExpr(0); }
};
} // namespace

void attachMovementCosts(MLIRContext *context) {
  attachAll<MovementCost,
#define GET_OP_LIST
#include "ir/Movement.cpp.inc"
            >(context);
}

} // namespace zenith::cost
