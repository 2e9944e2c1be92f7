// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// First step of dedup: rows are partitioned by hash, so that the table of a
// partition fits a cache. Each slot of tasks has blocks of its own, so that the
// order of rows does not depend on threads.

#include "runtime/StreamingStores.h"
#include "runtime/routines/ChunkProducer.h"
#include "runtime/routines/KeyImages.h"
#include "runtime/routines/Routines.h"

#include <algorithm>

using namespace zenith::runtime;

namespace {

/// Partitions rows of one slot and kind by hash. Rows of a partition are
/// buffered in a group, which is written to its block as whole cache lines.
/// `Width`: words of a key, 0: any.
template <int Width> class HashPartitioner {
public:
  HashPartitioner(const KeySet &set, int64_t slot)
      : set(set), nextBlock(uint32_t(slot * set.slotBlocks)),
        streams(set.slots * set.slotBlocks * set.blockRows * width() * 8 >
                cachedBytes),
        groups(set.tableOf(slot)), heads(set.heads + set.chain(slot, 0, 0)),
        blocks(set.blocks + set.chain(slot, 0, 0)),
        cursors(set.cursors + set.chain(slot, 0, 0)) {
    std::fill(cursors, cursors + set.partitions * 2, 0);
    std::fill(blocks, blocks + set.partitions * 2, 0);
    std::fill(groups, groups + set.partitions * groupWords(), 0);
  }

  void add(const uint64_t *rows, int64_t count, int kind) {
    // Copies of loop invariants: the compiler must assume that stores of rows
    // alias them.
    const KeySet::Hash<Width> hash = set.hash<Width>();
    const int bits = set.partitionBits;
    uint64_t *const all = groups;
    const int64_t width = this->width();
    for (const uint64_t *row = rows; row < rows + count * width; row += width) {
      int64_t partition = KeySet::partitionOf(hash(row), bits);
      uint64_t *group = all + partition * groupWords();
      // A group's last word counts its rows until it is the last row's.
      int64_t held = int64_t(group[groupWords() - 1]);
      for (int64_t word = 0; word < width; ++word)
        group[held * width + word] = row[word];
      if (held + 1 == groupRows())
        flush(kind * set.partitions + partition, group);
      else
        group[groupWords() - 1] = uint64_t(held + 1);
    }
  }

  /// After the last row of a kind.
  void finish(int kind) {
    for (int64_t partition = 0; partition < set.partitions; ++partition) {
      uint64_t *group = groups + partition * groupWords();
      uint64_t &count = group[groupWords() - 1];
      if (count == 0)
        continue;
      int64_t &cursor = openFor(kind * set.partitions + partition);
      std::copy(group, group + int64_t(count) * width(),
                set.storage + cursor * width());
      cursor += int64_t(count);
      count = 0;
    }
    finishStreaming();
  }

private:
  /// Beyond this size the caches evict blocks before they are read.
  static constexpr int64_t cachedBytes = 1 << 23;

  constexpr int64_t width() const { return Width ? Width : set.words; }
  constexpr int64_t groupRows() const { return rowsOfGroup(width()); }
  constexpr int64_t groupWords() const { return groupRows() * width(); }

  int64_t &openFor(int64_t chain) {
    int64_t &cursor = cursors[chain];
    if ((cursor & (set.blockRows - 1)) == 0) {
      uint32_t block = nextBlock++;
      if (blocks[chain]++ == 0)
        heads[chain] = block;
      else
        set.following[(cursor - 1) >> set.blockShift] = block;
      cursor = int64_t(block) * set.blockRows;
    }
    return cursor;
  }

  void flush(int64_t chain, uint64_t *group) {
    int64_t &cursor = openFor(chain);
    uint64_t *to = set.storage + cursor * width();
    if (streams)
      for (int64_t word = 0; word < groupWords(); word += 8)
        streamLine(to + word, group + word);
    else
      std::copy(group, group + groupWords(), to);
    cursor += groupRows();
    group[groupWords() - 1] = 0;
  }

  const KeySet &set;
  uint32_t nextBlock;
  const bool streams;
  uint64_t *groups;
  uint32_t *heads, *blocks;
  int64_t *cursors;
};

} // namespace

