// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scores of attention that is spelled out: the ops between the matmul of
// queries and keys and the softmax.

#ifndef ZENITH_PASSES_RAISE_ATTENTIONSCORES_H
#define ZENITH_PASSES_RAISE_ATTENTIONSCORES_H

#include "ir/GraphOps.h"
#include "passes/raise/NearMiss.h"

namespace zenith::raise {

/// Ops from the reader of the matmul to the operand of the softmax, in order.
struct ScoreChain {
  graph::DotGeneralOp product;
  llvm::SmallVector<mlir::Operation *> steps;
};

/// Walks up from the operand of a softmax. Each op has one reader, unless they
/// may be `shared`.
mlir::LogicalResult findScores(mlir::Value scores, ScoreChain &chain,
                               NearMiss &miss, bool shared = false);

/// The masks of the scores, all of them in one shape of the scores.
struct ScoreMask {
  mlir::Value bias;         ///< added; null where nothing is
  mlir::Value kept;         ///< i1: where false, the score becomes `removed`
  bool keptNegated = false; ///< true instead of false
  double removed = 0;
  bool causal = false;
};

/// Adds a step to the scale or the masks. `key` and `query` are the dimensions
/// of the keys and the queries in the result of the step.
mlir::LogicalResult addScoreStep(mlir::Operation *step, unsigned query,
                                 unsigned key, double &scale, ScoreMask &mask,
                                 NearMiss &miss);

/// True for movement, which leaves the scores as they are.
inline bool isMove(mlir::Operation *step) {
  return llvm::isa<graph::ReshapeOp, graph::TransposeOp>(step);
}

/// True where `visible` (i1, of the scores' shape) says key <= query + keys -
/// queries, by indices alone (CausalMask.cpp).
bool isCausal(mlir::Value visible, unsigned query, unsigned key);

} // namespace zenith::raise

#endif // ZENITH_PASSES_RAISE_ATTENTIONSCORES_H
