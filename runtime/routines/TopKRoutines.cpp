// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// TopK: the first elements of rows in order, some rows by a task. Rows are
// filtered before they are sorted: the k-th of the best elements of groups
// bounds the k-th of all.

#include "runtime/routines/DigitSort.h"
#include "runtime/routines/LaneSelection.h"
#include "runtime/routines/RoutineKeys.h"
#include "runtime/routines/Routines.h"
#include "runtime/routines/RowFilter.h"
#include "runtime/routines/RowSlots.h"

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
  uint64_t digits() const { return key; }
  static constexpr unsigned lowBit = 0;
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
  uint64_t digits() const { return both; }
  static constexpr unsigned lowBit = 32;
  bool operator<(const NarrowEntry &other) const { return both < other.both; }
  uint64_t both;
};

/// The first k of the entries added so far, k > 0. Few stay in order; of many
/// some more are kept before the last of them are dropped.
template <typename Entry> class FirstEntries {
public:
  /// `memory` holds twice `most` entries.
  void begin(Entry *memory, int64_t first, int64_t most) {
    entries = memory;
    k = first;
    capacity = most;
    count = 0;
    inOrder = k <= mostInOrder;
    isFull = dropped = false;
  }

  /// Whether `last` is known: entries not before it are dropped.
  bool full() const { return isFull; }
  const Entry &last() const { return lastEntry; }

  void add(const Entry &entry) {
    if (isFull && !(entry < lastEntry))
      return;
    if (inOrder)
      return insert(entry);
    if (count == capacity) {
      drop();
      if (!(entry < lastEntry))
        return;
    }
    entries[count++] = entry;
  }

  /// Makes `last` known, of at least k entries.
  void complete() {
    if (!inOrder)
      drop();
  }

  /// The k entries in order; `bits` of their keys are used.
  const Entry *finish(unsigned bits) {
    constexpr int64_t enoughForDigits = 32 * sizeof(Entry);
    if (inOrder)
      return entries;
    // Stable, so equal keys need positions that still ascend.
    if (!dropped && count >= enoughForDigits && count <= 2 * k) {
      sortByDigits(entries, entries + capacity, count, Entry::lowBit,
                   Entry::lowBit + bits,
                   [](const Entry &entry) { return entry.digits(); });
      return entries;
    }
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
    isFull = dropped = true;
    lastEntry = entries[k - 1];
  }

  Entry *entries;
  int64_t k, capacity, count;
  bool inOrder, isFull, dropped;
  Entry lastEntry;
};

void copyElement(char *to, const char *from, int64_t bytes) {
  switch (bytes) {
  case 4:
    std::memcpy(to, from, 4);
    return;
  case 8:
    std::memcpy(to, from, 8);
    return;
  default:
    std::memcpy(to, from, size_t(bytes));
  }
}

/// What the routine works on: rows of `length` elements that lie `distance`
/// apart.
struct Rows {
  explicit Rows(const zenith_top_k_arguments &given) {
    count = given.rows;
    length = given.length;
    distance = given.distance;
    slots = given.slots;
    k = given.k;
    smallest = given.smallest != 0;
    dtype = int32_t(given.dtype);
    rowsAtOnce = given.rows_at_once;
    candidates = given.candidates;
    slotBytes = given.slot_bytes;
    scratch = static_cast<char *>(given.scratch);
    operand = static_cast<const char *>(given.operand);
    values = static_cast<char *>(given.values);
    indices = given.indices;
    bytes = zenith_dtype_bytes(dtype);
    taken = std::min(k, length);
    bits = orderKeyBits(dtype);
    flip = smallest ? 0 : bits == 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1;
  }

