// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// New keys among candidates: rows are dealt by hash to partitions that fit a
// cache, each slot of tasks into blocks of its own so that their order depends
// on no thread; then a table per partition finds what is new.

#include "runtime/ChunkProducer.h"
#include "runtime/RoutineArguments.h"
#include "runtime/Routines.h"

#include <algorithm>
#include <type_traits>

using namespace zenith::runtime;

namespace {

/// Blocks that the compiler asks for have no more rows.
constexpr int64_t mostBlockRows = 128;

/// What the plan says of a partition.
struct Partition {
  int64_t known = 0, candidates = 0; ///< rows
  int64_t order = 0;                 ///< first entry of its blocks' list
  int64_t table = -1;                ///< own cells; -1: those of the slot
  int64_t fresh = 0;
};

/// The numbers that all steps share, and the scratch buffer as they say.
class KeySet {
public:
  KeySet(RoutineArguments &args)
      : words(args.number()), lists(args.number()), rows(args.number()),
        knownLists(args.number()), knownRows(args.takeNumbers(knownLists)),
        key(args.takeNumbers(words)), slots(args.number()),
        partitions(powerAtMost(args.number())), slotBlocks(args.number()),
        blockRows(args.number()), tableCells(args.number()),
        chunkRows(args.number()), blockShift(__builtin_ctzll(blockRows)),
        hasAbsent(args.number() != 0), absent(uint64_t(args.number())) {
    auto *next = static_cast<char *>(args.pointer());
    auto take = [&](auto *&array, int64_t count) {
      using T = std::remove_reference_t<decltype(*array)>;
      array = reinterpret_cast<T *>(next);
      next += (count * int64_t(sizeof(T)) + 63) / 64 * 64;
    };
    take(storage, slots * slotBlocks * blockRows * words);
    take(following, slots * slotBlocks);
    take(order, slots * slotBlocks);
    take(heads, slots * partitions * 2);
    take(cursors, slots * partitions * 2);
    take(blocks, slots * partitions * 2);
    take(plan, partitions);
    take(tables, slots * slotTableWords());
    take(chunks, slots * chunkRows * lists * (words + 1) * 2);
    take(largeTables, 0);
  }

  int64_t words, lists, rows, knownLists;
  const int64_t *knownRows, *key;
  int64_t slots, partitions, slotBlocks, blockRows, tableCells, chunkRows;
  int blockShift; ///< blockRows is a power of two
  bool hasAbsent;
  uint64_t absent;
  uint64_t *storage;   ///< blocks of rows
  uint32_t *following; ///< the block after each one of its chain
  uint32_t *order;     ///< blocks by partition
  uint32_t *heads;     ///< first block by slot, kind and partition
  int64_t *cursors;    ///< behind the last row, by slot, kind and partition
  uint32_t *blocks;    ///< how many, likewise
  Partition *plan;
  uint32_t *tables;      ///< of each slot
  uint64_t *chunks;      ///< candidates of each slot before they are dealt
  uint32_t *largeTables; ///< of partitions too large for a slot's

  uint64_t hash(const uint64_t *row, int64_t width) const {
    uint64_t value = 0;
    for (int64_t word = 0; word < width; ++word) {
      value = (value ^ (row[word] & uint64_t(key[word]))) * 0x9e3779b97f4a7c15;
      value ^= value >> 32;
    }
    return value * 0xbf58476d1ce4e5b9;
  }
  int64_t partitionOf(uint64_t hash) const {
    return int64_t((hash >> 40) * uint64_t(partitions) >> 24);
  }
  uint64_t *row(int64_t number) const { return storage + number * words; }
  /// 32-bit words of a slot's table: cells with keys of one word, and where the
  /// new ones are; or numbers of rows.
  int64_t slotTableWords() const { return tableCells * (words == 1 ? 3 : 1); }

private:
  static int64_t powerAtMost(int64_t count) {
    int64_t power = 1;
    while (power * 2 <= count)
      power *= 2;
    return power;
  }
};

/// Deals rows of one slot to partitions. `Width`: words of a key, 0: any.
template <int Width> class Dealer {
public:
  Dealer(const KeySet &set, int64_t slot)
      : set(set), width(Width ? Width : set.words),
        nextBlock(uint32_t(slot * set.slotBlocks)),
        heads(set.heads + slot * set.partitions * 2),
        blocks(set.blocks + slot * set.partitions * 2),
        cursors(set.cursors + slot * set.partitions * 2) {
    std::fill(cursors, cursors + set.partitions * 2, 0);
    std::fill(blocks, blocks + set.partitions * 2, 0);
  }
  /// `kind`: 0 known, 1 candidate.
  void deal(const uint64_t *row, int kind) {
    int64_t chain =
        kind * set.partitions + set.partitionOf(set.hash(row, width));
    int64_t &cursor = cursors[chain];
    if ((cursor & (set.blockRows - 1)) == 0)
      open(chain, cursor);
    uint64_t *to = set.storage + cursor * width;
    for (int64_t word = 0; word < width; ++word)
      to[word] = row[word];
    ++cursor;
  }

private:
  void open(int64_t chain, int64_t &cursor) {
    uint32_t block = nextBlock++;
    if (blocks[chain]++ == 0)
      heads[chain] = block;
    else
      set.following[(cursor - 1) >> set.blockShift] = block;
    cursor = int64_t(block) * set.blockRows;
  }

  const KeySet &set;
  const int64_t width;
  uint32_t nextBlock;
  uint32_t *heads, *blocks;
  int64_t *cursors;
};

} // namespace

