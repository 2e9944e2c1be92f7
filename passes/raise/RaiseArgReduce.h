// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognises arg_reduce.

#ifndef ZENITH_PASSES_RAISE_RAISEARGREDUCE_H
#define ZENITH_PASSES_RAISE_RAISEARGREDUCE_H

#include "mlir/IR/PatternMatch.h"

namespace zenith::raise {

/// reduce_with that keeps the index of the largest or smallest element, and
/// top_k with k = 1.
void addArgReducePatterns(mlir::RewritePatternSet &patterns);

} // namespace zenith::raise

#endif // ZENITH_PASSES_RAISE_RAISEARGREDUCE_H
