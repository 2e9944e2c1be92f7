// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A set of keys of one word in buckets that are searched without a branch:
// the index of a key in its bucket is unpredictable.

#ifndef ZENITH_RUNTIME_ROUTINES_WORDTABLE_H
#define ZENITH_RUNTIME_ROUTINES_WORDTABLE_H

#include "runtime/TargetClones.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace zenith::runtime {

/// Keys are words other than 0, of which those that agree in `significant` are
/// one and join their bits by or. A bucket fills from its front; what finds it
/// full goes on to the next one.
class WordTable {
public:
  static constexpr int64_t bucketCells = 4;

  /// Memory for `buckets` buckets, and the words read after the last.
  static constexpr int64_t wordsFor(int64_t buckets) {
    return (buckets + 1) * bucketCells + (buckets + 7) / 8;
  }

  /// How many fit that many words.
  static constexpr int64_t bucketsIn(int64_t words) {
    return std::max<int64_t>(0, words - bucketCells - 1) * 8 / 65;
  }

  /// `cells` starts at a cache line and has wordsFor(buckets). Keys must be
  /// fewer than buckets * bucketCells.
  ZENITH_METHOD WordTable(uint64_t *cells, int64_t buckets,
                          uint64_t significant)
      : cells(cells), buckets(buckets), significant(significant),
        heldBefore(
            reinterpret_cast<uint8_t *>(cells + (buckets + 1) * bucketCells)) {
    std::fill(cells, cells + (buckets + 1) * bucketCells, uint64_t(0));
  }

  /// A bucket by 32 bits of a hash, in their order.
  ZENITH_METHOD uint32_t bucketOf(uint64_t bits) const {
    return uint32_t(uint64_t(uint32_t(bits)) * uint64_t(buckets) >> 32);
  }
  ZENITH_METHOD void ask(uint32_t bucket) const {
    __builtin_prefetch(cells + int64_t(bucket) * bucketCells, 1);
  }
  ZENITH_METHOD void insert(uint64_t key, uint32_t bucket) const {
    unsigned places = placesFor(key, bucket);
    while (__builtin_expect(places == 0, 0)) {
      bucket = int64_t(bucket) + 1 == buckets ? 0 : bucket + 1;
      places = placesFor(key, bucket);
    }
    cells[int64_t(bucket) * bucketCells + __builtin_ctz(places)] |= key;
  }

  /// Keys inserted so far are not among those that `drain` gives.
  ZENITH_METHOD void leaveOutHeld() {
    for (int64_t bucket = 0; bucket < buckets; ++bucket)
      heldBefore[bucket] = uint8_t(heldIn(bucket));
    leavesOut = true;
  }
  /// Calls fn with bucketCells words, of which the first ones are keys, and how
  /// many are; in the order of buckets.
  template <typename Fn> ZENITH_METHOD void drain(Fn fn) const {
    for (int64_t bucket = 0; bucket < buckets; ++bucket) {
      int64_t before = leavesOut ? heldBefore[bucket] : 0;
      fn(cells + bucket * bucketCells + before, heldIn(bucket) - before);
    }
  }

private:
  /// A bit for each cell that has the key or is empty.
  ZENITH_METHOD unsigned placesFor(uint64_t key, uint32_t bucket) const {
    const uint64_t *held = cells + int64_t(bucket) * bucketCells;
#if defined(__clang__)
    Cells all = *reinterpret_cast<const Cells *>(held);
    return bitsWhere(((all ^ key) & significant) == 0 | all == 0);
#else
    unsigned places = 0;
    for (int i = 0; i < bucketCells; ++i)
      places |= unsigned(((held[i] ^ key) & significant) == 0 || held[i] == 0)
                << i;
    return places;
#endif
  }
  ZENITH_METHOD int64_t heldIn(int64_t bucket) const {
    const uint64_t *held = cells + bucket * bucketCells;
#if defined(__clang__)
    return __builtin_ctz(
        bitsWhere(*reinterpret_cast<const Cells *>(held) == 0) | 16);
#else
    return std::find(held, held + bucketCells, uint64_t(0)) - held;
#endif
  }

#if defined(__clang__)
  typedef uint64_t Cells __attribute__((ext_vector_type(4)));
  typedef int64_t Truths __attribute__((ext_vector_type(4)));
  typedef bool Bits __attribute__((ext_vector_type(4)));
  ZENITH_METHOD static unsigned bitsWhere(const Truths &truths) {
    return __builtin_bit_cast(uint8_t, __builtin_convertvector(truths, Bits)) &
           15;
  }
#endif

  uint64_t *cells;
  int64_t buckets;
  uint64_t significant;
  uint8_t *heldBefore; ///< by bucket
  bool leavesOut = false;
};

} // namespace zenith::runtime

#endif // ZENITH_RUNTIME_ROUTINES_WORDTABLE_H
