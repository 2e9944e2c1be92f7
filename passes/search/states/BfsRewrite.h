// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds a breadth-first loop again on another representation of its states.

#ifndef ZENITH_PASSES_SEARCH_STATES_BFSREWRITE_H
#define ZENITH_PASSES_SEARCH_STATES_BFSREWRITE_H

#include "passes/search/states/CosetIndex.h"
#include "passes/search/states/DenseIndex.h"
#include "passes/search/states/ExitPredicate.h"
#include "passes/search/states/StateImages.h"

namespace zenith::search {

/// How a loop on packed keys goes about it.
struct KeyForm {
  /// By generator. Where there are some, keys have bits that lead back, and
  /// only the current layer is left out of the next.
  std::vector<size_t> inverses;
  bool needsNoLayer = false; ///< not even that one is left out
  bool asTable = false;      ///< generators are a table
  int64_t memoryBytes = 0;   ///< that a step does with, about; 0: any
  /// When the next layer is the last one: then it is only counted. Not for
  /// halved keys, those with images and steps within memory.
  std::optional<ExitPredicate> nextTurn;
  /// Keys stand for their images; not in steps within memory.
  const StateImages *images = nullptr;
};

/// On packed keys. Erases the loop.
void rewriteWithKeys(const BfsLoop &growth, const StateKeys &keys,
                     const KeyForm &form);

/// On bits of a dense index, which are left out of the next layer once known.
/// With `asTable` generators are a table. Erases the loop.
void rewriteWithBits(const BfsLoop &growth, const DenseIndex &index,
                     bool asTable);

/// How states are marked.
struct MarkForm {
  int64_t words = 1; ///< numbers are below 64 times this
  /// The xor of the fields of every state: then the first field follows from
  /// the others, and numbers are keys without it.
  std::optional<uint64_t> sum;
  /// By generator. Where there are some, the layer's numbers carry the
  /// generator that leads back, which is not gone along.
  std::vector<size_t> inverses;
};

/// On lists of keys of one word, with a bit for each known one. Erases the
/// loop.
void rewriteWithMarks(const BfsLoop &growth, const StateKeys &keys,
                      const MarkForm &form);

/// On rows of bits that generators move. Erases the loop.
void rewriteWithBitRows(const BfsLoop &growth, const CosetIndex &index);

} // namespace zenith::search

#endif // ZENITH_PASSES_SEARCH_STATES_BFSREWRITE_H
