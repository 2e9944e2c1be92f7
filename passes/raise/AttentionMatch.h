// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention as it is found in two matmuls around a softmax. Each of queries,
// keys and values is brought into the shape of the scores, where its own last
// dimension replaces the one that it lacks; so movement of scores moves them
// too.

#ifndef ZENITH_PASSES_RAISE_ATTENTIONMATCH_H
#define ZENITH_PASSES_RAISE_ATTENTIONMATCH_H

#include "passes/raise/AttentionScores.h"

namespace zenith::raise {

/// Ids of the dimensions of a value of the scores' shape. A reshape gives new
/// ids to the dimensions that it splits or merges.
using ScoreSpace = llvm::SmallVector<int>;

inline int indexOf(const ScoreSpace &space, int id) {
  return int(llvm::find(space, id) - space.begin());
}

/// The size of a dimension, built when it is needed.
struct ScoreSize {
  int64_t fixed = mlir::ShapedType::kDynamic;
  mlir::Value scalar; ///< where not fixed: the size itself,
  mlir::Value of;     ///< or the value whose dimension has it
  int64_t dim = 0;
};

/// Two matmuls around a softmax.
struct AttentionMatch {
  graph::DotGeneralOp root; ///< weights times values
  graph::SoftmaxOp softmax;
  graph::DotGeneralOp product; ///< queries times keys
  ScoreMask mask;
  bool guarded = false;
  double scale = 1;
  /// Operands of the matmuls, without their scales.
  mlir::Value query, keys, values;
  /// Ids of their dimensions; the last dimension of each has the id of the one
  /// that it replaces.
  ScoreSpace queryIds, keyIds, valueIds, resultIds;
  int key = -1, row = -1; ///< ids of [T] and of [S]
  llvm::DenseMap<int, ScoreSize> sizes;
  /// The scores' shape after the first matmul and after each movement op; the
  /// masks are in shape `canonical`, the weights in the last one.
  llvm::SmallVector<ScoreSpace> spaces;
  llvm::SmallVector<mlir::Operation *> moves;
  unsigned canonical = 0;
};

/// Finds attention whose last matmul is `root`.
mlir::FailureOr<AttentionMatch> matchAttention(graph::DotGeneralOp root,
                                               NearMiss &miss);

} // namespace zenith::raise

#endif // ZENITH_PASSES_RAISE_ATTENTIONMATCH_H
