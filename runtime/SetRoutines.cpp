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

/// Bytes as a number, fewer than 8 with zeros behind.
uint64_t wordAt(const char *bytes, int64_t count) {
  uint64_t word = 0;
  std::memcpy(&word, bytes, size_t(count));
  return word;
}

/// Halves of a product, joined: every bit depends on all of both factors.
uint64_t mixed(uint64_t x, uint64_t y) {
  auto product = (unsigned __int128)(x)*y;
  return uint64_t(product) ^ uint64_t(product >> 64);
}

uint64_t hashOf(const char *row, int64_t bytes) {
  constexpr uint64_t odd = 0x9e3779b97f4a7c15, other = 0xc4ceb9fe1a85ec53;
  uint64_t value = uint64_t(bytes) * odd;
  for (; bytes >= 16; row += 16, bytes -= 16)
    value = mixed(wordAt(row, 8) ^ odd, wordAt(row + 8, 8) ^ value);
  if (bytes > 8) {
    value = mixed(wordAt(row, 8) ^ odd, wordAt(row + 8, bytes - 8) ^ value);
    bytes = 0;
  }
  if (bytes > 0)
    value = mixed(wordAt(row, bytes) ^ odd, value ^ other);
  return mixed(value ^ other, odd);
}

/// A table from rows, told apart by the bytes of their keys, to numbers below
/// 2^32. A cell holds 32 bits of the hash above the number, so that rows are
/// compared only where they are nearly always equal.
class RowTable {
public:
  /// `cells` has 2 * capacity + 2 entries.
  RowTable(const char *keys, int64_t keyBytes, int64_t *cells, int64_t capacity)
      : keys(keys), keyBytes(keyBytes),
        cells(reinterpret_cast<uint64_t *>(cells)), size(2 * capacity + 2) {}

  void clear() { std::fill(cells, cells + size, empty); }

  /// Calls visit(row, cell, hash) for rows first .. last - 1 of `from`: the
  /// cell of an equal row, or the empty one where it belongs. Hashes go some
  /// rows ahead, and their cells on the way to the cache. `rowOf` gives the row
  /// of the table's keys whose number a cell holds.
  template <typename RowOf, typename Visit>
  void visit(const char *from, int64_t first, int64_t last, RowOf rowOf,
             Visit visit) {
    constexpr int64_t ahead = 32;
    uint64_t hashes[ahead];
    for (int64_t start = first; start < last; start += ahead) {
      int64_t count = std::min(ahead, last - start);
      for (int64_t i = 0; i < count; ++i) {
        hashes[i] = hashOf(from + (start + i) * keyBytes, keyBytes);
        __builtin_prefetch(cells + home(hashes[i]));
      }
      for (int64_t i = 0; i < count; ++i)
        visit(start + i, find(from + (start + i) * keyBytes, hashes[i], rowOf),
              hashes[i]);
    }
  }

  static bool isEmpty(uint64_t cell) { return cell == empty; }
  static int64_t numberOf(uint64_t cell) { return int64_t(uint32_t(cell)); }
  static uint64_t cellFor(uint64_t hash, int64_t number) {
    return (hash & ~uint64_t(UINT32_MAX)) | uint64_t(number);
  }

private:
  /// Numbers are below 2^32 - 1, so no cell in use looks like this.
  static constexpr uint64_t empty = ~uint64_t(0);

  int64_t home(uint64_t hash) const {
    return int64_t(
        (unsigned __int128)(hash * 0xff51afd7ed558ccd) * uint64_t(size) >> 64);
  }
  template <typename RowOf>
  uint64_t &find(const char *row, uint64_t hash, RowOf rowOf) {
    int64_t at = home(hash);
    while (cells[at] != empty &&
           ((cells[at] ^ hash) >> 32 != 0 ||
            std::memcmp(row, keys + rowOf(numberOf(cells[at])) * keyBytes,
                        size_t(keyBytes)) != 0))
      at = at + 1 == size ? 0 : at + 1;
    return cells[at];
  }

  const char *keys;
  int64_t keyBytes;
  uint64_t *cells;
  int64_t size;
};