/// Candidates of a chunk, those of one row together, without absent ones: how
/// many.
template <int Width>
static int64_t packChunk(const KeySet &set, const uint64_t *lists,
                         int64_t count, uint64_t *packed) {
  const int64_t width = Width ? Width : set.words;
  uint64_t *to = packed;
  for (int64_t i = 0; i < count; ++i)
    for (int64_t list = 0; list < set.lists; ++list) {
      const uint64_t *from = lists + list * width * set.chunkRows + i;
      for (int64_t word = 0; word < width; ++word)
        to[word] = from[word * set.chunkRows];
      to += !set.hasAbsent || to[0] != set.absent ? width : 0;
    }
  return (to - packed) / width;
}

template <int Width>
static void dealSlot(const KeySet &set, const ChunkProducer &producer,
                     const uint64_t *const *known, int64_t slot) {
  const int64_t width = Width ? Width : set.words;
  Dealer<Width> dealer(set, slot);
  uint64_t *lists =
      set.chunks + slot * set.chunkRows * set.lists * (width + 1) * 2;
  uint64_t *packed = lists + set.chunkRows * set.lists * width;
  auto [first, last] = rowsOfSlot(set.rows, set.slots, slot);
  for (int64_t row = first; row < last; row += set.chunkRows) {
    int64_t count = std::min(set.chunkRows, last - row);
    producer.run(row, row + count, lists);
    int64_t candidates = packChunk<Width>(set, lists, count, packed);
    for (int64_t i = 0; i < candidates; ++i)
      dealer.deal(packed + i * width, 1);
  }
  uint64_t *key = packed;
  for (int64_t list = 0; list < set.knownLists; ++list) {
    auto [begin, end] = rowsOfSlot(set.knownRows[list], set.slots, slot);
    for (int64_t row = begin; row < end; ++row) {
      for (int64_t word = 0; word < width; ++word)
        key[word] = known[list * width + word][row];
      dealer.deal(key, 0);
    }
  }
}

