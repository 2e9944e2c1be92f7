// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the steps of dedup share: their numbers, and the scratch buffer as
// they divide it.

#ifndef ZENITH_RUNTIME_ROUTINES_KEYSET_H
#define ZENITH_RUNTIME_ROUTINES_KEYSET_H

#include "runtime/ProcessorClones.h"
#include "runtime/routines/RoutineArguments.h"

#include <numeric>
#include <type_traits>

namespace zenith::runtime {

/// Rows are keys of some words. Blocks of them form chains, one for each slot
/// of tasks, partition and kind: known ones and candidates.
class KeySet {
public:
  explicit KeySet(RoutineArguments &args)
      : words(args.number()), lists(args.number()), rows(args.number()),
        knownLists(args.number()), knownRows(args.takeNumbers(knownLists)),
        key(args.takeNumbers(words)), slots(args.number()),
        partitionBits(63 - __builtin_clzll(uint64_t(args.number()))),
        partitions(int64_t(1) << partitionBits), slotBlocks(args.number()),
        blockRows(args.number()), roomWords(args.number()),
        chunkRows(args.number()), blockShift(__builtin_ctzll(blockRows)),
        hasAbsent(args.number() != 0), absent(uint64_t(args.number())),
        images(args.number()), imageParts(args.number()),
        partBits(args.number()), ties(args.number()) {
    auto next = reinterpret_cast<uintptr_t>(args.pointer());
    auto take = [&](auto *&array, int64_t count) {
      using T = std::remove_reference_t<decltype(*array)>;
      constexpr uintptr_t line = 64;
      next = (next + line - 1) / line * line;
      array = reinterpret_cast<T *>(next);
      next += uintptr_t(count) * sizeof(T);
    };
    take(storage, slots * slotBlocks * blockRows * words);
    take(following, slots * slotBlocks);
    take(order, slots * slotBlocks);
    take(heads, slots * partitions * 2);
    take(cursors, slots * partitions * 2);
    take(blocks, slots * partitions * 2);
    take(starts, slots * knownLists * (partitions + 1));
    take(plan, partitions);
    take(rooms, slots * roomWords);
    take(chunks, slots * chunkRows * lists * (words + 1) * 2);
    take(largeTables, 0);
  }

  /// What the plan says of a partition.
  struct Partition {
    int64_t known = 0, candidates = 0; ///< rows in blocks
    int64_t order = 0;                 ///< first entry of its blocks' list
    int64_t table = -1;                ///< own words; -1: those of the slot
    int64_t fresh = 0;
  };

  int64_t words, lists, rows, knownLists;
  const int64_t *knownRows, *key;
  int64_t slots;
  int partitionBits;
  int64_t partitions, slotBlocks, blockRows, roomWords, chunkRows;
  int blockShift; ///< blockRows is a power of two
  bool hasAbsent;
  uint64_t absent;
  int64_t images, imageParts, partBits, ties; ///< of keys; no images: 0
  uint64_t *storage;                          ///< blocks of rows
  uint32_t *following; ///< the block after each one of its chain
  uint32_t *order;     ///< blocks by partition
  uint32_t *heads;     ///< first block by slot, kind and partition
  int64_t *cursors;    ///< behind the last row, by slot, kind and partition
  uint32_t *blocks;    ///< how many, likewise
  /// By slot, known list and partition: the first of the slot's rows that is
  /// not of a partition before; one more is their end. All are one where the
  /// slot's rows lie in blocks.
  int64_t *starts;
  Partition *plan;
  uint64_t *rooms;       ///< of each slot: rows on their way to blocks; tables
  uint64_t *chunks;      ///< candidates of each slot before they are dealt
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
  /// The first bits of a hash, so that keys in order of their partitions stay
  /// in order where partitions are fewer.
  ZENITH_METHOD static int64_t partitionOf(uint64_t hash, int bits) {
    return int64_t(hash >> 1 >> (63 - bits));
  }
  ZENITH_METHOD uint64_t *row(int64_t number) const {
    return storage + number * words;
  }
  ZENITH_METHOD uint64_t *room(int64_t slot) const {
    return rooms + slot * roomWords;
  }
  ZENITH_METHOD int64_t chain(int64_t slot, int kind, int64_t partition) const {
    return (slot * 2 + kind) * partitions + partition;
  }
  ZENITH_METHOD int64_t *startsOf(int64_t slot, int64_t list) const {
    return starts + (slot * knownLists + list) * (partitions + 1);
  }
  /// Whether known rows in order of their partitions stay where they are.
  bool mayStay() const { return words == 1; }
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
