// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Later steps of dedup: a hash table per partition finds the new keys, which
// overwrite the candidates and are then copied, partition by partition, to the
// results.

#include "runtime/routines/KeySet.h"
#include "runtime/routines/Routines.h"
#include "runtime/routines/WordTable.h"

#include <algorithm>

using namespace zenith::runtime;

namespace {

/// Rows of one partition in blocks: where they are, by position: block of the
/// partition's list times rows of a block, plus row of the block.
class PartitionRows {
public:
  PartitionRows(const KeySet &set, int64_t number)
      : set(set), number(number), order(set.order + set.plan[number].order) {
    knownBlocks = listBlocks(0, order);
    listed = knownBlocks + listBlocks(1, order + knownBlocks);
  }

  /// The first position of candidates.
  ZENITH_METHOD int64_t knownEnd() const { return knownBlocks * set.blockRows; }
  ZENITH_METHOD uint64_t *at(int64_t position) const {
    return set.row(
        (int64_t(order[position >> set.blockShift]) << set.blockShift) +
        (position & (set.blockRows - 1)));
  }
  /// Calls fn with the first row, the number of rows and the position of each
  /// block.
  template <typename Fn>
  ZENITH_METHOD void forEachBlock(int kind, Fn fn) const {
    int64_t place = kind ? knownBlocks : 0;
    for (int64_t slot = 0; slot < set.slots; ++slot) {
      int64_t chain = set.chain(slot, kind, number);
      for (uint32_t left = set.blocks[chain]; left > 0; --left, ++place) {
        int64_t first = int64_t(order[place]) << set.blockShift;
        askAhead(place + 2);
        fn(set.row(first),
           left > 1 ? set.blockRows : set.cursors[chain] - first,
           place * set.blockRows);
      }
    }
  }

private:
  /// Lists the blocks of one kind, slot by slot; returns how many. Each block
  /// has the index of the next one of its chain, so chains of several slots are
  /// followed at once to overlap cache misses.
  ZENITH_METHOD int64_t listBlocks(int kind, uint32_t *to) const {
    constexpr int64_t atOnce = 16;
    uint32_t *end = to;
    for (int64_t first = 0; first < set.slots; first += atOnce) {
      int64_t here = std::min(atOnce, set.slots - first);
      uint32_t block[atOnce], left[atOnce], *place[atOnce], longest = 0;
      for (int64_t i = 0; i < here; ++i) {
        int64_t chain = set.chain(first + i, kind, number);
        block[i] = set.heads[chain];
        left[i] = set.blocks[chain];
        place[i] = end;
        end += left[i];
        longest = std::max(longest, left[i]);
      }
      for (uint32_t step = 0; step < longest; ++step)
        for (int64_t i = 0; i < here; ++i)
          if (step < left[i]) {
            place[i][step] = block[i];
            if (step + 1 < left[i])
              block[i] = set.following[block[i]];
          }
    }
    return end - to;
  }
  /// Prefetches a block.
  ZENITH_METHOD void askAhead(int64_t place) const {
    constexpr int64_t line = 64;
    if (place >= listed)
      return;
    auto *from = reinterpret_cast<const char *>(
        set.row(int64_t(order[place]) << set.blockShift));
    for (int64_t at = 0; at < set.blockRows * set.words * 8; at += line)
      __builtin_prefetch(from + at);
  }

