// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Candidates that are looked up in a bitset, computed chunk by chunk.

#ifndef ZENITH_RUNTIME_ROUTINES_BITCANDIDATES_H
#define ZENITH_RUNTIME_ROUTINES_BITCANDIDATES_H

#include "runtime/RoutineArguments.h"
#include "runtime/TargetClones.h"
#include <algorithm>

namespace zenith::runtime {

/// Candidates that a producer computes, and memory for a chunk of each slot.
struct BitCandidates {
  explicit BitCandidates(const zenith_bitset_difference_arguments &given)
      : words(given.words), sourceSize(given.source_size), lists(given.lists),
        slots(given.slots), chunkRows(given.chunk_rows) {}
  explicit BitCandidates(const zenith_test_and_set_arguments &given)
      : words(given.words), sourceSize(given.rows), lists(given.lists),
        slots(given.slots), chunkRows(given.chunk_rows) {}

  /// Rows of a chunk are at most so many.
  static constexpr int64_t mostRows = 256;

  /// The memory: positions, then candidates by list.
  uint64_t *chunkOf(uint64_t *chunks, int64_t slot) const {
    return chunks + slot * chunkRows * (lists + 1);
  }

  int64_t words;      ///< of the set of bits
  int64_t sourceSize; ///< words of bits, or rows of candidates
  int64_t lists, slots, chunkRows;
};

/// A list of candidates.
struct PositionList {
  uint64_t *positions;
  int64_t count; ///< at most BitCandidates::mostRows
};

/// A bitset in which other threads may set bits concurrently. The low bits of a
/// candidate may be a tag, which is no part of its position.
struct BitSet {
  const uint64_t *bits;
  uint64_t words;
  unsigned tagBits = 0;

  /// Drops positions beyond the bitset.
  ZENITH_METHOD PositionList inside(PositionList list) const {
    // Positions after the last word are rare: the or of all positions rules
    // them out at once where the number of words is a power of two.
    uint64_t last = 0;
    for (int64_t i = 0; i < list.count; ++i)
      last |= list.positions[i];
    if (last / 64 >= words) {
      last = 0;
      for (int64_t i = 0; i < list.count; ++i)
        last = std::max(last, list.positions[i]);
    }
    if (__builtin_expect(last / 64 >= words, 0)) {
      int64_t kept = 0;
      for (int64_t i = 0; i < list.count; ++i)
        if (list.positions[i] / 64 < words)
          list.positions[kept++] = list.positions[i];
      list.count = kept;
    }
    return list;
  }

  ZENITH_METHOD void ask(PositionList list) const {
    for (int64_t i = 0; i < list.count; ++i)
      ask(list.positions[i]);
  }
  ZENITH_METHOD void ask(uint64_t position) const {
    __builtin_prefetch(bits + (position >> tagBits) / 64);
  }

  /// Positions of a prefetched list whose bits are not set go to `lacking`,
  /// which holds as many as the list; gives how many. Prefetches the next list
  /// meanwhile, since a core has few outstanding misses.
  ZENITH_METHOD int64_t lookUp(PositionList list, PositionList next,
                               uint64_t *lacking) const {
    const int64_t both = std::min(list.count, next.count);
    uint64_t *to = lacking;
    for (int64_t i = 0; i < both; ++i) {
      ask(next.positions[i]);
      to = addWhereNotSet(list.positions[i], to);
    }
    for (int64_t i = both; i < list.count; ++i)
      to = addWhereNotSet(list.positions[i], to);
    for (int64_t i = both; i < next.count; ++i)
      ask(next.positions[i]);
    return to - lacking;
  }

private:
  /// Branch-free: whether a bit is set is unpredictable.
  ZENITH_METHOD uint64_t *addWhereNotSet(uint64_t position,
                                         uint64_t *to) const {
    uint64_t untagged = position >> tagBits,
             word = __atomic_load_n(bits + untagged / 64, __ATOMIC_RELAXED);
    *to = position;
    return to + (~(word >> untagged % 64) & 1);
  }
};

} // namespace zenith::runtime

#endif // ZENITH_RUNTIME_ROUTINES_BITCANDIDATES_H