  const char *at(int64_t row, int64_t position) const {
    return operand +
           (rowStart(row, length, distance) + position * distance) * bytes;
  }
  /// Keys of elements that lie `apart` from each other.
  void keysOf(const char *from, int64_t apart, int64_t number,
              uint64_t *to) const {
    orderKeys(dtype, from, apart, number, to);
    for (int64_t i = 0; i < number; ++i)
      to[i] ^= flip;
  }
  void write(int64_t row, int64_t place, int64_t position) const {
    int64_t to = rowStart(row, k, distance) + place * distance;
    if (values)
      copyElement(values + to * bytes, at(row, position), bytes);
    if (indices)
      indices[to] = position;
  }

  int64_t count, length, distance, slots, k;
  bool smallest;
  int32_t dtype;
  /// Neighbouring rows that are selected from at a time, where distance > 1.
  int64_t rowsAtOnce;
  int64_t candidates; ///< entries of a row before some are dropped
  int64_t slotBytes;
  char *scratch, *values;
  const char *operand;
  int64_t *indices;
  int64_t bytes, taken;
  unsigned bits;
  uint64_t flip;
};

/// Selects from `columns` rows that lie beside each other, or from one.
template <typename Entry> class Selection {
public:
  Selection(const Rows &rows, int64_t row, int64_t columns, char *scratch)
      : rows(rows), row(row), columns(columns) {
    auto *entries = reinterpret_cast<Entry *>(scratch);
    int64_t each = 2 * rows.candidates;
    for (int64_t c = 0; c < columns; ++c)
      firsts[c].begin(entries + c * each, rows.taken, rows.candidates);
    extremes = reinterpret_cast<char *>(entries + columns * each);
  }

  void run() {
    if (rows.length <= mostRanked) {
      for (int64_t c = 0; c < columns; ++c)
        rankRow(row + c);
      return;
    }
    if (int64_t groups = groupCount()) {
      findLimits(groups);
      if (rows.distance == 1)
        filterRow();
      else
        filterColumns();
    } else {
      for (int64_t c = 0; c < columns; ++c)
        addAll(c);
    }
    for (int64_t c = 0; c < columns; ++c) {
      const Entry *entries = firsts[c].finish(rows.bits);
      for (int64_t i = 0; i < rows.taken; ++i)
        rows.write(row + c, i, entries[i].position());
    }
  }

private:
  static constexpr int64_t block = 64, gridRows = 16;

  /// Groups of elements, at least twice k of two elements or more; 0 where
  /// there are too few elements, or they have to be compared by their keys.
  int64_t groupCount() const {
    int64_t groups = rows.length < 256 ? 16 : 32;
    while (groups < 2 * rows.taken)
      groups *= 2;
    return hasRowFilter(rows.dtype) && 2 * groups <= rows.length ? groups : 0;
  }

  /// The limits: the k-th of the best elements of the groups.
  void findLimits(int64_t groups) {
    bool lanes = rows.distance == 1;
    ElementGrid grid{rows.at(row, 0), rows.length, rows.distance, columns};
    if (lanes)
      grid = {rows.at(row, 0), rows.length / groups, groups, groups};
    columnExtremes(rows.dtype, grid, lanes ? 1 : groups, rows.smallest,
                   extremes);
    for (int64_t c = 0; c < columns; ++c)
      setLimit(c, extremes + (bestGroup(c, groups) * columns + c) * rows.bytes);
  }

  /// The group whose best element is the k-th of these.
  int64_t bestGroup(int64_t c, int64_t groups) {
    const char *best = extremes + c * rows.bytes;
    constexpr int64_t veryFew = 2; // kept faster than all are ranked
    if (groups > mostRanked || rows.taken <= veryFew) {
      FirstEntries<Entry> kept = firsts[c];
      forEachKey(best, columns, groups,
                 [&](const Entry &entry) { kept.add(entry); });
      kept.complete();
      return kept.last().position();
    }
    uint64_t keys[mostRanked];
    int64_t ranks[mostRanked];
    rows.keysOf(best, columns, groups, keys);
    rankWords(keys, groups, ranks);
    return std::find(ranks, ranks + groups, rows.taken - 1) - ranks;
  }

  void rankRow(int64_t row) {
    uint64_t keys[mostRanked];
    int64_t ranks[mostRanked], order[mostRanked];
    rows.keysOf(rows.at(row, 0), rows.distance, rows.length, keys);
    rankWords(keys, rows.length, ranks);
    for (int64_t i = 0; i < rows.length; ++i)
      order[ranks[i]] = i;
    for (int64_t i = 0; i < rows.taken; ++i)
      rows.write(row, i, order[i]);
  }

  template <typename Visit>
  void forEachKey(const char *from, int64_t apart, int64_t count, Visit visit) {
    uint64_t keys[block];
    for (int64_t start = 0; start < count; start += block) {
      int64_t here = std::min(block, count - start);
      rows.keysOf(from + start * apart * rows.bytes, apart, here, keys);
      for (int64_t i = 0; i < here; ++i)
        visit(Entry(keys[i], start + i));
    }
  }

  void addAll(int64_t c) {
    forEachKey(rows.at(row + c, 0), rows.distance, rows.length,
               [&](const Entry &entry) { firsts[c].add(entry); });
  }

  void add(int64_t c, int64_t position) {
    uint64_t key;
    rows.keysOf(rows.at(row + c, position), 1, 1, &key);
    firsts[c].add(Entry(key, position));
  }

  void setLimit(int64_t c, const char *element) {
    copyElement(limits + c * rows.bytes, element, rows.bytes);
  }

  /// All columns get the limit of the first one.
  void repeatLimit() {
    for (int64_t size = rows.bytes; size < filterWidth * rows.bytes; size *= 2)
      std::memcpy(limits + size, limits, size_t(size));
  }

  void filterRow() {
    repeatLimit();
    for (int64_t from = 0; from < rows.length;) {
      int64_t left = rows.length - from;
      ElementGrid grid{rows.at(row, from), std::min(block, left / filterWidth),
                       filterWidth, filterWidth};
      if (grid.rows == 0) {
        grid.rows = 1;
        grid.width = left;
      }
      int64_t found = positionsWithin(rows.dtype, grid, limits, rows.smallest,
                                      !firsts[0].full(), positions);
      for (int64_t i = 0; i < found; ++i)
        add(0, from + positions[i]);
      from += grid.rows * grid.width;
      if (found > 0 && firsts[0].full()) {
        setLimit(0, rows.at(row, firsts[0].last().position()));
        repeatLimit();
      }
    }
  }

  void filterColumns() {
    for (int64_t from = 0; from < rows.length; from += gridRows) {
      ElementGrid grid{rows.at(row, from),
                       std::min(gridRows, rows.length - from), rows.distance,
                       columns};
      int64_t found = positionsWithin(rows.dtype, grid, limits, rows.smallest,
                                      /*withEqual=*/true, positions);
      for (int64_t i = 0; i < found; ++i)
        add(positions[i] % columns, from + positions[i] / columns);
      for (int64_t c = 0; c < columns; ++c)
        if (firsts[c].full())
          setLimit(c, rows.at(row + c, firsts[c].last().position()));
    }
  }

  const Rows &rows;
  const int64_t row, columns;
  FirstEntries<Entry> firsts[filterWidth];
  char *extremes;
  alignas(64) char limits[filterWidth * 8];
  uint32_t positions[block * filterWidth]; // of a whole grid of either filter
};

} // namespace

