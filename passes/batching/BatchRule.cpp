// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collects the families' answers.

#include "passes/batching/BatchRule.h"

#include "ir/SearchOps.h"

#include "passes/batching/BatchRule.cpp.inc"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::batching {

void registerBatchRules(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, GraphDialect *) {
    attachElementwiseBatching(context);
    attachMovementBatching(context);
    attachContractionBatching(context);
    attachLinearAlgebraBatching(context);
    attachReductionBatching(context);
    attachIndexingBatching(context);
    attachOrderingBatching(context);
    attachRandomBatching(context);
    attachCompositeBatching(context);
    attachControlBatching(context);
    attachShardingBatching(context);
    attachCollectiveBatching(context);
  });
  registry.addExtension(+[](MLIRContext *context, search::SearchDialect *) {
    attachSearchBatching(context);
  });
}

} // namespace zenith::batching
