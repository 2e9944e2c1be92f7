// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interface that answers what an op becomes where its operands have one
// more dimension, and the registration of its answers.

#ifndef ZENITH_PASSES_BATCHING_BATCHRULE_H
#define ZENITH_PASSES_BATCHING_BATCHRULE_H

#include "ir/AttachRules.h"
#include "ir/GraphOps.h"

namespace zenith::batching {
class Batcher;
} // namespace zenith::batching

#include "passes/batching/BatchRule.h.inc"

namespace zenith::batching {

/// Of a broadcast that makes room: the dimension whose size is the number of
/// places that will be written and read. More places change nothing, so where
/// the size differs between rows, all rows get the largest.
constexpr llvm::StringLiteral roomAttrName = "batching.room";

/// Answers for every op of the dialects, attached when a dialect is loaded.
void registerBatchRules(mlir::DialectRegistry &registry);

void attachElementwiseBatching(mlir::MLIRContext *context);
void attachMovementBatching(mlir::MLIRContext *context);
void attachContractionBatching(mlir::MLIRContext *context);
void attachLinearAlgebraBatching(mlir::MLIRContext *context);
void attachReductionBatching(mlir::MLIRContext *context);
void attachIndexingBatching(mlir::MLIRContext *context);
void attachOrderingBatching(mlir::MLIRContext *context);
void attachRandomBatching(mlir::MLIRContext *context);
void attachCompositeBatching(mlir::MLIRContext *context);
void attachControlBatching(mlir::MLIRContext *context);
void attachShardingBatching(mlir::MLIRContext *context);
void attachCollectiveBatching(mlir::MLIRContext *context);
void attachSearchBatching(mlir::MLIRContext *context);

} // namespace zenith::batching

#endif // ZENITH_PASSES_BATCHING_BATCHRULE_H
