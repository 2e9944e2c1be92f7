// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sets of rows: distinct rows, membership, and the rows that a mask chooses. A
// hash table holds places of rows; rows are compared by their keys.

#include "runtime/RoutineArguments.h"
#include "runtime/RoutineKeys.h"
#include "runtime/Routines.h"

#include <algorithm>
#include <cstring>

using namespace zenith::runtime;

namespace {

/// Rows as keys, and a table from rows to numbers.
class RowTable {
public:
  /// `keys` holds `width` keys per row; `cells` has 2 * capacity + 2 entries.
  RowTable(const uint64_t *keys, int64_t width, int64_t *cells,
           int64_t capacity)
      : keys(keys), width(width), cells(cells), size(2 * capacity + 2) {}

  void clear() { std::fill(cells, cells + size, int64_t(-1)); }
  /// The cell of a row equal to `row`, or the empty one where it belongs.
  /// `rowOf` gives the row whose number a cell holds.
  template <typename RowOf> int64_t &find(const uint64_t *row, RowOf rowOf) {
    auto at = int64_t((unsigned __int128)(hash(row))*uint64_t(size) >> 64);
    while (cells[at] >= 0 && !equal(row, keys + rowOf(cells[at]) * width))
      at = at + 1 == size ? 0 : at + 1;
    return cells[at];
  }

private:
  uint64_t hash(const uint64_t *row) const {
    uint64_t value = 0x9e3779b97f4a7c15;
    for (int64_t i = 0; i < width; ++i) {
      value = (value ^ row[i]) * 0xff51afd7ed558ccd;
      value ^= value >> 32;
    }
    return value * 0xc4ceb9fe1a85ec53;
  }
  bool equal(const uint64_t *x, const uint64_t *y) const {
    return std::equal(x, x + width, y);
  }

  const uint64_t *keys;
  int64_t width;
  int64_t *cells;
  int64_t size;
};

/// The type of the keys of a row, and how many it has.
struct RowKeys {
  RowKeys(int32_t dtype, int64_t elements)
      : part(keyParts(dtype)), width(elements * part.perElement),
        rowBytes(elements * zenith_dtype_bytes(dtype)) {}
  void read(const char *rows, int64_t count, uint64_t *keys) const {
    orderKeys(part.dtype, rows, 1, count * width, keys);
  }
  KeyParts part;
  int64_t width, rowBytes;
};

int64_t itself(int64_t row) { return row; }

} // namespace

/// Sorts the numbers of distinct rows by their rows and renumbers `inverse`.
static void sortDistinct(const uint64_t *keys, int64_t width, int64_t distinct,
                         int64_t rows, int64_t *first, int64_t *counts,
                         int64_t *inverse, int64_t *order, int64_t *rank) {
  for (int64_t i = 0; i < distinct; ++i)
    order[i] = i;
  std::sort(order, order + distinct, [&](int64_t x, int64_t y) {
    const uint64_t *left = keys + first[x] * width,
                   *right = keys + first[y] * width;
    return std::lexicographical_compare(left, left + width, right,
                                        right + width);
  });
  for (int64_t i = 0; i < distinct; ++i)
    rank[order[i]] = i;
  for (int64_t row = 0; row < rows; ++row)
    inverse[row] = rank[inverse[row]];
  auto reorder = [&](int64_t *values) {
    for (int64_t i = 0; i < distinct; ++i)
      rank[i] = values[order[i]];
    std::copy(rank, rank + distinct, values);
  };
  reorder(first);
  reorder(counts);
}

void zenith_routine_unique(void *const *pointers, const int64_t *numbers,
                           int64_t begin, int64_t end) {
  RoutineArguments args(pointers, numbers);
  int64_t count = args.number(), elements = args.number();
  RowKeys row(int32_t(args.number()), elements);
  bool sorted = args.number();
  auto *scratch = args.pointer<int64_t>();
  const char *operand = args.pointer();
  char *rows = args.pointer();
  auto *first = args.pointer<int64_t>(), *inverse = args.pointer<int64_t>(),
       *counts = args.pointer<int64_t>(), *found = args.pointer<int64_t>();
  if (begin == end)
    return;
  int64_t *cells = scratch, *own = cells + 2 * count + 2;
  auto *keys = reinterpret_cast<uint64_t *>(own + 5 * count);
  int64_t *firstOf = own, *countOf = own + count, *numberOf = own + 2 * count;
  row.read(operand, count, keys);
  RowTable table(keys, row.width, cells, count);
  table.clear();
  int64_t distinct = 0;
  for (int64_t i = 0; i < count; ++i) {
    int64_t &cell = table.find(keys + i * row.width,
                               [&](int64_t number) { return firstOf[number]; });
    if (cell < 0) {
      firstOf[distinct] = i;
      countOf[distinct] = 0;
      cell = distinct++;
    }
    ++countOf[cell];
    numberOf[i] = cell;
  }
  if (sorted)
    sortDistinct(keys, row.width, distinct, count, firstOf, countOf, numberOf,
                 own + 3 * count, own + 4 * count);
  auto give = [](int64_t *to, const int64_t *from, int64_t length) {
    if (to)
      std::copy(from, from + length, to);
  };
  give(first, firstOf, distinct);
  give(counts, countOf, distinct);
  give(inverse, numberOf, count);
  for (int64_t i = 0; rows && i < distinct; ++i)
    std::memcpy(rows + i * row.rowBytes, operand + firstOf[i] * row.rowBytes,
                size_t(row.rowBytes));
  if (found)
    *found = distinct;
}

