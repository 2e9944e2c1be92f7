// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Costs of reductions: one operation for each element that is reduced.

#include "passes/cost/CostRule.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::cost {
namespace {

/// Elements reduced in all: those of the operand, or of every window.
DimExpr reducedElements(Operation *op, DimAnalysis &dims) {
  ArrayRef<int64_t> sizes;
  if (auto window = dyn_cast<ReduceWindowOp>(op))
    sizes = window.getWindow();
  else if (auto window = dyn_cast<ReduceWindowWithOp>(op))
    sizes = window.getWindow();
  else
    return dims.elementCount(op->getOperand(0));
  DimExpr count = dims.elementCount(op->getResult(0));
  for (int64_t size : sizes)
    count = count * DimExpr(size);
  return count;
}

/// Operations of one step: those of the region where there is one.
int64_t stepCost(Operation *op) {
  int64_t steps = 0;
  for (Region &region : op->getRegions())
    for (Block &block : region)
      steps += int64_t(block.getOperations().size()) - 1;
  return std::max<int64_t>(1, steps);
}

template <typename Op>
struct ReductionCost : CostRule::ExternalModel<ReductionCost<Op>, Op> {
  unsigned elementCost(Operation *op) const {
    DimAnalysis dims;
    DimExpr steps = DimExpr::floorDiv(reducedElements(op, dims),
                                      dims.elementCount(op->getResult(0)));
    constexpr int64_t unknownSteps = 256;
    int64_t count =
        std::min<int64_t>(steps.constant().value_or(unknownSteps), INT32_MAX);
    return std::clamp<int64_t>(count * stepCost(op), 1, INT32_MAX);
  }
  DimExpr flops(Operation *op, DimAnalysis &dims) const {
    return reducedElements(op, dims) * DimExpr(stepCost(op));
  }
};

} // namespace

void attachReductionCosts(MLIRContext *context) {
  attachAll<ReductionCost,
#define GET_OP_LIST
#include "ir/Reduction.cpp.inc"
            >(context);
}

} // namespace zenith::cost
