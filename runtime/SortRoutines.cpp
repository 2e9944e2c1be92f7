// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stable sorts of rows: keys become unsigned integers that carry positions, and
// large rows are sorted by digits.

#include "runtime/RoutineArguments.h"
#include "runtime/RoutineKeys.h"
#include "runtime/Routines.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <utility>

using namespace zenith::runtime;

namespace {

/// Rows below this are sorted by comparing: counting digits costs more.
constexpr int64_t digitSortLength = 512;
constexpr unsigned digitBits = 8, digitCount = 1u << digitBits;

struct KeyedPosition {
  uint64_t key;
  int64_t position;
};

uint64_t keyOf(uint64_t packed) { return packed; }
uint64_t keyOf(const KeyedPosition &entry) { return entry.key; }

/// Sorts by bits [lowBit, highBit) of the keys, stably; the result is in
/// `entries`.
template <typename Entry>
void sortByDigits(Entry *entries, Entry *other, int64_t count, unsigned lowBit,
                  unsigned highBit) {
  Entry *from = entries, *to = other;
  for (unsigned shift = lowBit; shift < highBit; shift += digitBits) {
    int64_t places[digitCount] = {};
    for (int64_t i = 0; i < count; ++i)
      ++places[keyOf(from[i]) >> shift & (digitCount - 1)];
    if (places[keyOf(from[0]) >> shift & (digitCount - 1)] == count)
      continue;
    int64_t place = 0;
    for (int64_t &digit : places)
      place += std::exchange(digit, place);
    for (int64_t i = 0; i < count; ++i)
      to[places[keyOf(from[i]) >> shift & (digitCount - 1)]++] = from[i];
    std::swap(from, to);
  }
  if (from != entries)
    std::copy(from, from + count, entries);
}

/// What the sort of a row works with.
struct RowScratch {
  int64_t *order; ///< position of the element that comes i-th
  int64_t *other;
  uint64_t *keys;
  KeyedPosition *pairs; ///< length of them twice; shared with packed keys
};

/// Orders `order` by one more key, stably. The key arrays hold the keys of the
/// row's elements, not yet ordered.
void orderBy(RowScratch &s, int64_t length, unsigned bits, bool descending,
             bool first) {
  uint64_t flip = !descending  ? 0
                  : bits == 64 ? ~uint64_t(0)
                               : (uint64_t(1) << bits) - 1;
  auto keyAt = [&](int64_t i) { return s.keys[first ? i : s.order[i]] ^ flip; };
  if (bits <= 32 && length <= int64_t(UINT32_MAX)) {
    auto *packed = reinterpret_cast<uint64_t *>(s.pairs);
    for (int64_t i = 0; i < length; ++i)
      packed[i] = keyAt(i) << 32 | uint64_t(i);
    if (length < digitSortLength)
      std::sort(packed, packed + length);
    else
      sortByDigits(packed, packed + length, length, 32, 32 + bits);
    for (int64_t i = 0; i < length; ++i)
      s.other[i] =
          first ? int64_t(uint32_t(packed[i])) : s.order[uint32_t(packed[i])];
  } else {
    for (int64_t i = 0; i < length; ++i)
      s.pairs[i] = {keyAt(i), i};
    if (length < digitSortLength)
      std::sort(s.pairs, s.pairs + length,
                [](const KeyedPosition &x, const KeyedPosition &y) {
                  return x.key != y.key ? x.key < y.key
                                        : x.position < y.position;
                });
    else
      sortByDigits(s.pairs, s.pairs + length, length, 0, bits);
    for (int64_t i = 0; i < length; ++i)
      s.other[i] = first ? s.pairs[i].position : s.order[s.pairs[i].position];
  }
  std::swap(s.order, s.other);
}

template <typename T>
void permute(const void *from, void *to, const int64_t *order, int64_t length,
             int64_t distance) {
  auto *source = static_cast<const T *>(from);
  auto *target = static_cast<T *>(to);
  for (int64_t i = 0; i < length; ++i)
    target[i * distance] = source[order[i] * distance];
}

struct SixteenBytes {
  uint64_t halves[2];
};

/// Moves a row's elements into their order.
void permuteRow(int64_t bytes, const void *from, void *to, int64_t start,
                const int64_t *order, int64_t length, int64_t distance) {
  from = static_cast<const char *>(from) + start * bytes;
  to = static_cast<char *>(to) + start * bytes;
  switch (bytes) {
  case 1:
    return permute<uint8_t>(from, to, order, length, distance);
  case 2:
    return permute<uint16_t>(from, to, order, length, distance);
  case 4:
    return permute<uint32_t>(from, to, order, length, distance);
  case 8:
    return permute<uint64_t>(from, to, order, length, distance);
  default:
    return permute<SixteenBytes>(from, to, order, length, distance);
  }
}

} // namespace

