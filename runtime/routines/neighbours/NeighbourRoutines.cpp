// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts different neighbours without making them: their hashes are
// partitioned, and only neighbours whose hashes agree are compared, whole.

#include "runtime/RoutineScratch.h"
#include "runtime/routines/Routines.h"
#include "runtime/routines/RowSlots.h"
#include "runtime/routines/neighbours/NeighbourHashes.h"

#include <algorithm>
#include <cstring>

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
  /// Where there is one partition: hashes stay in order.
  uint32_t *hashesOf(int64_t slot) const {
    return reinterpret_cast<uint32_t *>(arrays.entries) + entriesBefore(slot);
  }
  static uint64_t entryOf(uint32_t hash, uint64_t number) {
    return uint64_t(hash) << 32 | number;
  }
  static uint32_t hashOf(uint64_t entry) { return uint32_t(entry >> 32); }
  bool isNeighbour(uint64_t entry) const {
    return int64_t(uint32_t(entry)) < neighbours;
  }

  /// Calls visit(part, number, count) for the slot's entries, in order.
  template <typename Visit> void eachPiece(int64_t slot, Visit visit) const;
  void hash(int64_t slot, uint32_t *to) const;
  void partition(int64_t slot, const uint32_t *hashes) const;

  /// What an entry is of.
  MovedRow rowOf(uint64_t entry) const {
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
  void prefetch(const MovedRow &row) const {
    __builtin_prefetch(row.row);
    // Short rows often lie across two lines.
    __builtin_prefetch(row.row + rowBytes - 1);
  }

  const Arguments &given;
  const Arrays arrays;
  const MoveTables moved, same;
  const int64_t neighbours, rowBytes;
  const uint64_t reciprocal; ///< of the generators, times 2^64, rounded up
};

} // namespace

template <typename Visit>
void Counting::eachPiece(int64_t slot, Visit visit) const {
  int64_t number = 0; // of the part's first row
  for (int64_t part = 0; part < parts(); ++part) {
    const int64_t moves = movesOf(part).moves.count;
    auto [first, last] = rowsOfSlot(rowsOf(part), given.slots, slot);
    visit(part, number + first * moves, (last - first) * moves);
    number += rowsOf(part) * moves;
  }
}

void Counting::hash(int64_t slot, uint32_t *to) const {
  for (int64_t part = 0; part < parts(); ++part) {
    auto [first, last] = rowsOfSlot(rowsOf(part), given.slots, slot);
    movesOf(part).hash(dataOf(part) + first * rowBytes, last - first,
                       *arrays.sumsBytes, to);
    to += (last - first) * movesOf(part).moves.count;
  }
}

void Counting::partition(int64_t slot, const uint32_t *hashes) const {
  const int64_t before = entriesBefore(slot);
  const uint32_t *const end = hashes + entriesBefore(slot + 1) - before;
  uint32_t *const starts = startsOf(slot);
  // Copies: the compiler must assume that stores alias what they are copies of.
  const auto partitions = uint64_t(given.partitions);
  auto partitionOf = [=](uint32_t hash) { return hash * partitions >> 32; };
  std::fill(starts, starts + given.partitions + 1, 0);
  for (const uint32_t *hash = hashes; hash < end; ++hash)
    ++starts[partitionOf(*hash) + 1];
  starts[0] = uint32_t(before);
  for (int64_t p = 0; p < given.partitions; ++p)
    starts[p + 1] += starts[p];
  uint64_t *const sorted = arrays.entries;
  eachPiece(slot, [&](int64_t, int64_t number, int64_t count) {
    for (auto own = uint64_t(number), behind = own + uint64_t(count);
         own < behind; ++own, ++hashes)
      sorted[starts[partitionOf(*hashes)]++] = entryOf(*hashes, own);
  });
  // Each start has moved to that of the next partition.
  for (int64_t p = given.partitions; p > 0; --p)
    starts[p] = starts[p - 1];
  starts[0] = uint32_t(before);
}

namespace {

/// Finds equal rows among the entries of a partition.
class PartitionCounts {
public:
  PartitionCounts(const Counting &all, int64_t partition, uint64_t *memory)
      : all(all), partition(partition), memory(memory) {}

  void count();

  int64_t repeated = 0, excluded = 0;

private:
  static constexpr uint64_t empty = ~uint64_t(0); // no entry has this number
  /// Marks the first of equal neighbours where a set has it: numbers are below.
  static constexpr uint64_t inSet = uint64_t(1) << 31;