void zenith_routine_is_in_table(void *const *pointers, const int64_t *numbers,
                                int64_t begin, int64_t end) {
  RoutineArguments args(pointers, numbers);
  int64_t count = args.number(), elements = args.number();
  RowKeys row(int32_t(args.number()), elements);
  auto *cells = args.pointer<int64_t>();
  const char *set = args.pointer();
  if (begin == end)
    return;
  auto *keys = reinterpret_cast<uint64_t *>(cells + 2 * count + 2);
  row.read(set, count, keys);
  RowTable table(keys, row.width, cells, count);
  table.clear();
  for (int64_t i = 0; i < count; ++i) {
    int64_t &cell = table.find(keys + i * row.width, itself);
    if (cell < 0)
      cell = i;
  }
}

void zenith_routine_is_in(void *const *pointers, const int64_t *numbers,
                          int64_t begin, int64_t end) {
  RoutineArguments args(pointers, numbers);
  int64_t setCount = args.number(), count = args.number(),
          elements = args.number();
  RowKeys row(int32_t(args.number()), elements);
  int64_t slots = args.number();
  auto *cells = args.pointer<int64_t>();
  auto *own = args.pointer<uint64_t>();
  const char *operand = args.pointer();
  auto *result = args.pointer<uint8_t>();
  RowTable table(reinterpret_cast<uint64_t *>(cells + 2 * setCount + 2),
                 row.width, cells, setCount);
  for (int64_t slot = begin; slot < end; ++slot) {
    auto [first, last] = rowsOfSlot(count, slots, slot);
    row.read(operand + first * row.rowBytes, last - first,
             own + first * row.width);
    for (int64_t i = first; i < last; ++i)
      result[i] = table.find(own + i * row.width, itself) >= 0;
  }
}

void zenith_routine_compact_count(void *const *pointers, const int64_t *numbers,
                                  int64_t begin, int64_t end) {
  RoutineArguments args(pointers, numbers);
  int64_t rows = args.number(), slots = args.number();
  auto *counts = args.pointer<int64_t>();
  auto *mask = args.pointer<const uint8_t>();
  for (int64_t slot = begin; slot < end; ++slot) {
    auto [first, last] = rowsOfSlot(rows, slots, slot);
    int64_t chosen = 0;
    for (int64_t row = first; row < last; ++row)
      chosen += mask[row] != 0;
    counts[slot] = chosen;
  }
}

void zenith_routine_compact(void *const *pointers, const int64_t *numbers,
                            int64_t begin, int64_t end) {
  RoutineArguments args(pointers, numbers);
  int64_t rows = args.number(), slots = args.number(), inputs = args.number();
  const int64_t *bytes = args.takeNumbers(inputs);
  auto *counts = args.pointer<const int64_t>();
  auto *mask = args.pointer<const uint8_t>();
  auto *found = args.pointer<int64_t>();
  void *const *from = args.takePointers(inputs);
  void *const *to = args.takePointers(inputs);
  int64_t before = 0;
  for (int64_t slot = 0; slot < begin; ++slot)
    before += counts[slot];
  for (int64_t slot = begin; slot < end; before += counts[slot++]) {
    auto [first, last] = rowsOfSlot(rows, slots, slot);
    for (int64_t input = 0; input < inputs; ++input) {
      if (!to[input])
        continue;
      int64_t size = bytes[input];
      auto *source = static_cast<const char *>(from[input]);
      auto *target = static_cast<char *>(to[input]) + before * size;
      for (int64_t row = first; row < last; ++row) {
        if (!mask[row])
          continue;
        std::memcpy(target, source + row * size, size_t(size));
        target += size;
      }
    }
    if (slot == slots - 1)
      *found = before + counts[slot];
  }
}