void zenith_routine_sort(void *const *pointers, const int64_t *numbers,
                         int64_t begin, int64_t end) {
  RoutineArguments args(pointers, numbers);
  int64_t rows = args.number(), length = args.number(),
          distance = args.number(), slots = args.number(),
          inputs = args.number(), keys = args.number();
  bool descending = args.number();
  const int64_t *dtypes = args.takeNumbers(inputs);
  char *scratch = args.pointer();
  void *const *from = args.takePointers(inputs);
  void *const *to = args.takePointers(inputs);
  if (length == 0)
    return;
  for (int64_t slot = begin; slot < end; ++slot) {
    auto [first, last] = rowsOfSlot(rows, slots, slot);
    // 48 bytes per element: two pairs, two orders less the keys' share.
    char *own = scratch + slot * length * 48;
    for (int64_t row = first; row < last; ++row) {
      int64_t start = rowStart(row, length, distance);
      auto *words = reinterpret_cast<int64_t *>(own);
      RowScratch s;
      s.pairs = reinterpret_cast<KeyedPosition *>(words);
      s.order = words + 4 * length;
      s.other = words + 5 * length;
      for (int64_t key = keys; key-- > 0;) {
        int32_t dtype = int32_t(dtypes[key]);
        unsigned bits = orderKeyBits(dtype);
        // Keys lie where they are not overwritten before they are read: behind
        // the packed words, or in the second half of the pairs.
        s.keys = reinterpret_cast<uint64_t *>(words + 2 * length);
        orderKeys(dtype,
                  static_cast<const char *>(from[key]) +
                      start * zenith_dtype_bytes(dtype),
                  distance, length, s.keys);
        orderBy(s, length, bits, descending, key == keys - 1);
      }
      for (int64_t input = 0; input < inputs; ++input)
        if (to[input])
          permuteRow(zenith_dtype_bytes(int32_t(dtypes[input])), from[input],
                     to[input], start, s.order, length, distance);
    }
  }
}

/// Merges sorted runs of doubling length, which needs no consistent comparator;
/// gives the array that holds the result.
template <typename Before>
static int64_t *mergeSort(int64_t *from, int64_t *to, int64_t count,
                          Before before) {
  for (int64_t width = 1; width < count; width *= 2) {
    for (int64_t low = 0; low < count; low += 2 * width) {
      int64_t middle = std::min(low + width, count),
              high = std::min(low + 2 * width, count);
      int64_t left = low, right = middle;
      for (int64_t at = low; at < high; ++at) {
        bool takeRight =
            left == middle || (right < high && before(from[right], from[left]));
        to[at] = takeRight ? from[right++] : from[left++];
      }
    }
    std::swap(from, to);
  }
  return from;
}

void zenith_routine_sort_with(void *const *pointers, const int64_t *numbers,
                              int64_t begin, int64_t end) {
  RoutineArguments args(pointers, numbers);
  int64_t rows = args.number(), length = args.number(),
          distance = args.number(), slots = args.number(),
          inputs = args.number();
  const int64_t *dtypes = args.takeNumbers(inputs);
  int64_t count = args.number(), answerAt = args.number();
  const int64_t *sizes = args.takeNumbers(0);
  auto less = reinterpret_cast<zenith_task_fn>(args.pointer());
  auto *scratch = args.pointer<int64_t>();
  void *const *from = args.takePointers(inputs);
  void *const *to = args.takePointers(inputs);
  void *const *given = args.takePointers(count);
  constexpr int64_t mostPointers = 64;
  void *own[mostPointers];
  std::copy(given, given + count, own);
  uint8_t answer = 0;
  own[answerAt] = &answer;
  for (int64_t slot = begin; slot < end; ++slot) {
    auto [first, last] = rowsOfSlot(rows, slots, slot);
    int64_t *order = scratch + slot * 2 * length;
    for (int64_t row = first; row < last; ++row) {
      int64_t start = rowStart(row, length, distance);
      for (int64_t i = 0; i < length; ++i)
        order[i] = i;
      int64_t *sorted =
          mergeSort(order, order + length, length, [&](int64_t x, int64_t y) {
            less(own, sizes, start + x * distance, start + y * distance);
            return answer != 0;
          });
      for (int64_t input = 0; input < inputs; ++input)
        if (to[input])
          permuteRow(zenith_dtype_bytes(int32_t(dtypes[input])), from[input],
                     to[input], start, sorted, length, distance);
    }
  }
}

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
