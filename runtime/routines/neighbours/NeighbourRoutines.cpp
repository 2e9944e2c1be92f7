// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts different neighbours without making them: their hashes are
// partitioned, and only neighbours whose hashes agree are compared.

#include "runtime/RoutineScratch.h"
#include "runtime/routines/Routines.h"
#include "runtime/routines/RowSlots.h"
#include "runtime/routines/neighbours/NeighbourHashes.h"

#include <algorithm>

using namespace zenith::runtime;

namespace {

using Arguments = zenith_count_neighbours_arguments;
using Sizes = CountNeighboursSizes<int64_t>;

/// Where the arrays of the scratch buffer begin.
struct Arrays {
  explicit Arrays(const Arguments &given) {
    int64_t total = given.rows * given.generators;
    for (int64_t set = 0; set < given.nsets; ++set)
      total += given.set_rows[set];
    const auto layout = countNeighboursScratch<int64_t>(
        {total, given.slots, given.partitions, given.finders, given.generators,
         given.columns});
    ScratchReader scratch(given.scratch, layout);
    sumsBytes = scratch.take<bool>();
    counts = scratch.take<int64_t>();
    entries = scratch.take<uint64_t>();
    memory = scratch.take<uint64_t>();
    starts = scratch.take<uint32_t>();
    moved = scratch.take<char>();
    same = scratch.take<char>();
  }

  bool *sumsBytes;
  int64_t *counts; ///< by finder: repeated, excluded
  /// A hash above a number: of a neighbour or, after all neighbours, of the row
  /// of a set.
  uint64_t *entries;
  uint64_t *memory; ///< of slots, then of finders
  uint32_t *starts; ///< by slot: first entry of each partition, and the end
  char *moved, *same;
};

/// State of all steps.
struct Counting {
  explicit Counting(const Arguments &given)
      : given(given), arrays(given), moved({given.sources, given.generators,
                                            given.columns, given.element_bytes},
                                           arrays.moved),
        same({nullptr, 1, given.columns, given.element_bytes}, arrays.same),
        neighbours(given.rows * given.generators),
        rowBytes(given.columns * given.element_bytes),
        reciprocal(given.generators > 1
                       ? ~uint64_t(0) / uint64_t(given.generators) + 1
                       : 0) {}

  /// The layer, then each set.
  int64_t parts() const { return 1 + given.nsets; }
  int64_t rowsOf(int64_t part) const {
    return part == 0 ? given.rows : given.set_rows[part - 1];
  }
  const char *dataOf(int64_t part) const {
    return static_cast<const char *>(part == 0 ? given.layer
                                               : given.sets[part - 1]);
  }
  const MoveTables &movesOf(int64_t part) const {
    return part == 0 ? moved : same;
  }
  uint32_t *startsOf(int64_t slot) const {
    return arrays.starts + slot * (given.partitions + 1);
  }
  /// Entries of the slots before this one.
  int64_t entriesBefore(int64_t slot) const {
    int64_t before = 0;
    for (int64_t part = 0; part < parts(); ++part)
      before += rowsOfSlot(rowsOf(part), given.slots, slot).first *
                movesOf(part).moves.count;
    return before;
  }
  static uint32_t hashOf(uint64_t entry) { return uint32_t(entry >> 32); }
  bool isNeighbour(uint64_t entry) const {
    return int64_t(uint32_t(entry)) < neighbours;
  }

  /// Uses memory for the slot's entries and hashes.
  void partition(int64_t slot, uint64_t *memory) const;

  /// What an entry is of.
  struct Row {
    const char *data;
    const MoveTables *moves;
    int64_t move;
  };
  Row rowOf(uint64_t entry) const {
    auto number = int64_t(uint32_t(entry));
    if (number < neighbours) {
      // Exact for 32-bit numbers; 0 stands for 2^64.
      auto product = (unsigned __int128)(reciprocal)*uint64_t(number);
      int64_t row = reciprocal ? int64_t(product >> 64) : number;
      return {dataOf(0) + row * rowBytes, &moved,
              number - row * given.generators};
    }
    number -= neighbours;
    int64_t part = 1;
    for (; number >= rowsOf(part); ++part)
      number -= rowsOf(part);
    return {dataOf(part) + number * rowBytes, &same, 0};
  }
  bool areEqual(uint64_t x, uint64_t y) const {
    Row one = rowOf(x), other = rowOf(y);
    return one.moves->areEqual(one.data, one.move, *other.moves, other.data,
                               other.move, *arrays.sumsBytes);
  }
  void prefetch(uint64_t entry) const {
    const char *data = rowOf(entry).data;
    __builtin_prefetch(data);
    // Short rows often lie across two lines.
    __builtin_prefetch(data + rowBytes - 1);
  }

  const Arguments &given;
  const Arrays arrays;
  const MoveTables moved, same;
  const int64_t neighbours, rowBytes;
  const uint64_t reciprocal; ///< of the generators, times 2^64, rounded up
};

} // namespace

