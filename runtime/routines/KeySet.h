// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the steps of dedup share: their arguments, and the arrays of the scratch
// buffer.

#ifndef ZENITH_RUNTIME_ROUTINES_KEYSET_H
#define ZENITH_RUNTIME_ROUTINES_KEYSET_H

#include "runtime/RoutineArguments.h"
#include "runtime/RoutineScratch.h"
#include "runtime/TargetClones.h"
#include "runtime/routines/RowSlots.h"

#include <numeric>
#include <type_traits>

namespace zenith::runtime {

/// Rows are keys of some words. Blocks of them form chains, one for each slot
/// of tasks, partition and kind: known ones and candidates.
class KeySet {
public:
  explicit KeySet(const zenith_dedup_arguments &given)
      : words(given.words), lists(given.lists), rows(given.rows),
        knownLists(given.nknown), knownRows(given.known_rows), key(given.key),
        slots(given.slots),
        partitionBits(63 - __builtin_clzll(uint64_t(given.partitions))),
        partitions(int64_t(1) << partitionBits), slotBlocks(given.slot_blocks),
        blockRows(given.block_rows), tableWords(given.table_words),
        chunkRows(given.chunk_rows), blockShift(__builtin_ctzll(blockRows)),
        hasAbsent(given.has_absent != 0), absent(uint64_t(given.absent)),
        images(given.images), imageParts(given.image_parts),
        partBits(given.part_bits), ties(given.ties) {
    const auto layout = dedupScratch<int64_t>(
        {words, lists, knownLists, blockRows, chunkRows, allRows(), slots,
         partitions, slotBlocks, tableWords});
    ScratchReader scratch(given.scratch, layout);
    storage = scratch.take<uint64_t>();
    following = scratch.take<uint32_t>();
    order = scratch.take<uint32_t>();
    heads = scratch.take<uint32_t>();
    cursors = scratch.take<int64_t>();
    blocks = scratch.take<uint32_t>();
    starts = scratch.take<int64_t>();
    plan = scratch.take<DedupPartition>();
    tables = scratch.take<uint64_t>();
    chunks = scratch.take<uint64_t>();
    largeTables = scratch.take<uint64_t>();
  }

  int64_t words, lists, rows, knownLists;
  const int64_t *knownRows, *key;
  int64_t slots;
  int partitionBits;
  int64_t partitions, slotBlocks, blockRows, tableWords, chunkRows;
  int blockShift; ///< blockRows is a power of two
  bool hasAbsent;
  uint64_t absent;
  int64_t images, imageParts, partBits, ties; ///< of keys; no images: 0
  uint64_t *storage;                          ///< blocks of rows
  uint32_t *following; ///< the block after each one of its chain
  uint32_t *order;     ///< blocks by partition
  uint32_t *heads;     ///< first block by slot, kind and partition
  int64_t *cursors;    ///< after the last row, by slot, kind and partition
  uint32_t *blocks;    ///< how many, likewise
  /// By slot, known list and partition: the first of the slot's rows that is
  /// not of a partition before; one more is their end. All are one where the
  /// slot's rows lie in blocks.
  int64_t *starts;
  DedupPartition *plan;
  uint64_t *tables; ///< of each slot: rows not yet in blocks, then hash tables
  uint64_t *chunks; ///< candidates of each slot before they are partitioned
  uint64_t *largeTables; ///< of partitions too large for a slot's

  /// Of keys of `Width` words, 0: any. Different keys of one word have
  /// different hashes: each step can be undone.
  template <int Width> struct Hash {
    int64_t width;
    const int64_t *key;
    uint64_t first; ///< of key
    ZENITH_METHOD uint64_t operator()(const uint64_t *row) const {
      uint64_t value = 0;
      for (int64_t word = 0; word < (Width ? Width : width); ++word) {
        uint64_t bits = word == 0 ? first : uint64_t(key[word]);
        value = (value ^ (row[word] & bits)) * 0x9e3779b97f4a7c15;
        value ^= value >> 32;
      }
      return value * 0xbf58476d1ce4e5b9;
    }
  };
  template <int Width> ZENITH_METHOD Hash<Width> hash() const {
    return {words, key, uint64_t(key[0])};
  }
  /// The high bits of a hash, so that keys in order of their partitions stay in
  /// order where there are fewer partitions.
  ZENITH_METHOD static int64_t partitionOf(uint64_t hash, int bits) {
    return int64_t(hash >> 1 >> (63 - bits));
  }
  ZENITH_METHOD uint64_t *row(int64_t number) const {
    return storage + number * words;
  }
  ZENITH_METHOD uint64_t *tableOf(int64_t slot) const {
    return tables + slot * tableWords;
  }
  ZENITH_METHOD int64_t chain(int64_t slot, int kind, int64_t partition) const {
    return (slot * 2 + kind) * partitions + partition;
  }
  ZENITH_METHOD int64_t *startsOf(int64_t slot, int64_t list) const {
    return starts + (slot * knownLists + list) * (partitions + 1);
  }
  /// Whether known rows in order of their partitions stay where they are.
  bool mayStay() const { return words == 1; }

private:
  /// Rows of all lists.
  int64_t allRows() const {
    int64_t all = rows * lists;
    for (int64_t list = 0; list < knownLists; ++list)
      all += knownRows[list];
    return all;
  }
};

/// Rows that fill whole cache lines: as many as one line has words, divided by
/// what they share.
constexpr int64_t rowsOfGroup(int64_t width) { return 8 / std::gcd(8, width); }

/// Calls fn with the width of a key as a constant where it is small.
template <typename Fn> static void byWidth(int64_t words, Fn fn) {
  switch (words) {
  case 1:
    return fn(std::integral_constant<int, 1>());
  case 2:
    return fn(std::integral_constant<int, 2>());
  case 3:
    return fn(std::integral_constant<int, 3>());
  default:
    return fn(std::integral_constant<int, 0>());
  }
}

} // namespace zenith::runtime

#endif // ZENITH_RUNTIME_ROUTINES_KEYSET_H
