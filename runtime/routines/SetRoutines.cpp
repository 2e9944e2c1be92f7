// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sets of rows: membership, and the rows that a mask chooses. A hash table
// holds indices of rows; rows whose hashes collide are compared by their keys.

#include "runtime/RoutineScratch.h"
#include "runtime/TargetClones.h"
#include "runtime/routines/Routines.h"
#include "runtime/routines/RowKeys.h"
#include "runtime/routines/RowSlots.h"

#include <algorithm>
#include <cstring>

using namespace zenith::runtime;

namespace {

/// A hash table from rows, by the bytes of their keys, to indices below
/// 2^32. A cell holds 32 bits of the hash above the number, so that rows are
/// compared only where they are nearly always equal.
class RowTable {
public:
  /// `cells` has cellsFor(capacity) entries.
  RowTable(const char *keys, int64_t keyBytes, int64_t *cells, int64_t capacity)
      : keys(keys), keyBytes(keyBytes),
        cells(reinterpret_cast<uint64_t *>(cells)), size(cellsFor(capacity)) {}

  static int64_t cellsFor(int64_t capacity) { return 2 * capacity + 2; }

  void clear(int64_t first, int64_t last) {
    std::fill(cells + first, cells + last, empty);
  }

  /// Of equal rows one is kept, whichever comes first: other threads insert
  /// meanwhile.
  void insert(int64_t first, int64_t last) {
    forEachHash(keys, first, last, [&](int64_t number, uint64_t hash) {
      const char *row = keys + number * keyBytes;
      const uint64_t own = (hash & ~uint64_t(UINT32_MAX)) | uint64_t(number);
      for (int64_t at = home(hash);; at = next(at)) {
        uint64_t held = __atomic_load_n(cells + at, __ATOMIC_RELAXED);
        if (held == empty &&
            __atomic_compare_exchange_n(cells + at, &held, own, /*weak=*/false,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED))
          return;
        if (isOf(held, hash, row))
          return;
      }
    });
  }

  /// Calls visit(row, number) for rows first .. last - 1 of `from`: the number
  /// of the equal row, or -1.
  template <typename Visit>
  void lookUp(const char *from, int64_t first, int64_t last,
              Visit visit) const {
    forEachHash(from, first, last, [&](int64_t i, uint64_t hash) {
      const char *row = from + i * keyBytes;
      int64_t at = home(hash);
      while (cells[at] != empty && !isOf(cells[at], hash, row))
        at = next(at);
      visit(i, cells[at] == empty ? -1 : numberOf(cells[at]));
    });
  }

private:
  /// Numbers are below 2^32 - 1, so no cell in use looks like this.
  static constexpr uint64_t empty = ~uint64_t(0);

  static int64_t numberOf(uint64_t cell) { return int64_t(uint32_t(cell)); }
  int64_t home(uint64_t hash) const {
    return int64_t(
        (unsigned __int128)(hash * 0xff51afd7ed558ccd) * uint64_t(size) >> 64);
  }
  int64_t next(int64_t at) const { return at + 1 == size ? 0 : at + 1; }
  bool isOf(uint64_t cell, uint64_t hash, const char *row) const {
    return (cell ^ hash) >> 32 == 0 &&
           std::memcmp(row, keys + numberOf(cell) * keyBytes,
                       size_t(keyBytes)) == 0;
  }

  /// Calls visit(row, hash). Hashes go some rows ahead, and their cells on the
  /// way to the cache.
  template <typename Visit>
  void forEachHash(const char *from, int64_t first, int64_t last,
                   Visit visit) const {
    constexpr int64_t ahead = 32;
    uint64_t hashes[ahead];
    for (int64_t start = first; start < last; start += ahead) {
      int64_t count = std::min(ahead, last - start);
      for (int64_t i = 0; i < count; ++i) {
        hashes[i] = hashOf(from + (start + i) * keyBytes, keyBytes);
        __builtin_prefetch(cells + home(hashes[i]));
      }
      for (int64_t i = 0; i < count; ++i)
        visit(start + i, hashes[i]);
    }
  }

