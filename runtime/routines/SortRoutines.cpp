// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stable sorts of rows: keys become unsigned integers that carry positions, and
// large rows are sorted by digits (radix sort).

#include "runtime/RoutineScratch.h"
#include "runtime/routines/DigitSort.h"
#include "runtime/routines/RoutineKeys.h"
#include "runtime/routines/Routines.h"
#include "runtime/routines/RowSlots.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <utility>

using namespace zenith::runtime;

namespace {

/// Rows below this are sorted by comparing: counting digits costs more.
constexpr int64_t digitSortLength = 512;

struct KeyedPosition {
  uint64_t key;
  int64_t position;
};

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
      sortByDigits(packed, packed + length, length, 32, 32 + bits,
                   [](uint64_t word) { return word; });
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
      sortByDigits(s.pairs, s.pairs + length, length, 0, bits,
                   [](const KeyedPosition &entry) { return entry.key; });
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

/// Moves a row's elements of all inputs into their order.
void permuteInputs(const zenith_sort_arguments &given, int64_t start,
                   const int64_t *order) {
  for (int64_t input = 0; input < given.ninputs; ++input)
    if (void *to = given.results[input])
      permuteRow(zenith_dtype_bytes(int32_t(given.dtypes[input])),
                 given.inputs[input], to, start, order, given.length,
                 given.distance);
}

} // namespace

void zenith_routine_sort(const zenith_sort_arguments *arguments, int64_t begin,
                         int64_t end) {
  const zenith_sort_arguments &given = checked(arguments);
  const int64_t length = given.length, distance = given.distance,
                keys = given.nkeys, *dtypes = given.dtypes;
  void *const *from = given.inputs;
  if (length == 0)
    return;
  for (int64_t slot = begin; slot < end; ++slot) {
    auto [first, last] = rowsOfSlot(given.rows, given.slots, slot);
    // Two pairs and two orders per element; keys share memory with the pairs.
    char *own = static_cast<char *>(given.scratch) +
                slot * length * sortBytesPerElement;
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
        // Keys are stored where they are read before they are overwritten:
        // after the packed words, or in the second half of the pairs.
        s.keys = reinterpret_cast<uint64_t *>(words + 2 * length);
        orderKeys(dtype,
                  static_cast<const char *>(from[key]) +
                      start * zenith_dtype_bytes(dtype),
                  distance, length, s.keys);
        orderBy(s, length, bits, given.descending != 0, key == keys - 1);
      }
      permuteInputs(given, start, s.order);
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

void zenith_routine_sort_with(const zenith_sort_arguments *arguments,
                              int64_t begin, int64_t end) {
  const zenith_sort_arguments &given = checked(arguments);
  const zenith_inner_kernel &less = checked(given.comparator);
  const int64_t length = given.length, distance = given.distance;
  void *pointers[ZENITH_INNER_KERNEL_POINTERS];
  std::copy(less.pointers, less.pointers + less.npointers, pointers);
  uint8_t answer = 0;
  pointers[less.written] = &answer;
  for (int64_t slot = begin; slot < end; ++slot) {
    auto [first, last] = rowsOfSlot(given.rows, given.slots, slot);
    auto *order =
        reinterpret_cast<int64_t *>(static_cast<char *>(given.scratch) +
                                    slot * length * sortWithBytesPerElement);
    for (int64_t row = first; row < last; ++row) {
      int64_t start = rowStart(row, length, distance);
      for (int64_t i = 0; i < length; ++i)
        order[i] = i;
      int64_t *sorted =
          mergeSort(order, order + length, length, [&](int64_t x, int64_t y) {
            less.fn(pointers, less.sizes, start + x * distance,
                    start + y * distance);
            return answer != 0;
          });
      permuteInputs(given, start, sorted);
    }
  }
}