/// Candidates of a chunk without absent ones, list after list: how many.
template <int Width>
static int64_t packChunk(const KeySet &set, const uint64_t *lists,
                         int64_t count, uint64_t *packed) {
  const int64_t width = Width ? Width : set.words, chunkRows = set.chunkRows;
  const bool hasAbsent = set.hasAbsent;
  const uint64_t absent = set.absent;
  uint64_t *to = packed;
  for (int64_t list = 0; list < set.lists; ++list) {
    const uint64_t *from = lists + list * width * chunkRows;
    for (int64_t i = 0; i < count; ++i) {
      for (int64_t word = 0; word < width; ++word)
        to[word] = from[word * chunkRows + i];
      // Branch-free: absence is unpredictable.
      to += int64_t(!hasAbsent | (to[0] != absent)) * width;
    }
  }
  return (to - packed) / width;
}

/// Whether rows are in order of their partitions; then `starts` has the first
/// row of each partition.
static bool findStarts(const KeySet &set, const uint64_t *rows, int64_t begin,
                       int64_t end, int64_t *starts) {
  const KeySet::Hash<1> hash = set.hash<1>();
  int64_t current = 0;
  starts[0] = begin;
  for (int64_t row = begin; row < end; ++row) {
    int64_t partition =
        KeySet::partitionOf(hash(rows + row), set.partitionBits);
    if (partition == current)
      continue;
    if (partition < current)
      return false;
    while (current < partition)
      starts[++current] = row;
  }
  while (current < set.partitions)
    starts[++current] = end;
  return true;
}

template <int Width>
static void partitionKnown(const KeySet &set, const uint64_t *const *known,
                           int64_t slot, HashPartitioner<Width> &partitioner,
                           uint64_t *key) {
  const int64_t width = Width ? Width : set.words;
  for (int64_t list = 0; list < set.knownLists; ++list) {
    auto [begin, end] = rowsOfSlot(set.knownRows[list], set.slots, slot);
    int64_t *starts = set.startsOf(slot, list);
    if (set.mayStay() && findStarts(set, known[list], begin, end, starts))
      continue;
    std::fill(starts, starts + set.partitions + 1, begin);
    for (int64_t row = begin; row < end; ++row) {
      for (int64_t word = 0; word < width; ++word)
        key[word] = known[list * width + word][row];
      partitioner.add(key, 1, 0);
    }
  }
  partitioner.finish(0);
}

namespace {

/// Tables of images; null where keys stand for themselves.
struct ImageTables {
  const uint16_t *numbers;
  const uint64_t *bits;
};

} // namespace

template <int Width>
static void partitionSlot(const KeySet &set, const ChunkProducer &producer,
                          const uint64_t *const *known,
                          const ImageTables &tables, int64_t slot) {
  const int64_t width = Width ? Width : set.words;
  HashPartitioner<Width> partitioner(set, slot);
  uint64_t *lists =
      set.chunks + slot * set.chunkRows * set.lists * (width + 1) * 2;
  uint64_t *packed = lists + set.chunkRows * set.lists * width;
  // Once candidates are packed, the memory of their lists is free: many times
  // the need of the images.
  KeyImages<Width> images(set, tables.numbers, tables.bits, lists);
  auto [first, last] = rowsOfSlot(set.rows, set.slots, slot);
  for (int64_t row = first; row < last; row += set.chunkRows) {
    int64_t count = std::min(set.chunkRows, last - row);
    producer.run(row, row + count, lists);
    int64_t candidates = packChunk<Width>(set, lists, count, packed);
    if (set.images > 0)
      images.replace(packed, candidates);
    partitioner.add(packed, candidates, 1);
  }
  partitioner.finish(1);
  if (set.knownLists > 0)
    partitionKnown<Width>(set, known, slot, partitioner, packed);
}

void zenith_routine_dedup_partition(const zenith_dedup_arguments *arguments,
                                    int64_t begin, int64_t end) {
  const zenith_dedup_arguments &given = checked(arguments);
  KeySet set(given);
  auto *const *known = reinterpret_cast<const uint64_t *const *>(given.known);
  ImageTables tables{nullptr, nullptr};
  if (set.images > 0) {
    tables.numbers = given.image_numbers;
    tables.bits = given.image_bits;
  }
  ChunkProducer producer(given.producer);
  byWidth(set.words, [&](auto width) {
    for (int64_t slot = begin; slot < end; ++slot)
      partitionSlot<width>(set, producer, known, tables, slot);
  });
}
