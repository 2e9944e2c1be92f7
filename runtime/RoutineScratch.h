// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layouts of the routines' scratch buffers. The compiler asks how many bytes
// one takes (Quantity is a symbolic expression), the routine where each array
// begins (Quantity is int64_t): both from one function per routine.

#ifndef ZENITH_RUNTIME_ROUTINESCRATCH_H
#define ZENITH_RUNTIME_ROUTINESCRATCH_H

#include <array>
#include <cstddef>
#include <cstdint>

namespace zenith::runtime {

/// Arrays of a scratch buffer, in order.
template <typename Quantity, size_t Count> struct ScratchLayout {
  static constexpr int64_t line = 64;

  std::array<Quantity, Count> bytes; ///< of each array
  bool alignsToLines = true;         ///< else all arrays hold 8-byte elements

  /// Bytes of the buffer, whose own alignment is at least that of a line.
  Quantity total() const {
    Quantity sum(alignsToLines ? int64_t(Count) * line : 0);
    for (const Quantity &each : bytes)
      sum = sum + each;
    return sum;
  }
};

/// Walks over the arrays of a buffer in the order of its layout.
template <size_t Count> class ScratchReader {
public:
  ScratchReader(void *buffer, const ScratchLayout<int64_t, Count> &layout)
      : next(reinterpret_cast<uintptr_t>(buffer)), layout(layout) {}

  template <typename T> T *take() {
    constexpr uintptr_t line = ScratchLayout<int64_t, Count>::line;
    if (layout.alignsToLines)
      next = (next + line - 1) / line * line;
    auto *array = reinterpret_cast<T *>(next);
    next += uintptr_t(layout.bytes[at++]);
    return array;
  }

private:
  uintptr_t next;
  const ScratchLayout<int64_t, Count> &layout;
  size_t at = 0;
};

/// sort: bytes for each element of a slot's row: two pairs of key and position,
/// and two orders. sort_with needs the two orders only.
inline constexpr int64_t sortBytesPerElement = 48, sortWithBytesPerElement = 16;

/// top_k_count: tables of counts and of positions, one of each per slot.
template <typename Quantity>
ScratchLayout<Quantity, 2> countedTopKScratch(const Quantity &slots,
                                              int64_t keys) {
  Quantity each = slots * Quantity(keys * 8);
  return {{each, each}, false};
}

/// unique: what its steps know of the rows.
template <typename Quantity> struct UniqueScratchSizes {
  Quantity rows, slots, partitions;
  Quantity keyBytes; ///< of a row; 0: the rows' own bytes are the keys
  bool sorted, wantsInverse, wantsCounts;
};

/// Arrays: entries, table cells, starts, kept, counts of first rows, first row
/// of each row, number of each first row, first rows, order, rank, keys.
template <typename Quantity>
ScratchLayout<Quantity, 11>
uniqueScratch(const UniqueScratchSizes<Quantity> &sizes) {
  const Quantity word(8), none(0), perRow = sizes.rows * word;
  auto where = [&](bool wanted) { return wanted ? perRow : none; };
  return {{perRow, (sizes.rows + sizes.partitions) * Quantity(2 * 8),
           sizes.slots * (sizes.partitions + Quantity(1)) * word,
           sizes.slots * sizes.partitions * word, where(sizes.wantsCounts),
           where(sizes.wantsInverse), where(sizes.wantsInverse),
           where(sizes.sorted), where(sizes.sorted), where(sizes.sorted),
           sizes.rows * sizes.keyBytes},
          false};
}

/// is_in: cells of a hash table of `rows` rows, their keys, a mark for each.
template <typename Quantity>
ScratchLayout<Quantity, 3> isInScratch(const Quantity &rows,
                                       const Quantity &keyBytes) {
  return {
      {(rows * Quantity(2) + Quantity(2)) * Quantity(8), rows * keyBytes, rows},
      false};
}

/// One partition of dedup, as its plan step leaves it.
struct DedupPartition {
  int64_t known = 0, candidates = 0; ///< rows in blocks
  int64_t order = 0;                 ///< first entry of its blocks' list
  int64_t table = -1;                ///< own words; -1: those of the slot
  int64_t fresh = 0;
};

template <typename Quantity> struct DedupScratchSizes {
  int64_t words, lists, knownLists, blockRows, chunkRows;
  Quantity rows; ///< of all lists together, candidates and known ones
  Quantity slots, partitions, slotBlocks, tableWords;
};

/// Arrays: blocks of rows, the block that follows each, blocks by partition;
/// first block, cursor and number of blocks of each chain; starts of known
/// rows; partitions; tables of slots; chunks of candidates; tables of
/// partitions that outgrow a slot's.
template <typename Quantity>
ScratchLayout<Quantity, 11>
dedupScratch(const DedupScratchSizes<Quantity> &sizes) {
  const Quantity blocks = sizes.slots * sizes.slotBlocks,
                 chains = sizes.slots * sizes.partitions * Quantity(2);
  const int64_t chunk = sizes.chunkRows * sizes.lists * (sizes.words + 1) * 2;
  return {{blocks * Quantity(sizes.blockRows * sizes.words * 8),
           blocks * Quantity(4), blocks * Quantity(4), chains * Quantity(4),
           chains * Quantity(8), chains * Quantity(4),
           sizes.slots * Quantity(sizes.knownLists) *
               (sizes.partitions + Quantity(1)) * Quantity(8),
           sizes.partitions * Quantity(int64_t(sizeof(DedupPartition))),
           sizes.slots * sizes.tableWords * Quantity(8),
           sizes.slots * Quantity(chunk * 8),
           sizes.rows * Quantity(10) + sizes.partitions * Quantity(256)}};
}

/// bitset_difference: chunks of positions and candidates, counts of blocks, the
/// bits where they are no result.
template <typename Quantity>
ScratchLayout<Quantity, 3>
bitsetDifferenceScratch(const Quantity &slots, const Quantity &blocks,
                        const Quantity &words, int64_t lists, int64_t chunkRows,
                        bool holdsBits) {
  return {{slots * Quantity(chunkRows * (lists + 1) * 8), blocks * Quantity(8),
           holdsBits ? words * Quantity(8) : Quantity(0)},
          false};
}

/// test_and_set: the number of positions in a line of its own, two chunks of
/// candidates per slot, partitioned positions, the bits where they are no
/// result.
template <typename Quantity>
ScratchLayout<Quantity, 4>
testAndSetScratch(const Quantity &slots, const Quantity &slotEntries,
                  const Quantity &words, int64_t lists, int64_t chunkRows,
                  bool holdsBits) {
  return {{Quantity(64), slots * Quantity(2 * chunkRows * lists * 8),
           slots * slotEntries * Quantity(4),
           holdsBits ? words * Quantity(8) : Quantity(0)},
          false};
}

/// coset_bit_rows: bits of each row, new bits of each slot, kinds and inverses
/// of moves.
template <typename Quantity>
ScratchLayout<Quantity, 4>
cosetBitRowsScratch(const Quantity &rows, const Quantity &slots,
                    const Quantity &moves, const Quantity &columns) {
  return {{rows * Quantity(4), slots * Quantity(8), moves,
           moves * columns * Quantity(2)}};
}

/// index_bits: a position and its place in the list.
struct ListedPosition {
  uint64_t position;
  int64_t place;
};

/// index_bits: two lists of positions, where there are fewer than words.
template <typename Quantity>
ScratchLayout<Quantity, 2> indexBitsScratch(const Quantity &entries) {
  Quantity each = entries * Quantity(int64_t(sizeof(ListedPosition)));
  return {{each, each}, false};
}

/// note_bits: positions that each slot found.
template <typename Quantity>
ScratchLayout<Quantity, 1> noteBitsScratch(const Quantity &slots) {
  return {{slots * Quantity(8)}, false};
}

/// count_neighbours: what its steps know of the neighbours.
template <typename Quantity> struct CountNeighboursSizes {
  Quantity total; ///< neighbours and rows of sets
  Quantity slots, partitions, finders;
  int64_t generators, columns;

  /// Words of memory for an entry: two cells, two lists and bits.
  static constexpr int64_t entryWords = 5;
  /// Of tables for moves (runtime/routines/neighbours/NeighbourHashes.h).
  static constexpr int64_t tableBytes(int64_t moves, int64_t columns) {
    return (moves + 8) * (8 * (columns + 4) + 64) + 64;
  }
};

/// Arrays: what sums are of, counts of finders, entries, memory of slots and
/// finders, starts, tables of the moves and of rows that don't move.
template <typename Quantity>
ScratchLayout<Quantity, 7>
countNeighboursScratch(const CountNeighboursSizes<Quantity> &sizes) {
  using Sizes = CountNeighboursSizes<Quantity>;
  return {{Quantity(64), sizes.finders * Quantity(16),
           sizes.total * Quantity(8),
           (sizes.total + sizes.partitions) * Quantity(8 * Sizes::entryWords),
           sizes.slots * (sizes.partitions + Quantity(1)) * Quantity(4),
           Quantity(Sizes::tableBytes(sizes.generators, sizes.columns)),
           Quantity(Sizes::tableBytes(1, sizes.columns))}};
}

/// suppress: 8-byte words of a task. The number of chosen boxes, these, the
/// keys of all, and five floats of each chosen one.
template <typename Quantity> Quantity suppressWords(const Quantity &boxes) {
  return boxes * Quantity(5) + Quantity(1);
}

/// fourier_table: roots of unity of the length; of the convolution, and its
/// filter and the transform of it. Complex numbers of f64.
inline constexpr int64_t fourierTableBytes(int64_t length,
                                           int64_t convolution) {
  return 16 * (length + 3 * convolution);
}
/// fourier: a slot's bytes: two lines as long as the longer transform.
inline constexpr int64_t fourierSlotBytes(int64_t length, int64_t convolution) {
  return 2 * 16 * (convolution ? convolution : length);
}

} // namespace zenith::runtime

#endif // ZENITH_RUNTIME_ROUTINESCRATCH_H
