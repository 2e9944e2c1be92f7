// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collects the families' answers; bytes of operands and results are counted
// alike for all of them.

#include "passes/cost/CostRule.h"
#include "ir/SearchOps.h"
#include "ir/tensor/Tensor.h"

#include "passes/cost/CostRule.cpp.inc"

using namespace mlir;

namespace zenith::cost {

void registerCostRules(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, graph::GraphDialect *) {
    attachElementwiseCosts(context);
    attachMovementCosts(context);
    attachContractionCosts(context);
    attachLinearAlgebraCosts(context);
    attachReductionCosts(context);
    attachIndexingCosts(context);
    attachOrderingCosts(context);
    attachRandomCosts(context);
    attachCompositeCosts(context);
  });
  registry.addExtension(+[](MLIRContext *context, search::SearchDialect *) {
    attachSearchCosts(context);
  });
}

unsigned elementCost(Operation *op) {
  auto rule = dyn_cast<CostRule>(op);
  return rule ? rule.elementCost() : 1;
}

graph::DimExpr memoryBytes(Operation *op, graph::DimAnalysis &dims) {
  graph::DimExpr bytes(0);
  auto add = [&](Value value) {
    auto type = cast<RankedTensorType>(value.getType());
    bytes = bytes + dims.elementCount(value) *
                        graph::DimExpr(elementBytes(type.getElementType()));
  };
  llvm::for_each(op->getOperands(), add);
  llvm::for_each(op->getResults(), add);
  return bytes;
}

} // namespace zenith::cost
