// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rebuilds a breadth-first loop on another representation of its states.

#ifndef ZENITH_PASSES_SEARCH_STATES_BFSREWRITE_H
#define ZENITH_PASSES_SEARCH_STATES_BFSREWRITE_H

#include "passes/search/states/CosetIndex.h"
#include "passes/search/states/DenseIndex.h"
#include "passes/search/states/ExitPredicate.h"
#include "passes/search/states/StateImages.h"

namespace zenith::search {

/// What a loop on packed keys uses.
struct KeyForm {
  /// The inverse of each generator. If not empty, keys have a mask of inverse
  /// generators, and only the current layer is excluded from the next.
  std::vector<size_t> inverses;
  bool needsNoLayer = false; ///< not even the current layer is excluded
  bool asTable = false;      ///< generators are a table
  /// All known states are a list with an index; only without inverses.
  bool indexesKnown = false;
  int64_t memoryBytes = 0; ///< about what a step may take; 0: unlimited
  /// Tells when the next layer is the last one, which is only counted. Not for
  /// halved keys, keys with images and steps within a memory bound.
  std::optional<ExitPredicate> exitPredicate;
  /// Keys are the least of their images; not in steps within a memory bound.
  const StateImages *images = nullptr;
};

/// On packed keys. Erases the loop.
void rewriteWithKeys(const BfsLoop &bfs, const StateKeys &keys,
                     const KeyForm &form);

/// On bitsets over a dense index; known bits are excluded from the next layer.
/// With `asTable` generators are a table. Erases the loop.
void rewriteWithBits(const BfsLoop &bfs, const DenseIndex &index, bool asTable);

/// What a loop with a bitset of known keys uses.
struct MarkForm {
  int64_t words = 1; ///< of the bitset
  /// The xor of the fields, if it is the same for every state: then the first
  /// field follows from the others, and indices are keys without it.
  std::optional<uint64_t> sum;
  /// The inverse of each generator. If not empty, the layer's indices carry the
  /// inverse of the generator that reached them, which is not expanded.
  std::vector<size_t> inverses;
};

/// On lists of keys of one word, with a bit for each known key. Erases the
/// loop.
void rewriteWithMarks(const BfsLoop &bfs, const StateKeys &keys,
                      const MarkForm &form);

/// On rows of bits, one per coset, of the positions that `keys` keep. Erases
/// the loop.
void rewriteWithBitRows(const BfsLoop &bfs, const StateKeys &keys,
                        const CosetIndex &index);

} // namespace zenith::search

#endif // ZENITH_PASSES_SEARCH_STATES_BFSREWRITE_H
