// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Costs of reductions: one operation for each element that is folded.

#include "passes/cost/CostRule.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::cost {
namespace {

/// Elements folded in all: those of the operand, or of every window.
DimExpr foldedElements(Operation *op, DimAnalysis &dims) {
  auto window = dyn_cast<ReduceWindowOp>(op);
  if (!window)
    return dims.elementCount(op->getOperand(0));
  DimExpr count = dims.elementCount(op->getResult(0));
  for (int64_t size : window.getWindow())
    count = count * DimExpr(size);
  return count;
}

template <typename Op>
struct ReductionCost : CostRule::ExternalModel<ReductionCost<Op>, Op> {
  unsigned elementCost(Operation *op) const {
    DimAnalysis dims;
    DimExpr folds = DimExpr::floorDiv(foldedElements(op, dims),
                                      dims.elementCount(op->getResult(0)));
    constexpr int64_t unknownFolds = 256;
    return std::clamp<int64_t>(folds.constant().value_or(unknownFolds), 1,
                               INT32_MAX);
  }
  DimExpr flops(Operation *op, DimAnalysis &dims) const {
    return foldedElements(op, dims);
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
