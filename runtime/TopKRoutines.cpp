// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The first elements of rows in order: a row by a task, or a long row of few
// different keys by several that count them.

#include "runtime/RoutineArguments.h"
#include "runtime/RoutineKeys.h"
#include "runtime/Routines.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <utility>

using namespace zenith::runtime;

namespace {
struct KeyedPosition {
  uint64_t key;
  int64_t position;
};
} // namespace

/// The k smallest of `entries` in front, in order.
template <typename Entry, typename Less>
static void bringForward(Entry *entries, int64_t length, int64_t k, Less less) {
  if (k < length)
    std::nth_element(entries, entries + k, entries + length, less);
  std::sort(entries, entries + k, less);
}

/// Takes the order of a row's first k elements from its keys.
template <typename Write>
static void selectRow(uint64_t *keys, char *scratch, int64_t length, int64_t k,
                      unsigned bits, Write write) {
  if (bits <= 32 && length <= int64_t(UINT32_MAX)) {
    for (int64_t i = 0; i < length; ++i)
      keys[i] = keys[i] << 32 | uint64_t(i);
    bringForward(keys, length, k, std::less<uint64_t>());
    for (int64_t i = 0; i < k; ++i)
      write(i, int64_t(uint32_t(keys[i])));
    return;
  }
  auto *positions = reinterpret_cast<int64_t *>(scratch);
  for (int64_t i = 0; i < length; ++i)
    positions[i] = i;
  bringForward(positions, length, k, [&](int64_t x, int64_t y) {
    return keys[x] != keys[y] ? keys[x] < keys[y] : x < y;
  });
  for (int64_t i = 0; i < k; ++i)
    write(i, positions[i]);
}

/// False where any is a NaN.
static bool allBelow(const float *x, int64_t count, float limit) {
  unsigned others = 0;
  for (int64_t i = 0; i < count; ++i)
    others |= !(x[i] < limit);
  return others == 0;
}

static bool allAbove(const float *x, int64_t count, float limit) {
  unsigned others = 0;
  for (int64_t i = 0; i < count; ++i)
    others |= !(x[i] > limit);
  return others == 0;
}

/// The same where k is small against the length: keeps some candidates, and of
/// the rest looks at those only that beat the worst of the best k so far. A
/// later element with an equal key never does. `keysOf(from, count, keys)`
/// gives keys of a block; `allWorse(from, count, position)` may know that all
/// its elements are worse than the one at the position.
template <typename Keys, typename Worse, typename Write>
static void selectFew(KeyedPosition *candidates, int64_t capacity,
                      int64_t length, int64_t k, Keys keysOf, Worse allWorse,
                      Write write) {
  constexpr int64_t block = 64;
  uint64_t keys[block], worst = ~uint64_t(0);
  int64_t count = 0;
  auto better = [](const KeyedPosition &x, const KeyedPosition &y) {
    return x.key != y.key ? x.key < y.key : x.position < y.position;
  };
  bool full = false;
  for (int64_t start = 0; start < length; start += block) {
    int64_t here = std::min(block, length - start);
    if (full && allWorse(start, here, candidates[k - 1].position))
      continue;
    keysOf(start, here, keys);
    for (int64_t i = 0; i < here; ++i) {
      if (full && keys[i] >= worst)
        continue;
      candidates[count++] = {keys[i], start + i};
      if (count < capacity)
        continue;
      std::nth_element(candidates, candidates + k - 1, candidates + count,
                       better);
      count = k;
      worst = candidates[k - 1].key;
      full = true;
    }
  }
  std::partial_sort(candidates, candidates + k, candidates + count, better);
  for (int64_t i = 0; i < k; ++i)
    write(i, candidates[i].position);
}