namespace {

/// Finds what is new in one partition. Rows are named by position: block of the
/// partition's list times rows of a block, plus row of the block.
template <int Width> class Merger {
public:
  Merger(const KeySet &set, int64_t slot)
      : set(set), width(Width ? Width : set.words),
        slotTable(set.tables + slot * set.slotTableWords()) {}

  void merge(int64_t number) {
    Partition &partition = set.plan[number];
    order = set.order + partition.order;
    int64_t knownBlocks = listBlocks(number, 0, order);
    listed = knownBlocks + listBlocks(number, 1, order + knownBlocks);
    int64_t rows = partition.known + partition.candidates;
    if constexpr (Width == 1) {
      if (rows + rows / 2 <= set.tableCells) {
        partition.fresh = mergeWords(number, knownBlocks, rows);
        return;
      }
    }
    cellCount = uint64_t(2 * rows);
    cells = partition.table < 0 ? slotTable : set.largeTables + partition.table;
    std::fill(cells, cells + cellCount, 0);
    partition.fresh = mergeRows(number, knownBlocks);
  }

private:
  /// A table of numbers of rows, which stay where they are.
  int64_t mergeRows(int64_t number, int64_t knownBlocks) {
    const int64_t knownEnd = knownBlocks * set.blockRows;
    forEachRow(number, 0, 0, [&](uint64_t *row, int64_t position) {
      uint32_t &cell = find(row);
      if (!cell)
        cell = uint32_t(position + 1);
    });
    int64_t fresh = 0;
    forEachRow(number, 1, knownBlocks, [&](uint64_t *row, int64_t) {
      uint32_t &cell = find(row);
      if (!cell) {
        // Never behind the row that is read: rows before it are done with.
        uint64_t *to = at(knownEnd + fresh);
        for (int64_t word = 0; word < width; ++word)
          to[word] = row[word];
        cell = uint32_t(knownEnd + ++fresh);
      } else if (int64_t(cell) > knownEnd) {
        uint64_t *other = at(cell - 1);
        for (int64_t word = 0; word < width; ++word)
          other[word] |= row[word];
      }
    });
    return fresh;
  }

  /// A table of keys of one word. An empty cell is 0, so that a new key and one
  /// that joins another are written alike, without a branch; the key 0 is kept
  /// apart.
  int64_t mergeWords(int64_t number, int64_t knownBlocks, int64_t rows) {
    unsigned bits = 4;
    while (int64_t(1) << bits < rows + rows / 2)
      ++bits;
    auto *keys = reinterpret_cast<uint64_t *>(slotTable);
    uint32_t *freshCells = slotTable + 2 * set.tableCells;
    std::fill(keys, keys + (int64_t(1) << bits), 0);
    const uint64_t significant = uint64_t(set.key[0]),
                   last = (uint64_t(1) << bits) - 1;
    auto settle = [&](uint64_t cell, uint64_t key) {
      // Whether a key is new is no branch: nobody can foretell it.
      while (bool(keys[cell]) & bool((keys[cell] ^ key) & significant))
        cell = (cell + 1) & last;
      return cell;
    };
    // Cells of a whole block are asked for before any is looked at.
    auto forEachCell = [&](int kind, int64_t firstBlock, auto fn) {
      forEachBlock(
          number, kind, firstBlock, [&](uint64_t *row, int64_t count, int64_t) {
            uint32_t cells[mostBlockRows];
            for (int64_t i = 0; i < count; ++i) {
              cells[i] = uint32_t(set.hash(row + i, 1) << 24 >> (64 - bits));
              __builtin_prefetch(keys + cells[i], 1);
            }
            for (int64_t i = 0; i < count; ++i)
              fn(row[i], settle(cells[i], row[i]));
          });
    };
    bool zeroIsKnown = false, zeroIsFresh = false;
    forEachCell(0, 0, [&](uint64_t key, uint64_t cell) {
      zeroIsKnown |= key == 0;
      keys[cell] = key;
    });
    int64_t fresh = 0;
    forEachCell(1, knownBlocks, [&](uint64_t key, uint64_t cell) {
      zeroIsFresh |= key == 0;
      freshCells[fresh] = uint32_t(cell);
      fresh += keys[cell] == 0 && key != 0;
      keys[cell] |= key;
    });
    const int64_t knownEnd = knownBlocks * set.blockRows;
    for (int64_t i = 0; i < fresh; ++i)
      *at(knownEnd + i) = keys[freshCells[i]];
    if (zeroIsFresh && !zeroIsKnown)
      *at(knownEnd + fresh++) = 0;
    return fresh;
  }

  uint64_t *at(int64_t position) const {
    return set.row(
        (int64_t(order[position >> set.blockShift]) << set.blockShift) +
        (position & (set.blockRows - 1)));
  }
  /// Lists the blocks of one kind, slot by slot; returns how many.
  int64_t listBlocks(int64_t number, int kind, uint32_t *to) {
    uint32_t *first = to;
    for (int64_t slot = 0; slot < set.slots; ++slot) {
      int64_t chain = (slot * 2 + kind) * set.partitions + number;
      uint32_t block = set.heads[chain];
      for (uint32_t i = 0; i < set.blocks[chain]; ++i) {
        *to++ = block;
        if (i + 1 < set.blocks[chain])
          block = set.following[block];
      }
    }
    return to - first;
  }

  /// Asks memory for a block that comes soon.
  void askAhead(int64_t place) {
    constexpr int64_t line = 64;
    if (place >= listed)
      return;
    auto *from = reinterpret_cast<const char *>(
        set.row(int64_t(order[place]) << set.blockShift));
    for (int64_t at = 0; at < set.blockRows * width * 8; at += line)
      __builtin_prefetch(from + at);
  }

  /// Calls fn with the first row, the number of rows and the place of each
  /// block.
  template <typename Fn>
  void forEachBlock(int64_t number, int kind, int64_t firstBlock, Fn fn) {
    int64_t place = firstBlock;
    for (int64_t slot = 0; slot < set.slots; ++slot) {
      int64_t chain = (slot * 2 + kind) * set.partitions + number;
      for (uint32_t left = set.blocks[chain]; left > 0; --left, ++place) {
        int64_t first = int64_t(order[place]) << set.blockShift;
        askAhead(place + 2);
        fn(set.row(first),
           left > 1 ? set.blockRows : set.cursors[chain] - first, place);
      }
    }
  }

  template <typename Fn>
  void forEachRow(int64_t number, int kind, int64_t firstBlock, Fn fn) {
    forEachBlock(number, kind, firstBlock,
                 [&](uint64_t *row, int64_t count, int64_t place) {
                   for (int64_t i = 0; i < count; ++i)
                     fn(row + i * width, place * set.blockRows + i);
                 });
  }

  /// The cell of a row with the same key, or the empty one where it belongs.
  uint32_t &find(const uint64_t *row) {
    uint64_t cell = (set.hash(row, width) >> 8 & 0xffffffff) * cellCount >> 32;
    while (cells[cell] && !same(row, at(cells[cell] - 1)))
      cell = cell + 1 == cellCount ? 0 : cell + 1;
    return cells[cell];
  }
  bool same(const uint64_t *x, const uint64_t *y) const {
    uint64_t difference = 0;
    for (int64_t word = 0; word < width; ++word)
      difference |= (x[word] ^ y[word]) & uint64_t(set.key[word]);
    return difference == 0;
  }

  const KeySet &set;
  const int64_t width;
  uint32_t *slotTable, *cells = nullptr, *order = nullptr;
  uint64_t cellCount = 0;
  int64_t listed = 0; ///< blocks of the partition
};

} // namespace
/// Calls fn with the width of a key as a constant where it is small.
template <typename Fn> static void byWidth(int64_t words, Fn fn) {
  switch (words) {
  case 1:
    return fn(std::integral_constant<int, 1>());
  case 2:
    return fn(std::integral_constant<int, 2>());
  case 3:
    return fn(std::integral_constant<int, 3>());
  default:
    return fn(std::integral_constant<int, 0>());
  }
}