void Counting::partition(int64_t slot, uint64_t *memory) const {
  const bool sumsBytes = *arrays.sumsBytes;
  const int64_t before = entriesBefore(slot),
                count = entriesBefore(slot + 1) - before;
  uint64_t *const sorted = memory;
  auto *const hashes = reinterpret_cast<uint32_t *>(memory + count);
  uint32_t *const starts = startsOf(slot), *end = hashes;
  for (int64_t part = 0; part < parts(); ++part) {
    auto [first, last] = rowsOfSlot(rowsOf(part), given.slots, slot);
    movesOf(part).hash(dataOf(part) + first * rowBytes, last - first, sumsBytes,
                       end);
    end += (last - first) * movesOf(part).moves.count;
  }
  std::fill(starts, starts + given.partitions + 1, 0);
  // Copies: the compiler must assume that stores alias what they are copies of.
  const auto partitions = uint64_t(given.partitions);
  auto partitionOf = [=](uint32_t hash) { return hash * partitions >> 32; };
  for (const uint32_t *hash = hashes; hash < end; ++hash)
    ++starts[partitionOf(*hash) + 1];
  for (int64_t p = 0; p < given.partitions; ++p)
    starts[p + 1] += starts[p];
  const uint32_t *hash = hashes;
  int64_t number = 0; // of the part's first hash
  for (int64_t part = 0; part < parts(); ++part) {
    const int64_t moves = movesOf(part).moves.count;
    auto [first, last] = rowsOfSlot(rowsOf(part), given.slots, slot);
    for (auto own = uint64_t(number + first * moves),
              behind = uint64_t(number + last * moves);
         own < behind; ++own, ++hash)
      sorted[starts[partitionOf(*hash)]++] = uint64_t(*hash) << 32 | own;
    number += rowsOf(part) * moves;
  }
  // In order memory is written as fast as it is read.
  std::copy_n(sorted, count, arrays.entries + before);
  // Each start has moved to that of the next partition.
  for (int64_t p = given.partitions; p > 0; --p)
    starts[p] = uint32_t(before) + starts[p - 1];
  starts[0] = uint32_t(before);
}

namespace {

/// Finds equal rows among the entries of a partition, in rounds. Each has a
/// cell for every few entries: the first of a cell is done with, those of the
/// cell that equal it are counted, and the others are in the next round, whose
/// cells are of other bits of the hashes. Most branches would be unpredictable:
/// passes over all entries have none.
class PartitionCounts {
public:
  PartitionCounts(const Counting &all, int64_t partition, uint64_t *memory)
      : all(all), partition(partition), list(memory) {}

  void count() {
    take();
    for (; size > 1; factor *= firstFactor)
      round();
  }

  int64_t repeated = 0, excluded = 0;

private:
  static constexpr uint32_t firstFactor = 0x9e3779b1; // odd
  /// Marks the first of equal neighbours where a set has it: numbers are below.
  static constexpr uint64_t inSet = uint64_t(1) << 31;
  /// Two entries of the list: one and, from this bit on, the first of its cell.
  static constexpr int firstBit = 32;

  template <typename Visit> void eachSlot(Visit visit) const {
    for (int64_t slot = 0; slot < all.given.slots; ++slot) {
      const uint32_t *starts = all.startsOf(slot) + partition;
      visit(all.arrays.entries + starts[0], all.arrays.entries + starts[1]);
    }
  }
  void take();
  void round();
  int64_t pairUp(uint32_t *cells, int bits);
  void compare(const uint64_t *pairs, int64_t count);

  const Counting &all;
  const int64_t partition;
  uint64_t *list;            ///< neighbours before rows of sets
  uint64_t *other = nullptr; ///< as much memory: pairs, then the next list
  uint64_t *cells = nullptr; ///< memory for twice as much
  int64_t size = 0;          ///< of the list
  int64_t left = 0;          ///< size of the next list
  uint32_t factor = firstFactor;
};

} // namespace

void PartitionCounts::take() {
  uint64_t *to = list;
  if (all.given.nsets == 0) {
    eachSlot([&](const uint64_t *entry, const uint64_t *end) {
      to = std::copy(entry, end, to);
    });
  } else {
    for (bool areNeighbours : {true, false})
      eachSlot([&](const uint64_t *entry, const uint64_t *end) {
        to = std::copy_if(entry, end, to, [&](uint64_t x) {
          return all.isNeighbour(x) == areNeighbours;
        });
      });
  }
  size = to - list;
  other = list + size + 1;
  cells = other + size + 1;
}

/// Pairs of all entries that are not the first of their cell; how many.
int64_t PartitionCounts::pairUp(uint32_t *cells, int bits) {
  std::fill_n(cells, int64_t(1) << bits, 0);
  // Copies: the compiler must assume that stores alias what they are copies of.
  const uint32_t factor = this->factor;
  const uint64_t *const list = this->list;
  uint64_t *pair = other;
  for (uint32_t i = 0, end = uint32_t(size); i < end; ++i) {
    uint32_t &cell = cells[Counting::hashOf(list[i]) * factor >> (32 - bits)];
    const uint32_t first = cell, isEmpty = first == 0;
    *pair = uint64_t(first - 1) << firstBit | i;
    pair += 1 - isEmpty;
    cell = isEmpty ? i + 1 : first;
  }
  return pair - other;
}