/// The order of a row's first k elements by counting its keys, which have few
/// bits: a histogram of the keys, then one pass that writes positions in order.
/// `counts` holds 2^bits counts.
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
  // The result index of the next element with each key; no key above `last` has
  // one.
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

/// A row by counting its keys.
static void countRow(const Rows &rows, int64_t row, char *scratch) {
  selectByCounting(
      reinterpret_cast<int64_t *>(scratch), rows.bits, rows.length, rows.taken,
      [&](int64_t from, int64_t count, uint64_t *keys) {
        rows.keysOf(rows.at(row, from), rows.distance, count, keys);
      },
      [&](int64_t place, int64_t position) {
        rows.write(row, place, position);
      });
}

/// Whether rows are selected from in lanes: columns, and rows that fill the
/// lanes and are too short for limits to pass over most of them.
static bool fitLanes(const Rows &rows) {
  constexpr int64_t shortRow = 1024;
  return rows.taken <= mostSelected && rows.bits <= 32 &&
         rows.length <= int64_t(INT32_MAX) &&
         (rows.distance > 1 ||
          (rows.length <= shortRow && rows.count >= selectedRows));
}

/// Copies of each of `count` rows the element at its position.
template <typename Element>
static void copyElements(const char *from, int64_t between, int64_t apart,
                         const int32_t *positions, int64_t count, char *to,
                         int64_t betweenResults) {
  auto *x = reinterpret_cast<const Element *>(from);
  auto *y = reinterpret_cast<Element *>(to);
  for (int64_t i = 0; i < count; ++i)
    y[i * betweenResults] = x[i * between + positions[i] * apart];
}

