// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Positions that one task divides among the partitions of a bitset, for other
// tasks to mark.

#ifndef ZENITH_RUNTIME_ROUTINES_HASHPARTITION_H
#define ZENITH_RUNTIME_ROUTINES_HASHPARTITION_H

#include <cstdint>

namespace zenith::runtime {

/// How candidates are read: their low `tagBits` bits are a tag, those above a
/// position. A partition has 2^partitionBits positions, so that a candidate
/// without the bits of its partition fits 32 bits.
struct TaggedPositions {
  uint64_t words; ///< of the set
  unsigned tagBits, partitionBits;

  unsigned entryBits() const { return tagBits + partitionBits; }
};

/// Chains of blocks of entries, one for each partition: candidates without the
/// bits of the partition.
struct PartitionedPositions {
  /// A full block's last two entries are its count and the next block. A block
  /// is full where not all lanes of a vector fit.
  static constexpr uint32_t blockSize = 128, next = blockSize - 1,
                            count = blockSize - 2, lanes = 8,
                            mostFree = count - lanes;

  uint32_t *ends;    ///< by partition: index in `entries` of its next one
  uint32_t *entries; ///< blocks; the chain of partition p begins with block p
};

/// Drops candidates after the last word; how many stay.
int64_t keepInside(const TaggedPositions &set, uint64_t *candidates,
                   int64_t count);

/// Adds candidates to the chains of their partitions. `blocks` are in use
/// before; the result is how many are afterwards.
uint32_t partitionPositions(const TaggedPositions &set,
                            const PartitionedPositions &to,
                            const uint64_t *candidates, int64_t count,
                            uint32_t blocks);

} // namespace zenith::runtime

#endif // ZENITH_RUNTIME_ROUTINES_HASHPARTITION_H