  const char *keys;
  int64_t keyBytes;
  uint64_t *cells;
  int64_t size;
};

/// What the routines of is_in have in common. The table is of the fewer rows:
/// where that is not the set, the set's rows mark those that it has.
struct Membership {
  explicit Membership(const zenith_is_in_arguments &given)
      : setCount(given.set_rows), count(given.rows), elements(given.elements),
        row(int32_t(given.dtype), elements, /*ordered=*/false),
        slots(given.slots) {
    const auto layout = isInScratch<int64_t>(least(), row.keyBytes);
    ScratchReader scratch(given.table, layout);
    cells = scratch.take<int64_t>();
    keys = scratch.take<char>();
    marks = scratch.take<char>();
  }

  bool isOfSet() const { return setCount <= count; }
  int64_t least() const { return std::min(setCount, count); }
  int64_t cellCount() const { return RowTable::cellsFor(least()); }
  RowTable table() const {
    return RowTable(keys, row.keyBytes, cells, least());
  }
  /// Calls fn(row, number) for those of `most` rows that are a slot's.
  template <typename Fn>
  void lookUp(const char *rows, int64_t most, int64_t slot, char *scratch,
              Fn fn) const {
    auto [first, last] = rowsOfSlot(most, slots, slot);
    const char *own = row.of(rows + first * row.rowBytes, last - first,
                             scratch + first * row.keyBytes);
    table().lookUp(own, 0, last - first,
                   [&, first = first](int64_t i, int64_t number) {
                     fn(first + i, number);
                   });
  }

  int64_t setCount, count, elements;
  RowKeys row;
  int64_t slots;
  int64_t *cells;
  char *keys, *marks; ///< of the rows in the table
};

} // namespace

void zenith_routine_is_in_clear(const zenith_is_in_arguments *arguments,
                                int64_t begin, int64_t end) {
  const zenith_is_in_arguments &given = checked(arguments);
  Membership is(given);
  auto *from =
      static_cast<const char *>(is.isOfSet() ? given.set : given.operand);
  for (int64_t slot = begin; slot < end; ++slot) {
    auto [firstCell, lastCell] = rowsOfSlot(is.cellCount(), is.slots, slot);
    is.table().clear(firstCell, lastCell);
    auto [first, last] = rowsOfSlot(is.least(), is.slots, slot);
    if (first == last)
      continue;
    std::fill(is.marks + first, is.marks + last, 0);
    char *own = is.keys + first * is.row.keyBytes;
    const char *keys =
        is.row.of(from + first * is.row.rowBytes, last - first, own);
    // Look-ups read the keys of the table, not the operands.
    if (keys != own)
      std::memcpy(own, keys, size_t((last - first) * is.row.keyBytes));
  }
}

void zenith_routine_is_in_insert(const zenith_is_in_arguments *arguments,
                                 int64_t begin, int64_t end) {
  Membership is(checked(arguments));
  for (int64_t slot = begin; slot < end; ++slot) {
    auto [first, last] = rowsOfSlot(is.least(), is.slots, slot);
    is.table().insert(first, last);
  }
}

void zenith_routine_is_in_mark(const zenith_is_in_arguments *arguments,
                               int64_t begin, int64_t end) {
  const zenith_is_in_arguments &given = checked(arguments);
  Membership is(given);
  if (is.isOfSet())
    return;
  auto *set = static_cast<const char *>(given.set);
  char *scratch = static_cast<char *>(given.keys) + is.count * is.row.keyBytes;
  for (int64_t slot = begin; slot < end; ++slot)
    is.lookUp(set, is.setCount, slot, scratch, [&](int64_t, int64_t number) {
      // Other tasks may store the same value.
      if (number >= 0)
        __atomic_store_n(is.marks + number, 1, __ATOMIC_RELAXED);
    });
}

void zenith_routine_is_in(const zenith_is_in_arguments *arguments,
                          int64_t begin, int64_t end) {
  const zenith_is_in_arguments &given = checked(arguments);
  Membership is(given);
  auto *rows = static_cast<const char *>(given.operand);
  auto *scratch = static_cast<char *>(given.keys);
  for (int64_t slot = begin; slot < end; ++slot)
    is.lookUp(rows, is.count, slot, scratch, [&](int64_t row, int64_t number) {
      given.result[row] = number >= 0 && (is.isOfSet() || is.marks[number]);
    });
}

