// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds a breadth-first loop again on another representation of its states.

#ifndef ZENITH_PASSES_SEARCH_GROWTHREWRITE_H
#define ZENITH_PASSES_SEARCH_GROWTHREWRITE_H

#include "passes/search/CosetIndex.h"
#include "passes/search/DenseIndex.h"

namespace zenith::search {

/// On packed keys. With `inverses` (by generator) keys have bits that lead
/// back, and only the current layer is left out of the next; with
/// `needsNoLayer` not even that. With `asTable` generators are a table. A step
/// does with about `memoryBytes`; 0: any. Erases the loop.
void rewriteWithKeys(const GrowthLoop &growth, const StateKeys &keys,
                     const std::vector<size_t> &inverses, bool needsNoLayer,
                     bool asTable, int64_t memoryBytes);

/// On bits of a dense index, which are left out of the next layer once known.
/// With `asTable` generators are a table. Erases the loop.
void rewriteWithBits(const GrowthLoop &growth, const DenseIndex &index,
                     bool asTable);

/// On lists of keys of one word below 64 * `words`, with a bit for each known
/// one. Erases the loop.
void rewriteWithMarks(const GrowthLoop &growth, const StateKeys &keys,
                      int64_t words);

/// On rows of bits that generators move. Erases the loop.
void rewriteWithBitRows(const GrowthLoop &growth, const CosetIndex &index);

} // namespace zenith::search

#endif // ZENITH_PASSES_SEARCH_GROWTHREWRITE_H