/// The order of a row's first k elements by counting its keys, which have few
/// bits: how many are below each key, then one pass that puts positions behind
/// each other. `counts` has room for 2^bits numbers.
template <typename Keys, typename Write>
static void selectByCounting(int64_t *counts, unsigned bits, int64_t length,
                             int64_t k, Keys keysOf, Write write) {
  constexpr int64_t block = 256;
  uint64_t keys[block];
  int64_t size = int64_t(1) << bits;
  std::fill(counts, counts + size, int64_t(0));
  auto forEachBlock = [&](auto visit) {
    for (int64_t start = 0; start < length; start += block) {
      int64_t here = std::min(block, length - start);
      keysOf(start, here, keys);
      visit(start, here);
    }
  };
  forEachBlock([&](int64_t, int64_t here) {
    for (int64_t i = 0; i < here; ++i)
      ++counts[keys[i]];
  });
  // The place of the next element with each key; no key above `last` has one.
  int64_t before = 0, last = 0;
  for (int64_t key = 0; key < size; ++key) {
    if (before < k && counts[key] > 0)
      last = key;
    before += std::exchange(counts[key], before);
  }
  forEachBlock([&](int64_t start, int64_t here) {
    for (int64_t i = 0; i < here; ++i) {
      if (int64_t(keys[i]) > last)
        continue;
      int64_t place = counts[keys[i]]++;
      if (place < k)
        write(place, start + i);
    }
  });
}

void zenith_routine_top_k(void *const *pointers, const int64_t *numbers,
                          int64_t begin, int64_t end) {
  RoutineArguments args(pointers, numbers);
  int64_t rows = args.number(), length = args.number(),
          distance = args.number(), slots = args.number(), k = args.number();
  bool smallest = args.number();
  int32_t dtype = int32_t(args.number());
  char *scratch = args.pointer(), *operand = args.pointer(),
       *values = args.pointer();
  auto *indices = args.pointer<int64_t>();
  int64_t bytes = zenith_dtype_bytes(dtype), taken = std::min(k, length);
  unsigned bits = orderKeyBits(dtype);
  uint64_t flip = smallest     ? 0
                  : bits == 64 ? ~uint64_t(0)
                               : (uint64_t(1) << bits) - 1;
  for (int64_t slot = begin; slot < end; ++slot) {
    auto [first, last] = rowsOfSlot(rows, slots, slot);
    auto *keys = reinterpret_cast<uint64_t *>(scratch + slot * length * 16);
    for (int64_t row = first; row < last; ++row) {
      int64_t start = rowStart(row, length, distance),
              target = rowStart(row, k, distance);
      auto keysOf = [&](int64_t from, int64_t count, uint64_t *to) {
        orderKeys(dtype, operand + (start + from * distance) * bytes, distance,
                  count, to);
        for (int64_t i = 0; i < count; ++i)
          to[i] ^= flip;
      };
      auto allWorse = [&](int64_t from, int64_t count, int64_t position) {
        if (dtype != ZENITH_F32 || distance != 1)
          return false;
        auto *all = reinterpret_cast<const float *>(operand) + start;
        return smallest ? allAbove(all + from, count, all[position])
                        : allBelow(all + from, count, all[position]);
      };
      auto write = [&](int64_t i, int64_t position) {
        int64_t to = target + i * distance;
        if (values)
          std::memcpy(values + to * bytes,
                      operand + (start + position * distance) * bytes,
                      size_t(bytes));
        if (indices)
          indices[to] = position;
      };
      if (bits <= 16 && length >= int64_t(1) << bits) {
        selectByCounting(reinterpret_cast<int64_t *>(keys), bits, length, taken,
                         keysOf, write);
        continue;
      }
      // Little room, so that the worst of the best is known early.
      if (int64_t capacity = 2 * taken + 16;
          taken > 0 && capacity + 256 <= length) {
        selectFew(reinterpret_cast<KeyedPosition *>(keys), capacity, length,
                  taken, keysOf, allWorse, write);
        continue;
      }
      keysOf(0, length, keys);
      selectRow(keys, reinterpret_cast<char *>(keys + length), length, taken,
                bits, write);
    }
  }
}

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
