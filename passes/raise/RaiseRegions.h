// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the rewrites of ops with regions ask about a region.

#ifndef ZENITH_PASSES_RAISE_RAISEREGIONS_H
#define ZENITH_PASSES_RAISE_RAISEREGIONS_H

#include "ir/GraphOps.h"
#include "mlir/IR/PatternMatch.h"

namespace zenith::cleanup {

/// The kind of fold that a region (old values, then next ones) makes of its
/// result `number`, if it is one op on the two arguments of that number.
std::optional<graph::ReduceKind> foldKind(mlir::Region &region,
                                          unsigned number);

/// True for a constant that folding leaves no trace of.
bool isNeutral(graph::ReduceKind kind, mlir::Value init);

/// sort_with whose comparator is the order of graph.sort
/// (RaiseComparators.cpp).
void addComparatorPatterns(mlir::RewritePatternSet &patterns);
/// reduce_with that looks for the place of the largest or smallest element, and
/// top_k of one (RaiseArgReduce.cpp).
void addArgReducePatterns(mlir::RewritePatternSet &patterns);

} // namespace zenith::cleanup

#endif // ZENITH_PASSES_RAISE_RAISEREGIONS_H