/// What tells rows of a type apart: their bytes where equal numbers have equal
/// bytes, else a word per element, as also for order.
struct RowKeys {
  RowKeys(int32_t dtype, int64_t elements, bool ordered)
      : part(keyParts(dtype)), width(elements * part.perElement),
        rowBytes(elements * zenith_dtype_bytes(dtype)),
        areBytes(dtype >= ZENITH_I8 && dtype <= ZENITH_UI64 && !ordered),
        keyBytes(areBytes ? rowBytes : width * 8) {}
  /// The keys of rows: the rows themselves, or `room` after writing them there.
  const char *of(const char *rows, int64_t count, char *room) const {
    if (areBytes)
      return rows;
    orderKeys(part.dtype, rows, 1, count * width,
              reinterpret_cast<uint64_t *>(room));
    return room;
  }
  KeyParts part;
  int64_t width, rowBytes;
  bool areBytes;
  int64_t keyBytes;
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
  auto dtype = int32_t(args.number());
  bool sorted = args.number();
  RowKeys row(dtype, elements, sorted);
  auto *scratch = args.pointer<int64_t>();
  const char *operand = args.pointer();
  char *rows = args.pointer();
  auto *first = args.pointer<int64_t>(), *inverse = args.pointer<int64_t>(),
       *counts = args.pointer<int64_t>(), *found = args.pointer<int64_t>();
  if (begin == end)
    return;
  int64_t *cells = scratch, *own = cells + 2 * count + 2;
  int64_t *firstOf = own, *countOf = own + count, *numberOf = own + 2 * count;
  const char *keys =
      row.of(operand, count, reinterpret_cast<char *>(own + 5 * count));
  RowTable table(keys, row.keyBytes, cells, count);
  table.clear();
  int64_t distinct = 0;
  bool numbersRead = sorted || inverse, countsRead = counts;
  table.visit(
      keys, 0, count, [&](int64_t number) { return firstOf[number]; },
      [&](int64_t i, uint64_t &cell, uint64_t hash) {
        if (RowTable::isEmpty(cell)) {
          firstOf[distinct] = i;
          countOf[distinct] = 0;
          cell = RowTable::cellFor(hash, distinct++);
        }
        if (countsRead)
          ++countOf[RowTable::numberOf(cell)];
        if (numbersRead)
          numberOf[i] = RowTable::numberOf(cell);
      });
  if (sorted)
    sortDistinct(reinterpret_cast<const uint64_t *>(keys), row.width, distinct,
                 count, firstOf, countOf, numberOf, own + 3 * count,
                 own + 4 * count);
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
  RowKeys row(int32_t(args.number()), elements, /*ordered=*/false);
  auto *cells = args.pointer<int64_t>();
  const char *set = args.pointer();
  if (begin == end)
    return;
  auto *room = reinterpret_cast<char *>(cells + 2 * count + 2);
  const char *keys = row.of(set, count, room);
  // Who asks has the table only, which keeps the keys.
  if (keys != room && count > 0)
    std::memcpy(room, keys, size_t(count * row.keyBytes));
  RowTable table(room, row.keyBytes, cells, count);
  table.clear();
  table.visit(room, 0, count, itself,
              [&](int64_t i, uint64_t &cell, uint64_t hash) {
                if (RowTable::isEmpty(cell))
                  cell = RowTable::cellFor(hash, i);
              });
}

void zenith_routine_is_in(void *const *pointers, const int64_t *numbers,
                          int64_t begin, int64_t end) {
  RoutineArguments args(pointers, numbers);
  int64_t setCount = args.number(), count = args.number(),
          elements = args.number();
  RowKeys row(int32_t(args.number()), elements, /*ordered=*/false);
  int64_t slots = args.number();
  auto *cells = args.pointer<int64_t>();
  char *own = args.pointer();
  const char *operand = args.pointer();
  auto *result = args.pointer<uint8_t>();
  RowTable table(reinterpret_cast<const char *>(cells + 2 * setCount + 2),
                 row.keyBytes, cells, setCount);
  for (int64_t slot = begin; slot < end; ++slot) {
    auto [first, last] = rowsOfSlot(count, slots, slot);
    const char *keys = row.of(operand + first * row.rowBytes, last - first,
                              own + first * row.keyBytes);
    table.visit(keys, 0, last - first, itself,
                [&, first = first](int64_t i, uint64_t &cell, uint64_t) {
                  result[first + i] = !RowTable::isEmpty(cell);
                });
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
