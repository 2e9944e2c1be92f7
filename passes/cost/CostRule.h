// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interface that answers what an op costs, and the registration of its
// answers.

#ifndef ZENITH_PASSES_COST_COSTRULE_H
#define ZENITH_PASSES_COST_COSTRULE_H

#include "ir/AttachRules.h"
#include "ir/GraphOps.h"

#include "passes/cost/CostRule.h.inc"

namespace zenith::cost {

/// Answers for every op of the dialect, attached when it is loaded.
void registerCostRules(mlir::DialectRegistry &registry);

/// See CostRule::elementCost; 1 for ops without a rule.
unsigned elementCost(mlir::Operation *op);

/// Bytes that an op reads and writes where each operand and result is in
/// memory.
graph::DimExpr memoryBytes(mlir::Operation *op, graph::DimAnalysis &dims);

void attachElementwiseCosts(mlir::MLIRContext *context);
void attachMovementCosts(mlir::MLIRContext *context);
void attachContractionCosts(mlir::MLIRContext *context);
void attachReductionCosts(mlir::MLIRContext *context);
void attachIndexingCosts(mlir::MLIRContext *context);
void attachOrderingCosts(mlir::MLIRContext *context);
void attachRandomCosts(mlir::MLIRContext *context);
void attachCompositeCosts(mlir::MLIRContext *context);

} // namespace zenith::cost

#endif // ZENITH_PASSES_COST_COSTRULE_H
