// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layouts of the routines' scratch buffers. The compiler asks how many bytes
// one takes (Size is a symbolic expression), the routine where each array
// begins (Size is int64_t): both from one function per routine.

#ifndef ZENITH_RUNTIME_ROUTINESCRATCH_H
#define ZENITH_RUNTIME_ROUTINESCRATCH_H

#include <array>
#include <cstddef>
#include <cstdint>

namespace zenith::runtime {

/// Arrays of a scratch buffer, in order.
template <typename Size, size_t Count> struct ScratchLayout {
  static constexpr int64_t line = 64;

  std::array<Size, Count> bytes; ///< of each array
  bool alignsToLines = true;     ///< else all arrays hold 8-byte elements

  /// Bytes of the buffer, whose own alignment is at least that of a line.
  Size total() const {
    Size sum(alignsToLines ? int64_t(Count) * line : 0);
    for (const Size &each : bytes)
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
template <typename Size>
ScratchLayout<Size, 2> countedTopKScratch(const Size &slots, int64_t keys) {
  Size each = slots * Size(keys * 8);
  return {{each, each}, false};
}

/// unique: what its steps know of the rows.
template <typename Size> struct UniqueScratchSizes {
  Size rows, slots, partitions;
  Size keyBytes; ///< of a row; 0: the rows' own bytes are the keys
  bool sorted, wantsInverse, wantsCounts;
};

/// Arrays: entries, table cells, starts, kept, counts of first rows, first row
/// of each row, number of each first row, first rows, order, rank, keys.
template <typename Size>
ScratchLayout<Size, 11> uniqueScratch(const UniqueScratchSizes<Size> &sizes) {
  const Size word(8), none(0), perRow = sizes.rows * word;
  auto where = [&](bool wanted) { return wanted ? perRow : none; };
  return {{perRow, (sizes.rows + sizes.partitions) * Size(2 * 8),
           sizes.slots * (sizes.partitions + Size(1)) * word,
           sizes.slots * sizes.partitions * word, where(sizes.wantsCounts),
           where(sizes.wantsInverse), where(sizes.wantsInverse),
           where(sizes.sorted), where(sizes.sorted), where(sizes.sorted),
           sizes.rows * sizes.keyBytes},
          false};
}

/// is_in: cells of a hash table of `rows` rows, their keys, a mark for each.
template <typename Size>
ScratchLayout<Size, 3> isInScratch(const Size &rows, const Size &keyBytes) {
  return {{(rows * Size(2) + Size(2)) * Size(8), rows * keyBytes, rows}, false};
}

/// One partition of dedup, as its plan step leaves it.
struct DedupPartition {
  int64_t known = 0, candidates = 0; ///< rows in blocks
  int64_t order = 0;                 ///< first entry of its blocks' list
  int64_t table = -1;                ///< own words; -1: those of the slot
  int64_t fresh = 0;
};

template <typename Size> struct DedupScratchSizes {
  int64_t words, lists, knownLists, blockRows, chunkRows;
  Size rows; ///< of all lists together, candidates and known ones
  Size slots, partitions, slotBlocks, tableWords;
};

/// Arrays: blocks of rows, the block that follows each, blocks by partition;
/// first block, cursor and number of blocks of each chain; starts of known
/// rows; partitions; tables of slots; chunks of candidates; tables of
/// partitions that outgrow a slot's.
template <typename Size>
ScratchLayout<Size, 11> dedupScratch(const DedupScratchSizes<Size> &sizes) {
  const Size blocks = sizes.slots * sizes.slotBlocks,
             chains = sizes.slots * sizes.partitions * Size(2);
  const int64_t chunk = sizes.chunkRows * sizes.lists * (sizes.words + 1) * 2;
  return {
      {blocks * Size(sizes.blockRows * sizes.words * 8), blocks * Size(4),
       blocks * Size(4), chains * Size(4), chains * Size(8), chains * Size(4),
       sizes.slots * Size(sizes.knownLists) * (sizes.partitions + Size(1)) *
           Size(8),
       sizes.partitions * Size(int64_t(sizeof(DedupPartition))),
       sizes.slots * sizes.tableWords * Size(8), sizes.slots * Size(chunk * 8),
       sizes.rows * Size(10) + sizes.partitions * Size(256)}};
}

/// bitset_difference: chunks of positions and candidates, counts of blocks, the
/// bits where they are no result.
template <typename Size>
ScratchLayout<Size, 3>
bitsetDifferenceScratch(const Size &slots, const Size &blocks,
                        const Size &words, int64_t lists, int64_t chunkRows,
                        bool holdsBits) {
  return {{slots * Size(chunkRows * (lists + 1) * 8), blocks * Size(8),
           holdsBits ? words * Size(8) : Size(0)},
          false};
}

/// test_and_set: the number of positions in a line of its own, two chunks of
/// candidates per slot, partitioned positions, the bits where they are no
/// result.
template <typename Size>
ScratchLayout<Size, 4>
testAndSetScratch(const Size &slots, const Size &slotEntries, const Size &words,
                  int64_t lists, int64_t chunkRows, bool holdsBits) {
  return {{Size(64), slots * Size(2 * chunkRows * lists * 8),
           slots * slotEntries * Size(4),
           holdsBits ? words * Size(8) : Size(0)},
          false};
}

/// coset_bit_rows: bits of each row, new bits of each slot, kinds and inverses
/// of moves.
template <typename Size>
ScratchLayout<Size, 4> cosetBitRowsScratch(const Size &rows, const Size &slots,
                                           const Size &moves,
                                           const Size &columns) {
  return {{rows * Size(4), slots * Size(8), moves, moves * columns * Size(2)}};
}

/// suppress: 8-byte words of a task. The number of chosen boxes, these, the
/// keys of all, and five floats of each chosen one.
template <typename Size> Size suppressWords(const Size &boxes) {
  return boxes * Size(5) + Size(1);
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