  /// Calls visit(count, hash, at), where at(i) is an entry and hash(i) the hash
  /// of it; neighbours come before rows of sets.
  template <typename Visit> void eachPiece(Visit visit) const;
  void suspect();
  uint64_t cellOf(uint64_t entry) const {
    // Suspects may agree in many bits of their hashes.
    constexpr uint32_t factor = 0x9e3779b1;
    const uint64_t cell =
        (uint64_t(Counting::hashOf(entry) * factor) * ncells >> 32) + turn;
    return cell < ncells ? cell : cell - ncells;
  }
  int64_t insert() const;
  void round(int64_t count);
  void compare(int64_t count);
  void note(uint64_t entry, bool isEqual);
  void drop(uint64_t entry) const {
    if (all.given.firsts)
      all.given.firsts[uint32_t(entry)] = 0;
  }

  const Counting &all;
  const int64_t partition;
  uint64_t *const memory;
  uint64_t *cells = nullptr, *list = nullptr, *same = nullptr;
  uint64_t ncells = 0;
  uint64_t turn = 0; ///< how far entries are from their first cells
  int64_t left = 0;  ///< size of the list
};

} // namespace

template <typename Visit> void PartitionCounts::eachPiece(Visit visit) const {
  if (all.given.partitions == 1) {
    for (int64_t part = 0; part < all.parts(); ++part)
      for (int64_t slot = 0; slot < all.given.slots; ++slot) {
        const uint32_t *hashes = all.hashesOf(slot);
        all.eachPiece(slot, [&](int64_t own, int64_t number, int64_t count) {
          if (own == part)
            visit(
                count, [=](int64_t i) { return hashes[i]; },
                [=](int64_t i) {
                  return Counting::entryOf(hashes[i], uint64_t(number + i));
                });
          hashes += count;
        });
      }
    return;
  }
  auto isNeighbour = [&](uint64_t entry) { return all.isNeighbour(entry); };
  for (bool areNeighbours : {true, false})
    for (int64_t slot = 0; slot < all.given.slots; ++slot) {
      const uint32_t *starts = all.startsOf(slot) + partition;
      const uint64_t *begin = all.arrays.entries + starts[0],
                     *end = all.arrays.entries + starts[1], *middle = end;
      if (all.given.nsets > 0)
        middle = std::partition_point(begin, end, isNeighbour);
      const uint64_t *from = areNeighbours ? begin : middle;
      visit((areNeighbours ? middle : end) - from,
            [=](int64_t i) { return Counting::hashOf(from[i]); },
            [=](int64_t i) { return from[i]; });
    }
}

/// Most branches would be unpredictable: passes over all entries have none.
void PartitionCounts::count() {
  suspect();
  ncells = uint64_t(2 * left + 2);
  std::fill_n(cells, ncells, empty);
  for (; left > 0; ++turn)
    round(insert());
}

/// Lists the entries that share a bit with others. A bit that is met once is of
/// an entry that equals no other.
void PartitionCounts::suspect() {
  int64_t size = 0;
  eachPiece([&](int64_t count, auto, auto) { size += count; });
  int64_t words = 1;
  while (4 * words < size)
    words *= 2;
  uint32_t *const met = reinterpret_cast<uint32_t *>(memory), *const shared =
                                                                  met + words;
  list = memory + words;
  same = list + size;
  cells = same + size;
  std::fill_n(met, 2 * words, 0);
  const auto mask = uint32_t(words - 1);
  // Partitions are by the first bits of hashes.
  auto wordOf = [=](uint32_t hash) { return hash >> 5 & mask; };
  auto bitOf = [](uint32_t hash) { return uint32_t(1) << (hash & 31); };
  auto *const again = reinterpret_cast<uint32_t *>(list);
  int64_t count = 0;
  eachPiece([&](int64_t entries, auto hashAt, auto) {
    int64_t found = count;
    for (int64_t i = 0; i < entries; ++i) {
      const uint32_t hash = hashAt(i), word = met[wordOf(hash)];
      met[wordOf(hash)] = word | bitOf(hash);
      again[found] = hash;
      found += (word & bitOf(hash)) != 0;
    }
    count = found;
  });
  for (int64_t i = 0; i < count; ++i)
    shared[wordOf(again[i])] |= bitOf(again[i]);
  uint64_t *const suspects = list;
  eachPiece([&](int64_t entries, auto hashAt, auto at) {
    int64_t found = left;
    for (int64_t i = 0; i < entries; ++i) {
      const uint32_t hash = hashAt(i);
      suspects[found] = at(i);
      found += (shared[wordOf(hash)] & bitOf(hash)) != 0;
    }
    left = found;
  });
}

