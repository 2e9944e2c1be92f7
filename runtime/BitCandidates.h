// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers that are looked up in a set of bits, computed chunk by chunk.

#ifndef ZENITH_RUNTIME_BITCANDIDATES_H
#define ZENITH_RUNTIME_BITCANDIDATES_H

#include "runtime/ProcessorClones.h"
#include "runtime/RoutineArguments.h"
#include <algorithm>

namespace zenith::runtime {

/// Candidates that a producer computes, and memory for a chunk of each slot.
struct BitCandidates {
  explicit BitCandidates(RoutineArguments &args)
      : words(args.number()), sourceSize(args.number()), lists(args.number()),
        slots(args.number()), chunkRows(args.number()) {}

  /// Rows of a chunk are at most so many.
  static constexpr int64_t mostRows = 256;

  /// The memory: positions, then candidates by list.
  uint64_t *chunkOf(uint64_t *chunks, int64_t slot) const {
    return chunks + slot * chunkRows * (lists + 1);
  }
  int64_t chunkWords() const { return slots * chunkRows * (lists + 1); }

  int64_t words;      ///< of the set of bits
  int64_t sourceSize; ///< words of bits, or rows of candidates
  int64_t lists, slots, chunkRows;
};

/// A set of bits, which other threads may set meanwhile.
struct BitSet {
  const uint64_t *bits;
  uint64_t words;

  /// Positions, at most mostRows, that the set has room for and whose bits are
  /// not set go to `lacking`, which has room for all; how many.
  ZENITH_METHOD int64_t lookUp(const uint64_t *positions, int64_t count,
                               uint64_t *lacking) const {
    uint64_t inside[BitCandidates::mostRows];
    // Seldom are there positions behind the last word: the bits of all together
    // say so at once where there is a power of two of words.
    uint64_t last = 0;
    for (int64_t i = 0; i < count; ++i)
      last |= positions[i];
    if (last / 64 >= words) {
      last = 0;
      for (int64_t i = 0; i < count; ++i)
        last = std::max(last, positions[i]);
    }
    if (__builtin_expect(last / 64 >= words, 0)) {
      int64_t kept = 0;
      for (int64_t i = 0; i < count; ++i)
        if (positions[i] / 64 < words)
          inside[kept++] = positions[i];
      positions = inside;
      count = kept;
    }
    for (int64_t i = 0; i < count; ++i)
      __builtin_prefetch(bits + positions[i] / 64);
    // Whether a bit is set is no branch: nobody can foretell it.
    uint64_t *to = lacking;
    for (int64_t i = 0; i < count; ++i) {
      uint64_t position = positions[i];
      uint64_t word = __atomic_load_n(bits + position / 64, __ATOMIC_RELAXED);
      *to = position;
      to += ~(word >> position % 64) & 1;
    }
    return to - lacking;
  }
};

} // namespace zenith::runtime

#endif // ZENITH_RUNTIME_BITCANDIDATES_H
