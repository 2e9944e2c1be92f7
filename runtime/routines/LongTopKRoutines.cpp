// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The first elements, in order, of a long row of few different keys: several
// tasks count the keys, then each writes its elements to their indices.

#include "runtime/RoutineScratch.h"
#include "runtime/routines/RoutineKeys.h"
#include "runtime/routines/Routines.h"
#include "runtime/routines/RowSlots.h"

#include <algorithm>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

using namespace zenith::runtime;

namespace {

/// What counting and taking share: one row of contiguous elements, divided
/// among slots, whose keys have 8 or 16 bits.
struct CountedRow {
  explicit CountedRow(const zenith_counted_top_k_arguments &given)
      : length(given.length), k(given.k), smallest(given.smallest != 0),
        dtype(int32_t(given.dtype)), slots(given.slots),
        size(int64_t(1) << orderKeyBits(dtype)),
        operand(static_cast<const char *>(given.operand)) {
    const auto layout = countedTopKScratch<int64_t>(slots, size);
    ScratchReader scratch(given.scratch, layout);
    counts = scratch.take<int64_t>();
    places = scratch.take<int64_t>();
  }

  static constexpr int64_t block = 1024;

  /// Calls visit(start, count, keys) for blocks of a slot's elements, whose
  /// keys are as wide as the elements.
  template <typename Key, typename Visit>
  void forEachBlock(int64_t slot, Visit visit) const {
    auto [first, last] = rowsOfSlot(length, slots, slot);
    uint64_t wide[block];
    Key keys[block];
    auto flip = Key(smallest ? 0 : size - 1);
    for (int64_t start = first; start < last; start += block) {
      int64_t here = std::min(block, last - start);
      const char *from = operand + start * int64_t(sizeof(Key));
      if (dtype == ZENITH_UI8) {
        for (int64_t i = 0; i < here; ++i)
          keys[i] = Key(uint8_t(from[i]) ^ flip);
      } else {
        orderKeys(dtype, from, 1, here, wide);
        for (int64_t i = 0; i < here; ++i)
          keys[i] = Key(wide[i]) ^ flip;
      }
      visit(start, here, keys);
    }
  }
  int64_t *countsOf(int64_t slot) const { return counts + slot * size; }

  int64_t length, k;
  bool smallest;
  int32_t dtype;
  int64_t slots, size;
  int64_t *counts; ///< by slot and key
  int64_t *places; ///< by slot and key: index in the result
  const char *operand;
};

} // namespace

/// Neighbours are often equal: with a table for each of eight neighbours no
/// increment waits for the store of the one before.
static void countKeys(const CountedRow &row, int64_t slot, uint8_t) {
  constexpr int64_t keys = 256, tables = 8;
  uint32_t table[tables][keys] = {};
  row.forEachBlock<uint8_t>(slot,
                            [&](int64_t, int64_t here, const uint8_t *keys) {
                              int64_t i = 0;
                              for (; i + tables <= here; i += tables) {
                                uint64_t word;
                                std::memcpy(&word, keys + i, sizeof(word));
                                for (int64_t t = 0; t < tables; ++t)
                                  ++table[t][word >> 8 * t & 0xff];
                              }
                              for (; i < here; ++i)
                                ++table[0][keys[i]];
                            });
  int64_t *counts = row.countsOf(slot);
  for (int64_t key = 0; key < keys; ++key) {
    counts[key] = 0;
    for (int64_t t = 0; t < tables; ++t)
      counts[key] += table[t][key];
  }
}

static void countKeys(const CountedRow &row, int64_t slot, uint16_t) {
  int64_t *counts = row.countsOf(slot);
  std::fill(counts, counts + row.size, int64_t(0));
  row.forEachBlock<uint16_t>(slot,
                             [&](int64_t, int64_t here, const uint16_t *keys) {
                               for (int64_t i = 0; i < here; ++i)
                                 ++counts[keys[i]];
                             });
}

