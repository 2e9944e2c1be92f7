// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The first elements, in order, of a long row of few different keys: several
// tasks count the keys, then each puts its elements where they belong.

#include "runtime/RoutineArguments.h"
#include "runtime/RoutineKeys.h"
#include "runtime/Routines.h"

#include <algorithm>
#include <cstring>

using namespace zenith::runtime;

namespace {

/// What counting and taking share: one row of elements side by side, dealt to
/// slots, whose keys have at most 16 bits.
struct CountedRow {
  CountedRow(void *const *pointers, const int64_t *numbers)
      : args(pointers, numbers), length(args.number()), k(args.number()),
        smallest(args.number()), dtype(int32_t(args.number())),
        slots(args.number()), size(int64_t(1) << orderKeyBits(dtype)),
        bytes(zenith_dtype_bytes(dtype)), counts(args.pointer<int64_t>()),
        operand(args.pointer()) {}

  static constexpr int64_t block = 1024;

  /// Calls visit(start, count, keys) for blocks of a slot's elements.
  template <typename Visit> void forEachBlock(int64_t slot, Visit visit) const {
    auto [first, last] = rowsOfSlot(length, slots, slot);
    uint64_t wide[block];
    uint16_t keys[block];
    auto flip = uint16_t(smallest ? 0 : size - 1);
    for (int64_t start = first; start < last; start += block) {
      int64_t here = std::min(block, last - start);
      const char *from = operand + start * bytes;
      if (dtype == ZENITH_UI8) {
        for (int64_t i = 0; i < here; ++i)
          keys[i] = uint16_t(uint8_t(from[i]) ^ flip);
      } else {
        orderKeys(dtype, from, 1, here, wide);
        for (int64_t i = 0; i < here; ++i)
          keys[i] = uint16_t(wide[i]) ^ flip;
      }
      visit(start, here, keys);
    }
  }
  int64_t *countsOf(int64_t slot) const { return counts + slot * size; }

  RoutineArguments args;
  int64_t length, k;
  bool smallest;
  int32_t dtype;
  int64_t slots, size, bytes;
  int64_t *counts;
  const char *operand;
};

} // namespace

void zenith_routine_top_k_count(void *const *pointers, const int64_t *numbers,
                                int64_t begin, int64_t end) {
  CountedRow row(pointers, numbers);
  for (int64_t slot = begin; slot < end; ++slot) {
    int64_t *counts = row.countsOf(slot);
    std::fill(counts, counts + row.size, int64_t(0));
    // Neighbours are often equal: a second table lets the processor count them
    // at the same time.
    constexpr int64_t few = 256;
    int64_t others[few] = {};
    int64_t *second = row.size <= few ? others : counts;
    row.forEachBlock(slot, [&](int64_t, int64_t here, const uint16_t *keys) {
      int64_t i = 0;
      for (; i + 1 < here; i += 2) {
        ++counts[keys[i]];
        ++second[keys[i + 1]];
      }
      if (i < here)
        ++counts[keys[i]];
    });
    for (int64_t key = 0; key < std::min(few, row.size); ++key)
      counts[key] += others[key];
  }
}

/// The place of a slot's next element with each key, in `places`; gives the
/// largest key that has one, -1 where none does.
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

void zenith_routine_top_k_take(void *const *pointers, const int64_t *numbers,
                               int64_t begin, int64_t end) {
  CountedRow row(pointers, numbers);
  char *values = row.args.pointer();
  auto *indices = row.args.pointer<int64_t>();
  for (int64_t slot = begin; slot < end; ++slot) {
    int64_t *places = row.counts + (row.slots + slot) * row.size;
    auto last = int32_t(firstPlaces(row, slot, places));
    // Copied: what is written could be these numbers for all that is known.
    int64_t k = row.k, bytes = row.bytes;
    const char *operand = row.operand;
    auto take = [=](int64_t start, int64_t here, const uint16_t *keys) {
      uint32_t chosen[CountedRow::block]; // positions above keys
      int64_t count = 0;
      for (int64_t i = 0; i < here; ++i) {
        chosen[count] = uint32_t(i) << 16 | keys[i];
        count += int32_t(keys[i]) <= last;
      }
      for (int64_t i = 0; i < count; ++i) {
        int64_t at = start + (chosen[i] >> 16),
                place = places[chosen[i] & 0xffff]++;
        if (place >= k)
          continue;
        if (indices)
          indices[place] = at;
        if (values)
          std::memcpy(values + place * bytes, operand + at * bytes,
                      size_t(bytes));
      }
    };
    row.forEachBlock(slot, take);
  }
}
