// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Distinct rows in tasks: rows are partitioned by hash, and a table that fits a
// cache goes through each partition in order of rows, so that the first of
// equal rows is kept whatever the number of threads.

#include "runtime/RoutineScratch.h"
#include "runtime/routines/Routines.h"
#include "runtime/routines/RowKeys.h"
#include "runtime/routines/RowSlots.h"

#include <algorithm>

using namespace zenith::runtime;

namespace {

/// State of all steps. An entry is the upper half of a row's hash above the
/// row's index.
struct Steps {
  explicit Steps(const zenith_unique_arguments &given)
      : count(given.rows), sorted(given.sorted != 0),
        inverted(given.wants_inverse != 0), counted(given.wants_counts != 0),
        slots(given.slots), partitions(given.partitions),
        row(int32_t(given.dtype), given.elements, sorted),
        operand(static_cast<const char *>(given.operand)) {
    const auto layout = uniqueScratch<int64_t>({count, slots, partitions,
                                                row.areBytes ? 0 : row.keyBytes,
                                                sorted, inverted, counted});
    ScratchReader scratch(given.scratch, layout);
    entries = scratch.take<uint64_t>();
    cells = scratch.take<uint64_t>();
    starts = scratch.take<int64_t>();
    kept = scratch.take<int64_t>();
    countOf = scratch.take<int64_t>();
    owner = scratch.take<int64_t>();
    numberOf = scratch.take<int64_t>();
    firstOf = scratch.take<int64_t>();
    order = scratch.take<int64_t>();
    rank = scratch.take<int64_t>();
    ownKeys = scratch.take<char>();
  }

  const char *keys() const { return row.areBytes ? operand : ownKeys; }
  /// Partitions' first entries among a slot's.
  int64_t *startsOf(int64_t slot) const {
    return starts + slot * (partitions + 1);
  }
  int64_t partitionOf(uint64_t entry) const {
    return int64_t((entry >> 32) * uint64_t(partitions) >> 32);
  }
  static int64_t rowOf(uint64_t entry) { return int64_t(uint32_t(entry)); }

  void partition(int64_t slot) const;
  void findFirstOf(int64_t slot) const;
  int64_t keptBefore(int64_t slot) const {
    int64_t before = 0;
    for (int64_t i = 0; i < slot * partitions; ++i)
      before += kept[i];
    return before;
  }

  int64_t count; ///< of rows
  bool sorted, inverted, counted;
  int64_t slots, partitions;
  RowKeys row;
  uint64_t *entries, *cells;
  int64_t *starts, *kept;
  int64_t *countOf;  ///< of a first row: rows equal to it
  int64_t *owner;    ///< of a row: the first one equal to it
  int64_t *numberOf; ///< of a first row: distinct rows before it
  int64_t *firstOf, *order, *rank;
  char *ownKeys;
  const char *operand;
};

} // namespace

void Steps::partition(int64_t slot) const {
  auto [first, last] = rowsOfSlot(count, slots, slot);
  const char *own = row.of(operand + first * row.rowBytes, last - first,
                           ownKeys + (row.areBytes ? 0 : first * row.keyBytes));
  int64_t *start = startsOf(slot);
  std::fill(start, start + partitions + 1, int64_t(0));
  // The memory of the tables is free until all rows are partitioned.
  uint64_t *hashes = cells + first;
  for (int64_t i = 0; i < last - first; ++i) {
    uint64_t hash = hashOf(own + i * row.keyBytes, row.keyBytes);
    hashes[i] = (hash & ~uint64_t(UINT32_MAX)) | uint64_t(first + i);
    ++start[partitionOf(hashes[i]) + 1];
  }
  for (int64_t p = 0; p < partitions; ++p)
    start[p + 1] += start[p];
  for (int64_t i = 0; i < last - first; ++i)
    entries[first + start[partitionOf(hashes[i])]++] = hashes[i];
  // Each start has moved to that of the next partition.
  std::copy_backward(start, start + partitions, start + partitions + 1);
  start[0] = 0;
}

namespace {

/// The table of a partition's first rows. Rows whose hashes agree wait in order
/// until their prefetches complete, so that they are compared with the rows
/// before them.
class FirstRows {
public:
  FirstRows(const Steps &steps, int64_t partition, uint64_t *table)
      : steps(steps), partition(partition), table(table), all(steps.keys()) {
    int64_t rows = 0;
    for (int64_t slot = 0; slot < steps.slots; ++slot) {
      rows += rowsOf(slot);
      *partOf(slot).kept = 0;
    }
    size = uint64_t(2 * rows + 2);
    std::fill(table, table + size, empty);
  }

