// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The first elements of rows in order: a row by a task, or a long row of few
// different keys by several that count them.

#include "runtime/RoutineArguments.h"
#include "runtime/RoutineKeys.h"
#include "runtime/Routines.h"

#include <algorithm>
#include <cstring>
#include <utility>

using namespace zenith::runtime;

namespace {

/// An element by its key, and equal ones by their position.
struct WideEntry {
  WideEntry() = default;
  WideEntry(uint64_t key, int64_t position) : key(key), at(position) {}
  int64_t position() const { return at; }
  bool operator<(const WideEntry &other) const {
    return key != other.key ? key < other.key : at < other.at;
  }
  uint64_t key;
  int64_t at;
};

/// The same of keys and positions that fit 32 bits each.
struct NarrowEntry {
  NarrowEntry() = default;
  NarrowEntry(uint64_t key, int64_t position)
      : both(key << 32 | uint64_t(position)) {}
  int64_t position() const { return int64_t(uint32_t(both)); }
  bool operator<(const NarrowEntry &other) const { return both < other.both; }
  uint64_t both;
};

/// The first k of the entries added so far. Few stay in order; of many some
/// more are kept before the last of them are dropped, all where k is not small
/// against `length`, the number of all entries, for which there is room.
template <typename Entry> class FirstEntries {
public:
  FirstEntries(Entry *room, int64_t k, int64_t length)
      : entries(room), k(k), inOrder(k <= mostInOrder) {
    // Little room, so that the last of the first k is known early.
    int64_t some = 2 * k + 16;
    capacity = 2 * some <= length ? some : length;
  }

  /// Whether `last` is known: what does not come before it is not taken.
  bool full() const { return isFull; }
  const Entry &last() const { return lastEntry; }

  void add(const Entry &entry) {
    if (isFull && !(entry < lastEntry))
      return;
    if (inOrder)
      insert(entry);
    else if (entries[count++] = entry; count == capacity && count > k)
      drop();
  }

  /// The k entries in order.
  const Entry *finish() {
    if (inOrder)
      return entries;
    if (count > k)
      std::nth_element(entries, entries + k, entries + count);
    std::sort(entries, entries + k);
    return entries;
  }

private:
  static constexpr int64_t mostInOrder = 16;

  void insert(const Entry &entry) {
    int64_t at = count < k ? count++ : k - 1;
    for (; at > 0 && entry < entries[at - 1]; --at)
      entries[at] = entries[at - 1];
    entries[at] = entry;
    isFull = count == k;
    lastEntry = entries[k - 1];
  }

  void drop() {
    std::nth_element(entries, entries + k - 1, entries + count);
    count = k;
    isFull = true;
    lastEntry = entries[k - 1];
  }

  Entry *entries;
  int64_t k, capacity, count = 0;
  bool inOrder, isFull = false;
  Entry lastEntry;
};

} // namespace

/// Whether no element of row[from, from + count) comes before the one at
/// `last`; false where any is a NaN.
template <typename Element>
static bool noneBefore(const void *row, int64_t from, int64_t count,
                       int64_t last, bool smallest) {
  const Element *all = static_cast<const Element *>(row), *x = all + from;
  Element limit = all[last];
  unsigned others = 0;
  if (smallest)
    for (int64_t i = 0; i < count; ++i)
      others |= !(x[i] >= limit);
  else
    for (int64_t i = 0; i < count; ++i)
      others |= !(x[i] <= limit);
  return others == 0;
}

using NoneBefore = bool (*)(const void *, int64_t, int64_t, int64_t, bool);

/// Null for types whose elements are compared by their keys only.
static NoneBefore comparisonOf(int32_t dtype) {
  switch (dtype) {
  case ZENITH_F32:
    return noneBefore<float>;
  case ZENITH_F64:
    return noneBefore<double>;
  case ZENITH_I32:
    return noneBefore<int32_t>;
  case ZENITH_I64:
    return noneBefore<int64_t>;
  default:
    return nullptr;
  }
}

/// Writes the order of a row's first k elements, k > 0. `keysOf(from, count,
/// keys)` gives keys of some elements; `allAfter(from, count, position)` knows
/// of many that none comes before the one at the position.
template <typename Entry, typename Keys, typename After, typename Write>
static void selectRow(Entry *room, int64_t length, int64_t k, Keys keysOf,
                      After allAfter, Write write) {
  constexpr int64_t block = 64, part = 8;
  uint64_t keys[block];
  FirstEntries<Entry> first(room, k, length);
  auto isAfter = [&](int64_t from, int64_t count) {
    return first.full() && allAfter(from, count, first.last().position());
  };
  for (int64_t start = 0; start < length; start += block) {
    int64_t end = std::min(start + block, length);
    if (isAfter(start, end - start))
      continue;
    // Of a block, few elements are to be looked at.
    int64_t step = first.full() ? part : block;
    for (int64_t from = start; from < end; from += step) {
      int64_t count = std::min(step, end - from);
      if (isAfter(from, count))
        continue;
      keysOf(from, count, keys);
      for (int64_t i = 0; i < count; ++i)
        first.add(Entry(keys[i], from + i));
    }
  }
  const Entry *entries = first.finish();
  for (int64_t i = 0; i < k; ++i)
    write(i, entries[i].position());
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
  bool narrow = bits <= 32 && length <= int64_t(UINT32_MAX);
  NoneBefore noneBefore = distance == 1 ? comparisonOf(dtype) : nullptr;
  for (int64_t slot = begin; slot < end && taken > 0; ++slot) {
    auto [first, last] = rowsOfSlot(rows, slots, slot);
    char *room = scratch + slot * length * 16;
    for (int64_t row = first; row < last; ++row) {
      int64_t start = rowStart(row, length, distance),
              target = rowStart(row, k, distance);
      auto keysOf = [&](int64_t from, int64_t count, uint64_t *to) {
        orderKeys(dtype, operand + (start + from * distance) * bytes, distance,
                  count, to);
        for (int64_t i = 0; i < count; ++i)
          to[i] ^= flip;
      };
      auto allAfter = [&](int64_t from, int64_t count, int64_t position) {
        return noneBefore && noneBefore(operand + start * bytes, from, count,
                                        position, smallest);
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
      if (bits <= 16 && length >= int64_t(1) << bits)
        selectByCounting(reinterpret_cast<int64_t *>(room), bits, length, taken,
                         keysOf, write);
      else if (narrow)
        selectRow(reinterpret_cast<NarrowEntry *>(room), length, taken, keysOf,
                  allAfter, write);
      else
        selectRow(reinterpret_cast<WideEntry *>(room), length, taken, keysOf,
                  allAfter, write);
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
