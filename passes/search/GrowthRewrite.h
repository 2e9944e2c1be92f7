// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds a breadth-first loop again on another representation of its states.

#ifndef ZENITH_PASSES_SEARCH_GROWTHREWRITE_H
#define ZENITH_PASSES_SEARCH_GROWTHREWRITE_H

#include "passes/search/DenseIndex.h"

namespace zenith::search {

/// On packed keys. With `inverses` (by generator) keys have bits that lead
/// back, and only the current layer is left out of the next; with
/// `needsNoLayer` not even that. Erases the loop.
void rewriteWithKeys(const GrowthLoop &growth, const StateKeys &keys,
                     const std::vector<size_t> &inverses, bool needsNoLayer);

/// On bits of a dense index, which are left out of the next layer once known.
/// Erases the loop.
void rewriteWithBits(const GrowthLoop &growth, const DenseIndex &index);

} // namespace zenith::search

#endif // ZENITH_PASSES_SEARCH_GROWTHREWRITE_H