void zenith_routine_fresh_keys_deal(void *const *pointers,
                                    const int64_t *numbers, int64_t begin,
                                    int64_t end) {
  RoutineArguments args(pointers, numbers);
  KeySet set(args);
  auto *const *known = reinterpret_cast<const uint64_t *const *>(
      args.takePointers(set.knownLists * set.words));
  ChunkProducer producer(args);
  byWidth(set.words, [&](auto width) {
    for (int64_t slot = begin; slot < end; ++slot)
      dealSlot<width>(set, producer, known, slot);
  });
}

void zenith_routine_fresh_keys_plan(void *const *pointers,
                                    const int64_t *numbers, int64_t begin,
                                    int64_t end) {
  RoutineArguments args(pointers, numbers);
  KeySet set(args);
  if (begin == end)
    return;
  int64_t order = 0, largeCells = 0;
  for (int64_t number = 0; number < set.partitions; ++number) {
    Partition partition;
    partition.order = order;
    for (int64_t slot = 0; slot < set.slots; ++slot)
      for (int kind = 0; kind < 2; ++kind) {
        int64_t chain = (slot * 2 + kind) * set.partitions + number;
        if (set.blocks[chain] == 0)
          continue;
        int64_t inLast = ((set.cursors[chain] - 1) & (set.blockRows - 1)) + 1;
        (kind ? partition.candidates : partition.known) +=
            (int64_t(set.blocks[chain]) - 1) * set.blockRows + inLast;
        order += set.blocks[chain];
      }
    int64_t cells = 2 * (partition.known + partition.candidates);
    if (cells > set.slotTableWords()) {
      partition.table = largeCells;
      largeCells += cells;
    }
    set.plan[number] = partition;
  }
}

void zenith_routine_fresh_keys_merge(void *const *pointers,
                                     const int64_t *numbers, int64_t begin,
                                     int64_t end) {
  RoutineArguments args(pointers, numbers);
  KeySet set(args);
  byWidth(set.words, [&](auto width) {
    for (int64_t slot = begin; slot < end; ++slot) {
      Merger<width> merger(set, slot);
      for (int64_t p = slot; p < set.partitions; p += set.slots)
        merger.merge(p);
    }
  });
}

void zenith_routine_fresh_keys_gather(void *const *pointers,
                                      const int64_t *numbers, int64_t begin,
                                      int64_t end) {
  RoutineArguments args(pointers, numbers);
  KeySet set(args);
  auto *found = args.pointer<int64_t>();
  auto *const *results =
      reinterpret_cast<uint64_t *const *>(args.takePointers(set.words));
  int64_t before = 0, number = 0;
  for (int64_t slot = 0; slot < end; ++slot) {
    auto [first, last] = rowsOfSlot(set.partitions, set.slots, slot);
    for (number = first; number < last; before += set.plan[number++].fresh) {
      if (slot < begin)
        continue;
      const Partition &partition = set.plan[number];
      int64_t knownBlocks = 0;
      for (int64_t from = 0; from < set.slots; ++from)
        knownBlocks += set.blocks[from * 2 * set.partitions + number];
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
    *found = before;
}