  /// Leaves the entries of first rows at the begin of each slot's part, in any
  /// order.
  void find() {
    for (int64_t slot = 0; slot < steps.slots; ++slot) {
      const SlotPart part = partOf(slot);
      const uint64_t *last = part.begin + rowsOf(slot);
      for (const uint64_t *entry = part.begin; entry < last; ++entry)
        look(*entry, part);
    }
    while (settled < met)
      settle();
  }

private:
  static constexpr uint64_t empty = ~uint64_t(0); // no row has this number
  /// As many as memory answers at a time.
  static constexpr uint64_t mostWaiting = 16;
  /// What a slot has of the partition: finding it takes a division.
  struct SlotPart {
    uint64_t *begin;
    int64_t *kept; ///< how many entries, from `begin` on, are of first rows
  };
  struct Waiting {
    uint64_t entry, at;
    SlotPart part;
  };

  SlotPart partOf(int64_t slot) const {
    return {steps.entries + rowsOfSlot(steps.count, steps.slots, slot).first +
                steps.startsOf(slot)[partition],
            steps.kept + slot * steps.partitions + partition};
  }
  int64_t rowsOf(int64_t slot) const {
    const int64_t *starts = steps.startsOf(slot);
    return starts[partition + 1] - starts[partition];
  }
  const char *keyOf(uint64_t entry) const {
    return all + Steps::rowOf(entry) * steps.row.keyBytes;
  }
  uint64_t next(uint64_t at) const { return at + 1 == size ? 0 : at + 1; }

  /// Rows of a partition agree in the first bits of their hashes.
  uint64_t home(uint64_t entry) const {
    return uint64_t(uint32_t(entry >> 32) * 0x9e3779b1u) * size >> 32;
  }

  void look(uint64_t entry, const SlotPart &part) {
    uint64_t at = home(entry);
    while (table[at] != empty && (table[at] ^ entry) >> 32 != 0)
      at = next(at);
    if (table[at] == empty)
      return add(entry, at, part);
    for (uint64_t row : {entry, table[at]}) {
      __builtin_prefetch(keyOf(row));
      // Short rows often lie across two lines.
      __builtin_prefetch(keyOf(row) + steps.row.keyBytes - 1);
    }
    if (met - settled == mostWaiting)
      settle();
    waiting[met++ % mostWaiting] = {entry, at, part};
  }

  /// The row that waits longest: equal to an earlier one, or the first after
  /// all.
  void settle() {
    auto [entry, at, part] = waiting[settled++ % mostWaiting];
    while (table[at] != empty &&
           ((table[at] ^ entry) >> 32 != 0 ||
            !sameBytes(keyOf(entry), keyOf(table[at]), steps.row.keyBytes)))
      at = next(at);
    if (table[at] == empty)
      return add(entry, at, part);
    note(entry, table[at]);
  }

  void add(uint64_t entry, uint64_t at, const SlotPart &part) {
    table[at] = entry;
    // What lay there was looked at before.
    part.begin[(*part.kept)++] = entry;
    if (steps.counted)
      steps.countOf[Steps::rowOf(entry)] = 0;
    note(entry, entry);
  }

  void note(uint64_t entry, uint64_t first) {
    if (steps.counted)
      ++steps.countOf[Steps::rowOf(first)];
    if (steps.inverted)
      steps.owner[Steps::rowOf(entry)] = Steps::rowOf(first);
  }

  const Steps &steps;
  const int64_t partition;
  uint64_t *const table;
  const char *const all;
  uint64_t size;
  Waiting waiting[mostWaiting];
  uint64_t met = 0, settled = 0;
};

} // namespace

void Steps::findFirstOf(int64_t slot) const {
  auto [first, last] = rowsOfSlot(partitions, slots, slot);
  // All tables of a slot lie where the first one does, to stay in a cache:
  // together they would take at least as much as the largest does.
  int64_t before = first;
  for (int64_t s = 0; s < slots; ++s)
    before += startsOf(s)[first];
  for (int64_t partition = first; partition < last; ++partition)
    FirstRows(*this, partition, cells + 2 * before).find();
}