/// Selects from `count` rows that lie beside each other.
static void selectRows(const Rows &rows, int64_t row, int64_t count) {
  int32_t positions[mostSelected * selectedRows];
  const char *from = rows.at(row, 0);
  bool contiguous = rows.distance == 1;
  int64_t between = contiguous ? rows.length : 1,
          betweenResults = contiguous ? rows.k : 1,
          to = rowStart(row, rows.k, rows.distance);
  selectInLanes({rows.dtype, from, count, rows.length, between, rows.distance,
                 rows.smallest},
                rows.taken, positions);
  auto copy = rows.bytes == 1   ? copyElements<uint8_t>
              : rows.bytes == 2 ? copyElements<uint16_t>
                                : copyElements<uint32_t>;
  for (int64_t place = 0; place < rows.taken; ++place, to += rows.distance) {
    const int32_t *own = positions + place * selectedRows;
    if (rows.values)
      copy(from, between, rows.distance, own, count,
           rows.values + to * rows.bytes, betweenResults);
    if (rows.indices)
      for (int64_t i = 0; i < count; ++i)
        rows.indices[to + i * betweenResults] = own[i];
  }
}

void zenith_routine_top_k(const zenith_top_k_arguments *arguments,
                          int64_t begin, int64_t end) {
  const Rows rows(checked(arguments));
  if (rows.taken == 0 || rows.count == 0)
    return;
  constexpr int64_t fewOfRow = 16; // a part of it that is found by its limit
  bool narrow = rows.bits <= 32 && rows.length <= int64_t(UINT32_MAX),
       inLanes = fitLanes(rows),
       counted =
           !inLanes && rows.bits <= 16 &&
           rows.length >= int64_t(1) << rows.bits &&
           (!hasRowFilter(rows.dtype) || rows.taken * fewOfRow > rows.length);
  // Slots share tiles of neighbouring rows.
  int64_t wide = inLanes   ? selectedRows
                 : counted ? 1
                           : rows.rowsAtOnce,
          neighbours =
              inLanes && rows.distance == 1 ? rows.count : rows.distance,
          across = (neighbours + wide - 1) / wide,
          tiles = rows.count / neighbours * across;
  for (int64_t slot = begin; slot < end; ++slot) {
    auto [first, last] = rowsOfSlot(tiles, rows.slots, slot);
    char *scratch = rows.scratch + slot * rows.slotBytes;
    for (int64_t tile = first; tile < last; ++tile) {
      int64_t from = tile % across * wide,
              row = tile / across * neighbours + from,
              columns = std::min(wide, neighbours - from);
      if (inLanes)
        selectRows(rows, row, columns);
      else if (counted)
        countRow(rows, row, scratch);
      else if (narrow)
        Selection<NarrowEntry>(rows, row, columns, scratch).run();
      else
        Selection<WideEntry>(rows, row, columns, scratch).run();
    }
  }
}
