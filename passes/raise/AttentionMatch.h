// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention as it is found in two products around a softmax. Each of queries,
// keys and values is brought into the shape of the scores, where its own last
// dimension stands for the one that it lacks; so whatever moves scores moves
// them too.

#ifndef ZENITH_PASSES_RAISE_ATTENTIONMATCH_H
#define ZENITH_PASSES_RAISE_ATTENTIONMATCH_H

#include "passes/raise/AttentionScores.h"

namespace zenith::raise {

/// Numbers for the dimensions of a value of the scores' shape. A reshape gives
/// new numbers to what it splits or merges.
using ScoreSpace = llvm::SmallVector<int>;

inline int indexOf(const ScoreSpace &space, int number) {
  return int(llvm::find(space, number) - space.begin());
}

/// The size of a dimension, to be written down when it is needed.
struct ScoreSize {
  int64_t fixed = mlir::ShapedType::kDynamic;
  mlir::Value scalar; ///< where not fixed: the size itself,
  mlir::Value of;     ///< or the value whose dimension has it
  int64_t dim = 0;
};

/// Two products around a softmax.
struct AttentionMatch {
  graph::DotGeneralOp root; ///< weights times values
  graph::SoftmaxOp softmax;
  ScoreMask mask;
  bool guarded = false;
  double scale = 1;
  /// Operands of the products, scales taken off.
  mlir::Value query, keys, values;
  /// Numbers of their dimensions; the last of each stands in.
  ScoreSpace queryNumbers, keyNumbers, valueNumbers, resultNumbers;
  int key = -1, row = -1; ///< numbers of [T] and of [S]
  llvm::DenseMap<int, ScoreSize> sizes;
  /// The scores' shape after the product and after each move; the masks are in
  /// shape `canonical`, the weights in the last one.
  llvm::SmallVector<ScoreSpace> spaces;
  llvm::SmallVector<mlir::Operation *> moves;
  unsigned canonical = 0;
};

/// Finds attention whose last product is `root`.
mlir::FailureOr<AttentionMatch> matchAttention(graph::DotGeneralOp root,
                                               NearMiss &miss);

} // namespace zenith::raise

#endif // ZENITH_PASSES_RAISE_ATTENTIONMATCH_H
