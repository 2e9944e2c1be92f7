// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scores of an attention that is spelled out: what happens to them between
// the product of queries and keys and the softmax.

#ifndef ZENITH_PASSES_RAISE_ATTENTIONSCORES_H
#define ZENITH_PASSES_RAISE_ATTENTIONSCORES_H

#include "ir/GraphOps.h"
#include "passes/raise/NearMiss.h"

namespace zenith::raise {

/// Ops from the product's reader to the softmax's operand, in order.
struct ScoreChain {
  graph::DotGeneralOp product;
  llvm::SmallVector<mlir::Operation *> steps;
};

/// Walks up from what a softmax reads. Each op has one reader, unless they may
/// be `shared`.
mlir::LogicalResult findScores(mlir::Value scores, ScoreChain &chain,
                               NearMiss &miss, bool shared = false);

/// What masks do to the scores, all of them in one shape of the scores.
struct ScoreMask {
  mlir::Value bias;         ///< added; null where nothing is
  mlir::Value kept;         ///< i1: where false, the score becomes `removed`
  bool keptNegated = false; ///< true instead of false
  double removed = 0;
  bool causal = false;
};

/// Adds a step to the scale or the masks. `key` and `query` are the positions
/// of the keys' and the queries' dimension in the step's result.
mlir::LogicalResult addScoreStep(mlir::Operation *step, unsigned query,
                                 unsigned key, double &scale, ScoreMask &mask,
                                 NearMiss &miss);

/// True for a step that moves scores and leaves them as they are.
inline bool isMove(mlir::Operation *step) {
  return llvm::isa<graph::ReshapeOp, graph::TransposeOp>(step);
}

/// True where `visible` (i1, of the scores' shape) says key <= query + keys -
/// queries by position alone (CausalMask.cpp).
bool isCausal(mlir::Value visible, unsigned query, unsigned key);

} // namespace zenith::raise

#endif // ZENITH_PASSES_RAISE_ATTENTIONSCORES_H
