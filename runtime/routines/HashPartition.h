// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Positions that one task deals to parts of a set of bits, for others to mark.

#ifndef ZENITH_RUNTIME_ROUTINES_HASHPARTITION_H
#define ZENITH_RUNTIME_ROUTINES_HASHPARTITION_H

#include <cstdint>

namespace zenith::runtime {

/// How candidates are read: their first `tagBits` bits are a tag, those above a
/// position. A part has 2^partBits positions, so that a candidate without its
/// part fits 32 bits.
struct TaggedPositions {
  uint64_t words; ///< of the set
  unsigned tagBits, partBits;

  unsigned numberBits() const { return tagBits + partBits; }
};

/// Chains of blocks of numbers, one for each part.
struct DealtPositions {
  /// A full block's last two numbers are how many it has and the next block.
  /// It is full where not all lanes of a vector find room.
  static constexpr uint32_t blockSize = 128, next = blockSize - 1,
                            count = blockSize - 2, lanes = 8,
                            mostFree = count - lanes;

  uint32_t *ends;    ///< by part: where its next position goes in `numbers`
  uint32_t *numbers; ///< blocks; the chain of part p begins with block p
};

/// Drops candidates behind the last word; how many stay.
int64_t keepInside(const TaggedPositions &set, uint64_t *candidates,
                   int64_t count);

/// Adds candidates to the chains of their parts. `blocks` are in use; how many
/// are then.
uint32_t dealPositions(const TaggedPositions &set, const DealtPositions &to,
                       const uint64_t *candidates, int64_t count,
                       uint32_t blocks);

} // namespace zenith::runtime

#endif // ZENITH_RUNTIME_ROUTINES_HASHPARTITION_H
