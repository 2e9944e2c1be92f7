// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns sort_with into sort.

#ifndef ZENITH_PASSES_RAISE_RAISECOMPARATORS_H
#define ZENITH_PASSES_RAISE_RAISECOMPARATORS_H

#include "mlir/IR/PatternMatch.h"

namespace zenith::raise {

/// sort_with whose comparator is the order of graph.sort.
void addComparatorPatterns(mlir::RewritePatternSet &patterns);

} // namespace zenith::raise

#endif // ZENITH_PASSES_RAISE_RAISECOMPARATORS_H
