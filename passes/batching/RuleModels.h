// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the files of rules need: the interface, the batcher, and the model of
// ops that have no batched form.

#ifndef ZENITH_PASSES_BATCHING_RULEMODELS_H
#define ZENITH_PASSES_BATCHING_RULEMODELS_H

#include "passes/batching/BatchRule.h"
#include "passes/batching/Batcher.h"

namespace zenith::batching {

/// The model of an op that has no batched form; `Model` says why by refusal().
template <typename Model, typename Op>
struct RefusedBatching : BatchRule::ExternalModel<Model, Op> {
  llvm::LogicalResult batch(mlir::Operation *op, Batcher &batcher) const {
    return batcher.refuse(op, static_cast<const Model *>(this)->refusal(op));
  }
};

} // namespace zenith::batching

#endif // ZENITH_PASSES_BATCHING_RULEMODELS_H
