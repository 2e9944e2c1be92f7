// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moves repetitions of scores to queries and keys.

#ifndef ZENITH_PASSES_RAISE_SPREADSCORES_H
#define ZENITH_PASSES_RAISE_SPREADSCORES_H

#include "mlir/IR/PatternMatch.h"

namespace zenith::raise {

/// expand(scale * (q k^T)) before a softmax, where only batches may be
/// repeated, becomes scale * (expand(q) expand(k)^T).
void addScorePatterns(mlir::RewritePatternSet &patterns);

} // namespace zenith::raise

#endif // ZENITH_PASSES_RAISE_SPREADSCORES_H
