// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Costs of elementwise ops: by the length of the code that computes one
// element.

#include "ir/ElementaryFunctions.h"
#include "passes/cost/CostRule.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::cost {

/// Elementary functions, as polynomials with their range reduction.
static constexpr unsigned functionCost = 16;
/// Ops that are one slow instruction.
static constexpr unsigned divisionCost = 6;

template <typename Op> static constexpr unsigned costOf() {
  constexpr auto isOneOf = [](auto *...ops) {
    return (std::is_same_v<Op, std::remove_pointer_t<decltype(ops)>> || ...);
  };
  if (isElementaryFunctionClass<Op>())
    return functionCost;
  if (isOneOf((DivOp *)nullptr, (SqrtOp *)nullptr, (RsqrtOp *)nullptr,
              (RemOp *)nullptr, (FloorModOp *)nullptr))
    return divisionCost;
  return 1;
}

namespace {
template <typename Op>
struct ElementwiseCost : CostRule::ExternalModel<ElementwiseCost<Op>, Op> {
  unsigned elementCost(Operation *) const { return costOf<Op>(); }
  DimExpr flops(Operation *op, DimAnalysis &dims) const {
    return dims.elementCount(op->getResult(0)) * DimExpr(costOf<Op>());
  }
};
} // namespace

void attachElementwiseCosts(MLIRContext *context) {
  attachAll<ElementwiseCost,
#define GET_OP_LIST
#include "ir/Elementwise.cpp.inc"
            >(context);
}

} // namespace zenith::cost