  const KeySet &set;
  const int64_t number;
  uint32_t *order;
  int64_t knownBlocks, listed; ///< of known ones, of all
};

/// Cells of a table outside of the slot's memory, which must fit the scratch
/// for all rows.
int64_t largeCells(int64_t keys) { return keys * 9 / 8 + 8; }

/// Finds the new keys of partitions of keys of several words. A cell of a table
/// is a row's position + 1 below half of its hash: rows elsewhere in the cache
/// are compared where these halves agree.
template <int Width> class RowMerger {
public:
  RowMerger(const KeySet &set, int64_t slot)
      : set(set), width(Width ? Width : set.words), hash(set.hash<Width>()),
        slotTable(set.tableOf(slot)) {}

  /// The number of new keys.
  int64_t merge(int64_t number) {
    const DedupPartition &partition = set.plan[number];
    PartitionRows rows(set, number);
    const int64_t keys = partition.known + partition.candidates;
    const bool isLarge = partition.table >= 0;
    cells = isLarge ? set.largeTables + partition.table : slotTable;
    cellCount = uint64_t(isLarge ? largeCells(keys) : 2 * keys);
    std::fill(cells, cells + cellCount, 0);
    forEachRow(rows, 0, [&](uint64_t *row, int64_t position) {
      uint64_t bits = hash(row);
      uint64_t &cell = find(rows, row, bits);
      if (!cell)
        cell = bits << 32 | uint64_t(position + 1);
    });
    int64_t fresh = 0;
    const int64_t knownEnd = rows.knownEnd();
    forEachRow(rows, 1, [&](uint64_t *row, int64_t) {
      uint64_t bits = hash(row);
      uint64_t &cell = find(rows, row, bits);
      if (!cell) {
        // Never after the row that is read: rows before it are done.
        uint64_t *to = rows.at(knownEnd + fresh);
        for (int64_t word = 0; word < width; ++word)
          to[word] = row[word];
        cell = bits << 32 | uint64_t(knownEnd + ++fresh);
      } else if (positionOf(cell) >= knownEnd) {
        uint64_t *other = rows.at(positionOf(cell));
        for (int64_t word = 0; word < width; ++word)
          other[word] |= row[word];
      }
    });
    return fresh;
  }

private:
  template <typename Fn>
  void forEachRow(const PartitionRows &rows, int kind, Fn fn) {
    rows.forEachBlock(kind, [&](uint64_t *row, int64_t count, int64_t first) {
      for (int64_t i = 0; i < count; ++i)
        fn(row + i * width, first + i);
    });
  }
  static constexpr uint64_t lowHalf = UINT32_MAX;

  static int64_t positionOf(uint64_t cell) {
    return int64_t(cell & lowHalf) - 1;
  }
  /// The cell of a row with the same key, or the empty one where it belongs.
  /// Cells have the lower half of a hash; the bits above say where to look.
  uint64_t &find(const PartitionRows &rows, const uint64_t *row,
                 uint64_t bits) {
    uint64_t at = (bits << 12 >> 32) * cellCount >> 32;
    while (cells[at] && ((cells[at] ^ bits << 32) > lowHalf ||
                         !same(row, rows.at(positionOf(cells[at])))))
      at = at + 1 == cellCount ? 0 : at + 1;
    return cells[at];
  }
  bool same(const uint64_t *x, const uint64_t *y) const {
    uint64_t difference = 0;
    for (int64_t word = 0; word < width; ++word)
      difference |= (x[word] ^ y[word]) & uint64_t(set.key[word]);
    return difference == 0;
  }

  const KeySet &set;
  const int64_t width;
  const KeySet::Hash<Width> hash;
  uint64_t *slotTable, *cells = nullptr;
  uint64_t cellCount = 0;
};

/// The same for keys of one word, by tables of keys. Those whose significant
/// bits are all 0 are kept apart: a table takes 0 for an empty cell.
class WordMerger {
public:
  WordMerger(const KeySet &set, const uint64_t *const *known,
             const PartitionRows &rows, int64_t number, uint64_t *cells,
             int64_t buckets)
      : set(set), known(known), rows(rows), number(number),
        table(cells, buckets, uint64_t(set.key[0])) {}

  ZENITH_METHOD int64_t merge() {
    if (set.knownLists > 0)
      addKnown();
    rows.forEachBlock(1, [&](uint64_t *keys, int64_t count, int64_t)
                             ZENITH_LAMBDA { add(keys, count); });
    return give();
  }

private:
  ZENITH_METHOD void add(const uint64_t *keys, int64_t count) {
    // Copies of loop invariants: the compiler must assume that stores of keys
    // alias them.
    const KeySet::Hash<1> hash = set.hash<1>();
    const WordTable cells = table;
    const int bits = set.partitionBits;
    for (int64_t i = 0; i < count; ++i) {
      if (__builtin_expect((keys[i] & hash.first) == 0, 0)) {
        hasZero = true;
        zero |= keys[i];
        continue;
      }
      // Bits after those that all keys of the partition share.
      cells.insert(keys[i], cells.bucketOf(hash(keys + i) << bits >> 32));
    }
  }

  ZENITH_METHOD void addKnown() {
    for (int64_t slot = 0; slot < set.slots; ++slot)
      for (int64_t list = 0; list < set.knownLists; ++list) {
        const int64_t *starts = set.startsOf(slot, list) + number;
        add(known[list] + starts[0], starts[1] - starts[0]);
      }
    rows.forEachBlock(0, [&](uint64_t *keys, int64_t count, int64_t)
                             ZENITH_LAMBDA { add(keys, count); });
    knowsZero = hasZero;
    hasZero = false;
    table.leaveOutHeld();
  }

  /// Overwrites the candidates by the new keys; gives how many.
  ZENITH_METHOD int64_t give() {
    constexpr int64_t atOnce = WordTable::bucketCells;
    const int64_t first = rows.knownEnd();
    int64_t fresh = 0, left = 0;
    uint64_t *to = nullptr;
    table.drain([&](const uint64_t *keys, int64_t count) ZENITH_LAMBDA {
      if (left >= atOnce) {
        std::memcpy(to, keys, atOnce * sizeof(uint64_t));
        to += count;
        left -= count;
        fresh += count;
        return;
      }
      for (int64_t i = 0; i < count; ++i) {
        if (left == 0) {
          to = rows.at(first + fresh);
          left = set.blockRows;
        }
        *to++ = keys[i];
        --left;
        ++fresh;
      }
    });
    if (hasZero && !knowsZero)
      *rows.at(first + fresh++) = zero;
    return fresh;
  }