/// A table with linear probing, which the list goes through in rounds, a cell
/// each: an entry takes an empty cell, equals the one that has it, or is in the
/// next round. Equal entries go through the same cells, so that the first of
/// them takes one. Lists the entries whose cells others have.
int64_t PartitionCounts::insert() const {
  // A copy: the compiler must assume that stores alias what it is a copy of.
  const PartitionCounts own = *this;
  int64_t others = 0;
  for (int64_t i = 0; i < own.left; ++i) {
    const uint64_t entry = own.list[i], at = own.cellOf(entry),
                   held = own.cells[at];
    const bool isEmpty = held == empty;
    own.list[others] = entry;
    others += !isEmpty;
    own.cells[at] = isEmpty ? entry : held;
  }
  return others;
}

/// Compares those of the list whose hashes agree with that of their cell; the
/// others are left.
void PartitionCounts::round(int64_t count) {
  const PartitionCounts own = *this;
  int64_t agreeing = 0, differing = 0;
  for (int64_t i = 0; i < count; ++i) {
    const uint64_t entry = own.list[i];
    const bool agree = (entry ^ own.cells[own.cellOf(entry)]) >> 32 == 0;
    own.same[agreeing] = entry;
    agreeing += agree;
    own.list[differing] = entry;
    differing += !agree;
  }
  left = differing;
  compare(agreeing);
}

void PartitionCounts::compare(int64_t count) {
  // As many as memory answers at a time; the next ones are asked for before
  // these are compared.
  constexpr int64_t block = 16;
  MovedRow rows[2][2 * block];
  // A copy: the compiler must assume that stores alias what it is a copy of.
  const Counting known = all;
  auto ask = [&, own = *this](int64_t from) {
    MovedRow *to = rows[from / block % 2];
    for (int64_t i = from; i < std::min(from + block, count); ++i)
      for (uint64_t entry :
           {own.same[i], own.cells[own.cellOf(own.same[i])] & ~inSet}) {
        *to = known.rowOf(entry);
        known.prefetch(*to++);
      }
  };
  const int64_t before = left;
  ask(0);
  for (int64_t from = 0; from < count; from += block) {
    ask(from + block);
    const int64_t here = std::min(block, count - from);
    const uint64_t equal = MoveTables::whichAreEqual(
        rows[from / block % 2], here, *all.arrays.sumsBytes);
    for (int64_t i = 0; i < here; ++i)
      note(same[from + i], equal >> i & 1);
  }
  if (left > before && all.given.nsets > 0)
    std::stable_partition(list, list + left,
                          [&](uint64_t x) { return all.isNeighbour(x); });
}

void PartitionCounts::note(uint64_t entry, bool isEqual) {
  if (!isEqual) {
    list[left++] = entry;
    return;
  }
  if (all.isNeighbour(entry)) {
    ++repeated;
    drop(entry);
    return;
  }
  uint64_t &first = cells[cellOf(entry)];
  if (all.isNeighbour(first & ~inSet) && !(first & inSet)) {
    ++excluded;
    drop(first);
    first |= inSet;
  }
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
  auto *memory = reinterpret_cast<uint32_t *>(all.arrays.memory +
                                              all.entriesBefore(begin));
  for (int64_t slot = begin; slot < end; ++slot) {
    if (all.given.partitions > 1) {
      all.hash(slot, memory);
      all.partition(slot, memory);
    } else {
      all.hash(slot, all.hashesOf(slot));
    }
    if (all.given.firsts) {
      auto [first, last] = rowsOfSlot(all.given.rows, all.given.slots, slot);
      std::memset(all.given.firsts + first * all.given.generators, 1,
                  size_t((last - first) * all.given.generators));
    }
  }
}

void zenith_routine_count_neighbours_find(const Arguments *arguments,
                                          int64_t begin, int64_t end) {
  const Counting all(checked(arguments));
  for (int64_t finder = begin; finder < end; ++finder) {
    auto [first, last] =
        rowsOfSlot(all.given.partitions, all.given.finders, finder);
    // The memory of a finder's partitions is behind that of those before.
    int64_t before = first;
    for (int64_t slot = 0; slot < all.given.slots && first > 0; ++slot)
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
