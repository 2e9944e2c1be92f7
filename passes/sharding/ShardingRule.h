// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interface that answers how the dimensions of an op are dealt together,
// and the registration of its answers.

#ifndef ZENITH_PASSES_SHARDING_SHARDINGRULE_H
#define ZENITH_PASSES_SHARDING_SHARDINGRULE_H

#include "ir/AttachRules.h"
#include "ir/GraphOps.h"
#include "passes/sharding/FactorMapping.h"

#include "passes/sharding/ShardingRule.h.inc"

namespace zenith::sharding {

/// Answers for every op of the dialects, attached when a dialect is loaded.
void registerShardingRules(mlir::DialectRegistry &registry);

/// Factors of any op; none for ops without a rule.
FactorMapping factorMappingOf(mlir::Operation *op, bool conservative = false);

/// A user's rule on an op, as text (parseFactorMapping). It comes before the
/// op's own.
inline constexpr llvm::StringLiteral ruleAttrName = "graph.sharding_rule";

void attachElementwiseShardings(mlir::MLIRContext *context);
void attachMovementShardings(mlir::MLIRContext *context);
void attachContractionShardings(mlir::MLIRContext *context);
void attachLinearAlgebraShardings(mlir::MLIRContext *context);
void attachReductionShardings(mlir::MLIRContext *context);
void attachIndexingShardings(mlir::MLIRContext *context);
void attachOrderingShardings(mlir::MLIRContext *context);
void attachRandomShardings(mlir::MLIRContext *context);
void attachCompositeShardings(mlir::MLIRContext *context);
void attachControlShardings(mlir::MLIRContext *context);
void attachCollectiveShardings(mlir::MLIRContext *context);
void attachSearchShardings(mlir::MLIRContext *context);

/// The model of ops that have no factors.
template <typename Model, typename Op>
struct RefusedSharding : ShardingRule::ExternalModel<Model, Op> {
  FactorMapping factorMapping(mlir::Operation *, bool) const { return {}; }
};

} // namespace zenith::sharding

#endif // ZENITH_PASSES_SHARDING_SHARDINGRULE_H