  const KeySet &set;
  const uint64_t *const *known;
  const PartitionRows &rows;
  const int64_t number;
  WordTable table;
  bool hasZero = false, knowsZero = false;
  uint64_t zero = 0;
};

} // namespace

ZENITH_TARGET_CLONES
static int64_t mergeWords(WordMerger &merger) { return merger.merge(); }

/// Rows of a partition: known and new.
static int64_t keysOf(const KeySet &set, int64_t number) {
  int64_t keys = set.plan[number].known + set.plan[number].candidates;
  if (set.mayStay())
    for (int64_t slot = 0; slot < set.slots; ++slot)
      for (int64_t list = 0; list < set.knownLists; ++list) {
        const int64_t *starts = set.startsOf(slot, list) + number;
        keys += starts[1] - starts[0];
      }
  return keys;
}

/// Words of the table of a partition that has some cells.
static int64_t tableWords(const KeySet &set, int64_t cells) {
  return set.words == 1 ? WordTable::wordsFor(cells / WordTable::bucketCells)
                        : cells;
}

static int64_t mergePartition(const KeySet &set, const uint64_t *const *known,
                              int64_t slot, int64_t number) {
  PartitionRows rows(set, number);
  int64_t keys = keysOf(set, number), place = set.plan[number].table;
  bool isLarge = place >= 0;
  WordMerger merger(set, known, rows, number,
                    isLarge ? set.largeTables + place : set.tableOf(slot),
                    (isLarge ? largeCells(keys) : 2 * keys + 8) /
                        WordTable::bucketCells);
  return mergeWords(merger);
}

void zenith_routine_dedup_plan(const zenith_dedup_arguments *arguments,
                               int64_t begin, int64_t end) {
  const zenith_dedup_arguments &given = checked(arguments);
  KeySet set(given);
  if (begin == end)
    return;
  int64_t order = 0, largeWords = 0;
  for (int64_t number = 0; number < set.partitions; ++number) {
    DedupPartition partition;
    partition.order = order;
    for (int64_t slot = 0; slot < set.slots; ++slot)
      for (int kind = 0; kind < 2; ++kind) {
        int64_t chain = set.chain(slot, kind, number);
        if (set.blocks[chain] == 0)
          continue;
        int64_t inLast = ((set.cursors[chain] - 1) & (set.blockRows - 1)) + 1;
        (kind ? partition.candidates : partition.known) +=
            (int64_t(set.blocks[chain]) - 1) * set.blockRows + inLast;
        order += set.blocks[chain];
      }
    set.plan[number] = partition;
    int64_t keys = keysOf(set, number);
    if (tableWords(set, 2 * keys + 8) > set.tableWords) {
      set.plan[number].table = largeWords;
      // The next table starts at a cache line too.
      largeWords += tableWords(set, largeCells(keys)) / 8 * 8 + 8;
    }
  }
}

void zenith_routine_dedup_merge(const zenith_dedup_arguments *arguments,
                                int64_t begin, int64_t end) {
  const zenith_dedup_arguments &given = checked(arguments);
  KeySet set(given);
  auto *const *known = reinterpret_cast<const uint64_t *const *>(given.known);
  byWidth(set.words, [&](auto width) {
    for (int64_t slot = begin; slot < end; ++slot) {
      auto [first, last] = rowsOfSlot(set.partitions, set.slots, slot);
      for (int64_t p = first; p < last; ++p)
        if constexpr (width == 1)
          set.plan[p].fresh = mergePartition(set, known, slot, p);
        else
          set.plan[p].fresh = RowMerger<width>(set, slot).merge(p);
    }
  });
}

void zenith_routine_dedup_gather(const zenith_dedup_arguments *arguments,
                                 int64_t begin, int64_t end) {
  const zenith_dedup_arguments &given = checked(arguments);
  KeySet set(given);
  auto *const *results = reinterpret_cast<uint64_t *const *>(given.results);
  int64_t before = 0, number = 0;
  for (int64_t slot = 0; slot < end; ++slot) {
    auto [first, last] = rowsOfSlot(set.partitions, set.slots, slot);
    for (number = first; number < last; before += set.plan[number++].fresh) {
      if (slot < begin)
        continue;
      const DedupPartition &partition = set.plan[number];
      int64_t knownBlocks = 0;
      for (int64_t from = 0; from < set.slots; ++from)
        knownBlocks += set.blocks[set.chain(from, 0, number)];
      const uint32_t *blocks = set.order + partition.order + knownBlocks;
      for (int64_t i = 0; i < partition.fresh; i += set.blockRows) {
        const uint64_t *from = set.row(int64_t(*blocks++) * set.blockRows);
        int64_t count = std::min(set.blockRows, partition.fresh - i);
        for (int64_t word = 0; word < set.words; ++word)
          if (uint64_t *to = results[word])
            for (int64_t row = 0; row < count; ++row)
              to[before + i + row] = from[row * set.words + word];
      }
    }
  }
  if (end == set.slots)
    *given.found = before;
}