/// Pairs whose hashes agree.
void PartitionCounts::compare(const uint64_t *pairs, int64_t count) {
  auto firstOf = [&](uint64_t pair) -> uint64_t & {
    return list[pair >> firstBit];
  };
  auto entryOf = [&](uint64_t pair) { return list[uint32_t(pair)]; };
  /// As many as memory answers at a time.
  constexpr int64_t ahead = 12;
  const int64_t before = left;
  for (int64_t i = -ahead; i < count; ++i) {
    if (i + ahead < count) {
      all.prefetch(entryOf(pairs[i + ahead]));
      all.prefetch(firstOf(pairs[i + ahead]) & ~inSet);
    }
    if (i < 0)
      continue;
    const uint64_t entry = entryOf(pairs[i]);
    uint64_t &first = firstOf(pairs[i]);
    if (!all.areEqual(entry, first & ~inSet)) {
      other[left++] = entry;
    } else if (all.isNeighbour(entry)) {
      ++repeated;
    } else if (all.isNeighbour(first & ~inSet) && !(first & inSet)) {
      first |= inSet;
      ++excluded;
    }
  }
  if (left > before && all.given.nsets > 0)
    std::partition(other, other + left,
                   [&](uint64_t x) { return all.isNeighbour(x); });
}

void PartitionCounts::round() {
  // Two to four cells for an entry, of 4 bytes each.
  int bits = 2;
  while (int64_t(1) << bits < 2 * size)
    ++bits;
  const int64_t count = pairUp(reinterpret_cast<uint32_t *>(cells), bits);
  uint64_t *const pairs = cells, *const next = other;
  const uint64_t *const list = this->list;
  int64_t same = 0, differ = 0;
  for (int64_t i = 0; i < count; ++i) {
    const uint64_t pair = other[i], entry = list[uint32_t(pair)];
    const bool agree = (entry ^ list[pair >> firstBit]) >> 32 == 0;
    pairs[same] = pair;
    same += agree;
    // What is written lies behind what is read.
    next[differ] = entry;
    differ += !agree;
  }
  left = differ;
  compare(pairs, same);
  std::swap(this->list, other);
  size = left;
}

void zenith_routine_count_neighbours_weigh(const Arguments *arguments,
                                           int64_t begin, int64_t end) {
  const Counting all(checked(arguments));
  if (begin == end)
    return;
  bool sumsBytes = MoveTables::canSumBytes(all.moved.moves);
  *all.arrays.sumsBytes = sumsBytes;
  all.moved.fill(sumsBytes);
  all.same.fill(sumsBytes);
}

void zenith_routine_count_neighbours_partition(const Arguments *arguments,
                                               int64_t begin, int64_t end) {
  const Counting all(checked(arguments));
  // Slots use the same memory one after another, so that it stays in a cache:
  // the first has as many entries as any other.
  uint64_t *memory =
      all.arrays.memory + Sizes::entryWords * all.entriesBefore(begin);
  for (int64_t slot = begin; slot < end; ++slot)
    all.partition(slot, memory);
}

void zenith_routine_count_neighbours_find(const Arguments *arguments,
                                          int64_t begin, int64_t end) {
  const Counting all(checked(arguments));
  for (int64_t finder = begin; finder < end; ++finder) {
    auto [first, last] =
        rowsOfSlot(all.given.partitions, all.given.finders, finder);
    // The memory of a finder's partitions is behind that of those before.
    int64_t before = first;
    for (int64_t slot = 0; slot < all.given.slots; ++slot)
      before += all.startsOf(slot)[first] - all.startsOf(slot)[0];
    int64_t *counts = all.arrays.counts + 2 * finder;
    std::fill_n(counts, 2, int64_t(0));
    for (int64_t partition = first; partition < last; ++partition) {
      PartitionCounts own(all, partition,
                          all.arrays.memory + Sizes::entryWords * before);
      own.count();
      counts[0] += own.repeated;
      counts[1] += own.excluded;
    }
  }
}

void zenith_routine_count_neighbours_sum(const Arguments *arguments,
                                         int64_t begin, int64_t end) {
  const Counting all(checked(arguments));
  if (begin == end)
    return;
  int64_t formed = all.neighbours, excluded = 0;
  for (int64_t finder = 0; finder < all.given.finders; ++finder) {
    formed -= all.arrays.counts[2 * finder];
    excluded += all.arrays.counts[2 * finder + 1];
  }
  if (all.given.formed)
    *all.given.formed = formed;
  if (all.given.fresh)
    *all.given.fresh = formed - excluded;
}