void zenith_routine_unique_partition(const zenith_unique_arguments *arguments,
                                     int64_t begin, int64_t end) {
  Steps steps(checked(arguments));
  for (int64_t slot = begin; slot < end; ++slot)
    steps.partition(slot);
}

void zenith_routine_unique_find(const zenith_unique_arguments *arguments,
                                int64_t begin, int64_t end) {
  Steps steps(checked(arguments));
  for (int64_t slot = begin; slot < end; ++slot)
    steps.findFirstOf(slot);
}

void zenith_routine_unique_keep(const zenith_unique_arguments *arguments,
                                int64_t begin, int64_t end) {
  const zenith_unique_arguments &given = checked(arguments);
  Steps steps(given);
  auto *rows = static_cast<char *>(given.distinct);
  int64_t *first = steps.sorted ? steps.firstOf : given.first,
          *counts = given.counts;
  int64_t number = steps.keptBefore(begin);
  for (int64_t slot = begin; slot < end; ++slot) {
    auto [low, high] = rowsOfSlot(steps.count, steps.slots, slot);
    // One bit per row puts a slot's first rows in order.
    uint64_t *bits = steps.cells + low / 64 + slot;
    int64_t words = (high - low + 63) / 64;
    std::fill(bits, bits + words, uint64_t(0));
    for (int64_t p = 0; p < steps.partitions; ++p) {
      const uint64_t *from = steps.entries + low + steps.startsOf(slot)[p];
      for (int64_t i = 0; i < steps.kept[slot * steps.partitions + p]; ++i) {
        int64_t at = Steps::rowOf(from[i]) - low;
        bits[at / 64] |= uint64_t(1) << at % 64;
      }
    }
    for (int64_t word = 0; word < words; ++word)
      for (uint64_t left = bits[word]; left; left &= left - 1, ++number) {
        int64_t row = low + word * 64 + __builtin_ctzll(left);
        if (first)
          first[number] = row;
        if (steps.inverted)
          steps.numberOf[row] = number;
        if (steps.sorted)
          continue; // its rank is not known yet
        if (counts)
          counts[number] = steps.countOf[row];
        if (rows)
          copyRow(rows + number * steps.row.rowBytes,
                  steps.operand + row * steps.row.rowBytes, steps.row.rowBytes);
      }
  }
  if (end == steps.slots && given.found)
    *given.found = number;
}

void zenith_routine_unique_invert(const zenith_unique_arguments *arguments,
                                  int64_t begin, int64_t end) {
  const zenith_unique_arguments &given = checked(arguments);
  Steps steps(given);
  for (int64_t slot = begin; slot < end; ++slot) {
    auto [first, last] = rowsOfSlot(steps.count, steps.slots, slot);
    for (int64_t row = first; row < last; ++row) {
      int64_t number = steps.numberOf[steps.owner[row]];
      given.inverse[row] = steps.sorted ? steps.rank[number] : number;
    }
  }
}

void zenith_routine_unique_sort(const zenith_unique_arguments *arguments,
                                int64_t begin, int64_t end) {
  const zenith_unique_arguments &given = checked(arguments);
  Steps steps(given);
  auto *rows = static_cast<char *>(given.distinct);
  int64_t *first = given.first, *counts = given.counts;
  if (begin == end)
    return;
  int64_t distinct = steps.keptBefore(steps.slots), width = steps.row.width,
          bytes = steps.row.rowBytes;
  auto *keys = reinterpret_cast<const uint64_t *>(steps.keys());
  for (int64_t i = 0; i < distinct; ++i)
    steps.order[i] = i;
  std::sort(steps.order, steps.order + distinct, [&](int64_t x, int64_t y) {
    const uint64_t *left = keys + steps.firstOf[x] * width,
                   *right = keys + steps.firstOf[y] * width;
    return std::lexicographical_compare(left, left + width, right,
                                        right + width);
  });
  for (int64_t i = 0; i < distinct; ++i) {
    int64_t row = steps.firstOf[steps.order[i]];
    steps.rank[steps.order[i]] = i;
    if (first)
      first[i] = row;
    if (counts)
      counts[i] = steps.countOf[row];
    if (rows)
      copyRow(rows + i * bytes, steps.operand + row * bytes, bytes);
  }
}