void zenith_routine_top_k_count(const zenith_counted_top_k_arguments *arguments,
                                int64_t begin, int64_t end) {
  CountedRow row(checked(arguments));
  for (int64_t slot = begin; slot < end; ++slot)
    if (zenith_dtype_bytes(row.dtype) == 1)
      countKeys(row, slot, uint8_t());
    else
      countKeys(row, slot, uint16_t());
}

/// Sets `places` to the result index of a slot's next element with each key;
/// gives the largest key that has one, -1 where none does.
static int64_t firstPlaces(const CountedRow &row, int64_t slot,
                           int64_t *places) {
  int64_t before = 0, last = -1;
  for (int64_t key = 0; key < row.size && before < row.k; ++key) {
    int64_t all = 0;
    for (int64_t other = 0; other < row.slots; ++other) {
      if (other == slot)
        places[key] = before + all;
      all += row.countsOf(other)[key];
    }
    before += all;
    last = key;
  }
  return last;
}

/// Positions of keys up to `last`, in order; gives how many there are.
static int64_t choose(const uint16_t *keys, int64_t count, uint16_t last,
                      uint32_t *chosen) {
  int64_t found = 0;
  for (int64_t i = 0; i < count; ++i) {
    chosen[found] = uint32_t(i);
    found += keys[i] <= last;
  }
  return found;
}

/// One bit for each of 64 keys: whether it is at most `last`.
static uint64_t upTo(const uint8_t *keys, uint8_t last) {
  uint64_t bits = 0;
#ifdef __SSE2__
  __m128i limit = _mm_set1_epi8(char(last));
  for (int i = 0; i < 4; ++i) {
    auto part = _mm_loadu_si128(reinterpret_cast<const __m128i *>(keys) + i);
    __m128i within = _mm_cmpeq_epi8(_mm_min_epu8(part, limit), part);
    bits |= uint64_t(uint32_t(_mm_movemask_epi8(within))) << 16 * i;
  }
#else
  for (int i = 0; i < 64; ++i)
    bits |= uint64_t(keys[i] <= last) << i;
#endif
  return bits;
}

static int64_t choose(const uint8_t *keys, int64_t count, uint8_t last,
                      uint32_t *chosen) {
  int64_t found = 0, at = 0;
  for (; at + 64 <= count; at += 64)
    for (uint64_t bits = upTo(keys + at, last); bits; bits &= bits - 1)
      chosen[found++] = uint32_t(at + __builtin_ctzll(bits));
  for (; at < count; ++at) {
    chosen[found] = uint32_t(at);
    found += keys[at] <= last;
  }
  return found;
}

template <typename Key>
static void take(const CountedRow &row, int64_t slot, Key *values,
                 int64_t *indices) {
  int64_t *places = row.places + slot * row.size;
  int64_t last = firstPlaces(row, slot, places);
  if (last < 0)
    return;
  // A copy: the compiler must assume that stores to the results may alias it.
  int64_t k = row.k;
  auto *operand = reinterpret_cast<const Key *>(row.operand);
  row.forEachBlock<Key>(
      slot, [=](int64_t start, int64_t here, const Key *keys) mutable {
        // Only of the last key some elements have no place.
        if (last >= 0 && places[last] >= k)
          --last;
        if (last < 0)
          return;
        uint32_t chosen[CountedRow::block];
        int64_t count = choose(keys, here, Key(last), chosen);
        for (int64_t i = 0; i < count; ++i) {
          int64_t place = places[keys[chosen[i]]]++, at = start + chosen[i];
          if (place >= k)
            continue;
          if (indices)
            indices[place] = at;
          if (values)
            values[place] = operand[at];
        }
      });
}

void zenith_routine_top_k_take(const zenith_counted_top_k_arguments *arguments,
                               int64_t begin, int64_t end) {
  const zenith_counted_top_k_arguments &given = checked(arguments);
  CountedRow row(given);
  for (int64_t slot = begin; slot < end; ++slot)
    if (zenith_dtype_bytes(row.dtype) == 1)
      take(row, slot, static_cast<uint8_t *>(given.values), given.indices);
    else
      take(row, slot, static_cast<uint16_t *>(given.values), given.indices);
}