/// Rows of [first, last) that a mask chooses, in blocks: visit(rows, count).
template <typename Visit>
ZENITH_INLINE void forEachChosen(const uint8_t *mask, int64_t first,
                                 int64_t last, Visit visit) {
  constexpr int64_t block = 1024, word = 8;
  int64_t rows[block];
  for (int64_t start = first; start < last; start += block) {
    int64_t end = std::min(start + block, last), count = 0;
    for (int64_t row = start; row < end; row += word) {
      int64_t here = std::min(word, end - row);
      if (here == word &&
          wordAt(reinterpret_cast<const char *>(mask + row)) == 0)
        continue;
      for (int64_t i = row; i < row + here; ++i) {
        rows[count] = i;
        count += mask[i] != 0;
      }
    }
    visit(static_cast<const int64_t *>(rows), count);
  }
}

ZENITH_TARGET_CLONES
static int64_t countChosen(const uint8_t *mask, int64_t first, int64_t last) {
  int64_t chosen = 0;
  for (int64_t row = first; row < last; ++row)
    chosen += mask[row] != 0;
  return chosen;
}

namespace {

/// Elements of an iota that is not in memory: row / run % size.
struct IotaElements {
  int64_t run, size;
  int64_t first = 0, end = 0, value = 0; ///< rows of equal or rising elements

  int64_t at(int64_t row) {
    if (row >= end) {
      int64_t number = row / run;
      bool rising = run == 1;
      value = rising ? 0 : number % size;
      first = rising ? row - row % size : number * run;
      end = first + (rising ? size : run);
    }
    return run == 1 ? row - first : value;
  }
};

/// One input of compact; `run` is 0 for one in memory.
struct CompactInput {
  const char *from;
  int64_t bytes;
  IotaElements iota;

  template <typename Element>
  char *copy(const int64_t *rows, int64_t count, char *to) const {
    auto *source = reinterpret_cast<const Element *>(from);
    auto *target = reinterpret_cast<Element *>(to);
    for (int64_t i = 0; i < count; ++i)
      target[i] = source[rows[i]];
    return to + count * int64_t(sizeof(Element));
  }

  /// Writes rows one after the other; gives the address after the last.
  char *write(const int64_t *rows, int64_t count, char *to) {
    if (iota.run > 0) {
      auto *target = reinterpret_cast<int64_t *>(to);
      for (int64_t i = 0; i < count; ++i)
        target[i] = iota.at(rows[i]);
      return to + count * bytes;
    }
    switch (bytes) {
    case 1:
      return copy<uint8_t>(rows, count, to);
    case 2:
      return copy<uint16_t>(rows, count, to);
    case 4:
      return copy<uint32_t>(rows, count, to);
    case 8:
      return copy<uint64_t>(rows, count, to);
    }
    for (int64_t i = 0; i < count; ++i, to += bytes)
      std::memcpy(to, from + rows[i] * bytes, size_t(bytes));
    return to;
  }
};

} // namespace

void zenith_routine_compact_count(const zenith_compact_arguments *arguments,
                                  int64_t begin, int64_t end) {
  const zenith_compact_arguments &given = checked(arguments);
  auto *counts = static_cast<int64_t *>(given.scratch);
  for (int64_t slot = begin; slot < end; ++slot) {
    auto [first, last] = rowsOfSlot(given.rows, given.slots, slot);
    counts[slot] = countChosen(given.mask, first, last);
  }
}

void zenith_routine_compact(const zenith_compact_arguments *arguments,
                            int64_t begin, int64_t end) {
  const zenith_compact_arguments &given = checked(arguments);
  auto *counts = static_cast<const int64_t *>(given.scratch);
  int64_t before = 0;
  for (int64_t slot = 0; slot < begin; ++slot)
    before += counts[slot];
  for (int64_t slot = begin; slot < end; before += counts[slot++]) {
    auto [first, last] = rowsOfSlot(given.rows, given.slots, slot);
    for (int64_t i = 0; i < given.ninputs; ++i) {
      auto *target = static_cast<char *>(given.results[i]);
      if (!target)
        continue;
      CompactInput input{static_cast<const char *>(given.inputs[i]),
                         given.row_bytes[i],
                         {given.iota_runs[i], given.iota_sizes[i]}};
      target += before * input.bytes;
      forEachChosen(given.mask, first, last,
                    [&](const int64_t *chosen, int64_t count) {
                      target = input.write(chosen, count, target);
                    });
    }
    if (slot == given.slots - 1)
      *given.found = before + counts[slot];
  }
}
